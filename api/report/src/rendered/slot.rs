//! The place of one report's copy, and the right to renew it.

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};
use std::time::Duration;

use tokio::sync::{Mutex, MutexGuard};
use tokio::time::Instant;

use super::{BELIEVED, DUE, Rendered, Seen, goes_back};

/// Empty at first.
#[derive(Default)]
pub struct Slot {
    held: RwLock<Option<Held>>,
    flight: Mutex<()>,
}

/// A copy.
struct Held {
    rendered: Arc<Rendered>,
    /// When the check began that it last stood.
    checked: Instant,
    /// Somebody has gone to check it before it is stale.
    claimed: bool,
}

/// What a caller finds.
pub enum Look {
    /// A copy that needs no check.
    Believed(Arc<Rendered>),
    /// A copy that this caller is to check while others are still answered with it.
    Due,
    /// None for this caller.
    Stale,
}

impl Held {
    fn is_younger(&self, limit: Duration, now: Instant) -> bool {
        now.saturating_duration_since(self.checked) < limit
    }

    /// Until then nobody needs to check it.
    fn limit(&self) -> Duration {
        if self.claimed { BELIEVED } else { DUE }
    }

    /// The copy if its last check is not so long ago, for one who has seen this.
    fn younger(&self, limit: Duration, now: Instant, seen: Seen<'_>) -> Option<Arc<Rendered>> {
        let stands = self.is_younger(limit, now) && !seen.is_ahead_of(self.rendered.version);
        stands.then(|| Arc::clone(&self.rendered))
    }
}

impl Slot {
    /// The copy, checked or not.
    pub fn copy(&self) -> Option<Arc<Rendered>> {
        self.held().as_ref().map(|held| Arc::clone(&held.rendered))
    }

    /// The copy if it needs no check now for one who has seen this.
    pub fn believed(&self, now: Instant, seen: Seen<'_>) -> Option<Arc<Rendered>> {
        let held = self.held();
        let held = held.as_ref()?;
        held.younger(held.limit(), now, seen)
    }

    /// The copy if its last check is not so long ago, for one who has seen this.
    pub fn younger(&self, limit: Duration, now: Instant, seen: Seen<'_>) -> Option<Arc<Rendered>> {
        self.held().as_ref()?.younger(limit, now, seen)
    }

    /// What there is for one who has seen this. A copy is due to one caller alone.
    pub fn look(&self, now: Instant, seen: Seen<'_>) -> Look {
        if let Some(copy) = self.believed(now, seen) {
            return Look::Believed(copy);
        }
        let mut held = self.held.write().unwrap_or_else(PoisonError::into_inner);
        let Some(held) = held.as_mut() else {
            return Look::Stale;
        };
        // Between the two looks somebody may have been faster.
        if let Some(copy) = held.younger(held.limit(), now, seen) {
            return Look::Believed(copy);
        }
        if held.claimed || held.younger(BELIEVED, now, seen).is_none() {
            return Look::Stale;
        }
        held.claimed = true;
        Look::Due
    }

    /// The copy if a check of it began after that.
    pub fn checked_since(&self, arrived: Instant) -> Option<Arc<Rendered>> {
        let held = self.held();
        let held = held.as_ref().filter(|held| held.checked > arrived)?;
        Some(Arc::clone(&held.rendered))
    }

    /// Waits for the right to check and render; it ends with the guard.
    pub async fn fly(&self) -> MutexGuard<'_, ()> {
        self.flight.lock().await
    }

    /// Notes that a check that began then found the copy right.
    pub fn stamp(&self, began: Instant) {
        let mut held = self.held.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(held) = held.as_mut() {
            held.checked = began;
            held.claimed = false;
        }
    }

    /// Keeps what was rendered from data read since then, unless the copy is newer. What is kept.
    pub fn keep(&self, rendered: Arc<Rendered>, began: Instant) -> Arc<Rendered> {
        let mut held = self.held.write().unwrap_or_else(PoisonError::into_inner);
        let rendered = match held.take() {
            Some(old) if goes_back(rendered.version, old.rendered.version) => old.rendered,
            _ => rendered,
        };
        *held = Some(Held {
            rendered: Arc::clone(&rendered),
            checked: began,
            claimed: false,
        });
        rendered
    }

    /// Bytes of the copy's body.
    pub fn body_len(&self) -> usize {
        self.copy().map_or(0, |copy| copy.body.len())
    }

    fn held(&self) -> RwLockReadGuard<'_, Option<Held>> {
        self.held.read().unwrap_or_else(PoisonError::into_inner)
    }
}
