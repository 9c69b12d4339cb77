//! A simulated provider: nothing leaves the machine, and receipts come after a moment.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use parking_lot::Mutex;
use sha2::{Digest, Sha256};
use tokio::sync::{Notify, oneshot};
use tokio::time::{Instant, sleep_until};
use uuid::Uuid;

use crate::Provider;
use crate::message::{Event, EventKind, Handed, Message, Receipt, ReceiptStatus, Subject};
use crate::setting::{Connect, Fault, Query, bad_url};

const DEFAULT_FAILURES: u64 = 2;
const DEFAULT_DELAY: Duration = Duration::from_secs(2);
/// When a receipt comes again that was not stored.
const AGAIN_AFTER: Duration = Duration::from_secs(1);

#[derive(Clone)]
struct Demo {
    seed: u64,
    /// Percent.
    failures: u64,
    delay: Duration,
    receipts: bool,
    queue: Arc<Queue>,
}

/// Receipts and when they come: in this order, since all have the same delay.
#[derive(Default)]
struct Queue {
    receipts: Mutex<VecDeque<(Instant, Receipt)>>,
    pushed: Notify,
}

/// Reads `seed`, `failures` and `delay`.
pub(crate) fn read(address: &str, query: &mut Query<'_>, receipts: bool) -> Result<Connect, Fault> {
    let demo = Demo::read(address, query, receipts)?;
    Ok(Arc::new(move || {
        Arc::new(Demo {
            queue: Arc::default(),
            ..demo.clone()
        })
    }))
}

fn read_delay(text: &str) -> Option<Duration> {
    let number = |digits: &str| digits.parse::<u32>().ok().map(u64::from);
    if text == "0" {
        Some(Duration::ZERO)
    } else if let Some(digits) = text.strip_suffix("ms") {
        number(digits).map(Duration::from_millis)
    } else {
        number(text.strip_suffix('s')?).map(Duration::from_secs)
    }
}

impl Queue {
    fn push(&self, after: Duration, receipt: Receipt) {
        self.receipts
            .lock()
            .push_back((Instant::now() + after, receipt));
        self.pushed.notify_one();
    }

    /// The next receipt. Waiting for it can be given up at any point without losing one.
    async fn next(&self) -> Receipt {
        loop {
            let first = self.receipts.lock().front().map(|(at, _)| *at);
            let Some(at) = first else {
                self.pushed.notified().await;
                continue;
            };
            sleep_until(at).await;
            if let Some((_, receipt)) = self.receipts.lock().pop_front() {
                return receipt;
            }
        }
    }
}

impl Demo {
    fn read(address: &str, query: &mut Query<'_>, receipts: bool) -> Result<Self, Fault> {
        if !address.is_empty() {
            return Err(bad_url("has more than `demo:` and parameters"));
        }
        let seed = query.number("seed", "is not a whole number")?;
        let percent = |value: &str| value.parse().ok().filter(|percent| *percent <= 100);
        let failures = query.parsed("failures", "is not a whole number from 0 to 100", percent)?;
        let delay = query.parsed("delay", "is not like `500ms`, `2s` or `0`", read_delay)?;
        Ok(Self {
            seed: seed.unwrap_or_default(),
            failures: failures.unwrap_or(DEFAULT_FAILURES),
            delay: delay.unwrap_or(DEFAULT_DELAY),
            receipts,
            queue: Arc::default(),
        })
    }

    /// Whether a message fails, always the same for a seed.
    fn fails(&self, message_id: Uuid) -> bool {
        let digest = Sha256::new()
            .chain_update(self.seed.to_be_bytes())
            .chain_update(message_id.as_bytes())
            .finalize();
        let random = digest.first_chunk().copied().map(u64::from_be_bytes);
        random.unwrap_or_default() % 100 < self.failures
    }

    /// Lets the receipt of a message come.
    fn report(&self, message_id: Uuid, reference: String) {
        if !self.receipts {
            return;
        }
        let (status, code) = if self.fails(message_id) {
            (ReceiptStatus::Undelivered, Some("simulated".to_owned()))
        } else {
            (ReceiptStatus::Delivered, None)
        };
        let receipt = Receipt::new(Subject::Reference(reference), status, code);
        self.queue.push(self.delay, receipt);
    }

    async fn next(&self) -> Event {
        let receipt = self.queue.next().await;
        let (stored, is_stored) = oneshot::channel();
        let (queue, again) = (Arc::clone(&self.queue), receipt.clone());
        tokio::spawn(async move {
            if is_stored.await.is_err() {
                queue.push(AGAIN_AFTER, again);
            }
        });
        let kind = EventKind::Receipt(receipt);
        Event { kind, stored }
    }
}

impl Provider for Demo {
    fn send<'a>(&'a self, message: &'a Message) -> BoxFuture<'a, Handed> {
        Box::pin(async {
            self.report(message.message_id, message.reference.clone());
            let id = format!("demo-{}", message.message_id.simple());
            Handed::accepted(Some(&id))
        })
    }

    fn event(&self) -> BoxFuture<'_, Event> {
        Box::pin(self.next())
    }

    fn resume(&self, accepted: Vec<(Uuid, String)>) {
        for (message_id, reference) in accepted {
            self.report(message_id, reference);
        }
    }
}

#[cfg(test)]
mod tests;
