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

/// An escaped `"data"` has 26 bytes; a longer name is another.
const MAX_NAME_BYTES: usize = 32;

#[derive(Default)]
pub(super) struct Json {
    at: At,
    pub(super) is_wrapped: bool,
}

#[derive(Clone, Copy, Default)]
enum At {
    #[default]
    Front,
    FirstElement,
    LaterElement,
    End,
}

impl Json {
    /// Steps to the next element, reads it and returns its length; `None` at the end.
    pub(super) fn next<R: Read>(
        &mut self,
        window: &mut Window<R>,
        record: &mut RawRecord,
    ) -> Result<Option<usize>, BodyError> {
        if let At::Front = self.at {
            self.open(window)?;
            self.at = At::FirstElement;
        }
        match (self.at, window.token()?) {
            (At::End, _) => return Ok(None),
            (At::FirstElement | At::LaterElement, Some(b']')) => {
                self.close(window)?;
                self.at = At::End;
                return Ok(None);
            }
            (At::LaterElement, Some(b',')) => {
                window.consume(1);
                window.token()?;
            }
            (At::LaterElement, _) => return Err(window.unexpected("expected `,` or `]`")),
            (At::Front | At::FirstElement, _) => {}
        }
        self.at = At::LaterElement;
        let level = if self.is_wrapped { 2 } else { 1 };
        let len = window.find(|bytes, ended| element::read(bytes, ended, level, record))?;
        Ok(Some(len))
    }

    /// Everything before the first element.
    fn open<R: Read>(&mut self, window: &mut Window<R>) -> Result<(), BodyError> {
        const SHAPE: &str = "expected an array of records, or an object with the one member `data`";
        if window.token()? == Some(b'{') {
            self.is_wrapped = true;
            window.consume(1);
            window.token()?;
            step_over_name(window)?;
            window.expect(b':', "expected `:`")?;
        }
        window.expect(b'[', SHAPE)
    }

    /// Everything after the last element.
    fn close<R: Read>(&self, window: &mut Window<R>) -> Result<(), BodyError> {
        window.expect(b']', "expected `]`")?;
        if self.is_wrapped {
            window.expect(b'}', "expected `}`: no member may stand beside `data`")?;
        }
        match window.token()? {
            None => Ok(()),
            Some(_) => Err(window.syntax(0, "trailing characters")),
        }
    }
}

/// Steps over `"data"`, however it is escaped.
fn step_over_name<R: Read>(window: &mut Window<R>) -> Result<(), BodyError> {
    const ONLY: &str = "expected the one member `data`";
    while window.bytes().len() < MAX_NAME_BYTES && window.more()? {}
    let mut names = serde_json::Deserializer::from_slice(window.bytes()).into_iter::<String>();
    match names.next() {
        Some(Ok(name)) if name == "data" => {
            let len = names.byte_offset();
            window.consume(len);
            Ok(())
        }
        Some(_) => Err(window.syntax(0, ONLY)),
        None => Err(window.unexpected(ONLY)),
    }
}
