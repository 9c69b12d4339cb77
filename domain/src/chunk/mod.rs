//! How accepted records are kept in the ledger until a worker stores them.
//!
//! A payload is a version byte, then one zstd frame that declares its size. The frame holds the records column by
//! column, because similar values side by side compress better; every number is an unsigned LEB128:
//!
//! ```text
//! records · the lengths of all docids · of all phones · … · docids · phones · …
//! ```
//!
//! The columns are [`COLUMNS`](crate::record::COLUMNS). Records are in the byte order of
//! their docids, the order in which every writer takes its locks. They are gathered in runs; a run is sorted as a whole
//! and cut into chunks, so that each chunk covers few pages of an index. A payload of another version is left for a worker
//! that knows it. The caller decides how long runs and chunks are, and `store` how a chunk is stored.

mod decode;
mod encode;

use crate::record::LAYOUT_VERSION as VERSION;

pub use self::decode::Chunk;
pub use self::encode::Run;
pub use crate::varint::DecodeError;

/// A run of this many bytes of text is full, however few records it has: a few runs are in memory at once.
pub const FULL_BYTES: usize = 4 << 20;
/// A payload that decodes to more bytes is corrupt: a full chunk and one more record are far less.
pub const MAX_DECODED_BYTES: usize = 64 << 20;

const ZSTD_LEVEL: i32 = 1;

#[cfg(test)]
mod tests;
