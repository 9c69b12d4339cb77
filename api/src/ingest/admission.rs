//! How many imports are read at once: by the memory that they may need.
//!
//! An import begins small. One that turns out larger (by what it declares, or by what it decodes to) needs a share
//! of the budget first, and waits for it where it is; small ones have places of their own, so that no giant ever
//! delays them.

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::Refusal;

/// Up to this many decoded bytes an import is small.
const SMALL_BYTES: u64 = 1 << 20;
/// So many small imports at once: each holds a thread while its body comes.
const SMALL_PLACES: usize = 192;
/// The budget of all others, in bytes.
const BUDGET: u64 = 160 << 20;
/// What a large import needs whatever its length: the chunks on their way.
const IN_FLIGHT: u64 = 16 << 20;
/// What its docids may need: about 36 bytes each for a million, and no record is much shorter than that.
const MAX_DOCIDS: u64 = 40 << 20;
/// How long an import waits for room.
const PATIENCE: Duration = Duration::from_secs(30);
/// Semaphores count in these.
const UNIT: u64 = 1 << 20;

/// The room for imports of one process. Cheap to clone.
#[derive(Clone)]
pub struct Admission {
    small: Arc<Semaphore>,
    large: Arc<Semaphore>,
}

/// The room that one import takes, until it is dropped.
pub struct Room {
    large: Arc<Semaphore>,
    taken: OwnedSemaphorePermit,
    is_large: bool,
}

impl Admission {
    pub fn new() -> Self {
        Self {
            small: Arc::new(Semaphore::new(SMALL_PLACES)),
            large: Arc::new(Semaphore::new(
                usize::try_from(BUDGET / UNIT).unwrap_or(usize::MAX),
            )),
        }
    }

    /// Room for a body of `length` bytes, as far as that is known.
    ///
    /// # Errors
    /// [`Refusal::NoRoom`] when none came free in time.
    pub async fn enter(&self, length: Option<u64>) -> Result<Room, Refusal> {
        let is_large = length.is_some_and(|length| length > SMALL_BYTES);
        let (places, weight) = if is_large {
            (&self.large, weight(length))
        } else {
            (&self.small, 1)
        };
        let taken = wait(places, weight).await?;
        Ok(Room {
            large: Arc::clone(&self.large),
            taken,
            is_large,
        })
    }
}

impl Room {
    /// Makes sure that the room is enough for a body that has come to `decoded` bytes. Waits on the thread that it
    /// is called on, which must be one that may block.
    ///
    /// # Errors
    /// [`Refusal::NoRoom`] when none came free in time.
    pub fn hold(&mut self, decoded: u64) -> Result<(), Refusal> {
        if self.is_large || decoded <= SMALL_BYTES {
            return Ok(());
        }
        self.taken = Handle::current().block_on(wait(&self.large, weight(None)))?;
        self.is_large = true;
        Ok(())
    }
}

fn weight(length: Option<u64>) -> u32 {
    let docids = length.map_or(MAX_DOCIDS, |length| length.min(MAX_DOCIDS));
    u32::try_from((IN_FLIGHT + docids).div_ceil(UNIT)).unwrap_or(u32::MAX)
}

async fn wait(places: &Arc<Semaphore>, weight: u32) -> Result<OwnedSemaphorePermit, Refusal> {
    match timeout(PATIENCE, Arc::clone(places).acquire_many_owned(weight)).await {
        Ok(Ok(permit)) => Ok(permit),
        Ok(Err(_)) | Err(_) => Err(Refusal::NoRoom),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIANT: Option<u64> = Some(1 << 30);

    #[tokio::test(start_paused = true)]
    async fn giants_never_delay_a_small_import() {
        let admission = Admission::new();
        let mut giants = Vec::new();
        while let Ok(Ok(room)) = timeout(Duration::from_secs(1), admission.enter(GIANT)).await {
            giants.push(room);
        }
        assert_eq!(giants.len(), 2);
        assert!(matches!(admission.enter(GIANT).await, Err(Refusal::NoRoom)));
        assert!(admission.enter(Some(1_000)).await.is_ok());
        assert!(admission.enter(None).await.is_ok());
        giants.pop();
        assert!(admission.enter(GIANT).await.is_ok());
    }

    #[tokio::test]
    async fn an_import_that_grows_takes_its_share_and_leaves_its_small_place() {
        let admission = Admission::new();
        let mut room = admission.enter(None).await.unwrap();
        let left = |admission: &Admission| {
            (
                admission.small.available_permits(),
                admission.large.available_permits(),
            )
        };
        let (small, large) = left(&admission);
        let room = tokio::task::spawn_blocking(move || {
            room.hold(SMALL_BYTES).unwrap();
            room.hold(SMALL_BYTES + 1).unwrap();
            room.hold(SMALL_BYTES + 2).unwrap();
            room
        });
        let room = room.await.unwrap();
        assert_eq!(left(&admission), (small + 1, large - 56));
        drop(room);
        assert_eq!(left(&admission), (small + 1, large));
    }
}
