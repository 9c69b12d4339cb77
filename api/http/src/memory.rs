//! Memory for bodies on their way in, and for lists on their way out, shared out by account.
//!
//! An account may hold as much of a pool as it leaves free (the dynamic thresholds of Choudhury and Hahne, 1998): alone
//! it gets half, beside k - 1 others the (k + 1)-th part, and a newcomer finds as much. What a body holds grows while it
//! arrives, so a slow sender holds no more than it has sent.
//!
//! Bodies that hold memory while they wait for more could wait for each other for ever. So the younger bodies of an
//! account leave room for its oldest one, and one oldest body at a time may use a reserve beside the pool. While a slow
//! sender has the reserve, the one that began first of all who wait may use more than its account's share, down to an
//! eighth of the pool, which is left for newcomers. Accounts take turns at the reserve.

mod held;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use platform::config::PoolPart;
use tokio::sync::Notify;
use tokio::time::{Instant, timeout, timeout_at};
use uuid::Uuid;

pub use self::held::hold_too;
use crate::{Code, Problem, Result};

/// A body up to this size needs no permit.
pub const FREE: usize = 16 << 10;

/// How long a body waits for what older bodies of its account hold. The oldest one waits for other accounts, without end.
/// Meanwhile nothing of it is read, and clients give up a connection that takes nothing for 30 s (reqwest, for one).
const PATIENCE: Duration = Duration::from_secs(20);

/// The sizes of a pool, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct PoolSize {
    /// What all bodies share.
    pub total: u64,
    /// What one body holds at most. The reserve has this size.
    pub largest: u64,
    /// A body up to this size leaves no room for an older one.
    pub small: u64,
}

impl From<PoolPart> for PoolSize {
    /// A pool in which every body leaves room for older ones.
    fn from(PoolPart { total, largest }: PoolPart) -> Self {
        Self {
            total,
            largest,
            small: 0,
        }
    }
}

/// The memory of bodies of one kind. Cheap to clone.
#[derive(Clone)]
pub struct MemoryPool(Arc<Shared>);

struct Shared {
    size: PoolSize,
    state: Mutex<State>,
    /// Notified when memory is given back.
    freed: Notify,
}

#[derive(Default)]
struct State {
    free: u64,
    next_number: u64,
    accounts: HashMap<Uuid, Bodies>,
    /// The bodies that wait for memory, and their accounts.
    waiting: BTreeMap<u64, Uuid>,
    /// The body whose memory is not taken from the pool.
    in_reserve: Option<u64>,
    /// How often a body was given the reserve.
    reservations: u64,
}

/// What the bodies of an account hold, in bytes.
#[derive(Default)]
struct Bodies {
    held: u64,
    /// The bytes of each body, by its number. Numbers ascend in the order in which bodies began.
    by_number: BTreeMap<u64, u64>,
    /// The number of its last reservation, or of the one before the last of all when it came.
    reserved_at: u64,
}

/// The memory that a body holds, until it is dropped.
pub struct MemoryPermit {
    pool: MemoryPool,
    account_id: Uuid,
    number: u64,
    bytes: u64,
}

impl MemoryPool {
    pub fn new(size: impl Into<PoolSize>) -> Self {
        let size = size.into();
        let state = State {
            free: size.total,
            ..State::default()
        };
        Self(Arc::new(Shared {
            size,
            state: Mutex::new(state),
            freed: Notify::new(),
        }))
    }

    /// A permit for a body of the account that holds nothing yet.
    pub fn permit(&self, account_id: Uuid) -> MemoryPermit {
        let mut state = self.0.state.lock();
        let number = state.next_number;
        state.next_number += 1;
        state.hold(account_id, number, 0);
        MemoryPermit {
            pool: self.clone(),
            account_id,
            number,
            bytes: 0,
        }
    }
}

