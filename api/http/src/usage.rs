//! When keys were last used: gathered in memory, written now and then. What a crash loses is a few seconds of it.

use std::collections::HashMap;
use std::time::Duration;

use chrono::{DateTime, Utc};
use parking_lot::Mutex;
use store::Store;

use crate::within;

/// The keys that are noted between two writes, at most.
const MAX_KEYS: usize = 10_000;
/// How long a write may take.
const WRITE: Duration = Duration::from_secs(5);

/// The keys used since the last write.
#[derive(Default)]
pub struct Usage(Mutex<HashMap<String, DateTime<Utc>>>);

impl Usage {
    /// Notes that a key is used now.
    pub fn note(&self, key: &str) {
        let now = Utc::now();
        let mut used = self.0.lock();
        if let Some(last) = used.get_mut(key) {
            *last = now;
        } else if used.len() < MAX_KEYS {
            used.insert(key.to_owned(), now);
        }
    }

    /// Writes what was gathered.
    pub async fn flush(&self, store: &Store) {
        let used: Vec<_> = self.0.lock().drain().collect();
        if used.is_empty() {
            return;
        }
        if let Err(error) = within(WRITE, store.touch_keys(&used)).await {
            tracing::debug!(%error, keys = used.len(), "the last use of keys was not written");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(usage: &Usage) -> Vec<(String, DateTime<Utc>)> {
        usage.0.lock().drain().collect()
    }

    #[test]
    fn a_key_is_gathered_once_with_its_last_use() {
        let usage = Usage::default();
        let before = Utc::now();
        usage.note("a");
        usage.note("b");
        usage.note("a");
        let mut used = taken(&usage);
        used.sort();
        assert_eq!(
            used.iter().map(|(key, _)| key.as_str()).collect::<Vec<_>>(),
            ["a", "b"]
        );
        assert!(used.iter().all(|(_, at)| *at >= before));
        assert!(taken(&usage).is_empty());
    }

    #[test]
    fn the_memory_is_bounded() {
        let usage = Usage::default();
        for key in 0..=MAX_KEYS {
            usage.note(&key.to_string());
        }
        assert_eq!(taken(&usage).len(), MAX_KEYS);
    }
}
