//! From runs and blocks to the database: compressing one while another is stored, a few at once.

use tokio::sync::mpsc::Receiver;
use tokio::task::{JoinSet, spawn_blocking};

use super::ImportError;
use super::attempt::Attempt;
use super::parse::Piece;
use super::writer::Writer;

/// The pieces that are compressed or stored at once, at most.
const AT_ONCE: usize = 2;

/// Stores the pieces as they come, under a batch that begins with the first.
///
/// # Errors
/// The database does not answer, or the attempt is lost. Pieces on their way are given up.
pub async fn run(attempt: &Attempt, mut pieces: Receiver<Piece>) -> Result<(), ImportError> {
    let mut working = JoinSet::new();
    while let Some(piece) = pieces.recv().await {
        attempt.begin().await?;
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

fn done(
    joined: Option<Result<Result<(), ImportError>, tokio::task::JoinError>>,
) -> Result<(), ImportError> {
    match joined {
        Some(Ok(result)) => result,
        Some(Err(_)) => Err(ImportError::Fault("a chunk could not be stored")),
        None => Ok(()),
    }
}

async fn store(writer: Writer, piece: Piece) -> Result<(), ImportError> {
    match piece {
        Piece::Run {
            no,
            run,
            chunk_records,
        } => {
            let chunks = spawn_blocking(move || run.compress(chunk_records))
                .await
                .map_err(|_| ImportError::Fault("a run could not be compressed"))?;
            for (no, (records, payload)) in (no..).zip(chunks) {
                let records = i64::try_from(records).unwrap_or(i64::MAX);
                writer.add_chunk(no, records, payload).await?;
            }
        }
        Piece::Errors { first, errors } => writer.add_errors(first, &errors).await?,
    }
    Ok(())
}