impl MemoryPermit {
    /// Makes sure that it is for at least `bytes`, of which [`PoolSize::largest`] is the most that counts. Waits where
    /// the account's share or the pool is used up.
    ///
    /// # Errors
    /// 503 `busy`: older bodies of the account have held its share for 20 s. The permit is to be dropped then.
    pub async fn grow_to(&mut self, bytes: u64) -> Result<()> {
        let bytes = bytes.min(self.pool.0.size.largest);
        if bytes <= self.bytes {
            return Ok(());
        }
        let pool = self.pool.clone();
        let mut deadline = Instant::now() + PATIENCE;
        let mut is_refused = false;
        loop {
            let mut freed = std::pin::pin!(pool.0.freed.notified());
            // Registers before the check, so that no notification is missed.
            freed.as_mut().enable();
            if self.try_grow_to(bytes) {
                return Ok(());
            }
            if is_refused {
                return Err(self.refused());
            }
            if timeout_at(deadline, freed).await.is_err() {
                deadline += PATIENCE;
                let oldest = pool.0.state.lock().oldest_of(self.account_id);
                is_refused = oldest.is_none_or(|(oldest, _)| oldest != self.number);
            }
        }
    }

    /// The same without waiting.
    ///
    /// # Errors
    /// 503 `busy`: others hold what the account may have.
    pub fn grow_now_to(&mut self, bytes: u64) -> Result<()> {
        let bytes = bytes.min(self.pool.0.size.largest);
        if bytes <= self.bytes || self.try_grow_to(bytes) {
            return Ok(());
        }
        Err(self.refused())
    }

    /// The same, waiting no longer than `limit`.
    ///
    /// # Errors
    /// 503 `busy`: others hold what the account may have.
    pub async fn grow_within(&mut self, limit: Duration, bytes: u64) -> Result<()> {
        match timeout(limit, self.grow_to(bytes)).await {
            Ok(grown) => grown,
            Err(_) => self.grow_now_to(bytes),
        }
    }

    /// Checks the size of what is of no use in part.
    ///
    /// # Errors
    /// 413: it is more than [`PoolSize::largest`].
    pub fn check(&self, bytes: u64) -> Result<()> {
        let largest = self.largest();
        if bytes > largest {
            return Err(Problem::too_large(largest));
        }
        Ok(())
    }

    /// The same as [`grow_now_to`](Self::grow_now_to); `false`: it stays as it was.
    pub(crate) fn try_grow_to(&mut self, bytes: u64) -> bool {
        let size = self.pool.0.size;
        let mut guard = self.pool.0.state.lock();
        let state = &mut *guard;
        let more = bytes - self.bytes;
        let account = state.accounts.get(&self.account_id);
        let held = account.map_or(0, |bodies| bodies.held);
        let account = held + more;
        // The reserve is not part of the pool, which is what is shared.
        let in_reserve = account_in_reserve(state, self.account_id);
        let older = state
            .oldest_of(self.account_id)
            .filter(|(oldest, _)| *oldest != self.number);
        // What the account's oldest body may still need from the pool is as good as taken. Where the largest body is more than an
        // account's share, it needs the reserve instead.
        let owed = match older {
            Some((older, held))
                if bytes > size.small
                    && state.in_reserve != Some(older)
                    && size.largest <= size.total / 2 =>
            {
                size.largest - held
            }
            _ => 0,
        };
        let left = state.free.checked_sub(more + owed);
        // Of those that are the oldest of their account: the others wait for their own account.
        let waits_longest = || {
            let mut before = state.waiting.range(..self.number);
            let is_oldest = |(number, account_id): (&u64, &Uuid)| {
                let oldest = state.oldest_of(*account_id);
                oldest.is_some_and(|(oldest, _)| oldest == *number)
            };
            older.is_none() && !before.any(is_oldest)
        };
        let granted = if state.in_reserve == Some(self.number) {
            // The reserve is not part of the pool.
            true
        } else if left.is_some_and(|left| account - in_reserve + owed <= left) {
            state.free -= more;
            true
        } else if older.is_none()
            && state.in_reserve.is_none()
            && state.is_next_in_reserve(self.account_id, self.number)
        {
            state.in_reserve = Some(self.number);
            state.reservations += 1;
            let bodies = state.accounts.entry(self.account_id).or_default();
            bodies.reserved_at = state.reservations;
            state.free += self.bytes;
            self.pool.0.freed.notify_waiters();
            true
        } else if left.is_some_and(|left| left >= size.total / 8) && waits_longest() {
            state.free -= more;
            true
        } else {
            false
        };
        if granted {
            self.bytes = bytes;
            state.hold(self.account_id, self.number, bytes);
            if state.waiting.remove(&self.number).is_some() {
                // Others may have waited for this one to be granted first.
                self.pool.0.freed.notify_waiters();
            }
        } else {
            state.waiting.insert(self.number, self.account_id);
        }
        granted
    }

