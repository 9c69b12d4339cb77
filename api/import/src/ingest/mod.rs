//! The streaming way in: a body of any length becomes compressed chunks in the database, in bounded memory.
//!
//! ```text
//! network ─► source ────────► parse ─ pieces ─► attempt ─► store
//!            limits, decode,  records, chunks,  compress, add
//!            memory, hash     errors
//! ```
//! - [`source`] and [`parse`] run on a thread that may block. [`source`] waits for the bytes and decodes them in the memory
//!   that the body's permit allows, [`parse`] reads records as the [`job`] says, of which [`collector`] makes chunks and blocks of
//!   errors; [`look`] reads the beginning of a file. [`sheet`] makes CSV of a spreadsheet's file before.
//! - [`attempt`] is one try to import a body: what it stores, its idempotency key, heartbeat and end.
//!
//! What is *not* here: HTTP (in [`crate::import`]), the records themselves (in `domain`), SQL (in `store`), the sharing of
//! memory (in `api-http`).

mod attempt;
mod collector;
mod job;
mod look;
mod parse;
mod sheet;
mod source;

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use api_http::body::ContentEncoding;
use api_http::memory::{MemoryPermit, MemoryPool, PoolSize};
use axum::body::Body;
use domain::body::{BodyKind, FileKind};
use platform::config::PoolPart;
use store::Store;
use strum::{EnumString, IntoStaticStr};
use tokio::sync::mpsc;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio_util::sync::{CancellationToken, DropGuard};
use tracing::Span;
use utoipa::ToSchema;
use uuid::Uuid;

pub use self::attempt::Attempt;
use self::collector::Piece;
pub use self::collector::{BodySummary, SamePhone};
pub use self::job::{FileRequest, Job};
pub use self::look::Look;
pub use self::sheet::REMEDY;
use self::source::Source;
use api_http::{Code, Problem, Result, within};

/// How long a preview waits for what the database knows of a part of it.
pub const LOOK: Duration = Duration::from_secs(10);
/// So many pieces wait between parser and store.
const PIECES: usize = 1;
/// An import that has come to so many decoded bytes is small.
const SMALL_BYTES: u64 = 1 << 20;

/// The memory for imports.
pub fn memory(part: PoolPart) -> MemoryPool {
    MemoryPool::new(PoolSize {
        small: source::memory_of(SMALL_BYTES),
        ..part.into()
    })
}

/// What becomes of an import with invalid records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, ToSchema)]
#[schema(rename_all = "snake_case", default = "accept_valid")]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum OnError {
    /// The valid ones are stored.
    AcceptValid,
    /// None is.
    RejectAll,
}

impl OnError {
    /// Whether a body with this summary is accepted.
    pub fn accepts(self, summary: &BodySummary) -> bool {
        summary.accepted > 0 && (self == Self::AcceptValid || summary.rejected == 0)
    }
}

/// A body that is to be read.
pub struct Incoming {
    pub body: Body,
    pub kind: BodyKind,
    pub encoding: ContentEncoding,
    pub permit: MemoryPermit,
    /// Bytes, as they come and decoded.
    pub limit: u64,
}

/// Reads a body and stores its records under the attempt's batch, which stays unaccepted.
///
/// # Errors
/// What its body, its account's memory or the database refuse.
pub async fn receive(attempt: &Attempt, job: Job, incoming: Incoming) -> Result<BodySummary> {
    // The first answer under a key is remembered with it.
    let hashed = attempt.import.key.is_some();
    let (sender, pieces) = mpsc::channel(PIECES);
    let parse = move |source| parse::run(job, source, sender);
    let reading = attempt
        .unless_lost(Reading::begin(incoming, hashed, parse))
        .await?;
    let stored = attempt.unless_lost(attempt.store_all(pieces)).await;
    if let Err(error) = stored {
        reading.stop().await;
        return Err(error);
    }
    reading.end().await
}

