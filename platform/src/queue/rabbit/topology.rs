//! The queues and the exchange of dead letters, declared by everyone who opens a channel: whoever comes first to an
//! empty broker makes them.

use lapin::options::{ExchangeDeclareOptions, QueueBindOptions, QueueDeclareOptions};
use lapin::types::{AMQPValue, FieldTable};
use lapin::{Channel, ExchangeKind};

use super::answer;
use crate::queue::QueueError;

/// Dead letters are for people to look at; the ledger knows what is to be done. The oldest go.
const DEAD_LETTERS: i64 = 100_000;

/// How often a message may come back; the next time it is a dead letter.
const DELIVERY_LIMIT: i64 = 20;

/// The names of the queues.
#[derive(Clone)]
pub struct Topology {
    /// The name of the queue of all messages.
    pub queue: String,
    /// The name of the queue of dead letters, and of its exchange.
    pub dead: String,
}

impl Topology {
    /// The queues `{prefix}.notifications` and `{prefix}.dead`. The prefix is `feedback` but in tests, which share a broker;
    /// services that share one better have a virtual host each.
    pub fn prefixed(prefix: &str) -> Self {
        Self {
            queue: format!("{prefix}.notifications"),
            dead: format!("{prefix}.dead"),
        }
    }

    /// Declares everything that does not exist yet.
    pub(super) async fn declare(&self, channel: &Channel) -> Result<(), QueueError> {
        let (dead, none) = (self.dead.as_str(), FieldTable::default);
        let durable = ExchangeDeclareOptions {
            durable: true,
            ..ExchangeDeclareOptions::default()
        };
        let exchange = channel.exchange_declare(dead.into(), ExchangeKind::Fanout, durable, none());
        answer(exchange).await?;
        let most = ("x-max-length", AMQPValue::LongLongInt(DEAD_LETTERS));
        declare_queue(channel, dead, [most]).await?;
        let options = QueueBindOptions::default();
        let binding = channel.queue_bind(dead.into(), dead.into(), "".into(), options, none());
        answer(binding).await?;
        // Said explicitly: RabbitMQ 3 has no limit by default.
        let limit = AMQPValue::LongLongInt(DELIVERY_LIMIT);
        let exchange = AMQPValue::LongString(dead.into());
        let arguments = [
            ("x-delivery-limit", limit),
            ("x-dead-letter-exchange", exchange),
        ];
        declare_queue(channel, &self.queue, arguments).await
    }
}

/// Declares a durable quorum queue.
async fn declare_queue<const N: usize>(
    channel: &Channel,
    name: &str,
    arguments: [(&str, AMQPValue); N],
) -> Result<(), QueueError> {
    let mut table = FieldTable::default();
    table.insert(
        "x-queue-type".into(),
        AMQPValue::LongString("quorum".into()),
    );
    for (argument, value) in arguments {
        table.insert(argument.into(), value);
    }
    let queue = channel.queue_declare(name.into(), QueueDeclareOptions::durable(), table);
    answer(queue).await.map(drop)
}
