//! Group commit: what arrives while a commit is under way shares the next one. Nobody is answered before the commit.
//!
//! There are two committers, so that one gathers items while the other waits for the disk. An item that comes alone is
//! committed at once. Accounts take turns, by the bytes of their items.
//!
//! Waiting items hold memory of a pool that is shared out by account, so that no account can use it up for the others.

use std::collections::{HashMap, VecDeque};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use parking_lot::Mutex;
use platform::turns::{Turn, Turns};
use tokio::sync::{Notify, oneshot};
use uuid::Uuid;

use crate::memory::{MemoryPermit, MemoryPool, PoolSize};
use crate::{AppState, Problem, QUICK, Result, within};

/// The size of the pool for waiting items. An account whose share is used up gets 503 and does not wait, so the pool needs
/// no reserve.
const fn waiting(total: u64) -> PoolSize {
    PoolSize {
        total,
        largest: 0,
        small: u64::MAX,
    }
}
/// The most items that share a commit.
const TOGETHER: usize = 256;
/// No item is added to a commit that has this many bytes: the answers of other accounts wait behind it.
const TOGETHER_BYTES: usize = 1 << 20;
/// The commits that are under way at once, at most.
const COMMITTERS: usize = 2;
/// The same where accounts lie on several nodes and each has commits of its own, so that a node that is away holds up no others.
const COMMITTERS_OF_ACCOUNTS: usize = 4;
/// And those of one account.
const COMMITS_OF_ACCOUNT: usize = 2;
/// A commit that takes longer has lost its database. Whoever waits for it got a 503 long before.
const COMMIT: Duration = Duration::from_secs(10);

/// What is committed in groups.
pub trait Group: 'static {
    type Item: Send + Sync + 'static;
    type Outcome: Send;
    /// The name of the group in metrics.
    const NAME: &'static str;

    /// Commits all items in one transaction: one outcome an item, in their order. Notifies of what there is to count then.
    fn commit(
        app: &AppState,
        items: &[Self::Item],
    ) -> impl Future<Output = Result<Vec<Self::Outcome>, store::Error>> + Send;
}

/// Where items wait for their commit.
pub struct Committer<G: Group> {
    waiting: Arc<CommitQueue<Pending<G>>>,
}

/// An item, and where its outcome goes.
type Pending<G> = (
    <G as Group>::Item,
    oneshot::Sender<Result<<G as Group>::Outcome>>,
);

impl<G: Group> Committer<G> {
    /// Starts the committers, for which at most so many bytes wait. They end with the process.
    pub fn start(app: &AppState, bytes: u64) -> Self {
        let of_one_account = app.store.has_nodes();
        let waiting = Arc::new(CommitQueue::new(waiting(bytes), of_one_account));
        let committers = if of_one_account {
            COMMITTERS_OF_ACCOUNTS
        } else {
            COMMITTERS
        };
        for _ in 0..committers {
            tokio::spawn(commit_on::<G>(app.clone(), waiting.clone()));
        }
        Self { waiting }
    }

    /// Commits an item of an account, which takes about so many bytes while it waits, together with others.
    ///
    /// # Errors
    /// 503: too much of the account waits, or the database does not answer in time. Then it may or may not be committed,
    /// and giving it again is safe.
    pub async fn commit(
        &self,
        account_id: Uuid,
        bytes: usize,
        item: G::Item,
    ) -> Result<G::Outcome> {
        let (answer, answered) = oneshot::channel();
        if !self.waiting.add(account_id, bytes, (item, answer)) {
            tracing::warn!(group = G::NAME, account.id = %account_id, "too much of an account waits for its commit");
            return Err(Problem::unavailable());
        }
        match tokio::time::timeout(QUICK, answered).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_)) | Err(_) => Err(Problem::unavailable()),
        }
    }
}

async fn commit_on<G: Group>(app: AppState, waiting: Arc<CommitQueue<Pending<G>>>) {
    loop {
        let (mut group, _until_then) = waiting.next().await;
        // Nobody waits any more for what got a 503.
        group.retain(|(_, answer)| !answer.is_closed());
        if group.is_empty() {
            continue;
        }
        // A panic ends this group, whose members get 503, and not the committer.
        let committing = AssertUnwindSafe(commit_group::<G>(&app, group));
        if committing.catch_unwind().await.is_err() {
            tracing::error!(group = G::NAME, "a commit panicked");
        }
    }
}

