//! XML, read an event at a time. What a tag or a text, how deep elements are in one another and what a part unpacks to is bounded, so
//! that reading takes little memory whatever the part is.

use std::borrow::Cow;
use std::cell::Cell;
use std::io::{self, BufRead, BufReader, Read};
use std::rc::Rc;

use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use super::super::source::Source;
use super::{MAX_UNPACKED, UNREADABLE, no_sheet, too_large, unpacks_to_too_much};
use api_http::{Problem, Result};

/// Bytes of a tag, or of the text between two, at most.
const MAX_EVENT: usize = 1 << 20;
/// Bytes of the text of a cell, at most. Excel allows 32,767 characters.
const MAX_CELL: usize = 1 << 17;
/// Elements in one another, at most. A sheet has six.
const MAX_DEPTH: u32 = 64;
/// Bytes of an element's name, at most: those of all that are open are held.
const MAX_NAME: usize = 256;

/// A part of a file.
pub struct Xml<R> {
    reader: Reader<Metered<R>>,
    buffer: Vec<u8>,
    depth: u32,
    /// Of the element whose text was read last.
    text: String,
}

impl<R: Read> Xml<R> {
    /// `unpacked` counts the bytes of all parts of a file.
    pub fn new(part: R, unpacked: Rc<Cell<u64>>) -> Self {
        let mut reader = Reader::from_reader(Metered {
            part: BufReader::new(part),
            left: MAX_EVENT,
            unpacked,
        });
        let config = reader.config_mut();
        config.expand_empty_elements = true;
        config.check_end_names = false;
        Self {
            reader,
            buffer: Vec::new(),
            depth: 0,
            text: String::new(),
        }
    }

    /// The next event. An empty element begins and ends.
    ///
    /// # Errors
    /// There is none, or it is too much; nobody waits for it any more.
    pub fn next(&mut self, source: &Source) -> Result<Event<'_>> {
        source.go_on()?;
        self.buffer.clear();
        self.reader.get_mut().left = MAX_EVENT;
        let Ok(event) = self.reader.read_event_into(&mut self.buffer) else {
            return Err(self.reader.get_ref().why());
        };
        match &event {
            Event::Start(element) if element.name().as_ref().len() > MAX_NAME => {
                return Err(no_sheet("a name in it is too long"));
            }
            Event::Start(_) => self.depth += 1,
            Event::End(_) => self.depth = self.depth.saturating_sub(1),
            Event::Eof => return Err(no_sheet(UNREADABLE)),
            _ => {}
        }
        if self.depth > MAX_DEPTH {
            return Err(no_sheet("its elements are too deep"));
        }
        Ok(event)
    }

    /// Reads up to the end of the element that has begun.
    ///
    /// # Errors
    /// As [`Self::next`].
    pub fn skip(&mut self, source: &Source) -> Result<()> {
        let mut depth = 1;
        while depth > 0 {
            match self.next(source)? {
                Event::Start(_) => depth += 1,
                Event::End(_) => depth -= 1,
                _ => {}
            }
        }
        Ok(())
    }

    /// The text of the element that has begun.
    ///
    /// # Errors
    /// As [`Self::next`]; it is longer than that of a cell.
    pub fn text(&mut self, source: &Source) -> Result<&str> {
        let mut text = std::mem::take(&mut self.text);
        text.clear();
        let mut depth = 1;
        while depth > 0 {
            match self.next(source)? {
                Event::Text(piece) => text.push_str(&piece.xml10_content()),
                Event::CData(piece) => text.push_str(&piece.xml10_content()),
                Event::GeneralRef(entity) => push_entity(&entity, &mut text)?,
                Event::Start(_) => depth += 1,
                Event::End(_) => depth -= 1,
                _ => {}
            }
            check_length(&text)?;
        }
        self.text = text;
        Ok(&self.text)
    }

    /// Adds the text of the element that has begun, shared or in its cell, to another: all of it however it is styled, but not how
    /// it is said.
    ///
    /// # Errors
    /// As [`Self::text`].
    pub fn add_rich_text(&mut self, source: &Source, all: &mut String) -> Result<()> {
        let mut depth = 1;
        while depth > 0 {
            let event = self.next(source)?;
            let (is_text, is_run, keeps_spaces) = match &event {
                Event::Start(element) => {
                    let space = attribute(element, "space");
                    let name = element.local_name();
                    (
                        name.as_ref() == "t",
                        name.as_ref() == "r",
                        space.as_deref() == Some("preserve"),
                    )
                }
                Event::End(_) => {
                    depth -= 1;
                    continue;
                }
                _ => continue,
            };
            if is_text {
                let text = self.text(source)?;
                let spaces = [' ', '\t', '\r', '\n'];
                let trimmed = text.trim_matches(spaces);
                push_unescaped(if keeps_spaces { text } else { trimmed }, all);
                check_length(all)?;
            } else if is_run {
                depth += 1;
            } else {
                self.skip(source)?;
            }
        }
        Ok(())
    }
}

