//! The rules of queue and cache, kept by what is in process. Needs no server.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[macro_use]
mod conformance;

use platform::cache::Cache;
use platform::queue::Queue;

async fn with_queue<F: Future<Output = ()>>(rule: impl FnOnce(Queue) -> F) {
    rule(Queue::open(None).unwrap()).await;
}

async fn with_cache<F: Future<Output = ()>>(rule: impl FnOnce(Cache) -> F) {
    rule(Cache::open(None).unwrap()).await;
}

queue_rules!(crate::with_queue);
cache_rules!(crate::with_cache);
