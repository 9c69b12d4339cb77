//! Notifications from api to worker: messages that carry ids, first in, first out, each handed to one of the listeners.
//!
//! A message is acknowledged once it is handed on, because it only notifies: the workers' scans find what was lost. What no
//! version of ours can read goes to the dead letters.
//!
//! What is *not* here: what a message means and what is done about it (`worker`), and its bytes (`domain::message`).

mod rabbit;

use std::error::Error;
use std::sync::Arc;

use domain::message::Notification;
use tokio::sync::{Mutex, mpsc};

pub use self::rabbit::Topology;
use self::rabbit::{BrokerAddress, Publisher, listen};
use crate::config::AmqpUrl;
use crate::telemetry::traces::{Span, SpanContext, SpanKind};

/// A queue operation that did not succeed. The message may or may not be there: the ledger, not the queue, knows.
#[derive(Clone, Debug, thiserror::Error)]
pub enum QueueError {
    /// No connection, or no channel, or no queues on it.
    #[error("the broker cannot be reached")]
    Unreachable(#[source] Arc<dyn Error + Send + Sync>),
    /// Connecting failed a moment ago and is not tried again yet.
    #[error("the broker could not be reached a moment ago")]
    Resting,
    #[error("the broker did not answer in time")]
    TimedOut,
    /// The broker is short of memory or disk and takes no messages.
    #[error("the broker is short of memory or disk and takes no messages")]
    Blocked,
    /// The channel ended under the operation.
    #[error("the channel to the broker was lost")]
    Lost,
    /// No queue took the message.
    #[error("no queue took the message")]
    Unroutable,
    /// The broker said no to the message.
    #[error("the broker refused the message")]
    Refused,
}

/// The queue of a process. Cheap to clone.
#[derive(Clone)]
pub struct Queue(Backend);

#[derive(Clone)]
enum Backend {
    /// Lives as long as the process. Not bounded: a message is some hundred bytes, and workers take it at once.
    InProcess(
        mpsc::UnboundedSender<Notification>,
        Arc<Mutex<mpsc::UnboundedReceiver<Notification>>>,
    ),
    Rabbit(Arc<Publisher>),
}

impl Queue {
    /// A queue in process, or on a broker if there is a URL. Connects when it is first used.
    pub fn open(url: Option<&AmqpUrl>) -> Self {
        if let Some(url) = url {
            return Self::on_broker(url, Topology::prefixed("feedback"));
        }
        let (sender, receiver) = mpsc::unbounded_channel();
        Self(Backend::InProcess(sender, Arc::new(receiver.into())))
    }

    /// A queue of this name on a broker.
    pub fn on_broker(url: &AmqpUrl, topology: Topology) -> Self {
        let nodes = url.0.clone();
        let publisher = Publisher::new(BrokerAddress { nodes, topology });
        Self(Backend::Rabbit(Arc::new(publisher)))
    }

    /// Publishes a message; when it returns, the queue has it. Takes at most 5 s, and no time at all while a
    /// broker is known to be away. Any number may run at once on one connection.
    ///
    /// # Errors
    /// The message may not have arrived.
    pub async fn publish(&self, message: &Notification) -> Result<(), QueueError> {
        let result = match &self.0 {
            Backend::InProcess(sender, _) => {
                let sent = sender.send(message.clone());
                sent.map_err(|_| QueueError::Lost)
            }
            Backend::Rabbit(publisher) => publisher.publish(message).await,
        };
        let outcome = if result.is_ok() { "ok" } else { "error" };
        metrics::counter!("feedback_queue_published_total", "outcome" => outcome).increment(1);
        result
    }

    /// [`publish`](Self::publish) as a span of the first trace that brought the message about, with links to the others.
    ///
    /// # Errors
    /// The message may not have arrived.
    pub async fn publish_in(
        &self,
        causes: &[SpanContext],
        message: &Notification,
    ) -> Result<(), QueueError> {
        let Some((first, others)) = causes.split_first() else {
            return self.publish(message).await;
        };
        let mut span = Span::begin("publish notification", SpanKind::Producer, Some(first));
        for other in others {
            span.link(other);
        }
        span.set("messaging.operation.type", "send");
        span.set("messaging.operation.name", "publish");
        match &self.0 {
            Backend::InProcess(..) => span.set("messaging.system", "in_process"),
            Backend::Rabbit(publisher) => {
                let queue = &publisher.address.topology.queue;
                span.set("messaging.system", "rabbitmq");
                span.set("messaging.destination.name", queue);
            }
        }
        let published = self.publish(message).await;
        if published.is_err() {
            span.fail("not_published");
        }
        published
    }

    /// Hands on messages, for ever and through any failure of the broker. Once it is dropped, what it fetched ahead goes to
    /// others.
    pub async fn listen(&self, mut hand_on: impl FnMut(Notification)) {
        match &self.0 {
            Backend::InProcess(_, receiver) => {
                let next = async || receiver.lock().await.recv().await;
                while let Some(message) = next().await {
                    hand_on(message);
                }
            }
            Backend::Rabbit(publisher) => listen(&publisher.address, hand_on).await,
        }
    }

    /// Whether messages can be published now: one round trip.
    ///
    /// # Errors
    /// Why not.
    pub async fn ping(&self) -> Result<(), QueueError> {
        match &self.0 {
            Backend::InProcess(..) => Ok(()),
            Backend::Rabbit(publisher) => publisher.ping().await,
        }
    }
}
