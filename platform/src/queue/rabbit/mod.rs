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

use domain::message::Message;

use self::line::Address;
use self::publisher::Publisher;
use super::QueueError;
use crate::config::AmqpUrl;

pub use self::topology::Topology;

/// How long one answer of the broker is waited for. A publish, of two such steps at most, stays below 5 s.
const ANSWER: Duration = Duration::from_secs(4);

/// A broker. Clones share its connections.
#[derive(Clone)]
pub(super) struct Rabbit {
    address: Address,
    publisher: Arc<Publisher>,
}

impl Rabbit {
    /// Connects when it is first used.
    pub(super) fn new(url: &AmqpUrl, topology: Topology) -> Self {
        let address = Address::new(url, topology);
        Self {
            publisher: Arc::new(Publisher::new(address.clone())),
            address,
        }
    }

    pub(super) async fn publish(&self, message: &Message) -> Result<(), QueueError> {
        self.publisher.publish(message).await
    }

    pub(super) async fn listen(&self, hand_on: impl FnMut(Message)) {
        listener::listen(&self.address, hand_on).await;
    }

    pub(super) async fn ping(&self) -> Result<(), QueueError> {
        self.publisher.ping().await
    }
}

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
