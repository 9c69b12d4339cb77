//! Counts of views, answers and messages on a day, of one form or of one of its business properties.
//!
//! A [`Delta`] is the change that one event makes, the sum of many changes, or a row of the rollup, which is the sum of
//! the deltas that were merged into it. Deltas can be merged in any order and grouping, and a delta and its negation leave
//! nothing. So that this holds for all numbers, sums wrap around at the ends of 64 bits; counts of real events are far
//! from there.
//!
//! The encoding, where every number is a varint and every count a signed one:
//!
//! ```text
//! Delta  version (2) · the counters · fields, then for each: key · answers · values, then (value · count) for each
//! month  version (2) · days, then for each: day of the month · length · Delta
//! ```
//!
//! A key is its length and then UTF-8; a value is one byte, a grade or the number of an option. Keys and values
//! ascend, and nothing is listed with a count of 0: equal counts are equal bytes, and other bytes are refused as corrupt.
//!
//! Rates, intervals and means are in [`crate::metrics`]; the rows of the rollup and the job that writes them are in
//! `store`.

mod codec;
mod day_counts;
mod delta;
mod field_counts;
pub mod month;

pub use self::codec::DecodeCounts;
pub use self::day_counts::DayCounts;
pub use self::delta::Delta;
pub use self::field_counts::{FieldCount, FieldCounts};
pub use crate::varint::DecodeError;

#[cfg(test)]
pub(crate) mod tests;
