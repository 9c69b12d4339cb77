//! Counts of what was seen and answered, and how they add up: on one day of one form, or of one of its
//! `bus_prop`s.
//!
//! A [`Delta`] is what one event changes, the sum of many, or a whole row of the rollup: all the same type,
//! because a row is nothing but the sum of the deltas that were folded into it. Deltas add up in any order and
//! grouping, and one that is taken back leaves nothing behind. To keep that law for all numbers there are, sums wrap
//! round at the ends of 64 bits; counts of real events are nowhere near.
//!
//! The bytes, every number a varint, every count a signed one:
//!
//! ```text
//! Delta        version (1) · the nine counters · F
//! FieldCounts  version (1) · F
//! F            fields, then for each: key · answers · values, then (value · count) for each
//! month        version (1) · days, then for each: day of the month · length · Delta
//! ```
//!
//! Keys are their length and then UTF-8; a value is one byte, a grade or the number of an option. Keys and values
//! ascend, and nothing is listed with a count of 0: equal counts are equal bytes, and other bytes are refused as corrupt.
//!
//! What follows from the counts (rates, intervals, means) is in [`crate::metrics`]; which rows there are and who
//! folds them, in `store`.

mod codec;
mod day_counts;
mod delta;
mod differences;
mod field_counts;
pub mod month;
mod walk;

pub use self::codec::DecodeError;
pub use self::day_counts::DayCounts;
pub use self::delta::Delta;
pub use self::differences::Difference;
pub use self::field_counts::{FieldCount, FieldCounts};

#[cfg(test)]
mod tests;