async fn commit_group<G: Group>(app: &AppState, group: Vec<Pending<G>>) {
    let (items, others): (Vec<_>, Vec<_>) = group.into_iter().unzip();
    let committed = within(COMMIT, G::commit(app, &items)).await;
    metrics::counter!("feedback_commits_total", "group" => G::NAME).increment(1);
    match committed {
        Ok(outcomes) => {
            for (answer, outcome) in others.into_iter().zip(outcomes) {
                // A caller that has gone gets the same outcome when it asks again.
                let _ = answer.send(Ok(outcome));
            }
        }
        Err(error) if error.is_unavailable() || items.len() == 1 => {
            let problem = Problem::from(error);
            for answer in others {
                let _ = answer.send(Err(problem.clone()));
            }
        }
        // The database refuses one of the items, which must not fail the others.
        Err(_) => {
            for alone in items.into_iter().zip(others) {
                Box::pin(commit_group::<G>(app, vec![alone])).await;
            }
        }
    }
}

/// An item counts for so many bytes at least.
const LEAST: usize = 1 << 10;

/// Items of accounts, those of each in their order.
struct CommitQueue<T> {
    pool: MemoryPool,
    /// Items that are taken together are of one account.
    of_one_account: bool,
    items: Mutex<Items<T>>,
    added: Notify,
}

struct Items<T> {
    turns: Turns,
    /// Each with its bytes, and the permit for what it counts for.
    by_account: HashMap<Uuid, VecDeque<(usize, MemoryPermit, T)>>,
}

impl<T> CommitQueue<T> {
    fn new(size: PoolSize, of_one_account: bool) -> Self {
        let most = if of_one_account {
            COMMITS_OF_ACCOUNT
        } else {
            usize::MAX
        };
        let items = Items {
            turns: Turns::with_most(most),
            by_account: HashMap::new(),
        };
        Self {
            pool: MemoryPool::new(size),
            of_one_account,
            items: Mutex::new(items),
            added: Notify::new(),
        }
    }

    /// Adds an item of an account, and the bytes that it takes; `false`: they are more than the account's share of what is
    /// left.
    #[must_use]
    fn add(&self, account_id: Uuid, bytes: usize, item: T) -> bool {
        let mut permit = self.pool.permit(account_id);
        if !permit.try_grow_to(bytes.max(LEAST) as u64) {
            return false;
        }
        let mut items = self.items.lock();
        let of_account = items.by_account.entry(account_id).or_default();
        of_account.push_back((bytes, permit, item));
        items.turns.add(account_id);
        drop(items);
        self.added.notify_one();
        true
    }

    /// The next items for a commit, and what is to last until they are committed.
    async fn next(self: &Arc<Self>) -> (Vec<T>, Option<OpenTurn<T>>) {
        if self.of_one_account {
            let (taken, turn) = self.take_of_account(TOGETHER, TOGETHER_BYTES).await;
            (taken, Some(turn))
        } else {
            (self.take(TOGETHER, TOGETHER_BYTES).await, None)
        }
    }

    /// The next items of the account whose turn it is.
    async fn take_of_account(self: &Arc<Self>, most: usize, bytes: usize) -> (Vec<T>, OpenTurn<T>) {
        loop {
            let taken = self.items.lock().take_of_account(most, bytes);
            if let Some((taken, turn, used)) = taken {
                // Others may wait for a committer.
                self.added.notify_one();
                let queue = Arc::clone(self);
                return (taken, OpenTurn { queue, turn, used });
            }
            self.added.notified().await;
        }
    }

    /// The next items, at most `most`, and no further one once they take `bytes`. Waits for the first.
    async fn take(&self, most: usize, bytes: usize) -> Vec<T> {
        loop {
            let (taken, more) = self.items.lock().take(most, bytes);
            if more {
                self.added.notify_one();
            }
            if !taken.is_empty() {
                return taken;
            }
            self.added.notified().await;
        }
    }
}