    /// Removes the body from those that wait, so that it delays no other.
    fn refused(&self) -> Problem {
        self.pool.0.state.lock().waiting.remove(&self.number);
        self.pool.0.freed.notify_waiters();
        busy()
    }

    /// Gives back what is more than this.
    pub fn shrink_to(&mut self, bytes: u64) {
        let Some(less) = self.bytes.checked_sub(bytes) else {
            return;
        };
        self.bytes = bytes;
        let mut state = self.pool.0.state.lock();
        state.hold(self.account_id, self.number, bytes);
        if state.in_reserve != Some(self.number) {
            state.free += less;
        } else if let Some(free) = state.free.checked_sub(bytes) {
            state.free = free;
            state.in_reserve = None;
        }
        drop(state);
        self.pool.0.freed.notify_waiters();
    }

    /// What a body holds at least if there are to be no more bodies than so many.
    pub fn part_of_pool(&self, bodies: u64) -> u64 {
        self.pool.0.size.total / bodies
    }

    /// The bytes that a body may hold at most.
    pub fn largest(&self) -> u64 {
        self.pool.0.size.largest
    }

    /// Whose body it is.
    pub fn account_id(&self) -> Uuid {
        self.account_id
    }

    /// Whether another body waits for memory.
    pub fn others_wait(&self) -> bool {
        let state = self.pool.0.state.lock();
        state.waiting.keys().any(|number| *number != self.number)
    }
}

fn busy() -> Problem {
    let detail = "other requests of this account hold its share of the memory; try again";
    Problem::new(Code::Busy, detail).retry_after(5)
}

/// What a body of the account holds in the reserve.
fn account_in_reserve(state: &State, account_id: Uuid) -> u64 {
    let number = state.in_reserve;
    let bodies = state.accounts.get(&account_id).zip(number);
    let bytes = bodies.and_then(|(bodies, number)| bodies.by_number.get(&number));
    bytes.copied().unwrap_or_default()
}

impl State {
    fn hold(&mut self, account_id: Uuid, number: u64, bytes: u64) {
        // Whoever comes anew stands before the one who had the reserve last, and behind those who wait longer.
        let reserved_at = self.reservations.saturating_sub(1);
        let bodies = self.accounts.entry(account_id).or_insert_with(|| Bodies {
            reserved_at,
            ..Bodies::default()
        });
        let before = bodies.by_number.insert(number, bytes);
        bodies.held = bodies.held + bytes - before.unwrap_or_default();
    }

    /// Whether no account's oldest body waits that has had the reserve longer ago.
    fn is_next_in_reserve(&self, account_id: Uuid, number: u64) -> bool {
        let turn = |account_id: &Uuid, number| {
            let bodies = self.accounts.get(account_id);
            (bodies.map_or(0, |bodies| bodies.reserved_at), number)
        };
        let own = turn(&account_id, number);
        !self.waiting.iter().any(|(number, other)| {
            let oldest = self.oldest_of(*other);
            *other != account_id
                && oldest.is_some_and(|(oldest, _)| oldest == *number)
                && turn(other, *number) < own
        })
    }

    /// The account's body that began first, and what it holds.
    fn oldest_of(&self, account_id: Uuid) -> Option<(u64, u64)> {
        let oldest = self.accounts.get(&account_id)?.by_number.first_key_value();
        oldest.map(|(number, bytes)| (*number, *bytes))
    }
}

impl Drop for MemoryPermit {
    fn drop(&mut self) {
        let mut state = self.pool.0.state.lock();
        state.waiting.remove(&self.number);
        if let Some(bodies) = state.accounts.get_mut(&self.account_id) {
            bodies.held -= self.bytes;
            bodies.by_number.remove(&self.number);
            if bodies.by_number.is_empty() {
                state.accounts.remove(&self.account_id);
            }
        }
        if state.in_reserve == Some(self.number) {
            state.in_reserve = None;
        } else {
            state.free += self.bytes;
        }
        drop(state);
        self.pool.0.freed.notify_waiters();
    }
}

#[cfg(test)]
mod tests;
