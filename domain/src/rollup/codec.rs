//! Encodes and decodes counts. Everything that is decoded is checked: a bad disk must not become bad data.

use super::field_counts::{FieldCount, FieldCounts, add};
use super::{DayCounts, Delta};
use crate::varint::{self, DecodeError};

/// The beginning of all encoded counts.
pub(super) const VERSION: u8 = 2;

const CUT_OFF: DecodeError = DecodeError::Corrupt("a number is cut off or too large");
const OUT_OF_ORDER: DecodeError = DecodeError::Corrupt("they are out of order");
const ZERO: DecodeError = DecodeError::Corrupt("a count of 0 is listed");

/// Counts that are read from an encoded [`Delta`].
pub trait DecodeCounts: Sized {
    /// Reads what [`Delta::encode`] wrote, and nothing else.
    fn decode(bytes: &[u8]) -> Result<Self, DecodeError>;
}

impl DecodeCounts for Delta {
    fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        Self::default().merged_with(bytes)
    }
}

/// Skips the counts of the fields, which may be cut off.
impl DecodeCounts for DayCounts {
    fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        read(bytes, |rest| {
            let counts = read_counts(rest)?;
            *rest = &[];
            Ok(counts)
        })
    }
}

/// Checks the version, and that `content` reads all that follows.
pub(super) fn read<T>(
    bytes: &[u8],
    content: impl FnOnce(&mut &[u8]) -> Result<T, DecodeError>,
) -> Result<T, DecodeError> {
    let mut rest = varint::versioned(bytes, VERSION)?;
    let content = content(&mut rest)?;
    if rest.is_empty() {
        Ok(content)
    } else {
        Err(DecodeError::Corrupt("more follows"))
    }
}

pub(super) fn read_counts(rest: &mut &[u8]) -> Result<DayCounts, DecodeError> {
    let mut counts = DayCounts::default();
    for (_, counter) in counts.counters() {
        *counter = read_count(rest)?;
    }
    Ok(counts)
}

pub(super) fn write_fields(out: &mut Vec<u8>, counts: &FieldCounts) {
    varint::write(out, counts.len() as u64);
    for (key, field) in counts.iter() {
        varint::write(out, key.len() as u64);
        out.extend_from_slice(key.as_bytes());
        varint::write_signed(out, field.answers);
        varint::write(out, field.values().count() as u64);
        for (value, count) in field.values() {
            out.push(value);
            varint::write_signed(out, count);
        }
    }
}

/// Merges the fields into `into`. Memory is allocated for what is read, not for what is announced.
pub(super) fn read_fields(rest: &mut &[u8], into: &mut FieldCounts) -> Result<(), DecodeError> {
    let mut last = None;
    for _ in 0..read_len(rest)? {
        let key = read_text(rest)?;
        ascend(&mut last, key)?;
        read_field(rest, into.field(key))?;
    }
    into.drop_zeros();
    Ok(())
}

fn read_field(rest: &mut &[u8], into: &mut FieldCount) -> Result<(), DecodeError> {
    let answers = read_count(rest)?;
    add(&mut into.answers, answers);

    let values = read_len(rest)?;
    let mut last = None;
    for _ in 0..values {
        let (value, after) = rest.split_first().ok_or(CUT_OFF)?;
        *rest = after;
        ascend(&mut last, *value)?;
        let count = read_count(rest)?;
        if count == 0 {
            return Err(ZERO);
        }
        add(into.at(*value), count);
    }

    if answers == 0 && values == 0 {
        return Err(ZERO);
    }
    into.drop_zeros();
    Ok(())
}

/// Checks that `next` is greater than `last`, and makes it the last.
fn ascend<T: Ord + Copy>(last: &mut Option<T>, next: T) -> Result<(), DecodeError> {
    if *last >= Some(next) {
        return Err(OUT_OF_ORDER);
    }
    *last = Some(next);
    Ok(())
}

fn read_len(rest: &mut &[u8]) -> Result<usize, DecodeError> {
    varint::read_len(rest).ok_or(CUT_OFF)
}

fn read_count(rest: &mut &[u8]) -> Result<i64, DecodeError> {
    varint::read_signed(rest).ok_or(CUT_OFF)
}

fn read_text<'a>(rest: &mut &'a [u8]) -> Result<&'a str, DecodeError> {
    let len = read_len(rest)?;
    let (text, after) = rest
        .split_at_checked(len)
        .ok_or(DecodeError::Corrupt("a text is cut off"))?;
    *rest = after;
    str::from_utf8(text).map_err(|_| DecodeError::Corrupt("a text is not UTF-8"))
}
