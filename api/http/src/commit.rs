//! Group commit: what arrives while a commit is under way shares the next one. Nobody is answered before the commit.
//!
//! Two committers, so that one gathers while the other waits for the disk. Alone an item is committed at once; nothing
//! waits for company. What waits is taken account by account (`queue`).

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use store::Store;
use store::form::FormKey;
use tokio::sync::oneshot;
use uuid::Uuid;

use crate::commit_queue::CommitQueue;
use crate::notify::Notifier;
use crate::{Problem, QUICK, Result, within};

/// The bytes of all that waits, of which each account may hold a share; beyond it the answer is 503.
const WAITING: usize = 64 << 20;
/// The most items that share a commit.
const TOGETHER: usize = 256;
/// No item is added to a commit that has this many bytes: the answers of other accounts wait behind it.
const TOGETHER_BYTES: usize = 1 << 20;
/// The commits that are under way at once, at most.
const COMMITTERS: usize = 2;
/// A commit that takes longer has lost its database. Whoever waits for it got a 503 long before.
const COMMIT: Duration = Duration::from_secs(10);

/// What is committed in groups.
pub trait Group: 'static {
    type Item: Send + Sync + 'static;
    type Outcome: Send;
    /// In metrics.
    const NAME: &'static str;

    /// The bytes that an item takes while it waits, about.
    fn size(item: &Self::Item) -> usize;

    /// Commits all items in one transaction: one outcome an item, in their order, and the forms of which there is something
    /// to count.
    fn commit(
        store: &Store,
        items: &[Self::Item],
    ) -> impl Future<Output = Result<(Vec<Self::Outcome>, Vec<FormKey>), store::Error>> + Send;
}

/// Where items wait for their commit.
pub struct Committer<G: Group> {
    waiting: Arc<CommitQueue<Pending<G>>>,
}

struct Pending<G: Group> {
    item: G::Item,
    answer: oneshot::Sender<Result<G::Outcome>>,
}

impl<G: Group> Committer<G> {
    /// Starts the committers. They end with the process.
    pub fn start(store: &Store, notifier: &Notifier) -> Self {
        let waiting = Arc::new(CommitQueue::new(WAITING));
        for _ in 0..COMMITTERS {
            tokio::spawn(commit_on::<G>(
                store.clone(),
                notifier.clone(),
                waiting.clone(),
            ));
        }
        Self { waiting }
    }

    /// Commits an item of an account, together with others.
    ///
    /// # Errors
    /// 503: too much of the account waits, or the database does not answer in time. Then it may or may not be committed,
    /// and giving it again is safe.
    pub async fn commit(&self, account_id: Uuid, item: G::Item) -> Result<G::Outcome> {
        let (answer, answered) = oneshot::channel();
        let bytes = G::size(&item);
        let pending = Pending { item, answer };
        if !self.waiting.add(account_id, bytes, pending) {
            tracing::warn!(group = G::NAME, account.id = %account_id, "too much of an account waits for its commit");
            return Err(Problem::unavailable());
        }
        match tokio::time::timeout(QUICK, answered).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_)) | Err(_) => Err(Problem::unavailable()),
        }
    }
}

async fn commit_on<G: Group>(
    store: Store,
    notifier: Notifier,
    waiting: Arc<CommitQueue<Pending<G>>>,
) {
    loop {
        let mut group = waiting.take(TOGETHER, TOGETHER_BYTES).await;
        // Nobody waits any more for what got a 503.
        group.retain(|waiting| !waiting.answer.is_closed());
        if group.is_empty() {
            continue;
        }
        // A panic ends this group, whose members get 503, and not the committer.
        let committing = AssertUnwindSafe(commit_group(&store, &notifier, group));
        if committing.catch_unwind().await.is_err() {
            tracing::error!(group = G::NAME, "a commit panicked");
        }
    }
}

async fn commit_group<G: Group>(store: &Store, notifier: &Notifier, group: Vec<Pending<G>>) {
    let mut items = Vec::with_capacity(group.len());
    let mut others = Vec::with_capacity(group.len());
    for waiting in group {
        items.push(waiting.item);
        others.push(waiting.answer);
    }
    let committed = within(COMMIT, G::commit(store, &items)).await;
    metrics::counter!("feedback_commits_total", "group" => G::NAME).increment(1);
    match committed {
        Ok((outcomes, forms)) => {
            if !forms.is_empty() {
                notifier.forms_changed(forms);
            }
            for (answer, outcome) in others.into_iter().zip(outcomes) {
                // Whoever does not wait any more gets the same when asking again.
                let _ = answer.send(Ok(outcome));
            }
        }
        Err(error) if error.is_unavailable() || items.len() == 1 => {
            let problem = Problem::from(error);
            for answer in others {
                let _ = answer.send(Err(problem.clone()));
            }
        }
        // One of them is refused by the database: it must not take the others along.
        Err(_) => {
            for (item, answer) in items.into_iter().zip(others) {
                let alone: Pending<G> = Pending { item, answer };
                Box::pin(commit_group(store, notifier, vec![alone])).await;
            }
        }
    }
}
