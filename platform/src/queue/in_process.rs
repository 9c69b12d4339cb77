//! The queue of a service that is one process. It lives as long as the process; the workers' scans find what it lost. Not
//! bounded: a message is some hundred bytes, and workers acknowledge it at once.

use std::collections::VecDeque;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::message::Message;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use super::{DELIVERY_LIMIT, Delivery};

/// Clones are the same queue.
#[derive(Clone, Default)]
pub struct InProcess(Arc<Shared>);

#[derive(Default)]
struct Shared {
    entries: Mutex<Entries>,
    arrived: Notify,
    dead: AtomicU64,
}

#[derive(Default)]
struct Entries {
    /// What came back goes before what is new, as on a quorum queue.
    returned: VecDeque<Entry>,
    fresh: VecDeque<Entry>,
}

struct Entry {
    message: Message,
    /// How often it came back.
    returns: u32,
}

impl Shared {
    fn put(&self, put: impl FnOnce(&mut Entries)) {
        put(&mut self.entries());
        self.arrived.notify_one();
    }

    fn take(&self) -> Option<Entry> {
        let mut entries = self.entries();
        entries
            .returned
            .pop_front()
            .or_else(|| entries.fresh.pop_front())
    }

    fn bury(&self, entry: &Entry) {
        self.dead.fetch_add(1, Ordering::Relaxed);
        tracing::warn!(queue.message = ?entry.message, "dead letter");
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        // Nothing under the lock can panic half way.
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl InProcess {
    pub(super) fn publish(&self, message: &Message) {
        let entry = Entry {
            message: message.clone(),
            returns: 0,
        };
        self.0.put(|entries| entries.fresh.push_back(entry));
    }

    pub(super) fn consume(&self, prefetch: u16, shutdown: CancellationToken) -> Consumer {
        Consumer {
            queue: self.0.clone(),
            permits: Arc::new(Semaphore::new(usize::from(prefetch))),
            shutdown,
        }
    }

    pub(super) fn dead_letters(&self) -> u64 {
        self.0.dead.load(Ordering::Relaxed)
    }
}

/// Takes entries while it holds fewer than its prefetch.
pub(super) struct Consumer {
    queue: Arc<Shared>,
    permits: Arc<Semaphore>,
    shutdown: CancellationToken,
}

impl Consumer {
    pub(super) async fn next(&mut self) -> Option<Delivery> {
        let shutdown = self.shutdown.clone();
        tokio::select! {
            biased;
            () = shutdown.cancelled() => None,
            delivery = self.deliver() => delivery,
        }
    }

    async fn deliver(&self) -> Option<Delivery> {
        // Closed by nobody, so that it always comes.
        let permit = self.permits.clone().acquire_owned().await.ok()?;
        let entry = loop {
            let mut arrival = pin!(self.queue.arrived.notified());
            // Listening before looking: an entry that arrives in between is not slept through.
            arrival.as_mut().enable();
            if let Some(entry) = self.queue.take() {
                break entry;
            }
            arrival.await;
        };
        Some(Delivery {
            message: entry.message.clone(),
            redelivered: entry.returns > 0,
            ticket: super::Ticket::InProcess(Ticket {
                queue: self.queue.clone(),
                entry: Some(entry),
                _permit: permit,
            }),
        })
    }
}

/// The right to settle an entry; dropped, the entry goes back.
pub(super) struct Ticket {
    queue: Arc<Shared>,
    entry: Option<Entry>,
    _permit: OwnedSemaphorePermit,
}

impl Ticket {
    pub(super) fn ack(mut self) {
        self.entry = None;
    }

    pub(super) fn reject(mut self) {
        if let Some(entry) = self.entry.take() {
            self.queue.bury(&entry);
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let Some(mut entry) = self.entry.take() else {
            return;
        };
        entry.returns += 1;
        if entry.returns > DELIVERY_LIMIT {
            self.queue.bury(&entry);
        } else {
            self.queue.put(|entries| entries.returned.push_back(entry));
        }
    }
}
