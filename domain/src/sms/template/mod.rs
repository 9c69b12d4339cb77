//! What an account writes once and each recipient gets in words of their own: a text with `{link}` and tracking fields.
//!
//! - `{link}` stands in it once, between white space or at an end, so that phones see where the link begins and ends.
//! - `{name}` is the tracking field of that name, `{name|text}` the text where the field is missing or blank.
//! - `{{` is a brace, also in such a text. A `}` that closes nothing is itself.
//!
//! Which encoding and how many parts a filled text takes is not known here.

mod parse;

use serde::{Deserialize, Serialize, Serializer};

use self::parse::parse;
use crate::invalid::{Fault, code};

/// A template has at most this many characters.
pub const MAX_TEMPLATE_CHARS: usize = 2_000;

/// A template that was read. In JSON and by [`Template::as_str`] the text that it was read from. `Debug` hides what it says.
#[derive(Clone, PartialEq, Eq, Deserialize, derive_more::Debug)]
#[serde(try_from = "String")]
#[debug("Template(…)")]
pub struct Template {
    source: String,
    pieces: Vec<TemplatePart>,
}

#[derive(Clone, PartialEq, Eq)]
enum TemplatePart {
    Text(String),
    Field {
        name: String,
        /// What stands in for it where it is missing.
        default: Option<String>,
    },
    Link,
}

/// Bytes of a message, and of a text of a form, that are too many for either.
const MAX_FILLED: usize = 16 << 10;

impl Template {
    /// Reads a template. What is wrong with a text never quotes it, and counts its characters from 1.
    pub fn parse(source: &str) -> Result<Self, Fault> {
        let template = Self::read(source)?;
        if template.pieces.contains(&TemplatePart::Link) {
            Ok(template)
        } else {
            Err(Fault::new(code::MALFORMED, "has no {link}"))
        }
    }

    /// Reads a text with fields, and perhaps with a link.
    pub(crate) fn read(source: &str) -> Result<Self, Fault> {
        let pieces = parse(source)?;
        let source = source.to_owned();
        Ok(Self { source, pieces })
    }

    /// The names of its fields, each as often as it stands there.
    pub fn field_names(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|piece| match piece {
            TemplatePart::Field { name, .. } => Some(name.as_str()),
            _ => None,
        })
    }

    /// Whether it has no link, and a text for each field that may be missing.
    pub(crate) fn is_always_filled(&self) -> bool {
        let always = |piece: &TemplatePart| match piece {
            TemplatePart::Text(_) => true,
            TemplatePart::Field { default, .. } => default.is_some(),
            TemplatePart::Link => false,
        };
        self.pieces.iter().all(always)
    }

    /// The text that it was read from.
    pub fn as_str(&self) -> &str {
        &self.source
    }

    /// The names of the fields that are missing or blank, and whether there is a text instead.
    pub fn missing<'v>(
        &self,
        field: impl Fn(&str) -> Option<&'v str>,
    ) -> impl Iterator<Item = (&str, bool)> {
        self.pieces.iter().filter_map(move |piece| match piece {
            TemplatePart::Field { name, default } => {
                let is_missing = field(name).is_none_or(is_blank);
                is_missing.then_some((name.as_str(), default.is_some()))
            }
            _ => None,
        })
    }

    /// The message with these values and this link, or more of its beginning than any message may have. `field` gives the value of a name; control characters in it become
    /// spaces, and nothing in it is read as a template. `None`: a value is missing or blank, and there is no text instead.
    pub fn fill<'v>(&self, field: impl Fn(&str) -> Option<&'v str>, link: &str) -> Option<String> {
        let mut message = String::with_capacity(self.source.len() + link.len());
        for piece in &self.pieces {
            if message.len() > MAX_FILLED {
                break;
            }
            match piece {
                TemplatePart::Text(text) => message.push_str(text),
                TemplatePart::Link => message.push_str(link),
                TemplatePart::Field { name, default } => {
                    let value = field(name).filter(|value| !is_blank(value));
                    match (value, default) {
                        (Some(value), _) => message.extend(value.chars().map(without_control)),
                        (None, Some(default)) => message.push_str(default),
                        (None, None) => return None,
                    }
                }
            }
        }
        Some(message)
    }
}

fn without_control(c: char) -> char {
    if c.is_control() { ' ' } else { c }
}

/// Whether a value shows nothing once its control characters are spaces.
fn is_blank(value: &str) -> bool {
    value.chars().map(without_control).all(char::is_whitespace)
}

impl TryFrom<String> for Template {
    type Error = Fault;

    fn try_from(source: String) -> Result<Self, Fault> {
        Self::parse(&source)
    }
}

impl Serialize for Template {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.source)
    }
}

#[cfg(test)]
mod tests;
