//! The queue on RabbitMQ, supervised by hand: the client library's own recovery gives up after some tries and never
//! restores a channel that the broker closed.
//!
//! Publishing and listening have a connection each ([`line`]), because a broker short of memory stops reading from
//! connections that publish, and acknowledgements must go on.

mod line;
mod listener;
mod publisher;
mod topology;

use std::sync::Arc;
use std::time::Duration;

pub(super) use self::line::Address;
pub(super) use self::listener::listen;
pub(super) use self::publisher::Publisher;
pub use self::topology::Topology;
use super::QueueError;

/// How long one answer of the broker is waited for. A publish, of two such steps at most, stays below 5 s.
const ANSWER: Duration = Duration::from_secs(4);

/// Each broken line is tried again after 100 ms, 200 ms … 2 s.
struct Backoff(Duration);

impl Backoff {
    const FIRST: Duration = Duration::from_millis(100);
    const LAST: Duration = Duration::from_secs(2);

    /// The next pause.
    fn pause(&mut self) -> Duration {
        let pause = self.0;
        self.0 = (pause * 2).min(Self::LAST);
        pause
    }
}

impl Default for Backoff {
    fn default() -> Self {
        Self(Self::FIRST)
    }
}

/// One answer of the broker, waited for as long as [`ANSWER`].
async fn answer<T>(asked: impl Future<Output = lapin::Result<T>>) -> Result<T, QueueError> {
    match tokio::time::timeout(ANSWER, asked).await {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(QueueError::Unreachable(Arc::new(error))),
        Err(_elapsed) => Err(QueueError::TimedOut),
    }
}
