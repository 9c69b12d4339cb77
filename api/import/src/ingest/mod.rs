//! The streaming way in: a body of any length becomes compressed chunks in the database, in bounded memory.
//!
//! ```text
//! network ─ feed ─► source ──────────► parse ─ pieces ─► sink ─► store
//!           frames  limits, decode,    records, chunks,  compress, add
//!                   room, hash         errors
//! ```
//! - [`feed`] takes frames off the network; [`source`] reads them on a thread that may block, through [`encoding`] and
//!   in the room that [`admission`] gave; [`parse`] makes chunks and blocks of errors, [`sink`] stores them.
//! - [`attempt`] is who brings it in: the idempotency key, the heartbeat, the end; [`writer`] is what it writes.
//! - [`refusal`] is why it may come to nothing.
//!
//! What is *not* here: HTTP (in [`crate::import`]), the records themselves (in `domain`), SQL (in `store`).

mod admission;
mod attempt;
mod encoding;
mod feed;
mod parse;
mod refusal;
mod sink;
mod source;
mod writer;

use api_http::body::Encoding;
use axum::body::Body;
use domain::body::BodyKind;
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;
use tracing::Span;
use utoipa::ToSchema;

pub use self::admission::{Admission, Room};
pub use self::attempt::{Attempt, Opened};
use self::encoding::Decoder;
use self::feed::Wire;
pub use self::parse::{Job, Tally};
pub use self::refusal::{Fault, Refusal};
use self::source::Source;

/// So many pieces wait between parser and store.
const PIECES: usize = 1;

/// What becomes of an import with invalid records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ToSchema)]
#[schema(rename_all = "snake_case", default = "accept_valid")]
pub enum OnError {
    /// The valid ones are stored.
    AcceptValid,
    /// None is.
    RejectAll,
}

impl OnError {
    /// Its name in a query.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AcceptValid => "accept_valid",
            Self::RejectAll => "reject_all",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        [Self::AcceptValid, Self::RejectAll]
            .into_iter()
            .find(|known| known.as_str() == name)
    }

    /// Whether a body of this tally is accepted.
    pub fn accepts(self, tally: &Tally) -> bool {
        tally.accepted > 0 && (self == Self::AcceptValid || tally.rejected == 0)
    }
}

/// A body that is to be read.
pub struct Incoming {
    pub body: Body,
    pub encoding: Encoding,
    pub room: Room,
    /// Bytes, as they come and decoded.
    pub limit: u64,
}

/// Reads a body and stores its records under the attempt's batch, which stays unaccepted.
///
/// # Errors
/// See [`Refusal`].
pub async fn receive(attempt: &Attempt, job: Job, incoming: Incoming) -> Result<Tally, Refusal> {
    let (sender, pieces) = mpsc::channel(PIECES);
    let hashed = attempt.is_idempotent();
    let parsing = read(incoming, hashed, move |source| {
        parse::run(job, source, sender)
    });
    let work = async {
        let ((), tally) = tokio::try_join!(sink::run(attempt, pieces), parsing)?;
        Ok(tally)
    };
    tokio::select! {
        result = work => result,
        () = attempt.lost() => Err(Refusal::InFlight),
    }
}

/// The SHA-256 of a whole decoded body that is read for nothing else.
///
/// # Errors
/// The body cannot be read to its end.
pub async fn digest(kind: BodyKind, incoming: Incoming) -> Result<[u8; 32], Refusal> {
    read(incoming, true, move |mut source| {
        std::io::copy(&mut source, &mut std::io::sink()).map_err(|_| source.refusal(kind))?;
        source
            .hash()
            .ok_or(Refusal::Fault(Fault("a body was read without its hash")))
    })
    .await
}

/// Feeds the body to `consume`, which runs on a thread that may block.
async fn read<T: Send + 'static>(
    incoming: Incoming,
    hashed: bool,
    consume: impl FnOnce(Source) -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let Incoming {
        body,
        encoding,
        room,
        limit,
    } = incoming;
    let (sender, receiver) = feed::channel();
    let span = Span::current();
    let consuming = spawn_blocking(move || {
        let _entered = span.entered();
        consume(Source::new(
            Wire::new(receiver, limit),
            encoding,
            limit,
            room,
            hashed,
        )?)
    });
    let mut consuming = std::pin::pin!(consuming);
    // Whoever has enough, or fails, ends the feeding; dropping it gives the body back.
    let joined = tokio::select! {
        joined = &mut consuming => joined,
        () = feed::pump(body, sender) => consuming.await,
    };
    joined.unwrap_or(Err(Refusal::Fault(Fault("the parser stopped"))))
}