/// Reads a body and stores nothing: what it holds, and how many of its docids are stored.
///
/// # Errors
/// What its body, its account's memory or the database refuse.
pub async fn preview(
    store: &Store,
    account_id: Uuid,
    job: Job,
    incoming: Incoming,
) -> Result<(BodySummary, u64)> {
    let (sender, mut pieces) = mpsc::channel(PIECES);
    let parse = move |source| parse::run(job, source, sender);
    let reading = Reading::begin(incoming, false, parse).await?;
    let mut existing = 0;
    while let Some(piece) = pieces.recv().await {
        if let Piece::DocIds(docids) = piece {
            let known = within(LOOK, store.stored_docids(account_id, &docids));
            match known.await {
                Ok(known) => existing += known,
                Err(error) => {
                    reading.stop().await;
                    return Err(error.into());
                }
            }
        }
    }
    Ok((reading.end().await?, existing))
}

/// Reads the beginning of a file of which it is not known yet what its columns are.
///
/// # Errors
/// What its body or its account's memory refuse.
pub async fn look(kind: FileKind, tmp_dir: PathBuf, incoming: Incoming) -> Result<Look> {
    let consume = move |mut source| look::look(kind, &tmp_dir, &mut source);
    Reading::begin(incoming, false, consume).await?.end().await
}

/// The SHA-256 of a whole decoded body that is read for nothing else.
///
/// # Errors
/// The body cannot be read to its end.
pub async fn digest(incoming: Incoming) -> Result<[u8; 32]> {
    let consume = |mut source: Source| {
        io::copy(&mut source, &mut io::sink())?;
        source
            .hash()
            .ok_or_else(|| fault("a body was read without its hash"))
    };
    Reading::begin(incoming, true, consume).await?.end().await
}

/// The code of a body that is not one complete value of its kind.
fn broken(kind: BodyKind) -> Code {
    match kind {
        BodyKind::Csv => Code::InvalidCsv,
        BodyKind::Json | BodyKind::Ndjson => Code::InvalidJson,
    }
}

/// Another attempt has the idempotency key.
fn in_flight() -> Problem {
    Problem::new(
        Code::IdempotencyInFlight,
        "another request with this idempotency key is being answered; try again",
    )
    .retry_after(1)
}

/// A part of the service stopped.
fn fault(what: &'static str) -> Problem {
    Problem::internal(&io::Error::other(what))
}

/// Bodies that are read at once, at most: each has a thread, and the runtime has 512 for everybody. With more memory a body holds more
/// of it from the start.
const READERS: u64 = 256;

/// A body that is read on a thread of its own, for as long as this is there.
struct Reading<T> {
    thread: JoinHandle<Result<T>>,
    stop: DropGuard,
}

impl<T: Send + 'static> Reading<T> {
    /// Begins once there is memory for it.
    async fn begin(
        mut incoming: Incoming,
        hashed: bool,
        consume: impl FnOnce(Source) -> Result<T> + Send + 'static,
    ) -> Result<Self> {
        let least = incoming.permit.part_of_pool(READERS);
        let first = incoming.permit.grow_to(source::memory_of(0).max(least));
        first.await?;
        let span = Span::current();
        let stop = CancellationToken::new();
        let stopped = stop.clone();
        let thread = spawn_blocking(move || {
            let _entered = span.entered();
            consume(Source::new(incoming, stopped, hashed)?)
        });
        Ok(Self {
            thread,
            stop: stop.drop_guard(),
        })
    }

    /// What the body came to.
    async fn end(self) -> Result<T> {
        let joined = self.thread.await;
        joined.unwrap_or_else(|_| Err(fault("the parser stopped")))
    }

    /// Stops reading. What is left of the body is given back before this returns.
    async fn stop(self) {
        drop(self.stop);
        let _ = self.thread.await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pool for imports of a million records.
    pub(super) fn pool() -> MemoryPool {
        memory(PoolPart {
            total: 40 << 20,
            largest: 50 << 20,
        })
    }
}
