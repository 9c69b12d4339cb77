//! How many changes of an account go on though their clients are gone. Neither connections nor streams bound these, and each holds memory
//! until it ends.

use std::sync::Arc;
use std::time::Duration;

use moka::sync::Cache;
use uuid::Uuid;

use crate::{Code, Problem, Result};

/// While so many of an account are under way, nobody who has one of them begins another change.
const MOST: usize = 64;
/// So many accounts, keys and people are remembered.
const REMEMBERED: u64 = 100_000;
/// What began before has ended by then.
const IDLE: Duration = Duration::from_mins(10);

/// The changes of each account, and of each key or person of it by its name. An account is without a name here.
pub struct AbandonedChanges(Cache<(Uuid, String), Counted>);

/// What the changes hold that are under way, and what those hold who wait for their answers: each a clone.
#[derive(Clone, Default)]
struct Counted {
    change: Arc<()>,
    client: Arc<()>,
}

/// A change that begins.
pub struct BegunChange {
    /// To be held until it has ended.
    pub change: [Arc<()>; 2],
    /// To be held as long as somebody waits for its answer.
    pub client: [Arc<()>; 2],
}

impl Counted {
    /// How many changes there are more than clients.
    fn abandoned(&self) -> usize {
        Arc::strong_count(&self.change).saturating_sub(Arc::strong_count(&self.client))
    }
}

impl Default for AbandonedChanges {
    fn default() -> Self {
        let counted = Cache::builder().max_capacity(REMEMBERED);
        Self(counted.time_to_idle(IDLE).build())
    }
}

impl AbandonedChanges {
    /// Counts a change of a key or person. Whoever has abandoned none begins one in any case, so that nobody keeps others of an account
    /// from changing anything.
    ///
    /// # Errors
    /// 503 `busy`: too many of the account go on, and one of them is theirs.
    pub fn begin(&self, account_id: Uuid, name: &str) -> Result<BegunChange> {
        let of = |name: &str| {
            let key = (account_id, name.to_owned());
            self.0.get_with(key, Counted::default)
        };
        let (account, own) = (of(""), of(name));
        if account.abandoned() >= MOST && own.abandoned() > 0 {
            let detail = format!(
                "{MOST} changes of the account go on whose clients hung up; wait until some have ended"
            );
            return Err(Problem::new(Code::Busy, detail).retry_after(1));
        }
        Ok(BegunChange {
            change: [account.change, own.change],
            client: [account.client, own.client],
        })
    }
}
