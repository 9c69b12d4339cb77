//! Consuming, and acknowledging. Each consumer has a task that opens its channel, queues and subscription again for ever.

use std::sync::Arc;
use std::time::Duration;

use domain::message::Message;
use futures::StreamExt;
use lapin::Acker;
use lapin::Channel;
use lapin::options::{
    BasicAckOptions, BasicCancelOptions, BasicConsumeOptions, BasicQosOptions, BasicRejectOptions,
};
use lapin::types::FieldTable;
use tokio::sync::mpsc;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::lazy::Alive;
use super::line::{Line, Lines};
use super::topology::Topology;
use super::{ANSWER, answer};
use crate::queue::{Backoff, Delivery, QueueError};

/// How often a silent subscription is looked at.
const LOOK: Duration = Duration::from_secs(5);

/// The receiving end of a supervised subscription.
pub(in crate::queue) struct Consumer {
    deliveries: mpsc::Receiver<Delivery>,
    stop: CancellationToken,
    _stop_on_drop: DropGuard,
}

impl Consumer {
    pub(super) fn start(
        lines: Arc<Lines>,
        topology: Arc<Topology>,
        prefetch: u16,
        shutdown: &CancellationToken,
    ) -> Self {
        // What waits here is held back from nobody: the broker counts it into `prefetch`.
        let (sender, deliveries) = mpsc::channel(1);
        let stop = shutdown.child_token();
        let subscription = Subscription {
            lines,
            topology,
            prefetch,
            sender,
            stop: stop.clone(),
        };
        tokio::spawn(subscription.supervise());
        Self {
            deliveries,
            _stop_on_drop: stop.clone().drop_guard(),
            stop,
        }
    }

    pub(in crate::queue) async fn next(&mut self) -> Option<Delivery> {
        tokio::select! {
            biased;
            () = self.stop.cancelled() => {
                // What was fetched ahead goes back now, not when the consumer is dropped.
                self.deliveries.close();
                while let Ok(delivery) = self.deliveries.try_recv() {
                    drop(delivery);
                }
                None
            }
            delivery = self.deliveries.recv() => delivery,
        }
    }
}

struct Subscription {
    lines: Arc<Lines>,
    topology: Arc<Topology>,
    prefetch: u16,
    sender: mpsc::Sender<Delivery>,
    stop: CancellationToken,
}

impl Subscription {
    async fn supervise(self) {
        let mut backoff = Backoff::new();
        let mut away = false;
        while !self.stop.is_cancelled() {
            let opened = tokio::select! {
                () = self.stop.cancelled() => break,
                opened = self.open() => opened,
            };
            let ended = match opened {
                Ok((channel, deliveries)) => {
                    tracing::info!("consuming");
                    backoff = Backoff::new();
                    away = false;
                    self.pump(&channel, deliveries).await
                }
                Err(error) => Err(error),
            };
            if let Err(error) = ended {
                // Once an outage, not once a try.
                if !away {
                    let cause = std::error::Error::source(&error);
                    tracing::warn!(%error, ?cause, "not consuming");
                    metrics::counter!("feedback_queue_interruptions_total").increment(1);
                }
                away = true;
            }
            tokio::select! {
                () = self.stop.cancelled() => break,
                () = tokio::time::sleep(backoff.pause()) => {}
            }
        }
    }

    async fn open(&self) -> Result<(Arc<OpenChannel>, lapin::Consumer), QueueError> {
        let line = self.lines.get().await?;
        let channel = line.channel().await?;
        self.topology.declare(&channel).await?;
        answer(channel.basic_qos(self.prefetch, BasicQosOptions { global: false })).await?;
        let deliveries = answer(channel.basic_consume(
            self.topology.queue().into(),
            "".into(),
            BasicConsumeOptions::default(),
            FieldTable::default(),
        ))
        .await?;
        Ok((Arc::new(OpenChannel { line, channel }), deliveries))
    }

