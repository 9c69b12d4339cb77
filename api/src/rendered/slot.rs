//! The place of one report's copy, and the right to renew it.

use std::sync::{Arc, PoisonError, RwLock};

use tokio::sync::{Mutex, MutexGuard};
use tokio::time::Instant;

use super::{BELIEVED, Rendered, Seen, goes_back};

/// Empty at first.
#[derive(Default)]
pub struct Slot {
    held: RwLock<Option<Held>>,
    flight: Mutex<()>,
}

/// A copy, and when the check began that it last stood.
#[derive(Clone)]
struct Held {
    rendered: Arc<Rendered>,
    checked: Instant,
}

impl Slot {
    /// The copy, checked or not.
    pub fn copy(&self) -> Option<Arc<Rendered>> {
        self.held().map(|held| held.rendered)
    }

    /// The copy if it needs no check now for one who has seen this.
    pub fn believed(&self, now: Instant, seen: Seen<'_>) -> Option<Arc<Rendered>> {
        self.held()
            .filter(|held| now.saturating_duration_since(held.checked) < BELIEVED)
            .map(|held| held.rendered)
            .filter(|copy| !seen.is_ahead_of(copy.version))
    }

    /// The copy if a check of it began after that.
    pub fn checked_since(&self, arrived: Instant) -> Option<Arc<Rendered>> {
        self.held()
            .filter(|held| held.checked > arrived)
            .map(|held| held.rendered)
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
        });
        rendered
    }

    /// Bytes of the copy's body.
    pub fn body_len(&self) -> usize {
        self.copy().map_or(0, |copy| copy.body.len())
    }

    fn held(&self) -> Option<Held> {
        self.held
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}
