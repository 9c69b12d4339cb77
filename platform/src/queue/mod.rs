//! Notifications from api to worker: messages that carry ids, delivered at least once, each to one of the consumers.
//!
//! The queue is first in, first out. A delivery is held until it is acknowledged or rejected; one that is dropped goes
//! back to the front and comes again, and one that came back more than [`DELIVERY_LIMIT`] times goes to the dead
//! letters. Both backends keep these rules; `tests/conformance` holds them to it.
//!
//! What is *not* here: what a message means and what is done about it (`worker`), and its bytes (`domain::message`).

pub mod in_process;
pub mod rabbit;

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use domain::message::Message;
use tokio_util::sync::CancellationToken;

use crate::config::AmqpUrl;

/// How often a message may come back; the next time it is a dead letter.
pub const DELIVERY_LIMIT: u32 = 20;

/// A queue operation that did not succeed. The message may or may not be there: the ledger, not the queue, knows.
#[derive(Clone, Debug, thiserror::Error)]
pub enum QueueError {
    /// No connection, or no channel, or no queues on it.
    #[error("the broker cannot be reached")]
    Unreachable(#[source] Cause),
    /// Connecting failed a moment ago and is not tried again yet.
    #[error("the broker could not be reached a moment ago")]
    Resting,
    #[error("the broker did not answer in time")]
    TimedOut,
    /// The broker is short of memory or disk and takes no messages.
    #[error("the broker is short of memory or disk and takes no messages")]
    Blocked,
    /// The channel ended under the operation. An unacknowledged delivery comes again.
    #[error("the channel to the broker was lost")]
    Lost,
    /// No queue took the message.
    #[error("no queue took the message")]
    Unroutable,
    /// The broker said no to the message.
    #[error("the broker refused the message")]
    Refused,
}

/// What stood behind a [`QueueError`].
pub type Cause = Arc<dyn Error + Send + Sync>;

/// The queue of a process. Cheap to clone.
#[derive(Clone)]
pub enum Queue {
    InProcess(in_process::InProcess),
    Rabbit(rabbit::Rabbit),
}

impl Queue {
    /// A queue in process, or on a broker if there is a URL. Connects when it is first used.
    pub fn open(url: Option<&AmqpUrl>) -> Self {
        match url {
            None => Self::InProcess(in_process::InProcess::default()),
            Some(url) => Self::Rabbit(rabbit::Rabbit::new(url, rabbit::Topology::default())),
        }
    }

    /// Publishes a message; when it returns, the queue has it. Takes at most 5 s, and no time at all while a
    /// broker is known to be away. Any number may run at once on one connection.
    ///
    /// # Errors
    /// The message may not have arrived.
    pub async fn publish(&self, message: &Message) -> Result<(), QueueError> {
        let result = match self {
            Self::InProcess(queue) => {
                queue.publish(message);
                Ok(())
            }
            Self::Rabbit(queue) => queue.publish(message).await,
        };
        let outcome = if result.is_ok() { "ok" } else { "error" };
        metrics::counter!("feedback_queue_published_total", "outcome" => outcome).increment(1);
        result
    }

    /// A stream of messages that survives any failure of the broker, until `shutdown`. At most `prefetch`
    /// (at least 1) of its deliveries are held at once.
    pub fn consume(&self, prefetch: u16, shutdown: CancellationToken) -> Consumer {
        let prefetch = prefetch.max(1);
        Consumer(match self {
            Self::InProcess(queue) => Source::InProcess(queue.consume(prefetch, shutdown)),
            Self::Rabbit(queue) => Source::Rabbit(queue.consume(prefetch, &shutdown)),
        })
    }

    /// Whether messages can be published now: one round trip.
    ///
    /// # Errors
    /// Why not.
    pub async fn ping(&self) -> Result<(), QueueError> {
        match self {
            Self::InProcess(_) => Ok(()),
            Self::Rabbit(queue) => queue.ping().await,
        }
    }

    /// How many dead letters there are: in process since the start, on a broker those kept.
    ///
    /// # Errors
    /// The broker does not tell.
    pub async fn dead_letters(&self) -> Result<u64, QueueError> {
        match self {
            Self::InProcess(queue) => Ok(queue.dead_letters()),
            Self::Rabbit(queue) => queue.dead_letters().await,
        }
    }
}

/// A stream of deliveries. Dropped, it takes no more; what was handed out stays valid.
pub struct Consumer(Source);

enum Source {
    InProcess(in_process::Consumer),
    Rabbit(rabbit::Consumer),
}

impl Consumer {
    /// The next delivery; waits for one, and for a broker that is away. `None` only after `shutdown`.
    /// Nothing is lost when the wait is given up.
    pub async fn next(&mut self) -> Option<Delivery> {
        match &mut self.0 {
            Source::InProcess(consumer) => consumer.next().await,
            Source::Rabbit(consumer) => consumer.next().await,
        }
    }
}

/// A message in hand. Dropped without [`Self::ack`] or [`Self::reject`] it goes back and comes again.
pub struct Delivery {
    pub message: Message,
    /// Whether it was delivered before.
    pub redelivered: bool,
    ticket: Ticket,
}

enum Ticket {
    InProcess(in_process::Ticket),
    Rabbit(rabbit::Ticket),
}

impl Delivery {
    /// Done with: it never comes again.
    ///
    /// # Errors
    /// The broker was lost meanwhile, and the message will come again. A worker may ignore that.
    pub async fn ack(self) -> Result<(), QueueError> {
        match self.ticket {
            Ticket::InProcess(ticket) => {
                ticket.ack();
                Ok(())
            }
            Ticket::Rabbit(ticket) => ticket.ack().await,
        }
    }

    /// No use trying again: to the dead letters, at once.
    ///
    /// # Errors
    /// The broker was lost meanwhile, and the message will come again. A worker may ignore that.
    pub async fn reject(self) -> Result<(), QueueError> {
        match self.ticket {
            Ticket::InProcess(ticket) => {
                ticket.reject();
                Ok(())
            }
            Ticket::Rabbit(ticket) => ticket.reject().await,
        }
    }
}

/// Each broken link is tried again after 100 ms, 200 ms … 2 s.
struct Backoff(Duration);

impl Backoff {
    const FIRST: Duration = Duration::from_millis(100);
    const LAST: Duration = Duration::from_secs(2);

    fn new() -> Self {
        Self(Self::FIRST)
    }

    /// The next pause.
    fn pause(&mut self) -> Duration {
        let pause = self.0;
        self.0 = (pause * 2).min(Self::LAST);
        pause
    }
}
