//! How lists are read from the database, whatever they are written as: so much at once, with memory of their account's share, and in
//! turn.

use std::sync::LazyLock;
use std::time::Duration;

use platform::places::Places;
use store::{PAGE_BYTES, reading};
use uuid::Uuid;

use crate::memory::MemoryPermit;
use crate::{AppState, Result, within};

/// The items of a whole list that are read at once, …
pub const PART: usize = 2_000;
/// … and their bytes, about.
pub const PART_BYTES: usize = 1 << 20;
/// The size at which a piece of the answer ends, in bytes.
pub const PIECE: usize = 256 << 10;
/// What a whole list holds: the items of a part, and what is written of them.
const WHOLE: usize = 2 << 20;
/// How long a list, or a form, waits for what others of its account hold.
pub const PATIENCE: Duration = Duration::from_secs(1);
/// A database that takes longer for them does not answer, and the answer is cut.
const LOOKUP: Duration = Duration::from_secs(10);
/// Lists that this process reads at once, of its connections: whoever stores answers needs some, too.
static READS: LazyLock<Places> = LazyLock::new(|| Places::shared(8, 4));

/// The memory of a page, for whoever reads one: it is held until the page is sent.
///
/// # Errors
/// 503 `busy`.
pub async fn page_permit(app: &AppState, account_id: Uuid) -> Result<MemoryPermit> {
    permit(app, account_id, PAGE_BYTES).await
}

/// The memory of a whole list.
///
/// # Errors
/// 503 `busy`.
pub async fn whole_permit(app: &AppState, account_id: Uuid) -> Result<MemoryPermit> {
    permit(app, account_id, WHOLE).await
}

async fn permit(app: &AppState, account_id: Uuid, bytes: usize) -> Result<MemoryPermit> {
    let mut permit = app.list_memory.permit(account_id);
    permit.grow_within(PATIENCE, bytes as u64).await?;
    Ok(permit)
}

/// Reads a page of a list that can be long, for which others may have to wait.
///
/// # Errors
/// The database does not answer.
pub async fn page<T>(
    account_id: Uuid,
    read: impl Future<Output = Result<T, store::Error>>,
) -> Result<T, store::Error> {
    let _place = READS.take(account_id).await;
    within(LOOKUP, reading(account_id, read)).await
}
