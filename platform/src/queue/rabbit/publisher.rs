//! Publishing: one channel with confirms, shared by all, each message's own confirm awaited.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBackoff};
use domain::message::Notification;
use lapin::options::{BasicPublishOptions, ConfirmSelectOptions};
use lapin::{BasicProperties, Confirmation, PublisherConfirm};
use parking_lot::Mutex;
use tokio::time::Instant;

use super::connection::{BrokerAddress, BrokerConnection, cut};
use super::{FIRST_PAUSE, PAUSES, answer};
use crate::queue::QueueError;

/// All that a publish may take.
const PUBLISH: Duration = Duration::from_millis(4_500);

pub(in crate::queue) struct Publisher {
    pub(in crate::queue) address: BrokerAddress,
    state: Arc<tokio::sync::Mutex<State>>,
    /// The library numbers a message and then queues it, under two locks. With two at once the numbers, which confirms
    /// go by, can be swapped; so one at a time.
    turn: Mutex<()>,
}

struct State {
    connection: Option<Arc<BrokerConnection>>,
    pauses: ExponentialBackoff,
    rest_until: Instant,
}

impl Publisher {
    pub(in crate::queue) fn new(address: BrokerAddress) -> Self {
        let state = State {
            connection: None,
            pauses: PAUSES.build(),
            rest_until: Instant::now(),
        };
        Self {
            address,
            state: Arc::new(state.into()),
            turn: Mutex::new(()),
        }
    }

    pub(in crate::queue) async fn publish(&self, message: &Notification) -> Result<(), QueueError> {
        let publishing = async {
            match self.try_publish(message).await {
                // Someone deleted the queue; the next connection declares it. Not at once: RabbitMQ 3.10 never tells
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
        self.connection().await?.ping().await
    }

    /// A connection that takes messages: the open one, or the one that the attempt under way or a new attempt opens. Fails
    /// at once during the pause after a failure.
    async fn connection(&self) -> Result<Arc<BrokerConnection>, QueueError> {
        let mut state = self.state.clone().lock_owned().await;
        if let Some(connection) = state
            .connection
            .as_ref()
            .filter(|connection| connection.alive())
        {
            return if connection.blocked() {
                Err(QueueError::Blocked)
            } else {
                Ok(connection.clone())
            };
        }
        state.connection = None;
        if Instant::now() < state.rest_until {
            return Err(QueueError::Resting);
        }
        let address = self.address.clone();
        // A task of its own with the lock, for which the others wait: a caller who goes away does not end the attempt.
        let attempt = tokio::spawn(async move {
            let opened = open(&address).await.map(Arc::new);
            if let Ok(connection) = &opened {
                state.connection = Some(connection.clone());
                state.pauses = PAUSES.build();
            } else {
                state.rest_until = Instant::now() + state.pauses.next().unwrap_or_default();
            }
            opened
        });
        // The task panicked, or the runtime ends.
        attempt.await.unwrap_or(Err(QueueError::Lost))
    }

    /// Drops the connection if it is still the current one, so that the next caller opens another.
    async fn discard(&self, broken: &Arc<BrokerConnection>) {
        let mut state = self.state.lock().await;
        state
            .connection
            .take_if(|connection| Arc::ptr_eq(connection, broken));
    }

    async fn try_publish(&self, message: &Notification) -> Result<(), QueueError> {
        let connection = self.connection().await?;
        let confirmed = answer(async { self.send(&connection, message).await?.await });
        match confirmed.await {
            Ok(Confirmation::Ack(None)) => Ok(()),
            Ok(Confirmation::Ack(Some(_)) | Confirmation::Nack(Some(_))) => {
                self.discard(&connection).await;
                Err(QueueError::Unroutable)
            }
            Ok(Confirmation::Nack(None)) => Err(QueueError::Refused),
            // `NotRequested` cannot be, because the channel is in confirm mode.
            Ok(Confirmation::NotRequested) | Err(QueueError::Unreachable(_)) => {
                self.discard(&connection).await;
                Err(QueueError::Lost)
            }
            Err(QueueError::TimedOut) if connection.blocked() => Err(QueueError::Blocked),
            Err(error) => {
                // Silent for so long, it is a broken connection or a frozen broker. Others find out now.
                self.discard(&connection).await;
                cut(&connection.socket);
                Err(error)
            }
        }
    }

    async fn send(
        &self,
        connection: &BrokerConnection,
        message: &Notification,
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
        let channel = &connection.channel;
        let mut sending =
            pin!(channel.basic_publish("".into(), queue.into(), mandatory, &body, persistent));
        std::future::poll_fn(|context| {
            let _turn = self.turn.lock();
            sending.as_mut().poll(context)
        })
        .await
    }
}

async fn open(address: &BrokerAddress) -> Result<BrokerConnection, QueueError> {
    let connection = BrokerConnection::open(address, "feedback publish").await?;
    let confirms = ConfirmSelectOptions::default();
    answer(connection.channel.confirm_select(confirms)).await?;
    Ok(connection)
}
