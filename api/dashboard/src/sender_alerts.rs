//! How senders are, for every page that says that one is in trouble: read once in a while an account.

use std::sync::Arc;
use std::time::Duration;

use api_http::{Caller, Problem};
use api_send::{SendState, SenderItem, operations};
use moka::future::Cache;
use uuid::Uuid;

/// How long what was read is told.
const MAX_AGE: Duration = Duration::from_secs(15);
/// So many accounts are kept.
const KEPT: u64 = 10_000;

/// The senders of accounts, as this process read them. Cheap to clone.
#[derive(Clone)]
pub struct SenderAlerts(Cache<Uuid, Arc<[SenderItem]>>);

impl Default for SenderAlerts {
    fn default() -> Self {
        let kept = Cache::builder().max_capacity(KEPT);
        Self(kept.time_to_live(MAX_AGE).build())
    }
}

impl SenderAlerts {
    /// The senders of an account that a person should look at. None where they cannot be read: the page itself is worth more.
    pub async fn find(&self, state: &SendState, caller: &Caller) -> Arc<[SenderItem]> {
        let read = async {
            let mut senders = operations::list_senders(state, caller).await?;
            senders.retain(SenderItem::needs_attention);
            Ok::<_, Problem>(senders.into())
        };
        let found = self.0.try_get_with(caller.account_id(), read).await;
        found.unwrap_or_default()
    }

    /// Forgets what was read of an account, whose person changed it.
    pub async fn forget(&self, account_id: Uuid) {
        self.0.invalidate(&account_id).await;
    }
}
