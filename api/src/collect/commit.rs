//! Group commit: what arrives while a commit is under way shares the next one. Nobody is answered before the commit.
//!
//! Two committers take turns at the queue, so that one gathers while the other waits for the disk. Alone an item is
//! committed at once; nothing waits for company.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use store::Store;
use store::collect::{NewAnswer, NewView, Recorded};
use tokio::sync::{Mutex, mpsc, oneshot};

use super::bell::{Bell, FormPlace};
use crate::deadline::{QUICK, within};
use crate::error::Problem;

/// So many may wait; more are told to come again.
const WAITING: usize = 4_096;
/// So many share a commit.
const TOGETHER: usize = 256;
/// So many commits at once.
const COMMITTERS: usize = 2;
/// A commit that takes longer has lost its database. Whoever waits for it was told so long before.
const COMMIT: Duration = Duration::from_secs(10);

/// What is committed in groups.
pub trait Group: Send + Sync + 'static {
    type Item: Send + Sync;
    type Outcome: Send;
    /// In metrics.
    const NAME: &'static str;

    /// Commits all items in one transaction: one outcome an item, in their order, and whether any of them is something
    /// to count.
    fn commit(
        store: &Store,
        items: &[Self::Item],
    ) -> impl Future<Output = Result<(Vec<Self::Outcome>, bool), store::Error>> + Send;
}

/// Answers to forms.
pub struct Answers;

impl Group for Answers {
    type Item = NewAnswer;
    type Outcome = Recorded;
    const NAME: &'static str = "answers";

    async fn commit(
        store: &Store,
        items: &[NewAnswer],
    ) -> Result<(Vec<Recorded>, bool), store::Error> {
        let recorded = store.record_answers(items).await?;
        let new = |recorded: &Recorded| matches!(recorded, Recorded::Stored(_));
        let counts = recorded.iter().any(new);
        Ok((recorded, counts))
    }
}

/// Views of forms.
pub struct Views;

impl Group for Views {
    type Item = NewView;
    type Outcome = ();
    const NAME: &'static str = "views";

    async fn commit(store: &Store, items: &[NewView]) -> Result<(Vec<()>, bool), store::Error> {
        let new = store.record_views(items).await?;
        metrics::counter!("feedback_views_total").increment(new);
        Ok((vec![(); items.len()], new > 0))
    }
}

/// Where items wait for their commit. Cheap to clone.
pub struct Committer<G: Group>(mpsc::Sender<Waiting<G>>);

struct Waiting<G: Group> {
    item: G::Item,
    form: FormPlace,
    answer: oneshot::Sender<Result<G::Outcome, Problem>>,
}

impl<G: Group> Committer<G> {
    /// Starts the committers. They end when nobody can send any more.
    pub fn start(store: &Store, bell: &Bell) -> Self {
        let (sender, receiver) = mpsc::channel(WAITING);
        let receiver = Arc::new(Mutex::new(receiver));
        for _ in 0..COMMITTERS {
            tokio::spawn(commit_on::<G>(
                store.clone(),
                bell.clone(),
                receiver.clone(),
            ));
        }
        Self(sender)
    }

    /// Commits an item of a form, together with others.
    ///
    /// # Errors
    /// 503: too many wait, or the database does not answer in time. Then it may or may not be committed, and giving it
    /// again is safe.
    pub async fn commit(&self, form: FormPlace, item: G::Item) -> Result<G::Outcome, Problem> {
        let (answer, answered) = oneshot::channel();
        let waiting = Waiting { item, form, answer };
        self.0.try_send(waiting).map_err(|_| {
            tracing::warn!(group = G::NAME, "too many wait for their commit");
            Problem::unavailable()
        })?;
        match tokio::time::timeout(QUICK, answered).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_)) | Err(_) => Err(Problem::unavailable()),
        }
    }
}

async fn commit_on<G: Group>(
    store: Store,
    bell: Bell,
    receiver: Arc<Mutex<mpsc::Receiver<Waiting<G>>>>,
) {
    loop {
        let mut group = Vec::new();
        if receiver.lock().await.recv_many(&mut group, TOGETHER).await == 0 {
            return;
        }
        // A panic ends this group, whose members are told 503, and not the committer.
        let committing = AssertUnwindSafe(commit_group(&store, &bell, group));
        if committing.catch_unwind().await.is_err() {
            tracing::error!(group = G::NAME, "a commit panicked");
        }
    }
}

async fn commit_group<G: Group>(store: &Store, bell: &Bell, group: Vec<Waiting<G>>) {
    let mut items = Vec::with_capacity(group.len());
    let mut others = Vec::with_capacity(group.len());
    for Waiting { item, form, answer } in group {
        items.push(item);
        others.push((form, answer));
    }
    match try_commit::<G>(store, &items).await {
        Ok((outcomes, counts)) => {
            if counts {
                bell.ring(others.iter().map(|(form, _)| *form));
            }
            for ((_, answer), outcome) in others.into_iter().zip(outcomes) {
                // Whoever does not wait any more gets the same when asking again.
                let _ = answer.send(Ok(outcome));
            }
        }
        Err(error) if error.is_unavailable() || items.len() == 1 => {
            let problem = Problem::from(error);
            for (_, answer) in others {
                let _ = answer.send(Err(problem.clone()));
            }
        }
        // One of them is refused by the database: it must not take the others along.
        Err(_) => {
            for (item, (form, answer)) in items.into_iter().zip(others) {
                let alone: Waiting<G> = Waiting { item, form, answer };
                Box::pin(commit_group(store, bell, vec![alone])).await;
            }
        }
    }
}

async fn try_commit<G: Group>(
    store: &Store,
    items: &[G::Item],
) -> Result<(Vec<G::Outcome>, bool), store::Error> {
    let committed = within(COMMIT, G::commit(store, items)).await;
    metrics::counter!("feedback_commits_total", "group" => G::NAME).increment(1);
    committed
}
