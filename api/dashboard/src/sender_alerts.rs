//! How senders are, what is left of budgets and which keys end, for every page that says that one is in trouble: read once in a while an account.

use std::sync::Arc;
use std::time::Duration;

use api_http::{Caller, Problem, Result};
use api_send::{SendState, SenderItem, operations};
use chrono::Utc;
use moka::future::Cache;
use store::Store;
use store::send::usage::BudgetSpent;
use uuid::Uuid;

/// How long what was read is told.
const MAX_AGE: Duration = Duration::from_secs(15);
/// So many accounts are kept.
const KEPT: u64 = 10_000;

/// What a person of an account should look at.
#[derive(Default)]
pub struct Troubled {
    pub senders: Vec<SenderItem>,
    /// Those that are nearly spent.
    pub budgets: Vec<BudgetSpent>,
    /// How many API keys are about to end.
    pub keys: i64,
}

/// What is in trouble of accounts, as this process read it. Cheap to clone.
#[derive(Clone)]
pub struct SenderAlerts(Cache<Uuid, Arc<Troubled>>);

impl Troubled {
    /// Of all senders and budgets of an account, with its keys that are about to end.
    pub fn among(mut senders: Vec<SenderItem>, mut budgets: Vec<BudgetSpent>, keys: i64) -> Self {
        senders.retain(SenderItem::needs_attention);
        budgets.retain(BudgetSpent::is_nearly_spent);
        Self {
            senders,
            budgets,
            keys,
        }
    }
}

impl Default for SenderAlerts {
    fn default() -> Self {
        let kept = Cache::builder().max_capacity(KEPT);
        Self(kept.time_to_live(MAX_AGE).build())
    }
}

impl SenderAlerts {
    /// What a person of an account should look at. Nothing where it cannot be read: the page itself is worth more.
    pub async fn find(&self, state: &SendState, caller: &Caller) -> Arc<Troubled> {
        let read = async {
            let senders = operations::list_senders(state, caller).await?;
            let budgets = operations::list_budgets(caller).await?;
            let keys = keys_ending(&caller.app.store, caller.account_id()).await?;
            Ok::<_, Problem>(Arc::new(Troubled::among(senders, budgets, keys)))
        };
        let found = self.0.try_get_with(caller.account_id(), read).await;
        found.unwrap_or_default()
    }

    /// Tells from now on what a page has just read of an account.
    pub async fn renew(&self, account_id: Uuid, troubled: Arc<Troubled>) {
        self.0.insert(account_id, troubled).await;
    }

    /// Forgets what was read of an account, whose person changed it.
    pub async fn forget(&self, account_id: Uuid) {
        self.0.invalidate(&account_id).await;
    }
}

/// How many keys of an account are about to end.
pub async fn keys_ending(store: &Store, account_id: Uuid) -> Result<i64> {
    let (keys, now) = (store.list_keys(Some(account_id)).await?, Utc::now());
    let ending = keys.iter().filter(|key| key.ends_soon(now)).count();
    Ok(i64::try_from(ending).unwrap_or(i64::MAX))
}
