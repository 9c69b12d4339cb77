//! Work that keeps a core busy: reading, judging and writing what is large. It runs beside the runtime, whose threads answer
//! everybody, and accounts take turns at it.

use std::num::NonZero;
use std::thread::available_parallelism;

use platform::places::Places;
use tokio::task::spawn_blocking;
use uuid::Uuid;

use crate::{AppState, Problem, Result};

/// Bytes up to which a body or an answer is no work.
pub const LIGHT: usize = 16 << 10;

/// Half of the cores, so that the runtime has the others.
pub(crate) fn places() -> Places {
    let cores = available_parallelism().map_or(1, NonZero::get);
    Places::new((cores / 2).max(1))
}

impl AppState {
    /// Does work for the account when it is the account's turn. What has begun is done to its end, and has its place until
    /// then, also where nobody waits for it any more.
    ///
    /// # Errors
    /// Its own; 500 where it panics.
    pub async fn work<T, F>(&self, account_id: Uuid, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce() -> Result<T> + Send + 'static,
    {
        let place = self.work.take(account_id).await;
        let done = spawn_blocking(move || {
            let _place = place;
            work()
        });
        done.await.map_err(|error| Problem::internal(&error))?
    }

    /// The same, at once where what it is about has at most [`LIGHT`] bytes.
    ///
    /// # Errors
    /// Those of [`work`](Self::work).
    pub async fn work_on<T, F>(&self, account_id: Uuid, bytes: usize, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce() -> Result<T> + Send + 'static,
    {
        if bytes <= LIGHT {
            return work();
        }
        self.work(account_id, work).await
    }
}
