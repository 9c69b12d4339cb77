//! The NDJSON body: a JSON value a line, lines ended by `\n`, the last newline optional, blank lines skipped.
//!
//! Each line is a document of its own, with the verdict of `serde_json::Value` on it.

use std::io::Read;

use super::element;
use super::raw::RawRecord;
use super::window::Window;
use super::{BodyError, Broken};
use crate::record::Parsed;

pub(super) struct Ndjson<R> {
    window: Window<R>,
    record: RawRecord,
    has_begun: bool,
    /// The length of the current line, without its newline.
    current: usize,
}

impl<R: Read> Ndjson<R> {
    pub(super) fn new(window: Window<R>) -> Self {
        Self {
            window,
            record: RawRecord::default(),
            has_begun: false,
            current: 0,
        }
    }

    pub(super) fn next(&mut self) -> Result<Option<Parsed<'_>>, BodyError> {
        if !self.advance()? {
            return Ok(None);
        }
        let line = self.window.bytes().get(..self.current).unwrap_or_default();
        Ok(Some(self.record.check(line)))
    }

    /// Steps to the next line that is not blank and reads it into `record`; false at the end.
    fn advance(&mut self) -> Result<bool, BodyError> {
        if !self.has_begun {
            self.window.skip_mark()?;
            self.has_begun = true;
        }
        self.window.consume(self.current);
        self.current = 0;
        loop {
            let len = self.line()?;
            let line = self.window.bytes().get(..len).unwrap_or_default();
            if element::blanks(line) < len {
                self.read(len)?;
                self.current = len;
                self.window.index += 1;
                return Ok(true);
            }
            if len == self.window.bytes().len() {
                return Ok(false);
            }
            self.window.consume(len + 1);
        }
    }

    /// The length of the line at the front, without its newline.
    fn line(&mut self) -> Result<usize, BodyError> {
        self.window.find(|bytes, ended| {
            let len = memchr::memchr(b'\n', bytes);
            Ok(len.or(ended.then_some(bytes.len())))
        })
    }

    fn read(&mut self, len: usize) -> Result<(), BodyError> {
        let line = self.window.bytes().get(..len).unwrap_or_default();
        let syntax = |Broken { at, detail }| self.window.syntax(at, detail);
        let end = element::read(line, true, 0, &mut self.record).map_err(syntax)?;
        let end = end.unwrap_or(len);
        let rest = line.get(end..).unwrap_or_default();
        let blanks = element::blanks(rest);
        if blanks < rest.len() {
            return Err(self.window.syntax(end + blanks, "trailing characters"));
        }
        Ok(())
    }
}
