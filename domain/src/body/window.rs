//! The part of a body that is in memory: a buffer that slides along, and grows only for a record that does not fit.

use std::io::{ErrorKind, Read};

use super::element::blanks;
use super::{BodyError, Broken, MAX_RECORD_BYTES};

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

pub(super) struct Window<R> {
    reader: R,
    buffer: Vec<u8>,
    /// `start..end` of the buffer is read and not yet consumed.
    start: usize,
    end: usize,
    /// The body's offset of `start`.
    offset: u64,
    /// The usual size of the buffer.
    usual: usize,
    ended: bool,
    /// The index of the record at the front, from 0.
    pub(super) index: u64,
}

impl<R: Read> Window<R> {
    pub(super) fn new(reader: R, usual: usize) -> Self {
        Self {
            reader,
            buffer: Vec::new(),
            start: 0,
            end: 0,
            offset: 0,
            usual: usual.max(1),
            ended: false,
            index: 0,
        }
    }

    /// The bytes at hand.
    pub(super) fn bytes(&self) -> &[u8] {
        self.buffer.get(self.start..self.end).unwrap_or_default()
    }

    pub(super) fn consume(&mut self, bytes: usize) {
        let bytes = bytes.min(self.end - self.start);
        self.start += bytes;
        self.offset += bytes as u64;
    }

    /// Reads more of the body. Unless the body ends there are at least twice as many bytes afterwards, so that a caller who
    /// starts again at the front after each call does linear work in all. False if there were no more.
    pub(super) fn more(&mut self) -> Result<bool, BodyError> {
        if self.ended {
            return Ok(false);
        }
        self.make_room();
        let before = self.end;
        while !self.ended && self.end < self.buffer.len() {
            let Some(room) = self.buffer.get_mut(self.end..) else {
                break;
            };
            match self.reader.read(room) {
                Ok(0) => self.ended = true,
                Ok(bytes) => self.end = (self.end + bytes).min(self.buffer.len()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(BodyError::Read(error)),
            }
        }
        Ok(self.end > before)
    }

    /// The length of the element at the front, by `find`. It gets the bytes at hand and whether the body ends with them. If
    /// it returns `None`, more is read and it is called again.
    pub(super) fn find(
        &mut self,
        mut find: impl FnMut(&[u8], bool) -> Result<Option<usize>, Broken>,
    ) -> Result<usize, BodyError> {
        loop {
            let bytes = self.bytes();
            let found = find(bytes, self.ended);
            let found = found.map_err(|Broken { at, detail }| self.syntax(at, detail))?;
            if found.unwrap_or(bytes.len()) > MAX_RECORD_BYTES {
                return Err(BodyError::RecordTooLarge { index: self.index });
            }
            if let Some(len) = found {
                return Ok(len);
            }
            self.more()?;
        }
    }

    fn make_room(&mut self) {
        let held = self.end - self.start;
        self.buffer.copy_within(self.start..self.end, 0);
        (self.start, self.end) = (0, held);
        // A record that is too large is refused before, so there is room to read.
        let wanted = (held * 2)
            .min(MAX_RECORD_BYTES)
            .max(held + 1)
            .max(self.usual);
        if self.buffer.len() < wanted {
            self.buffer.resize(wanted, 0);
        } else if self.buffer.len() > self.usual && wanted == self.usual {
            self.buffer.truncate(wanted);
            self.buffer.shrink_to_fit();
        }
    }

    /// Skips a byte order mark at the front of the body.
    pub(super) fn skip_mark(&mut self) -> Result<(), BodyError> {
        if self.offset > 0 {
            return Ok(());
        }
        while self.bytes().len() < BYTE_ORDER_MARK.len() && self.more()? {}
        if self.bytes().starts_with(BYTE_ORDER_MARK) {
            self.consume(BYTE_ORDER_MARK.len());
        }
        Ok(())
    }

    /// Steps over white space and looks at the byte after it; `None` at the end of the body.
    pub(super) fn token(&mut self) -> Result<Option<u8>, BodyError> {
        loop {
            let bytes = self.bytes();
            let blanks = blanks(bytes);
            let token = bytes.get(blanks).copied();
            self.consume(blanks);
            if token.is_some() || !self.more()? {
                return Ok(token);
            }
        }
    }

    /// Steps over white space and this byte.
    pub(super) fn expect(&mut self, byte: u8, otherwise: &str) -> Result<(), BodyError> {
        if self.token()? == Some(byte) {
            self.consume(1);
            Ok(())
        } else {
            Err(self.unexpected(otherwise))
        }
    }

    /// The error of an unexpected byte or end.
    pub(super) fn unexpected(&self, expected: &str) -> BodyError {
        if self.bytes().is_empty() {
            let detail = format!("the body ends early: {expected}");
            self.syntax(0, detail)
        } else {
            self.syntax(0, expected)
        }
    }

    /// A syntax error `at` bytes after the front of the bytes at hand.
    pub(super) fn syntax(&self, at: usize, detail: impl Into<String>) -> BodyError {
        BodyError::Syntax {
            offset: self.offset + at as u64,
            detail: detail.into(),
        }
    }
}
