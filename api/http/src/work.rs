//! Work that keeps a core busy: reading, judging and writing what is large. It runs beside the runtime, whose threads answer
//! everybody, and accounts take turns at it.

use std::sync::LazyLock;

use futures::FutureExt;
use platform::places::Places;
use store::form::Form;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::task::{block_in_place, spawn_blocking};
use uuid::Uuid;

use crate::memory::{FREE, MemoryPermit};
use crate::parts::PATIENCE;
use crate::{AppState, Problem, Result, found};

/// Bodies and answers of at most this many bytes are done at once.
pub const LIGHT: usize = 16 << 10;
/// The bytes that a form takes while it is read and written, for each byte of its content, about.
const FORM: usize = 3;
/// Large forms that this process reads at once.
static FORMS: LazyLock<Places> = LazyLock::new(|| Places::shared(8, 2));

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

    /// The same for work that borrows: it is done here, while another thread does what this one would do for the runtime.
    pub async fn work_here<T>(
        &self,
        account_id: Uuid,
        bytes: usize,
        work: impl FnOnce() -> T + Send,
    ) -> T {
        if bytes <= LIGHT {
            return work();
        }
        let _place = self.work.take(account_id).await;
        here(work)
    }

    /// A form of the account. A large one is read when it is the account's turn, and whoever waits for that has none in hand.
    ///
    /// # Errors
    /// 404; 503.
    pub async fn form(&self, account_id: Uuid, form_id: Uuid) -> Result<Form> {
        let row = found(self.store.form_row(account_id, form_id)).await?;
        if row.content.len() <= LIGHT {
            return Ok(Form::read(&row)?);
        }
        let (place, row) = if let Some(place) = FORMS.take(account_id).now_or_never() {
            (place, row)
        } else {
            drop(row);
            let place = FORMS.take(account_id).await;
            let row = found(self.store.form_row(account_id, form_id)).await?;
            (place, row)
        };
        let read = move || {
            let _place = place;
            Ok(Form::read(&row)?)
        };
        self.work(account_id, read).await
    }

    /// A form with the memory that it takes, for an answer that may be read slowly. A large one is read once its account has
    /// that.
    ///
    /// # Errors
    /// 404; 503, `busy` where others of the account hold its share.
    pub async fn held_form(&self, account_id: Uuid, form_id: Uuid) -> Result<(Form, MemoryPermit)> {
        let mut permit = self.list_memory.permit(account_id);
        let row = loop {
            let row = found(self.store.form_row(account_id, form_id)).await?;
            let bytes = (FORM * row.content.len()) as u64;
            if bytes <= FREE as u64 || permit.grow_now_to(bytes).is_ok() {
                break row;
            }
            // Whoever waits for memory has no form in hand.
            drop(row);
            permit.grow_within(PATIENCE, bytes).await?;
        };
        let bytes = row.content.len();
        let read = move || Ok(Form::read(&row)?);
        Ok((self.work_on(account_id, bytes, read).await?, permit))
    }
}

/// Does work on this thread, of which the runtime has another one meanwhile.
fn here<T>(work: impl FnOnce() -> T) -> T {
    match Handle::current().runtime_flavor() {
        // The runtime has no other thread.
        RuntimeFlavor::CurrentThread => work(),
        _ => block_in_place(work),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn others_are_served_while_work_is_done() {
        let served = tokio::spawn(async {
            let (serve, served) = channel();
            tokio::spawn(async move { serve.send(()) });
            here(|| served.recv_timeout(Duration::from_secs(20)))
        });
        assert_eq!(served.await.unwrap(), Ok(()));
    }
}
