//! What waits for its commit. Accounts take turns, by the bytes that they bring.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use platform::turns::Turns;
use tokio::sync::Notify;
use uuid::Uuid;

/// Items of accounts, those of each in their order.
pub struct Waiting<T> {
    items: Mutex<Items<T>>,
    added: Notify,
}

struct Items<T> {
    turns: Turns,
    by_account: HashMap<Uuid, VecDeque<(usize, T)>>,
}

impl<T> Waiting<T> {
    pub fn new() -> Self {
        Self {
            items: Mutex::new(Items {
                turns: Turns::default(),
                by_account: HashMap::new(),
            }),
            added: Notify::new(),
        }
    }

    /// Adds an item of an account, and the bytes that it takes.
    pub fn add(&self, account_id: Uuid, bytes: usize, item: T) {
        let mut items = self.items();
        let of_account = items.by_account.entry(account_id).or_default();
        of_account.push_back((bytes, item));
        items.turns.add(account_id);
        drop(items);
        self.added.notify_one();
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
            let of_account = self.by_account.entry(turn.account_id).or_default();
            let next = of_account.pop_front();
            if of_account.is_empty() {
                self.by_account.remove(&turn.account_id);
                self.turns.clear(&turn);
            }
            let size = next.as_ref().map_or(0, |(size, _)| *size);
            self.turns.end(&turn, size as u64);
            bytes += size;
            taken.extend(next.map(|(_, item)| item));
        }
        (taken, !self.by_account.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_account_with_much_leaves_room_for_another() {
        let waiting = Waiting::new();
        let (one, two) = (Uuid::from_u128(1), Uuid::from_u128(2));
        for n in 0..10 {
            waiting.add(one, 100, n);
        }
        for n in 10..13 {
            waiting.add(two, 10, n);
        }
        assert_eq!(waiting.take(2, 1_000).await, [0, 10]);
        assert_eq!(waiting.take(9, 120).await, [11, 12, 1]);
        assert_eq!(waiting.take(9, 1).await, [2]);
        assert_eq!(waiting.take(99, 9_999).await, [3, 4, 5, 6, 7, 8, 9]);
        let late = async { waiting.add(two, 1, 13) };
        let (taken, ()) = tokio::join!(waiting.take(1, 1), late);
        assert_eq!(taken, [13]);
    }
}
