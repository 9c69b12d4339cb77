//! Whose turn it is at the connections. What is done on behalf of an account passes a gate, so that an account with a thousand
//! requests does not stand in line a thousand times before another one's first.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::future::BoxFuture;
use tokio::task_local;
use uuid::Uuid;

/// Lets accounts take turns at something.
pub trait Gate: Debug + Send + Sync {
    /// Waits for a turn of the account, which lasts until what is returned is dropped.
    fn enter(&self, account_id: Uuid) -> BoxFuture<'_, Box<dyn Any + Send + Sync>>;
}

/// The gates of a database.
#[derive(Clone, Debug)]
pub struct Gates {
    /// Of the connections; SQLite: of its readers.
    pub connections: Arc<dyn Gate>,
    /// SQLite: of its writer.
    pub writer: Arc<dyn Gate>,
}

task_local! {
    static CALLER: Caller;
}

/// For whom a task asks.
#[derive(Clone)]
struct Caller {
    account_id: Uuid,
    /// What it has under way: whoever has a connection does not wait for one more, behind others who wait for theirs.
    under_way: Arc<AtomicUsize>,
}

/// Does work whose statements are the account's, where they pass a gate. What it spawns is nobody's and passes none.
pub async fn on_behalf_of<F: Future>(account_id: Uuid, work: F) -> F::Output {
    let under_way = Arc::default();
    let caller = Caller {
        account_id,
        under_way,
    };
    CALLER.scope(caller, work).await
}

/// A statement or a transaction that is under way.
#[derive(Debug, Default)]
pub(super) struct UnderWay {
    counted: Option<Arc<AtomicUsize>>,
    turn: Option<Box<dyn Any + Send + Sync>>,
}

impl Gates {
    /// Waits for the turn of whom the task is for.
    pub(super) async fn pass(&self, writer: bool) -> UnderWay {
        let Ok(caller) = CALLER.try_with(Caller::clone) else {
            return UnderWay::default();
        };
        let is_first = caller.under_way.fetch_add(1, Ordering::Relaxed) == 0;
        let mut under_way = UnderWay {
            counted: Some(caller.under_way),
            turn: None,
        };
        if is_first {
            let gate = if writer {
                &self.writer
            } else {
                &self.connections
            };
            under_way.turn = Some(gate.enter(caller.account_id).await);
        }
        under_way
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        if let Some(counted) = &self.counted {
            counted.fetch_sub(1, Ordering::Relaxed);
        }
    }
}
