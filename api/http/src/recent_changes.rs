//! What this instance changed lately, so that whatever it remembers of a link or form can tell that it is outdated.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};
use std::time::{Duration, Instant};

use uuid::Uuid;

/// Nothing that is remembered was read longer ago than this.
const KEPT: Duration = Duration::from_secs(5);
/// The changed links and forms that are recorded one by one, at most.
const MAX_CHANGES: usize = 10_000;

/// The links and forms that this instance changed in the last seconds.
#[derive(Default)]
pub struct RecentChanges(RwLock<Changes>);

#[derive(Default)]
struct Changes {
    /// When a link or form was last changed.
    at: HashMap<Uuid, Instant>,
    /// Everything counts as changed then, because too much was changed to tell it apart.
    all: Option<Instant>,
}

impl RecentChanges {
    /// Records that a link or form was changed just now.
    pub fn record(&self, id: Uuid) {
        let mut changes = self.0.write().unwrap_or_else(PoisonError::into_inner);
        changes.record(id);
    }

    /// Whether one of these links and forms was changed since it was looked up.
    pub fn any_since(&self, asked: Instant, ids: &[Uuid]) -> bool {
        let changes = self.0.read().unwrap_or_else(PoisonError::into_inner);
        ids.iter().any(|id| changes.is_since(asked, id))
    }

    /// Forgets changes that are older than anything that is remembered.
    pub fn forget_old(&self) {
        let now = Instant::now();
        let mut changes = self.0.write().unwrap_or_else(PoisonError::into_inner);
        changes.at.retain(|_, at| now - *at < KEPT);
        changes.at.shrink_to_fit();
    }
}

impl Changes {
    fn record(&mut self, id: Uuid) {
        let now = Instant::now();
        if self.at.len() >= MAX_CHANGES {
            self.at.clear();
            self.all = Some(now);
        }
        self.at.insert(id, now);
    }

    fn is_since(&self, asked: Instant, id: &Uuid) -> bool {
        let changed = [self.at.get(id), self.all.as_ref()];
        changed.into_iter().flatten().any(|at| asked <= *at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_outdates_what_was_asked_for_before() {
        let (one, two) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let before = Instant::now();
        let changes = RecentChanges::default();
        changes.record(one);
        let after = Instant::now() + Duration::from_millis(1);
        assert!(changes.any_since(before, &[two, one]));
        assert!(!changes.any_since(after, &[one]));
        assert!(!changes.any_since(before, &[two]));
        changes.forget_old();
        assert!(changes.any_since(before, &[one]));
    }

    #[test]
    fn more_changes_than_are_told_apart_outdate_everything() {
        let before = Instant::now();
        let mut changes = Changes::default();
        for id in 0..=MAX_CHANGES as u128 {
            changes.record(Uuid::from_u128(id));
        }
        let after = Instant::now() + Duration::from_millis(1);
        let other = Uuid::max();
        assert!(changes.at.len() <= MAX_CHANGES);
        assert!(changes.is_since(before, &Uuid::from_u128(0)));
        assert!(changes.is_since(before, &other));
        assert!(!changes.is_since(after, &other));
    }
}
