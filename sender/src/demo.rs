//! A simulated provider: nothing leaves the machine, and receipts come after a moment.

use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use sha2::{Digest, Sha256};
use tokio::sync::{Mutex, mpsc, oneshot};
use tokio::time::sleep;
use uuid::Uuid;

use crate::message::{Event, EventKind, Handed, Outbound, Receipt, ReceiptStatus, Subject};
use crate::provider_url::{Connect, Query, SenderUrl, UrlError, bad_url};
use crate::{Provider, SenderKind};

const DEFAULT_FAILURES: u64 = 2;
const DEFAULT_DELAY: Duration = Duration::from_secs(2);
/// The pause before a receipt that was not stored comes again.
const AGAIN_AFTER: Duration = Duration::from_secs(1);

struct Demo {
    seed: u64,
    /// Percent.
    failures: u64,
    delay: Duration,
    events: mpsc::UnboundedSender<Event>,
    received: Mutex<mpsc::UnboundedReceiver<Event>>,
}

pub(crate) const KIND: SenderKind = SenderKind {
    is_simulated: true,
    ..SenderKind::new("demo", read)
};

/// Reads `seed`, `failures` and `delay`.
fn read(url: &mut SenderUrl<'_>) -> Result<Connect, UrlError> {
    let demo = Demo::read(url.address, &mut url.query)?;
    Ok(Arc::new(move || Arc::new(demo.anew())))
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

impl Demo {
    fn read(address: &str, query: &mut Query<'_>) -> Result<Self, UrlError> {
        if !address.is_empty() {
            return Err(bad_url("has more than `demo:` and parameters"));
        }
        let seed = query.number("seed", "is not a whole number")?;
        let percent = |value: &str| value.parse().ok().filter(|percent| *percent <= 100);
        let failures = query.parsed("failures", "is not a whole number from 0 to 100", percent)?;
        let delay = query.parsed("delay", "is not like `500ms`, `2s` or `0`", read_delay)?;
        let (events, received) = mpsc::unbounded_channel();
        Ok(Self {
            seed: seed.unwrap_or_default(),
            failures: failures.unwrap_or(DEFAULT_FAILURES),
            delay: delay.unwrap_or(DEFAULT_DELAY),
            events,
            received: received.into(),
        })
    }

    /// A provider with the same settings and no receipts to come.
    fn anew(&self) -> Self {
        let (events, received) = mpsc::unbounded_channel();
        Self {
            events,
            received: received.into(),
            ..*self
        }
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

    /// Starts the receipt of a message, which comes after the delay.
    fn report(&self, message_id: Uuid, reference: String) {
        let (status, code) = if self.fails(message_id) {
            (ReceiptStatus::Undelivered, Some("simulated".to_owned()))
        } else {
            (ReceiptStatus::Delivered, None)
        };
        let receipt = Receipt::new(Subject::Reference(reference), status, code);
        let (events, mut after) = (self.events.clone(), self.delay);
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    () = sleep(after) => {}
                    () = events.closed() => return,
                }
                let (stored, is_stored) = oneshot::channel();
                let kind = EventKind::Receipt(receipt.clone());
                if events.send(Event { kind, stored }).is_err() || is_stored.await.is_ok() {
                    return;
                }
                after = AGAIN_AFTER;
            }
        });
    }
}

impl Provider for Demo {
    fn send<'a>(&'a self, message: &'a Outbound) -> BoxFuture<'a, Handed> {
        Box::pin(async {
            if message.wants_receipts {
                self.report(message.message_id, message.reference.clone());
            }
            let id = format!("demo-{}", message.message_id.simple());
            Handed::accepted(Some(&id))
        })
    }

    fn event(&self) -> BoxFuture<'_, Event> {
        Box::pin(async {
            // The channel never closes, because this has a sender of it.
            match self.received.lock().await.recv().await {
                Some(event) => event,
                None => std::future::pending().await,
            }
        })
    }

    fn loses_receipts(&self) -> bool {
        true
    }

    fn resume(&self, accepted: Vec<(Uuid, String)>) {
        for (message_id, reference) in accepted {
            self.report(message_id, reference);
        }
    }
}

#[cfg(test)]
mod tests;
