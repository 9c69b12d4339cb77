//! What an account writes once and each recipient gets in words of their own: a text with `{link}` and tracking fields.
//!
//! - `{link}` stands in it once, between white space or at an end, so that phones see where the link begins and ends.
//! - `{name}` is the tracking field of that name, `{name|text}` the text where the field is missing or blank.
//! - `{{` is a brace, also in such a text. A `}` that closes nothing is itself.
//!
//! Which encoding and how many parts a filled text takes is not known here.

mod parse;

use std::fmt;

use serde::{Deserialize, Serialize, Serializer};

use self::parse::parse;
use crate::invalid::{Fault, code};
use crate::record::MAX_NAME_BYTES;

/// A template has at most this many characters.
pub const MAX_TEMPLATE_CHARS: usize = 2_000;

/// A template that was read. In JSON and by [`Template::as_str`] the text that it was read from.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Template {
    source: String,
    pieces: Vec<Piece>,
}

#[derive(Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    Field {
        name: String,
        /// What stands in for it where it is missing.
        default: Option<String>,
    },
    Link,
}

/// Why a text is no template; `at` is the number of the character, from 1. It never holds the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    #[error("is empty or white space only")]
    Blank,
    #[error("has more than {MAX_TEMPLATE_CHARS} characters")]
    TooLong,
    #[error("holds a control character that is no line break at character {at}")]
    ControlCharacter { at: usize },
    #[error("has no {{link}}")]
    NoLink,
    #[error("has a second {{link}} at character {at}")]
    LinkTwice { at: usize },
    #[error("has no white space around the {{link}} at character {at}")]
    LinkNotApart { at: usize },
    #[error("has a default text for the {{link}} at character {at}, which is never missing")]
    LinkDefault { at: usize },
    #[error("has a {{ at character {at} that no }} closes; {{{{ is a brace in the message")]
    Unclosed { at: usize },
    #[error("names no field between the braces at character {at}; {{{{ is a brace in the message")]
    EmptyName { at: usize },
    #[error("has a name of more than {MAX_NAME_BYTES} bytes at character {at}")]
    NameTooLong { at: usize },
}

/// A recipient has no such tracking field, or a blank one, and the template has no text instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the tracking field {name:?} is missing or blank")]
pub struct MissingField {
    pub name: String,
}

impl Template {
    pub fn parse(source: &str) -> Result<Self, TemplateError> {
        let pieces = parse(source)?;
        let source = source.to_owned();
        Ok(Self { source, pieces })
    }

    /// The text that it was read from.
    pub fn as_str(&self) -> &str {
        &self.source
    }

    /// The names of its fields, each once, in the order in which they first come.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let names = || self.pieces.iter().filter_map(Piece::name);
        let is_new = move |(index, name): &(usize, &str)| {
            !names().take(*index).any(|earlier| earlier == *name)
        };
        names().enumerate().filter(is_new).map(|(_, name)| name)
    }

    /// The message with these values and this link. `field` gives the value of a name; control characters in it become
    /// spaces, and nothing in it is read as a template.
    pub fn fill<'v>(
        &self,
        field: impl Fn(&str) -> Option<&'v str>,
        link: &str,
    ) -> Result<String, MissingField> {
        let mut message = String::with_capacity(self.source.len() + link.len());
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => message.push_str(text),
                Piece::Link => message.push_str(link),
                Piece::Field { name, default } => {
                    let value = field(name).filter(|value| !is_blank(value));
                    match (value, default) {
                        (Some(value), _) => message.extend(value.chars().map(without_control)),
                        (None, Some(default)) => message.push_str(default),
                        (None, None) => return Err(MissingField { name: name.clone() }),
                    }
                }
            }
        }
        Ok(message)
    }
}

impl Piece {
    fn name(&self) -> Option<&str> {
        match self {
            Self::Field { name, .. } => Some(name),
            Self::Text(_) | Self::Link => None,
        }
    }
}

fn without_control(c: char) -> char {
    if c.is_control() { ' ' } else { c }
}

/// Whether a value shows nothing once its control characters are spaces.
fn is_blank(value: &str) -> bool {
    value.chars().map(without_control).all(char::is_whitespace)
}

impl fmt::Debug for Template {
    /// Which fields it has, not what it says.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.names().collect();
        let mut template = f.debug_struct("Template");
        template.field("names", &names).finish_non_exhaustive()
    }
}

impl TryFrom<String> for Template {
    type Error = TemplateError;

    fn try_from(source: String) -> Result<Self, TemplateError> {
        let pieces = parse(&source)?;
        Ok(Self { source, pieces })
    }
}

impl Serialize for Template {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.source)
    }
}

impl From<TemplateError> for Fault {
    fn from(error: TemplateError) -> Self {
        use TemplateError as Error;
        let code = match error {
            Error::Blank => code::BLANK,
            Error::TooLong => code::TOO_LONG,
            Error::ControlCharacter { .. } => code::CONTROL_CHARACTER,
            Error::NoLink
            | Error::LinkTwice { .. }
            | Error::LinkNotApart { .. }
            | Error::LinkDefault { .. }
            | Error::Unclosed { .. }
            | Error::EmptyName { .. }
            | Error::NameTooLong { .. } => code::MALFORMED,
        };
        Self::new(code, error.to_string())
    }
}

#[cfg(test)]
mod tests;
