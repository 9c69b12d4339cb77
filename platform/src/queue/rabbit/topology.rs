//! The queues and the exchange of dead letters, declared by everyone who opens a channel: whoever comes first to an
//! empty broker makes them.

use lapin::options::{ExchangeDeclareOptions, QueueBindOptions, QueueDeclareOptions};
use lapin::types::{AMQPValue, FieldTable};
use lapin::{Channel, ExchangeKind};

use super::answer;
use crate::queue::{DELIVERY_LIMIT, QueueError};

/// Dead letters are for people to look at; the ledger knows what is to be done. The oldest go.
const DEAD_LETTERS: i64 = 100_000;

/// The names of the queues.
#[derive(Clone, Debug)]
pub struct Topology {
    queue: String,
    /// Of the exchange and of its queue.
    dead: String,
}

impl Default for Topology {
    fn default() -> Self {
        Self::prefixed("feedback")
    }
}

impl Topology {
    /// The queues `{prefix}.notifications` and `{prefix}.dead`. Services that share a broker better have a virtual host
    /// each; this is for tests that share one.
    pub fn prefixed(prefix: &str) -> Self {
        Self {
            queue: format!("{prefix}.notifications"),
            dead: format!("{prefix}.dead"),
        }
    }

    /// The queue of all messages.
    pub fn queue(&self) -> &str {
        &self.queue
    }

    /// The queue of dead letters, and its exchange.
    pub fn dead(&self) -> &str {
        &self.dead
    }

    /// Makes all there is to be, if it is not there.
    pub(super) async fn declare(&self, channel: &Channel) -> Result<(), QueueError> {
        answer(channel.exchange_declare(
            self.dead.as_str().into(),
            ExchangeKind::Fanout,
            ExchangeDeclareOptions {
                durable: true,
                ..ExchangeDeclareOptions::default()
            },
            FieldTable::default(),
        ))
        .await?;
        let mut dead = quorum();
        dead.insert("x-max-length".into(), AMQPValue::LongLongInt(DEAD_LETTERS));
        declare_queue(channel, &self.dead, dead).await?;
        answer(channel.queue_bind(
            self.dead.as_str().into(),
            self.dead.as_str().into(),
            "".into(),
            QueueBindOptions::default(),
            FieldTable::default(),
        ))
        .await?;
        let mut arguments = quorum();
        // Said explicitly: RabbitMQ 3 has no limit by default.
        arguments.insert(
            "x-delivery-limit".into(),
            AMQPValue::LongLongInt(i64::from(DELIVERY_LIMIT)),
        );
        arguments.insert(
            "x-dead-letter-exchange".into(),
            AMQPValue::LongString(self.dead.as_str().into()),
        );
        declare_queue(channel, &self.queue, arguments).await
    }
}

/// How many messages of a queue wait for a consumer. Without the queue the broker closes the channel.
pub(super) async fn ready(channel: &Channel, queue: &str) -> Result<u64, QueueError> {
    let passive = QueueDeclareOptions {
        passive: true,
        ..QueueDeclareOptions::default()
    };
    let queue = answer(channel.queue_declare(queue.into(), passive, FieldTable::default())).await?;
    Ok(u64::from(queue.message_count()))
}

fn quorum() -> FieldTable {
    let mut arguments = FieldTable::default();
    arguments.insert(
        "x-queue-type".into(),
        AMQPValue::LongString("quorum".into()),
    );
    arguments
}

async fn declare_queue(
    channel: &Channel,
    name: &str,
    arguments: FieldTable,
) -> Result<(), QueueError> {
    answer(channel.queue_declare(name.into(), QueueDeclareOptions::durable(), arguments))
        .await
        .map(drop)
}
