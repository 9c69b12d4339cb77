//! Consumes notifications from a connection that is opened again whenever it breaks.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use backon::BackoffBuilder;
use domain::message::Notification;
use futures::StreamExt;
use lapin::options::{BasicAckOptions, BasicConsumeOptions, BasicQosOptions, BasicRejectOptions};
use lapin::types::FieldTable;

use super::connection::{BrokerAddress, BrokerConnection};
use super::{PAUSES, answer};
use crate::one_line;
use crate::queue::QueueError;

/// Messages fetched ahead: handing one on takes no time.
const PREFETCH: u16 = 16;
/// How often a silent subscription is looked at.
const LOOK: Duration = Duration::from_secs(5);

/// Hands on messages, for ever.
pub(in crate::queue) async fn listen(
    address: &BrokerAddress,
    mut hand_on: impl FnMut(Notification),
) {
    let mut pauses = PAUSES.build();
    let mut away = false;
    loop {
        let mut opened = false;
        let Err(error) = consume(address, &mut opened, &mut hand_on).await;
        if opened {
            pauses = PAUSES.build();
            away = false;
        }
        // Once an outage, not once a try.
        if !away {
            tracing::warn!(error = one_line(&error), "not consuming");
            metrics::counter!("feedback_queue_interruptions_total").increment(1);
        }
        away = true;
        tokio::time::sleep(pauses.next().unwrap_or_default()).await;
    }
}

/// Hands on messages until the channel ends. `opened` tells whether there was one.
async fn consume(
    address: &BrokerAddress,
    opened: &mut bool,
    hand_on: &mut impl FnMut(Notification),
) -> Result<Infallible, QueueError> {
    let connection = BrokerConnection::open(address, "feedback consume").await?;
    let each = BasicQosOptions { global: false };
    answer(connection.channel.basic_qos(PREFETCH, each)).await?;
    let consuming = connection.channel.basic_consume(
        address.topology.queue.as_str().into(),
        "".into(),
        BasicConsumeOptions::default(),
        FieldTable::default(),
    );
    let mut deliveries = answer(consuming).await?;
    tracing::info!("consuming");
    *opened = true;
    loop {
        let delivery = match tokio::time::timeout(LOOK, deliveries.next()).await {
            Ok(delivery) => delivery.ok_or(QueueError::Lost)?,
            // The stream should have ended. Checked, because waiting on a dead channel would never end.
            Err(_elapsed) if connection.alive() => continue,
            Err(_elapsed) => return Err(QueueError::Lost),
        };
        let delivery = delivery.map_err(|error| QueueError::Unreachable(Arc::new(error)))?;
        // If the acknowledgement is lost, the message comes again.
        let _ = match Notification::decode(&delivery.data) {
            Ok(message) => {
                hand_on(message);
                answer(delivery.acker.ack(BasicAckOptions::default())).await
            }
            // No version of ours can read it.
            Err(error) => {
                tracing::warn!(%error, "unreadable message to the dead letters");
                let dead = BasicRejectOptions { requeue: false };
                answer(delivery.acker.reject(dead)).await
            }
        };
    }
}
