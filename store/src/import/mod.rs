//! Imports, from the first byte of a body to the stored recipient.
//!
//! - `idempotency` (who may answer a key), `receive` (a body's chunks, and the one commit that accepts them);
//! - `chunk` (the worker's ledger: claim, finish, fail, park), `bulk` (rows into `recipient`, a file a dialect), `heartbeat` (which
//!   workers are alive);
//! - `batch` (status, list, errors, cancel, retry), `recipient` (read, erase);
//! - `upload` (files that somebody looks at before).

mod attempt;
mod batch;
mod bulk;
mod chunk;
mod heartbeat;
mod idempotency;
mod receive;
mod recipient;
mod upload;

pub use self::attempt::ImportAttempt;
pub use self::batch::{Batch, BatchChange, BatchStatus, Retried};
pub(crate) use self::batch::{compressed_errors, read_errors};
pub use self::chunk::{ChunkId, Claim, FailureOutcome, MAX_FAILURES, MAX_STARTS, Outcomes};
pub(crate) use self::idempotency::LIFETIME as FIRST_ANSWER_LIFETIME;
pub use self::idempotency::{FinishedImport, FirstAnswer, Reservation};
pub use self::receive::{ChunkCut, QueueBatch};
pub use self::recipient::{Recipient, RecipientQuery};
pub(crate) use self::upload::KEPT as UPLOAD_LIFETIME;
pub use self::upload::Upload;
