//! The queue on RabbitMQ, supervised by hand: the client library's own recovery gives up after some tries and never
//! restores a channel that the broker closed.
//!
//! Publishing and consuming have a connection each ([`line`]), because a broker short of memory stops reading from
//! connections that publish, and acknowledgements must go on. Each is opened when needed, by one attempt that all
//! share ([`lazy`]).

mod consumer;
mod lazy;
mod line;
mod publisher;
mod topology;

use std::sync::Arc;
use std::time::Duration;

use domain::message::Message;
use tokio_util::sync::CancellationToken;

use self::line::Lines;
use self::publisher::Publisher;
use super::QueueError;
use crate::config::AmqpUrl;

pub(super) use self::consumer::{Consumer, Ticket};
pub use self::topology::Topology;

/// How long one answer of the broker is waited for. A publish, of two such steps at most, stays below 5 s.
const ANSWER: Duration = Duration::from_secs(4);

/// A broker. Clones share its connections.
#[derive(Clone)]
pub struct Rabbit {
    publisher: Arc<Publisher>,
    consuming: Arc<Lines>,
    topology: Arc<Topology>,
}

impl Rabbit {
    /// Connects when it is first used.
    pub fn new(url: &AmqpUrl, topology: Topology) -> Self {
        let topology = Arc::new(topology);
        Self {
            publisher: Arc::new(Publisher::new(
                Lines::new(url, "feedback publish"),
                topology.clone(),
            )),
            consuming: Arc::new(Lines::new(url, "feedback consume")),
            topology,
        }
    }

    pub(super) async fn publish(&self, message: &Message) -> Result<(), QueueError> {
        self.publisher.publish(message).await
    }

    pub(super) fn consume(&self, prefetch: u16, shutdown: &CancellationToken) -> Consumer {
        Consumer::start(
            self.consuming.clone(),
            self.topology.clone(),
            prefetch,
            shutdown,
        )
    }

    pub(super) async fn ping(&self) -> Result<(), QueueError> {
        self.publisher.ping().await
    }

    pub(super) async fn dead_letters(&self) -> Result<u64, QueueError> {
        let line = self.consuming.get().await?;
        let channel = line.channel().await?;
        topology::ready(&channel, self.topology.dead()).await
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
