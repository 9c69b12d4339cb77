//! What this instance changed lately, so that whatever it remembers of a link or form can tell that it is outdated.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use parking_lot::RwLock;
use uuid::Uuid;

/// Nothing that is remembered was read longer ago than this.
const KEPT: Duration = Duration::from_secs(5);

/// When this instance changed links and forms in the last seconds.
#[derive(Default)]
pub struct RecentChanges(RwLock<HashMap<Uuid, Instant>>);

impl RecentChanges {
    /// Records that a link or form was changed just now. There are as many as commits in these seconds.
    pub fn record(&self, id: Uuid) {
        self.0.write().insert(id, Instant::now());
    }

    /// Whether one of these links and forms was changed since it was looked up.
    pub fn any_since(&self, asked: Instant, ids: &[Uuid]) -> bool {
        let changes = self.0.read();
        ids.iter()
            .any(|id| changes.get(id).is_some_and(|at| asked <= *at))
    }

    /// Forgets changes that are older than anything that is remembered.
    pub fn forget_old(&self) {
        let now = Instant::now();
        let mut changes = self.0.write();
        changes.retain(|_, at| now - *at < KEPT);
        changes.shrink_to_fit();
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
}
