//! The rules of the queue, kept in process. Needs no server.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[macro_use]
mod conformance;

use platform::queue::Queue;

async fn with_queue<F: Future<Output = ()>>(rule: impl FnOnce(Queue) -> F) {
    rule(Queue::open(None)).await;
}

queue_rules!(crate::with_queue);
