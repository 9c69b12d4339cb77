//! The JSON body: finds the records in the outer array, or in the array of `{"data": [ … ]}`.
//!
//! It accepts what `serde_json::from_slice::<Value>` accepts as a whole document, of those outer shapes, and
//! so refuses whatever that refuses. One difference, on purpose: a member named
//! `$serde_json::private::RawValue`, which makes `Value` look into its text, is a member like any other.

use std::io::Read;

use super::BodyError;
use super::element;
use super::raw::RawRecord;
use super::window::Window;
use crate::record::Parsed;

/// An escaped `"data"` has 26 bytes; a longer name is another.
const MAX_NAME_BYTES: usize = 32;

pub(super) struct Json<R> {
    window: Window<R>,
    record: RawRecord,
    at: At,
    wrapped: bool,
    /// The length of the current element.
    current: usize,
}

#[derive(Clone, Copy)]
enum At {
    Front,
    FirstElement,
    LaterElement,
    End,
}

impl<R: Read> Json<R> {
    pub(super) fn new(window: Window<R>) -> Self {
        Self {
            window,
            record: RawRecord::default(),
            at: At::Front,
            wrapped: false,
            current: 0,
        }
    }

    pub(super) fn pointer_prefix(&self) -> &'static str {
        if self.wrapped { "/data" } else { "" }
    }

    pub(super) fn next(&mut self) -> Result<Option<Parsed<'_>>, BodyError> {
        if !self.advance()? {
            return Ok(None);
        }
        let element = self.window.bytes().get(..self.current).unwrap_or_default();
        Ok(Some(self.record.check(element)))
    }

    /// Steps to the next element and reads it into `record`; false at the end.
    fn advance(&mut self) -> Result<bool, BodyError> {
        self.window.consume(self.current);
        self.current = 0;
        if let At::Front = self.at {
            self.open()?;
            self.at = At::FirstElement;
        }
        match (self.at, self.token()?) {
            (At::End, _) => return Ok(false),
            (At::FirstElement | At::LaterElement, Some(b']')) => {
                self.close()?;
                self.at = At::End;
                return Ok(false);
            }
            (At::LaterElement, Some(b',')) => {
                self.window.consume(1);
                self.token()?;
            }
            (At::LaterElement, _) => return Err(self.unexpected("expected `,` or `]`")),
            (At::Front | At::FirstElement, _) => {}
        }
        self.current = self.element()?;
        self.window.index += 1;
        self.at = At::LaterElement;
        Ok(true)
    }

    /// Reads an element into `record`; its bytes stay in the window.
    fn element(&mut self) -> Result<usize, BodyError> {
        let level = if self.wrapped { 2 } else { 1 };
        self.window
            .find(|bytes, ended| element::read(bytes, ended, level, &mut self.record))
    }

    /// Everything before the first element.
    fn open(&mut self) -> Result<(), BodyError> {
        const SHAPE: &str = "expected an array of records, or an object with the one member `data`";
        self.window.skip_mark()?;
        if self.token()? == Some(b'{') {
            self.wrapped = true;
            self.window.consume(1);
            self.token()?;
            self.name()?;
            self.expect(b':', "expected `:`")?;
        }
        self.expect(b'[', SHAPE)
    }

    /// Steps over `"data"`, however it is escaped.
    fn name(&mut self) -> Result<(), BodyError> {
        const ONLY: &str = "expected the one member `data`";
        while self.window.bytes().len() < MAX_NAME_BYTES && self.window.more()? {}
        let bytes = self.window.bytes();
        let mut names = serde_json::Deserializer::from_slice(bytes).into_iter::<String>();
        match names.next() {
            Some(Ok(name)) if name == "data" => {
                let len = names.byte_offset();
                self.window.consume(len);
                Ok(())
            }
            Some(_) => Err(self.window.syntax(0, ONLY)),
            None => Err(self.unexpected(ONLY)),
        }
    }

    /// Everything after the last element.
    fn close(&mut self) -> Result<(), BodyError> {
        self.expect(b']', "expected `]`")?;
        if self.wrapped {
            self.expect(b'}', "expected `}`: no member may stand beside `data`")?;
        }
        match self.token()? {
            None => Ok(()),
            Some(_) => Err(self.window.syntax(0, "trailing characters")),
        }
    }

    fn expect(&mut self, byte: u8, otherwise: &str) -> Result<(), BodyError> {
        if self.token()? == Some(byte) {
            self.window.consume(1);
            Ok(())
        } else {
            Err(self.unexpected(otherwise))
        }
    }

    /// Something else than what was expected: another byte, or the end.
    fn unexpected(&self, expected: &str) -> BodyError {
        if self.window.bytes().is_empty() {
            let detail = format!("the body ends early: {expected}");
            self.window.syntax(0, detail)
        } else {
            self.window.syntax(0, expected)
        }
    }

    /// Steps over white space and looks at the byte after it; `None` at the end of the body.
    fn token(&mut self) -> Result<Option<u8>, BodyError> {
        loop {
            let bytes = self.window.bytes();
            let blanks = element::blanks(bytes);
            let token = bytes.get(blanks).copied();
            self.window.consume(blanks);
            if token.is_some() || !self.window.more()? {
                return Ok(token);
            }
        }
    }
}
