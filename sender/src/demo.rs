//! A simulated provider: nothing leaves the machine, and receipts come after a moment.

use std::collections::{BTreeMap, VecDeque};
use std::future::pending;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::future::BoxFuture;
use sha2::{Digest, Sha256};
use tokio::sync::oneshot::error::TryRecvError;
use tokio::sync::{self, Notify, oneshot};
use tokio::time::{Instant, sleep_until};
use uuid::Uuid;

use crate::Provider;
use crate::hook::{HookError, HookRequest};
use crate::message::{Event, EventKind, Handed, Inbound, Message, Receipt, ReceiptStatus, Subject};
use crate::setting::{Fault, Query};

const DEFAULT_FAILURES: u64 = 2;
const DEFAULT_DELAY: Duration = Duration::from_secs(2);
/// When a receipt comes again that was not stored.
const AGAIN_AFTER: Duration = Duration::from_secs(1);

/// What a setting says of the simulation.
#[derive(Clone)]
pub(crate) struct Options {
    seed: u64,
    /// Percent.
    failures: u64,
    delay: Duration,
}

pub(crate) struct Demo {
    options: Options,
    receipts: bool,
    queue: Mutex<Queue>,
    /// Told of a receipt that comes before all others.
    sooner: Notify,
    /// Receipts that were given out and may not be stored yet; locked by the one that waits for events.
    given: sync::Mutex<VecDeque<(oneshot::Receiver<()>, Receipt)>>,
}

/// Receipts by the time when they come; the number tells those of one moment apart.
#[derive(Default)]
struct Queue {
    receipts: BTreeMap<(Instant, u64), Receipt>,
    pushed: u64,
}

impl Options {
    /// Reads `seed`, `failures` and `delay`.
    pub(crate) fn read(address: &str, mut query: Query<'_>) -> Result<Self, Fault> {
        if !address.is_empty() {
            return Err(Fault::url("has more than `demo:` and parameters"));
        }
        let seed = query.parsed("seed", "is not a whole number", |v| v.parse().ok())?;
        let percent = |value: &str| value.parse().ok().filter(|percent| *percent <= 100);
        let failures = query.parsed("failures", "is not a whole number from 0 to 100", percent)?;
        let delay = query.parsed("delay", "is not like `500ms`, `2s` or `0`", read_delay)?;
        query.finish()?;
        Ok(Self {
            seed: seed.unwrap_or_default(),
            failures: failures.unwrap_or(DEFAULT_FAILURES),
            delay: delay.unwrap_or(DEFAULT_DELAY),
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
    /// Adds a receipt and says whether it comes before all others.
    fn push(&mut self, at: Instant, receipt: Receipt) -> bool {
        let key = (at, self.pushed);
        self.pushed += 1;
        self.receipts.insert(key, receipt);
        self.receipts
            .first_key_value()
            .is_some_and(|(first, _)| *first == key)
    }

    /// The next receipt if its time has come.
    fn pop(&mut self, now: Instant) -> Option<Receipt> {
        let first = self.receipts.first_entry()?;
        (first.key().0 <= now).then(|| first.remove())
    }

    fn next_at(&self) -> Option<Instant> {
        self.receipts.first_key_value().map(|((at, _), _)| *at)
    }
}

impl Demo {
    pub(crate) fn new(options: Options, receipts: bool) -> Self {
        Self {
            options,
            receipts,
            queue: Mutex::default(),
            sooner: Notify::new(),
            given: sync::Mutex::default(),
        }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, after: Duration, receipt: Receipt) {
        if self.queue().push(Instant::now() + after, receipt) {
            self.sooner.notify_one();
        }
    }

    /// Lets the receipt of a message come.
    fn report(&self, message_id: Uuid, reference: String) {
        if !self.receipts {
            return;
        }
        let (status, code) = if self.options.fails(message_id) {
            (ReceiptStatus::Undelivered, Some("simulated".to_owned()))
        } else {
            (ReceiptStatus::Delivered, None)
        };
        let receipt = Receipt {
            subject: Subject::Reference(reference),
            status,
            code,
            opted_out: false,
        };
        self.push(self.options.delay, receipt);
    }

    fn accept(&self, message: &Message) -> Handed {
        self.report(message.message_id, message.reference.clone());
        Handed::Accepted {
            provider_ids: vec![format!("demo-{}", message.message_id.simple())],
        }
    }

    /// The next receipt. Waiting for it can be given up at any point without losing one.
    async fn next(&self) -> Event {
        let mut given = self.given.lock().await;
        loop {
            while let Some((stored, _)) = given.front_mut() {
                let is_stored = match stored.try_recv() {
                    Ok(()) => true,
                    Err(TryRecvError::Closed) => false,
                    Err(TryRecvError::Empty) => break,
                };
                self.settle(&mut given, is_stored);
            }
            if let Some(receipt) = self.queue().pop(Instant::now()) {
                let (stored, is_stored) = oneshot::channel();
                given.push_back((is_stored, receipt.clone()));
                let kind = EventKind::Receipt(receipt);
                return Event { kind, stored };
            }
            let next_at = self.queue().next_at();
            let time = async {
                match next_at {
                    Some(at) => sleep_until(at).await,
                    None => pending().await,
                }
            };
            let oldest = async {
                match given.front_mut() {
                    Some((stored, _)) => stored.await.is_ok(),
                    None => pending().await,
                }
            };
            tokio::select! {
                () = time => {}
                () = self.sooner.notified() => {}
                is_stored = oldest => self.settle(&mut given, is_stored),
            }
        }
    }

    /// Forgets the oldest receipt that was given out, or gives it out again later.
    fn settle(&self, given: &mut VecDeque<(oneshot::Receiver<()>, Receipt)>, is_stored: bool) {
        if let Some((_, receipt)) = given.pop_front()
            && !is_stored
        {
            self.push(AGAIN_AFTER, receipt);
        }
    }
}

impl Provider for Demo {
    fn send<'a>(&'a self, message: &'a Message) -> BoxFuture<'a, Handed> {
        Box::pin(async { self.accept(message) })
    }

    fn event(&self) -> BoxFuture<'_, Event> {
        Box::pin(self.next())
    }

    fn resume(&self, accepted: Vec<(Uuid, String)>) {
        for (message_id, reference) in accepted {
            self.report(message_id, reference);
        }
    }

    fn receipts(
        &self,
        _request: &HookRequest<'_>,
        _reference: Option<&str>,
    ) -> Result<Vec<Receipt>, HookError> {
        Err(HookError::Malformed)
    }

    fn inbound(&self, _request: &HookRequest<'_>) -> Result<Vec<Inbound>, HookError> {
        Err(HookError::Malformed)
    }
}

#[cfg(test)]
mod tests;
