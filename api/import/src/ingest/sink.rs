//! From runs and blocks to the database: compressing one while another is stored, a few at once.

use tokio::sync::mpsc::Receiver;
use tokio::task::{JoinSet, spawn_blocking};

use super::attempt::Attempt;
use super::error::fault;
use super::parse::Piece;
use super::writer::Writer;
use api_http::{Problem, Result};

/// The pieces that are compressed or stored at once, at most.
const AT_ONCE: usize = 2;

/// Stores the pieces as they come, under a batch that begins with the first.
///
/// # Errors
/// The database does not answer, or the attempt is lost. Pieces on their way are given up.
pub async fn run(attempt: &Attempt, mut pieces: Receiver<Piece>) -> Result<()> {
    let mut working = JoinSet::new();
    let mut has_begun = false;
    while let Some(piece) = pieces.recv().await {
        if !has_begun {
            attempt.begin().await?;
            has_begun = true;
        }
        if working.len() >= AT_ONCE {
            done(working.join_next().await)?;
        }
        working.spawn(store(attempt.writer(), piece));
    }
    while !working.is_empty() {
        done(working.join_next().await)?;
    }
    Ok(())
}

fn done(joined: Option<Result<Result<()>, tokio::task::JoinError>>) -> Result<()> {
    match joined {
        Some(Ok(result)) => result,
        Some(Err(_)) => Err(fault("a chunk could not be stored")),
        None => Ok(()),
    }
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
