//! Publishing: one channel with confirms, shared by all, each message's own confirm awaited.

use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use domain::message::Message;
use lapin::options::{BasicPublishOptions, ConfirmSelectOptions};
use lapin::{BasicProperties, Channel, Confirmation, PublisherConfirm};

use super::answer;
use super::lazy::{Alive, Lazy};
use super::line::{Line, Lines};
use super::topology::Topology;
use crate::queue::{Backoff, QueueError};

/// All that a publish may take.
const PUBLISH: Duration = Duration::from_millis(4_500);

pub(super) struct Publisher {
    lines: Arc<Lines>,
    topology: Arc<Topology>,
    session: Lazy<Session>,
}

/// A channel in confirm mode, its queues declared.
struct Session {
    line: Arc<Line>,
    channel: Channel,
    /// The library numbers a message and then queues it, under two locks. With two at once the numbers, which confirms
    /// go by, can be swapped; so one at a time.
    turn: Mutex<()>,
}

impl Alive for Session {
    fn alive(&self) -> bool {
        self.line.alive() && self.channel.status().connected()
    }
}

impl Publisher {
    pub(super) fn new(lines: Lines, topology: Arc<Topology>) -> Self {
        Self {
            lines: Arc::new(lines),
            topology,
            session: Lazy::new(),
        }
    }

    pub(super) async fn publish(&self, message: &Message) -> Result<(), QueueError> {
        let publishing = async {
            match self.try_publish(message).await {
                // Someone deleted the queue; the next session declares it. Not at once: RabbitMQ 3.10 never tells
                // the consumers of a quorum queue that is there again when it comes to that.
                Err(QueueError::Unroutable) => {
                    tokio::time::sleep(Backoff::FIRST).await;
                    self.try_publish(message).await
                }
                result => result,
            }
        };
        tokio::time::timeout(PUBLISH, publishing)
            .await
            .unwrap_or(Err(QueueError::TimedOut))
    }

    pub(super) async fn ping(&self) -> Result<(), QueueError> {
        let session = self.session().await?;
        if session.line.blocked() {
            return Err(QueueError::Blocked);
        }
        session.line.channel().await.map(drop)
    }

    async fn session(&self) -> Result<Arc<Session>, QueueError> {
        let (lines, topology) = (self.lines.clone(), self.topology.clone());
        self.session
            .get(|| async move { Session::open(lines.get().await?, &topology).await })
            .await
    }

    async fn try_publish(&self, message: &Message) -> Result<(), QueueError> {
        let session = self.session().await?;
        if session.line.blocked() {
            return Err(QueueError::Blocked);
        }
        let confirmed = answer(async { session.send(self.topology.queue(), message).await?.await });
        match confirmed.await {
            Ok(Confirmation::Ack(None)) => Ok(()),
            Ok(Confirmation::Ack(Some(_)) | Confirmation::Nack(Some(_))) => {
                self.session.discard(&session).await;
                Err(QueueError::Unroutable)
            }
            Ok(Confirmation::Nack(None)) => Err(QueueError::Refused),
            // Not in confirm mode: no use, and never so.
            Ok(Confirmation::NotRequested) | Err(QueueError::Unreachable(_)) => {
                self.session.discard(&session).await;
                Err(QueueError::Lost)
            }
            Err(QueueError::TimedOut) if session.line.blocked() => Err(QueueError::Blocked),
            Err(error) => {
                // Silent for so long, it is a broken line or a frozen broker. Others find out now.
                self.session.discard(&session).await;
                session.line.cut();
                Err(error)
            }
        }
    }
}

impl Session {
    async fn open(line: Arc<Line>, topology: &Topology) -> Result<Self, QueueError> {
        let channel = line.channel().await?;
        topology.declare(&channel).await?;
        answer(channel.confirm_select(ConfirmSelectOptions::default())).await?;
        Ok(Self {
            line,
            channel,
            turn: Mutex::new(()),
        })
    }

    async fn send(&self, queue: &str, message: &Message) -> lapin::Result<PublisherConfirm> {
        let body = message.encode();
        let persistent = BasicProperties::default()
            .with_delivery_mode(2)
            .with_content_type("application/json".into());
        let mandatory = BasicPublishOptions {
            mandatory: true,
            ..BasicPublishOptions::default()
        };
        let mut sending =
            pin!(
                self.channel
                    .basic_publish("".into(), queue.into(), mandatory, &body, persistent)
            );
        std::future::poll_fn(|context| {
            let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
            sending.as_mut().poll(context)
        })
        .await
    }
}
