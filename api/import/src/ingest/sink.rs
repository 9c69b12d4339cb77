//! From runs and blocks to the database: compressing one while another is stored, a few at once.

use std::pin::pin;

use futures::{StreamExt, TryStreamExt, stream};
use tokio::sync::mpsc::Receiver;
use tokio::task::spawn_blocking;

use super::attempt::Attempt;
use super::error::fault;
use super::parse::Piece;
use super::writer::Writer;
use api_http::Result;

/// The pieces that are compressed or stored at once, at most.
const AT_ONCE: usize = 2;

/// Stores the pieces as they come, under a batch that begins with the first.
///
/// # Errors
/// The database does not answer, or the attempt is lost. Pieces on their way are given up.
pub async fn run(attempt: &Attempt, mut pieces: Receiver<Piece>) -> Result<()> {
    let pieces = stream::poll_fn(|context| pieces.poll_recv(context));
    let mut pieces = pin!(pieces.peekable());
    if pieces.as_mut().peek().await.is_some() {
        attempt.begin().await?;
    }
    let store = |piece| store(attempt.writer(), piece);
    pieces.map(Ok).try_for_each_concurrent(AT_ONCE, store).await
}

async fn store(writer: Writer, piece: Piece) -> Result<()> {
    match piece {
        Piece::Run {
            no,
            run,
            chunk_records,
        } => {
            let chunks = spawn_blocking(move || run.compress(chunk_records))
                .await
                .map_err(|_| fault("a run could not be compressed"))?;
            for (no, (records, payload)) in (no..).zip(chunks) {
                let records = i64::try_from(records).unwrap_or(i64::MAX);
                writer.add_chunk(no, records, payload).await?;
            }
        }
        Piece::Errors { first, errors } => writer.add_errors(first, &errors).await?,
    }
    Ok(())
}
