//! How accepted records lie in the ledger until a worker stores them.
//!
//! A payload is one version byte (1), then one zstd frame that declares its size. In the frame, every number
//! an unsigned LEB128, column by column because like beside like compresses better:
//!
//! ```text
//! rows · all lengths of docids · all lengths of phones · all lengths of fields · docids · phones · fields
//! ```
//!
//! Rows are in the byte order of their docids, the order in which every writer takes its locks. Records are gathered
//! in runs; a run is sorted as a whole and cut into chunks, so that each chunk of it covers few pages of an index.
//! A payload of another version is left for a worker that knows it. How long runs and chunks are is decided by the
//! caller, how a chunk is stored by `store`.

mod decode;
mod encode;

pub use self::decode::{Chunk, ChunkError, Row};
pub use self::encode::{Run, RunBuilder};

/// A run of this many encoded bytes is full, however few rows it has: a few runs are in memory at once.
pub const FULL_BYTES: usize = 4 << 20;
/// A payload that decodes to more bytes is corrupt: a full chunk and one more row are far less.
pub const MAX_DECODED_BYTES: usize = 64 << 20;

const VERSION: u8 = 1;
const ZSTD_LEVEL: i32 = 1;

#[cfg(test)]
mod tests;
