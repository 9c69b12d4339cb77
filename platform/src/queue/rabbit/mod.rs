//! The queue on RabbitMQ, supervised by hand: the client library's own recovery gives up after some tries and never
//! restores a channel that the broker closed.
//!
//! Publishing and listening have a connection each ([`connection`]), because a broker short of memory stops reading from
//! connections that publish, and acknowledgements must go on.

mod connection;
mod listener;
mod publisher;
mod topology;

use std::sync::Arc;
use std::time::Duration;

use backon::ExponentialBuilder;

pub(super) use self::connection::BrokerAddress;
pub(super) use self::listener::listen;
pub(super) use self::publisher::Publisher;
pub use self::topology::Topology;
use super::QueueError;

/// How long one answer of the broker is waited for. A publish, of two such steps at most, stays below 5 s.
const ANSWER: Duration = Duration::from_secs(4);

/// The pause before a broken connection is tried again, at first.
const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// The pauses of a broken connection: 100 ms, 200 ms … 2 s.
const PAUSES: ExponentialBuilder = ExponentialBuilder::new()
    .with_min_delay(FIRST_PAUSE)
    .with_max_delay(Duration::from_secs(2))
    .without_max_times();

/// One answer of the broker, waited for as long as [`ANSWER`].
async fn answer<T>(asked: impl Future<Output = lapin::Result<T>>) -> Result<T, QueueError> {
    match tokio::time::timeout(ANSWER, asked).await {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(QueueError::Unreachable(Arc::new(error))),
        Err(_elapsed) => Err(QueueError::TimedOut),
    }
}
