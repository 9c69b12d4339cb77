//! Listening: a line and a subscription on it, opened again for ever.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use domain::message::Message;
use futures::StreamExt;
use lapin::message::Delivery;
use lapin::options::{BasicAckOptions, BasicConsumeOptions, BasicQosOptions, BasicRejectOptions};
use lapin::types::FieldTable;

use super::line::{Address, Line};
use super::{Backoff, answer};
use crate::queue::QueueError;

/// Messages fetched ahead: handing one on takes no time.
const PREFETCH: u16 = 16;
/// How often a silent subscription is looked at.
const LOOK: Duration = Duration::from_secs(5);

/// Hands on messages, for ever.
pub(in crate::queue) async fn listen(address: &Address, mut hand_on: impl FnMut(Message)) {
    let mut backoff = Backoff::default();
    let mut away = false;
    loop {
        let error = match Subscription::open(address).await {
            Ok(mut subscription) => {
                tracing::info!("consuming");
                backoff = Backoff::default();
                away = false;
                let Err(error) = subscription.deliver(&mut hand_on).await;
                error
            }
            Err(error) => error,
        };
        // Once an outage, not once a try.
        if !away {
            let cause = std::error::Error::source(&error);
            tracing::warn!(%error, ?cause, "not consuming");
            metrics::counter!("feedback_queue_interruptions_total").increment(1);
        }
        away = true;
        tokio::time::sleep(backoff.pause()).await;
    }
}

struct Subscription {
    deliveries: lapin::Consumer,
    line: Line,
}

impl Subscription {
    async fn open(address: &Address) -> Result<Self, QueueError> {
        let line = Line::open(address, "feedback consume").await?;
        let each = BasicQosOptions { global: false };
        answer(line.channel.basic_qos(PREFETCH, each)).await?;
        let deliveries = answer(line.channel.basic_consume(
            address.topology.queue().into(),
            "".into(),
            BasicConsumeOptions::default(),
            FieldTable::default(),
        ))
        .await?;
        Ok(Self { deliveries, line })
    }

    /// Hands on messages until the channel ends.
    async fn deliver(
        &mut self,
        hand_on: &mut impl FnMut(Message),
    ) -> Result<Infallible, QueueError> {
        loop {
            let delivery = match tokio::time::timeout(LOOK, self.deliveries.next()).await {
                Ok(delivery) => delivery.ok_or(QueueError::Lost)?,
                // The stream should have said so; never to wait on a dead channel is worth asking.
                Err(_elapsed) if self.line.alive() => continue,
                Err(_elapsed) => return Err(QueueError::Lost),
            };
            let delivery = delivery.map_err(|error| QueueError::Unreachable(Arc::new(error)))?;
            // Lost meanwhile, it comes again.
            let _ = settle(delivery, hand_on).await;
        }
    }
}

/// Hands on a message; one that no version of ours can read goes to the dead letters.
async fn settle(delivery: Delivery, hand_on: &mut impl FnMut(Message)) -> Result<bool, QueueError> {
    match Message::decode(&delivery.data) {
        Ok(message) => {
            hand_on(message);
            answer(delivery.acker.ack(BasicAckOptions::default())).await
        }
        Err(error) => {
            tracing::warn!(%error, "unreadable message to the dead letters");
            answer(delivery.acker.reject(BasicRejectOptions { requeue: false })).await
        }
    }
}