    /// Hands deliveries on until the channel ends (an error) or this consumer shall stop.
    async fn pump(
        &self,
        channel: &Arc<OpenChannel>,
        mut deliveries: lapin::Consumer,
    ) -> Result<(), QueueError> {
        loop {
            let delivery = tokio::select! {
                () = self.stop.cancelled() => break,
                delivery = deliveries.next() => delivery,
                // The stream should have said so; never to wait on a dead channel is worth asking.
                () = tokio::time::sleep(LOOK) => {
                    if channel.alive() {
                        continue;
                    }
                    None
                }
            };
            match delivery {
                Some(Ok(delivery)) => {
                    if let Some(delivery) = self.admit(channel, delivery).await {
                        tokio::select! {
                            () = self.stop.cancelled() => break,
                            // The receiver is gone only after `stop`.
                            _ = self.sender.send(delivery) => {}
                        }
                    }
                }
                Some(Err(error)) => return Err(QueueError::Unreachable(Arc::new(error))),
                None => return Err(QueueError::Lost),
            }
        }
        self.give_back(channel, deliveries).await;
        Ok(())
    }

    /// Reads a message; one that no version of ours can read goes to the dead letters.
    async fn admit(
        &self,
        channel: &Arc<OpenChannel>,
        delivery: lapin::message::Delivery,
    ) -> Option<Delivery> {
        let ticket = Ticket {
            acker: Some(delivery.acker),
            channel: channel.clone(),
        };
        match Message::decode(&delivery.data) {
            Ok(message) => Some(Delivery {
                message,
                redelivered: delivery.redelivered,
                ticket: crate::queue::Ticket::Rabbit(ticket),
            }),
            Err(error) => {
                tracing::warn!(%error, "unreadable message to the dead letters");
                // Lost meanwhile, it comes again and lands here again.
                let _ = ticket.reject().await;
                None
            }
        }
    }

    /// Ends the subscription and returns what was fetched ahead, while deliveries in hand keep the channel.
    async fn give_back(&self, channel: &Arc<OpenChannel>, mut deliveries: lapin::Consumer) {
        let cancel = channel
            .channel
            .basic_cancel(deliveries.tag(), BasicCancelOptions::default());
        if answer(cancel).await.is_err() {
            // The channel is dead, and the broker gives them back by itself.
            return;
        }
        let returning = async {
            while let Some(Ok(delivery)) = deliveries.next().await {
                let _ = delivery.acker.reject(requeue()).await;
            }
        };
        let _ = tokio::time::timeout(ANSWER, returning).await;
    }
}

/// A channel that must stay open while a delivery of it is in hand.
struct OpenChannel {
    line: Arc<Line>,
    channel: Channel,
}

impl OpenChannel {
    fn alive(&self) -> bool {
        self.line.alive() && self.channel.status().connected()
    }
}

/// The right to settle a delivery; dropped, the delivery goes back.
pub(in crate::queue) struct Ticket {
    acker: Option<Acker>,
    channel: Arc<OpenChannel>,
}

impl Ticket {
    pub(in crate::queue) async fn ack(mut self) -> Result<(), QueueError> {
        match self.acker.take() {
            Some(acker) => settled(acker.ack(BasicAckOptions::default())).await,
            None => Ok(()),
        }
    }

    pub(in crate::queue) async fn reject(mut self) -> Result<(), QueueError> {
        match self.acker.take() {
            Some(acker) => settled(acker.reject(BasicRejectOptions { requeue: false })).await,
            None => Ok(()),
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let Some(acker) = self.acker.take() else {
            return;
        };
        let channel = self.channel.clone();
        // Outside a runtime the process ends, and with it the channel, which gives everything back.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                let _ = settled(acker.reject(requeue())).await;
                drop(channel);
            });
        }
    }
}

/// Of the ways to give back the one that RabbitMQ counts towards the limit, in all versions.
fn requeue() -> BasicRejectOptions {
    BasicRejectOptions { requeue: true }
}

async fn settled(sending: impl Future<Output = lapin::Result<bool>>) -> Result<(), QueueError> {
    if answer(sending).await? {
        Ok(())
    } else {
        // The library's way to say that the channel is gone.
        Err(QueueError::Lost)
    }
}
