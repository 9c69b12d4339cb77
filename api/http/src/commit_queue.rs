//! What waits for its commit. Accounts take turns, by the bytes that they bring.
//!
//! No account's items take more bytes than are left for all others, so whatever one holds, another finds room: one alone may
//! hold half, two that want as much as they can get hold a third each.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use platform::turns::Turns;
use tokio::sync::Notify;
use uuid::Uuid;

/// An item counts for so many bytes at least.
const LEAST: usize = 8 << 10;

/// Items of accounts, those of each in their order.
pub struct CommitQueue<T> {
    /// The bytes of all items.
    capacity: usize,
    items: Mutex<Items<T>>,
    added: Notify,
}

struct Items<T> {
    turns: Turns,
    by_account: HashMap<Uuid, OfAccount<T>>,
    /// What the items count for.
    bytes: usize,
}

struct OfAccount<T> {
    items: VecDeque<(usize, T)>,
    /// What they count for.
    bytes: usize,
}

impl<T> CommitQueue<T> {
    pub fn new(capacity: usize) -> Self {
        let items = Items {
            turns: Turns::default(),
            by_account: HashMap::new(),
            bytes: 0,
        };
        Self {
            capacity,
            items: Mutex::new(items),
            added: Notify::new(),
        }
    }

    /// Adds an item of an account, and the bytes that it takes; `false`: they are more than the account's share of what is
    /// left.
    #[must_use]
    pub fn add(&self, account_id: Uuid, bytes: usize, item: T) -> bool {
        let mut items = self.items();
        let left = self.capacity.saturating_sub(items.bytes);
        let own = items.by_account.get(&account_id).map_or(0, |of| of.bytes);
        let counted = bytes.max(LEAST);
        if own + counted > left {
            return false;
        }
        items.bytes += counted;
        let of_account = items.by_account.entry(account_id);
        let of_account = of_account.or_insert_with(|| OfAccount {
            items: VecDeque::new(),
            bytes: 0,
        });
        of_account.bytes += counted;
        of_account.items.push_back((bytes, item));
        items.turns.add(account_id);
        drop(items);
        self.added.notify_one();
        true
    }

    /// The next items, at most `most`, and no further one once they take `bytes`. Waits for the first.
    pub async fn take(&self, most: usize, bytes: usize) -> Vec<T> {
        loop {
            let (taken, more) = self.items().take(most, bytes);
            if more {
                self.added.notify_one();
            }
            if !taken.is_empty() {
                return taken;
            }
            self.added.notified().await;
        }
    }

    fn items(&self) -> MutexGuard<'_, Items<T>> {
        self.items.lock().unwrap_or_else(PoisonError::into_inner)
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
            if let Some(of_account) = self.by_account.get_mut(&turn.account_id) {
                if let Some((bytes, item)) = of_account.items.pop_front() {
                    size = bytes;
                    self.bytes -= bytes.max(LEAST);
                    of_account.bytes -= bytes.max(LEAST);
                    taken.push(item);
                }
                if of_account.items.is_empty() {
                    self.by_account.remove(&turn.account_id);
                    self.turns.clear(&turn);
                }
            }
            self.turns.end(&turn, size as u64);
            bytes += size;
        }
        (taken, !self.by_account.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_account_with_much_leaves_room_for_another() {
        let waiting = CommitQueue::new(1 << 20);
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
    async fn an_account_gets_as_much_as_it_leaves() {
        let (one, two) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let waiting = CommitQueue::new(100 * LEAST);
        assert!(waiting.add(one, 50 * LEAST, 1));
        assert!(!waiting.add(one, 1, 2));
        assert!(waiting.add(two, 25 * LEAST, 3));
        assert!(!waiting.add(two, 1, 4));
        assert_eq!(waiting.take(1, usize::MAX).await, [1]);
        assert!(waiting.add(two, 25 * LEAST, 5));
        assert!(waiting.add(one, 50 * LEAST, 6));
        assert_eq!(waiting.take(9, usize::MAX).await.len(), 3);
        let items = waiting.items();
        assert!(items.bytes == 0 && items.by_account.is_empty());
    }
}