impl<T> Items<T> {
    /// The items, and whether there are more.
    fn take(&mut self, most: usize, limit: usize) -> (Vec<T>, bool) {
        let (mut taken, mut bytes) = (Vec::new(), 0);
        while taken.len() < most && bytes < limit {
            let Some(turn) = self.turns.take() else {
                break;
            };
            let mut size = 0;
            if let Some(items) = self.by_account.get_mut(&turn.account_id) {
                if let Some((bytes, _permit, item)) = items.pop_front() {
                    size = bytes;
                    taken.push(item);
                }
                if items.is_empty() {
                    self.by_account.remove(&turn.account_id);
                    self.turns.clear(&turn);
                }
            }
            self.turns.end(&turn, size as u64);
            bytes += size;
        }
        (taken, !self.by_account.is_empty())
    }

    /// The same of the account alone whose turn it is, which is still to end, and their bytes. `None`: no account may have one more.
    fn take_of_account(&mut self, most: usize, limit: usize) -> Option<(Vec<T>, Turn, u64)> {
        let turn = self.turns.take()?;
        let (mut taken, mut bytes) = (Vec::new(), 0);
        if let Some(items) = self.by_account.get_mut(&turn.account_id) {
            while taken.len() < most
                && bytes < limit
                && let Some((size, _permit, item)) = items.pop_front()
            {
                bytes += size;
                taken.push(item);
            }
            if items.is_empty() {
                self.by_account.remove(&turn.account_id);
                self.turns.clear(&turn);
            }
        }
        Some((taken, turn, bytes as u64))
    }
}

/// An account's turn, until its items are committed.
struct OpenTurn<T> {
    queue: Arc<CommitQueue<T>>,
    turn: Turn,
    used: u64,
}

impl<T> Drop for OpenTurn<T> {
    fn drop(&mut self) {
        self.queue.items.lock().turns.end(&self.turn, self.used);
        self.queue.added.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_account_with_much_leaves_room_for_another() {
        let waiting = CommitQueue::new(waiting(1 << 20), false);
        let (one, two) = (Uuid::from_u128(1), Uuid::from_u128(2));
        for n in 0..10 {
            assert!(waiting.add(one, 100, n));
        }
        for n in 10..13 {
            assert!(waiting.add(two, 10, n));
        }
        assert_eq!(waiting.take(2, 1_000).await, [0, 10]);
        assert_eq!(waiting.take(9, 120).await, [11, 12, 1]);
        assert_eq!(waiting.take(9, 1).await, [2]);
        assert_eq!(waiting.take(99, 9_999).await, [3, 4, 5, 6, 7, 8, 9]);
        let late = async { assert!(waiting.add(two, 1, 13)) };
        let (taken, ()) = tokio::join!(waiting.take(1, 1), late);
        assert_eq!(taken, [13]);
    }

    #[tokio::test]
    async fn where_accounts_lie_on_several_nodes_each_is_taken_alone() {
        let waiting = Arc::new(CommitQueue::new(waiting(1 << 20), true));
        for n in 0..8 {
            assert!(waiting.add(Uuid::from_u128(n % 2), 100, n));
        }
        let (first, turn) = waiting.take_of_account(1, 1_000).await;
        let (second, _other) = waiting.take_of_account(1, 1_000).await;
        let (third, _same) = waiting.take_of_account(1, 1_000).await;
        let (fourth, _last) = waiting.take_of_account(1, 1_000).await;
        assert_eq!([first, second, third, fourth].concat(), [0, 1, 2, 3]);
        // Each has two commits under way, so nobody else begins.
        let next = waiting.take_of_account(9, 1_000);
        let (next, ()) = tokio::join!(next, async { drop(turn) });
        assert_eq!(next.0, [4, 6]);
    }

    #[tokio::test]
    async fn an_account_gets_as_much_as_it_leaves() {
        let (one, two) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let waiting = CommitQueue::new(waiting(100 * LEAST as u64), false);
        assert!(waiting.add(one, 50 * LEAST, 1));
        assert!(!waiting.add(one, 1, 2));
        assert!(waiting.add(two, 25 * LEAST, 3));
        assert!(!waiting.add(two, 1, 4));
        assert_eq!(waiting.take(1, usize::MAX).await, [1]);
        assert!(waiting.add(two, 25 * LEAST, 5));
        assert!(waiting.add(one, 25 * LEAST, 6));
        assert_eq!(waiting.take(9, usize::MAX).await.len(), 3);
        assert!(waiting.items.lock().by_account.is_empty());
        assert!(waiting.add(two, 50 * LEAST, 7));
    }
}
