//! Publishing: one channel with confirms, shared by all, each message's own confirm awaited.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBackoff};
use domain::message::Message;
use lapin::options::{BasicPublishOptions, ConfirmSelectOptions};
use lapin::{BasicProperties, Confirmation, PublisherConfirm};
use parking_lot::Mutex;
use tokio::time::Instant;

use super::line::{Address, BrokerConnection, cut};
use super::{FIRST_PAUSE, PAUSES, answer};
use crate::queue::QueueError;

/// All that a publish may take.
const PUBLISH: Duration = Duration::from_millis(4_500);

pub(in crate::queue) struct Publisher {
    pub(in crate::queue) address: Address,
    state: Arc<tokio::sync::Mutex<State>>,
    /// The library numbers a message and then queues it, under two locks. With two at once the numbers, which confirms
    /// go by, can be swapped; so one at a time.
    turn: Mutex<()>,
}

struct State {
    line: Option<Arc<BrokerConnection>>,
    pauses: ExponentialBackoff,
    rest_until: Instant,
}

impl Publisher {
    pub(in crate::queue) fn new(address: Address) -> Self {
        let state = State {
            line: None,
            pauses: PAUSES.build(),
            rest_until: Instant::now(),
        };
        Self {
            address,
            state: Arc::new(state.into()),
            turn: Mutex::new(()),
        }
    }

    pub(in crate::queue) async fn publish(&self, message: &Message) -> Result<(), QueueError> {
        let publishing = async {
            match self.try_publish(message).await {
                // Someone deleted the queue; the next line declares it. Not at once: RabbitMQ 3.10 never tells
                // the consumers of a quorum queue that is there again when it comes to that.
                Err(QueueError::Unroutable) => {
                    tokio::time::sleep(FIRST_PAUSE).await;
                    self.try_publish(message).await
                }
                result => result,
            }
        };
        tokio::time::timeout(PUBLISH, publishing)
            .await
            .unwrap_or(Err(QueueError::TimedOut))
    }

    pub(in crate::queue) async fn ping(&self) -> Result<(), QueueError> {
        self.line().await?.ping().await
    }

    /// A line that takes messages: the living one, or what the attempt under way or a new one makes of it. Fails at once while
    /// resting after a failure.
    async fn line(&self) -> Result<Arc<BrokerConnection>, QueueError> {
        let mut state = self.state.clone().lock_owned().await;
        if let Some(line) = state.line.as_ref().filter(|line| line.alive()) {
            return if line.blocked() {
                Err(QueueError::Blocked)
            } else {
                Ok(line.clone())
            };
        }
        state.line = None;
        if Instant::now() < state.rest_until {
            return Err(QueueError::Resting);
        }
        let address = self.address.clone();
        // A task of its own with the lock, for which the others wait: a caller who goes away does not end the attempt.
        let attempt = tokio::spawn(async move {
            let opened = open(&address).await.map(Arc::new);
            if let Ok(line) = &opened {
                state.line = Some(line.clone());
                state.pauses = PAUSES.build();
            } else {
                state.rest_until = Instant::now() + state.pauses.next().unwrap_or_default();
            }
            opened
        });
        // The task panicked, or the runtime ends.
        attempt.await.unwrap_or(Err(QueueError::Lost))
    }

    /// Makes the next caller open a line anew, if this is what is held.
    async fn discard(&self, broken: &Arc<BrokerConnection>) {
        let mut state = self.state.lock().await;
        state.line.take_if(|line| Arc::ptr_eq(line, broken));
    }

    async fn try_publish(&self, message: &Message) -> Result<(), QueueError> {
        let line = self.line().await?;
        let confirmed = answer(async { self.send(&line, message).await?.await });
        match confirmed.await {
            Ok(Confirmation::Ack(None)) => Ok(()),
            Ok(Confirmation::Ack(Some(_)) | Confirmation::Nack(Some(_))) => {
                self.discard(&line).await;
                Err(QueueError::Unroutable)
            }
            Ok(Confirmation::Nack(None)) => Err(QueueError::Refused),
            // Not in confirm mode: no use, and never so.
            Ok(Confirmation::NotRequested) | Err(QueueError::Unreachable(_)) => {
                self.discard(&line).await;
                Err(QueueError::Lost)
            }
            Err(QueueError::TimedOut) if line.blocked() => Err(QueueError::Blocked),
            Err(error) => {
                // Silent for so long, it is a broken line or a frozen broker. Others find out now.
                self.discard(&line).await;
                cut(&line.socket);
                Err(error)
            }
        }
    }

    async fn send(
        &self,
        line: &BrokerConnection,
        message: &Message,
    ) -> lapin::Result<PublisherConfirm> {
        let queue = self.address.topology.queue.as_str();
        let body = message.encode();
        let persistent = BasicProperties::default()
            .with_delivery_mode(2)
            .with_content_type("application/json".into());
        let mandatory = BasicPublishOptions {
            mandatory: true,
            ..BasicPublishOptions::default()
        };
        let channel = &line.channel;
        let mut sending =
            pin!(channel.basic_publish("".into(), queue.into(), mandatory, &body, persistent));
        std::future::poll_fn(|context| {
            let _turn = self.turn.lock();
            sending.as_mut().poll(context)
        })
        .await
    }
}

async fn open(address: &Address) -> Result<BrokerConnection, QueueError> {
    let line = BrokerConnection::open(address, "feedback publish").await?;
    let confirms = ConfirmSelectOptions::default();
    answer(line.channel.confirm_select(confirms)).await?;
    Ok(line)
}
