//! One JSON value, from bytes to a [`RawRecord`], with the verdict of `serde_json::Value` on everything in it.
//!
//! `serde_json` reads, `visit` takes what it reads.

use serde::de::{DeserializeSeed, IgnoredAny};

use super::Broken;
use super::raw::RawRecord;
use super::visit::Content;

/// Reads the value at the front of `bytes` and returns its length; `None` if its end is not among them and more bytes may
/// come (`ended` is false). `level` is how many arrays and objects of the document enclose the value.
pub(super) fn read(
    bytes: &[u8],
    ended: bool,
    level: u8,
    record: &mut RawRecord,
) -> Result<Option<usize>, Broken> {
    record.clear();
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let element = Content {
        record: Some(record),
        front: bytes.as_ptr().addr(),
        level,
        is_whole: true,
    };
    match element.deserialize(&mut json) {
        Ok(_) => {
            let len = json.into_iter::<IgnoredAny>().byte_offset();
            // Only these have an end of their own: a number may go on after the bytes at hand.
            let closed = matches!(bytes.get(..len), Some([.., b'}' | b']' | b'"']));
            Ok((ended || closed || len < bytes.len()).then_some(len))
        }
        Err(error) => {
            let at = offset(bytes, &error);
            // A number that is out of range so far may still get a negative exponent, and a character that
            // looks invalid may only be cut.
            if !ended && (error.is_eof() || at + 4 >= bytes.len()) {
                return Ok(None);
            }
            Err(explain(bytes, at, &error))
        }
    }
}

/// How many bytes of white space the bytes begin with (RFC 8259, section 2).
pub(super) fn blanks(bytes: &[u8]) -> usize {
    let blank = |byte: &&u8| matches!(byte, b' ' | b'\n' | b'\t' | b'\r');
    bytes.iter().take_while(blank).count()
}

/// Where the error is, from the front of the bytes. `serde_json` counts lines and columns from 1;
/// its column 0 is the newline before.
fn offset(bytes: &[u8], error: &serde_json::Error) -> usize {
    if error.is_eof() {
        return bytes.len();
    }
    let line = match error.line() {
        0 | 1 => 0,
        n => memchr::memchr_iter(b'\n', bytes)
            .nth(n - 2)
            .map_or(0, |newline| newline + 1),
    };
    (line + error.column()).saturating_sub(1).min(bytes.len())
}

fn explain(bytes: &[u8], at: usize, error: &serde_json::Error) -> Broken {
    let mut detail = error.to_string();
    // After an escape, the column that serde_json gives for invalid UTF-8 is approximate. All before the error was UTF-8,
    // so the first bad byte is the one.
    if let Err(bad) = str::from_utf8(bytes)
        && (bad.valid_up_to() <= at || detail.starts_with("invalid unicode code point"))
    {
        return Broken::new(bad.valid_up_to(), "invalid UTF-8");
    }
    if let Some(position) = detail.rfind(" at line ") {
        detail.truncate(position);
    }
    Broken { at, detail }
}
