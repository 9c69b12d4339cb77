//! Memory that accounts share.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use uuid::Uuid;

/// A budget of bytes. No account gets more than what is left for all others, so whatever one holds, another gets some:
/// one alone may hold half, two that want as much as they can get hold a third each. Cheap to clone.
#[derive(Clone)]
pub struct MemoryBudget {
    bytes: usize,
    used: Arc<Mutex<Used>>,
}

#[derive(Default)]
struct Used {
    total: usize,
    by_account: HashMap<Uuid, usize>,
}

/// The right to use memory, until it is dropped.
pub struct MemoryPermit {
    budget: MemoryBudget,
    account_id: Uuid,
    bytes: usize,
}

impl MemoryBudget {
    pub fn new(bytes: usize) -> Self {
        Self {
            bytes,
            used: Arc::default(),
        }
    }

    /// The right to use so many bytes. `None`: it is more than the account's share of what is left.
    pub fn try_take(&self, account_id: Uuid, bytes: usize) -> Option<MemoryPermit> {
        let mut used = self.used();
        let left = self.bytes.saturating_sub(used.total);
        let own = used
            .by_account
            .get(&account_id)
            .copied()
            .unwrap_or_default();
        if own.saturating_add(bytes) > left {
            return None;
        }
        used.total += bytes;
        used.by_account.insert(account_id, own + bytes);
        drop(used);
        Some(MemoryPermit {
            budget: self.clone(),
            account_id,
            bytes,
        })
    }

    fn used(&self) -> MutexGuard<'_, Used> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for MemoryPermit {
    fn drop(&mut self) {
        let mut used = self.budget.used();
        used.total = used.total.saturating_sub(self.bytes);
        if let Some(own) = used.by_account.get_mut(&self.account_id) {
            *own = own.saturating_sub(self.bytes);
            if *own == 0 {
                used.by_account.remove(&self.account_id);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_gets_as_much_as_it_leaves() {
        let (one, two) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let budget = MemoryBudget::new(100);
        let first = budget.try_take(one, 50).unwrap();
        assert!(budget.try_take(one, 1).is_none());
        let second = budget.try_take(two, 25).unwrap();
        assert!(budget.try_take(two, 1).is_none());
        drop(first);
        let third = budget.try_take(two, 25).unwrap();
        assert!(budget.try_take(one, 50).is_some());
        drop((second, third));
        let used = budget.used();
        assert!(used.total == 0 && used.by_account.is_empty());
    }
}
