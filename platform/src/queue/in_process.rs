//! The queue of a service that is one process. It lives as long as the process; the ledger's sweeper finds what was
//! in it. Not bounded: a message is some hundred bytes, and a lane holds at most the chunks of accepted imports.

use std::collections::VecDeque;
use std::fmt;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use domain::message::{Lane, Message};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use super::{DELIVERY_LIMIT, Delivery};

/// All lanes. Clones are the same queue.
#[derive(Clone, Debug, Default)]
pub struct InProcess(Arc<Lanes>);

#[derive(Debug, Default)]
struct Lanes {
    small: LaneQueue,
    bulk: LaneQueue,
    refresh: LaneQueue,
    dead: AtomicU64,
}

impl Lanes {
    fn lane(&self, lane: Lane) -> &LaneQueue {
        match lane {
            Lane::Small => &self.small,
            Lane::Bulk => &self.bulk,
            Lane::Refresh => &self.refresh,
        }
    }

    fn bury(&self, lane: Lane, letter: &Letter) {
        self.dead.fetch_add(1, Ordering::Relaxed);
        tracing::warn!(queue.lane = lane.as_str(), queue.message = ?letter.message, "dead letter");
    }
}

#[derive(Debug, Default)]
struct LaneQueue {
    letters: Mutex<Letters>,
    arrived: Notify,
}

#[derive(Debug, Default)]
struct Letters {
    /// What came back goes before what is new, as on a quorum queue.
    returned: VecDeque<Letter>,
    fresh: VecDeque<Letter>,
}

#[derive(Debug)]
struct Letter {
    message: Message,
    /// How often it came back.
    returns: u32,
}

impl LaneQueue {
    fn put(&self, put: impl FnOnce(&mut Letters)) {
        put(&mut self.lock());
        self.arrived.notify_one();
    }

    fn take(&self) -> Option<Letter> {
        let mut letters = self.lock();
        letters
            .returned
            .pop_front()
            .or_else(|| letters.fresh.pop_front())
    }

    fn lock(&self) -> MutexGuard<'_, Letters> {
        // Nothing under the lock can panic half way.
        self.letters.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl InProcess {
    pub(super) fn publish(&self, lane: Lane, message: &Message) {
        let letter = Letter {
            message: message.clone(),
            returns: 0,
        };
        self.0
            .lane(lane)
            .put(|letters| letters.fresh.push_back(letter));
    }

    pub(super) fn consume(
        &self,
        lane: Lane,
        prefetch: u16,
        shutdown: CancellationToken,
    ) -> Consumer {
        Consumer {
            lanes: self.0.clone(),
            lane,
            hands: Arc::new(Semaphore::new(usize::from(prefetch))),
            shutdown,
        }
    }

    pub(super) fn dead_letters(&self) -> u64 {
        self.0.dead.load(Ordering::Relaxed)
    }
}

/// Takes letters from one lane while it has a hand free.
pub(super) struct Consumer {
    lanes: Arc<Lanes>,
    lane: Lane,
    hands: Arc<Semaphore>,
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
        let hand = self.hands.clone().acquire_owned().await.ok()?;
        let queue = self.lanes.lane(self.lane);
        let letter = loop {
            let mut arrival = pin!(queue.arrived.notified());
            // Listening before looking: a letter that arrives in between is not slept through.
            arrival.as_mut().enable();
            if let Some(letter) = queue.take() {
                break letter;
            }
            arrival.await;
        };
        Some(Delivery {
            message: letter.message.clone(),
            redelivered: letter.returns > 0,
            ticket: super::Ticket::InProcess(Ticket {
                lanes: self.lanes.clone(),
                lane: self.lane,
                letter: Some(letter),
                _hand: hand,
            }),
        })
    }
}

impl fmt::Debug for Consumer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Consumer")
            .field("lane", &self.lane)
            .finish_non_exhaustive()
    }
}

/// The right to settle a letter; dropped, the letter goes back.
pub(super) struct Ticket {
    lanes: Arc<Lanes>,
    lane: Lane,
    letter: Option<Letter>,
    _hand: OwnedSemaphorePermit,
}

impl Ticket {
    pub(super) fn ack(mut self) {
        self.letter = None;
    }

    pub(super) fn reject(mut self) {
        if let Some(letter) = self.letter.take() {
            self.lanes.bury(self.lane, &letter);
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        let Some(mut letter) = self.letter.take() else {
            return;
        };
        letter.returns += 1;
        if letter.returns > DELIVERY_LIMIT {
            self.lanes.bury(self.lane, &letter);
        } else {
            self.lanes
                .lane(self.lane)
                .put(|letters| letters.returned.push_back(letter));
        }
    }
}
