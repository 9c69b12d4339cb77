//! A number of places for work that needs something scarce, such as a connection. Accounts take turns at them.

use std::any::Any;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Instant;

use futures::FutureExt;
use futures::future::BoxFuture;
use parking_lot::Mutex;
use store::Gate;
use tokio::sync::oneshot;
use uuid::Uuid;

use crate::turns::{Turn, Turns};

/// Places that accounts share. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Places(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    free: usize,
    turns: Turns,
    /// Those who wait, of each account in their order.
    waiting: HashMap<Uuid, VecDeque<oneshot::Sender<Place>>>,
}

/// A taken place. Dropping it frees the place.
#[derive(Debug)]
pub struct Place {
    places: Places,
    turn: Turn,
    began: Instant,
}

impl Places {
    /// `count` places, all of which one account may have.
    pub fn new(count: usize) -> Self {
        Self::shared(count, count)
    }

    /// `count` places, of which one account may have `most`, so that it always leaves some for others.
    pub fn shared(count: usize, most: usize) -> Self {
        Self(Arc::new(Mutex::new(State {
            free: count,
            turns: Turns::with_most(most),
            ..State::default()
        })))
    }

    /// Waits for a place for the account. There always is one in the end, so it is never `None`.
    pub async fn take(&self, account_id: Uuid) -> Option<Place> {
        let (sender, receiver) = oneshot::channel();
        {
            let mut state = self.0.lock();
            let of_account = state.waiting.entry(account_id).or_default();
            of_account.push_back(sender);
            state.turns.add(account_id);
        }
        self.serve();
        receiver.await.ok()
    }

    /// Gives free places to those whose turn it is.
    fn serve(&self) {
        while let Some((sender, place)) = self.next() {
            // A place whose receiver has gone is freed again.
            let _ = sender.send(place);
        }
    }

    fn next(&self) -> Option<(oneshot::Sender<Place>, Place)> {
        let mut guard = self.0.lock();
        let state = &mut *guard;
        while state.free > 0 {
            let turn = state.turns.take()?;
            let mut of_account = state.waiting.remove(&turn.account_id).unwrap_or_default();
            let mut senders = std::iter::from_fn(|| of_account.pop_front());
            let sender = senders.find(|sender| !sender.is_closed());
            if of_account.is_empty() {
                state.turns.clear(&turn);
            } else {
                state.waiting.insert(turn.account_id, of_account);
            }
            let Some(sender) = sender else {
                state.turns.end(&turn, 0);
                continue;
            };
            state.free -= 1;
            let place = Place {
                places: self.clone(),
                turn,
                began: Instant::now(),
            };
            return Some((sender, place));
        }
        None
    }
}

impl Gate for Places {
    fn enter(&self, account_id: Uuid) -> BoxFuture<'_, Box<dyn Any + Send + Sync>> {
        let place = self.take(account_id);
        let place = place.map(|place| Box::new(place) as Box<dyn Any + Send + Sync>);
        place.boxed()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let took = u64::try_from(self.began.elapsed().as_micros()).unwrap_or(u64::MAX);
        let mut state = self.places.0.lock();
        state.free += 1;
        state.turns.end(&self.turn, took);
        drop(state);
        self.places.serve();
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;

    use futures::FutureExt;

    use super::*;

    const A: Uuid = Uuid::from_u128(1);
    const B: Uuid = Uuid::from_u128(2);

    #[tokio::test]
    async fn an_account_has_its_share_at_most() {
        let places = Places::shared(2, 1);
        let held = places.take(A).await;
        assert!(places.take(A).now_or_never().is_none());
        assert!(places.take(B).now_or_never().is_some());
        drop(held);
        assert!(places.take(A).now_or_never().is_some());
    }

    #[tokio::test]
    async fn whoever_comes_while_another_account_waits_in_numbers_is_next() {
        let places = Places::new(2);
        let held = [places.take(A).await, places.take(A).await];
        let mut more: Vec<_> = (0..3).map(|_| Box::pin(places.take(A))).collect();
        assert!(more.iter_mut().all(|one| one.now_or_never().is_none()));
        let mut other = pin!(places.take(B));
        assert!(other.as_mut().now_or_never().is_none());
        let [first, _second] = held;
        drop(first);
        let place = other.now_or_never();
        assert!(place.is_some());
        assert!(more.iter_mut().all(|one| one.now_or_never().is_none()));
    }

    #[tokio::test]
    async fn a_place_for_somebody_who_has_gone_goes_to_the_next() {
        let places = Places::new(1);
        let held = places.take(A).await;
        let mut gone = Box::pin(places.take(A));
        let mut last = pin!(places.take(A));
        assert!(gone.as_mut().now_or_never().is_none());
        assert!(last.as_mut().now_or_never().is_none());
        drop(held);
        drop(gone);
        assert!(last.now_or_never().is_some());
        assert_eq!(places.0.lock().free, 1, "all are back");
        assert!(places.0.lock().waiting.is_empty());
    }
}
