//! Something that is opened when needed: by one attempt that all callers share, not again within a growing rest
//! after a failure, and anew once it is broken. Knows nothing of brokers.

use std::sync::Arc;

use tokio::sync::Mutex;
use tokio::time::Instant;

use super::super::{Backoff, QueueError};

/// What can tell whether it still works.
pub(super) trait Alive: Send + Sync + 'static {
    fn alive(&self) -> bool;
}

/// Holds a `T` when there is one.
pub(super) struct Lazy<T>(Arc<Mutex<State<T>>>);

struct State<T> {
    held: Option<Arc<T>>,
    backoff: Backoff,
    rest_until: Instant,
}

impl<T: Alive> Lazy<T> {
    pub(super) fn new() -> Self {
        Self(Arc::new(Mutex::new(State {
            held: None,
            backoff: Backoff::new(),
            rest_until: Instant::now(),
        })))
    }

    /// The living one, or what the attempt under way or a new one makes of it. Fails at once while resting.
    pub(super) async fn get<F>(&self, open: impl FnOnce() -> F) -> Result<Arc<T>, QueueError>
    where
        F: Future<Output = Result<T, QueueError>> + Send + 'static,
    {
        let mut state = self.0.clone().lock_owned().await;
        if let Some(held) = state.held.as_ref().filter(|held| held.alive()) {
            return Ok(held.clone());
        }
        state.held = None;
        if Instant::now() < state.rest_until {
            return Err(QueueError::Resting);
        }
        let opening = open();
        // A task of its own with the lock, for which the others wait: a caller who goes away does not end the attempt.
        let attempt = tokio::spawn(async move {
            let opened = opening.await.map(Arc::new);
            if let Ok(held) = &opened {
                state.held = Some(held.clone());
                state.backoff = Backoff::new();
            } else {
                state.rest_until = Instant::now() + state.backoff.pause();
            }
            opened
        });
        // The task panicked, or the runtime ends.
        attempt.await.unwrap_or(Err(QueueError::Lost))
    }

    /// Makes the next caller open anew, if this is what is held.
    pub(super) async fn discard(&self, broken: &Arc<T>) {
        let mut state = self.0.lock().await;
        state.held.take_if(|held| Arc::ptr_eq(held, broken));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
    use std::time::Duration;

    use futures::future::join_all;

    use super::*;

    struct Thing(AtomicBool);

    impl Alive for Thing {
        fn alive(&self) -> bool {
            self.0.load(Ordering::Relaxed)
        }
    }

    #[derive(Clone, Default)]
    struct Opened(Arc<AtomicU32>);

    impl Opened {
        fn times(&self) -> u32 {
            self.0.load(Ordering::Relaxed)
        }

        async fn open(self, works: bool) -> Result<Thing, QueueError> {
            self.0.fetch_add(1, Ordering::Relaxed);
            tokio::time::sleep(Duration::from_secs(1)).await;
            if works {
                Ok(Thing(AtomicBool::new(true)))
            } else {
                Err(QueueError::TimedOut)
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn callers_at_once_share_one_attempt() {
        let (lazy, opened) = (Lazy::new(), Opened::default());
        let results = join_all((0..100).map(|_| lazy.get(|| opened.clone().open(true)))).await;
        assert!(results.iter().all(Result::is_ok));
        assert_eq!(opened.times(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn a_caller_who_gives_up_leaves_the_attempt_to_the_others() {
        let (lazy, opened) = (Lazy::new(), Opened::default());
        let early = tokio::time::timeout(
            Duration::from_millis(1),
            lazy.get(|| opened.clone().open(true)),
        );
        assert!(early.await.is_err());
        assert!(lazy.get(|| opened.clone().open(true)).await.is_ok());
        assert_eq!(opened.times(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn after_a_failure_callers_fail_at_once_until_the_rest_is_over() {
        let (lazy, opened) = (Lazy::new(), Opened::default());
        let get = || lazy.get(|| opened.clone().open(false));
        assert!(matches!(get().await, Err(QueueError::TimedOut)));
        let started = Instant::now();
        assert!(matches!(get().await, Err(QueueError::Resting)));
        assert_eq!(started.elapsed(), Duration::ZERO);
        tokio::time::advance(Backoff::FIRST).await;
        assert!(matches!(get().await, Err(QueueError::TimedOut)));
        assert_eq!(opened.times(), 2);
        // The second rest is twice as long.
        tokio::time::advance(Backoff::FIRST).await;
        assert!(matches!(get().await, Err(QueueError::Resting)));
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_dead_or_discarded_is_opened_anew() {
        let (lazy, opened) = (Lazy::new(), Opened::default());
        let first = lazy.get(|| opened.clone().open(true)).await.unwrap();
        first.0.store(false, Ordering::Relaxed);
        let second = lazy.get(|| opened.clone().open(true)).await.unwrap();
        lazy.discard(&first).await;
        assert!(Arc::ptr_eq(
            &second,
            &lazy.get(|| opened.clone().open(true)).await.unwrap()
        ));
        lazy.discard(&second).await;
        lazy.get(|| opened.clone().open(true)).await.unwrap();
        assert_eq!(opened.times(), 3);
    }
}
