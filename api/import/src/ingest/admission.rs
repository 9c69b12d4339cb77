//! How many imports are read at once: by the memory that they may need.
//!
//! An import begins small, whatever it declares: declaring costs a sender nothing. One that turns out larger needs a
//! share of the budget first, and waits for it where it is; small ones have places of their own, so that no giant
//! ever delays them. How slowly a sender may fill its share is `feed`'s.

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
    /// The share that it needs once it is large.
    weight: u32,
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

    /// Room for a body of `length` decoded bytes, as far as that is known.
    ///
    /// # Errors
    /// [`Refusal::NoRoom`] when none came free in time.
    pub async fn enter(&self, length: Option<u64>) -> Result<Room, Refusal> {
        Ok(Room {
            large: Arc::clone(&self.large),
            taken: wait(&self.small, 1).await?,
            is_large: false,
            weight: weight(length),
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
        self.taken = Handle::current().block_on(wait(&self.large, self.weight))?;
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

    /// A room that has grown as large as it will.
    async fn grown(admission: &Admission, length: Option<u64>) -> Result<Room, Refusal> {
        let mut room = admission.enter(length).await?;
        tokio::task::spawn_blocking(move || room.hold(SMALL_BYTES + 1).map(|()| room))
            .await
            .unwrap()
    }

    #[tokio::test]
    async fn giants_never_delay_a_small_import_nor_take_room_by_declaring_it() {
        let admission = Admission::new();
        let giant = Some(1 << 30);
        let mut declared = Vec::new();
        for _ in 0..10 {
            declared.push(admission.enter(giant).await.unwrap());
        }
        let mut giants = vec![
            grown(&admission, giant).await.unwrap(),
            grown(&admission, giant).await.unwrap(),
        ];
        let third = grown(&admission, giant);
        let mut third = std::pin::pin!(third);
        let soon = Duration::from_millis(50);
        assert!(timeout(soon, &mut third).await.is_err(), "no room for it");
        assert!(admission.enter(Some(1_000)).await.is_ok());
        assert!(admission.enter(None).await.is_ok());
        giants.pop();
        assert!(third.await.is_ok());
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
