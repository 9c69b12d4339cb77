//! The NDJSON body: a JSON value a line, lines ended by `\n`, the last newline optional, blank lines skipped.
//!
//! Each line is a document of its own, with the verdict of `serde_json::Value` on it.

use std::io::Read;

use super::element::{self, blanks};
use super::raw::RawRecord;
use super::window::Window;
use super::{BodyError, Broken};

/// Steps to the next line that is not blank, reads it and returns its length without its newline; `None` at the end.
pub(super) fn next<R: Read>(
    window: &mut Window<R>,
    record: &mut RawRecord,
) -> Result<Option<usize>, BodyError> {
    loop {
        let len = window.find(|bytes, ended| {
            let len = memchr::memchr(b'\n', bytes);
            Ok(len.or(ended.then_some(bytes.len())))
        })?;
        let line = window.bytes().get(..len).unwrap_or_default();
        if blanks(line) < len {
            let syntax = |Broken { at, detail }| window.syntax(at, detail);
            let end = element::read(line, true, 0, record).map_err(syntax)?;
            let end = end.unwrap_or(len);
            let rest = line.get(end..).unwrap_or_default();
            let blanks = blanks(rest);
            return if blanks < rest.len() {
                Err(window.syntax(end + blanks, "trailing characters"))
            } else {
                Ok(Some(len))
            };
        }
        if len == window.bytes().len() {
            return Ok(None);
        }
        window.consume(len + 1);
    }
}