/// The value of an attribute, whatever the prefix of its name.
pub fn attribute<'a>(element: &'a BytesStart<'_>, name: &str) -> Option<Cow<'a, str>> {
    let mut attributes = element.attributes();
    // Each would be compared with all before it.
    attributes.with_checks(false);
    let found = attributes
        .flatten()
        .find(|attribute| attribute.key.local_name().as_ref() == name)?;
    found.normalized_value(XmlVersion::Implicit1_0).ok()
}

fn check_length(text: &str) -> Result<()> {
    if text.len() > MAX_CELL {
        return Err(too_large("the text of a cell is too long".to_owned()));
    }
    Ok(())
}

/// Only what XML itself has: a file's own entities are not expanded.
fn push_entity(entity: &BytesRef<'_>, text: &mut String) -> Result<()> {
    if let Some(known) = resolve_xml_entity(entity) {
        text.push_str(known);
        return Ok(());
    }
    match entity.resolve_char_ref() {
        Ok(Some(character)) => text.push(character),
        _ => return Err(no_sheet(UNREADABLE)),
    }
    Ok(())
}

/// Adds a text in which characters that XML does not have stand as `_x000D_` (ECMA-376, `ST_Xstring`).
pub fn push_unescaped(text: &str, into: &mut String) {
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("_x") {
        into.push_str(before);
        let digits = behind.get(..4).filter(|digits| {
            behind.get(4..5) == Some("_") && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
        });
        let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        if let Some(code) = code {
            into.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            rest = behind.get(5..).unwrap_or_default();
        } else {
            into.push_str("_x");
            rest = behind;
        }
    }
    into.push_str(rest);
}

/// A part as it is unpacked, of which no event gets more than its bytes.
struct Metered<R> {
    part: BufReader<R>,
    /// The bytes that the event may still have.
    left: usize,
    unpacked: Rc<Cell<u64>>,
}

impl<R> Metered<R> {
    /// What a failed read comes to.
    fn why(&self) -> Problem {
        if self.unpacked.get() > MAX_UNPACKED {
            unpacks_to_too_much()
        } else if self.left == 0 {
            too_large("a text or a tag of it is too long".to_owned())
        } else {
            no_sheet(UNREADABLE)
        }
    }
}

impl<R: Read> BufRead for Metered<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.left == 0 || self.unpacked.get() > MAX_UNPACKED {
            return Err(io::Error::other("too much"));
        }
        let bytes = self.part.fill_buf()?;
        Ok(bytes.get(..self.left).unwrap_or(bytes))
    }

    fn consume(&mut self, amount: usize) {
        self.left = self.left.saturating_sub(amount);
        self.unpacked.set(self.unpacked.get() + amount as u64);
        self.part.consume(amount);
    }
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(buffer)?;
        self.consume(read);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_that_xml_does_not_have_are_read() {
        for (text, expected) in [
            ("a_x000D__x000a_b", "a\r\nb"),
            ("_x005F_x000D_", "_x000D_"),
            ("_x00_x0041_é_x", "_x00Aé_x"),
            ("_xD800_", "\u{fffd}"),
            ("_x12é4_", "_x12é4_"),
        ] {
            let mut into = String::new();
            push_unescaped(text, &mut into);
            assert_eq!(into, expected, "{text}");
        }
    }
}
