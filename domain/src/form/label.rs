//! A text of a form in other languages, and with tracking fields in it.

use std::cell::Cell;
use std::collections::BTreeMap;

use super::limits::MAX_BLOCK_CHARS;
use crate::invalid::{Fault, code, read_line, read_lines};
use crate::members::Members;
use crate::sms::Template;

/// A text in other languages, by their codes of two or three small letters.
pub type Labels = BTreeMap<String, String>;

/// Languages of a text, besides its own, at most.
pub const MAX_LANGUAGES: usize = 20;
/// Tracking fields in a text, at most, …
const MAX_PIPED: usize = 5;
/// … and in all texts of a form: each may be replaced by something far longer.
const MAX_ALL_PIPED: usize = 1_000;

/// How the texts of a form are read.
#[derive(Clone, Copy)]
pub(super) struct FormTexts<'a> {
    /// Whether `{name|text}` in them stands for a tracking field.
    pub(super) piping: bool,
    /// How many did so far.
    pub(super) piped: &'a Cell<usize>,
    /// Of the texts themselves, if the form says it.
    pub(super) language: Option<&'a str>,
}

/// How long a text may be.
#[derive(Clone, Copy)]
pub(super) enum TextKind {
    /// One line of so many characters.
    Line(usize),
    /// Lines of [`MAX_BLOCK_CHARS`] characters.
    Block,
}

impl FormTexts<'_> {
    /// A text that must be there.
    pub(super) fn text(self, of: &Members, name: &str, kind: TextKind) -> Option<String> {
        of.parsed(name, |text| {
            let text = match kind {
                TextKind::Line(max_chars) => read_line(text, max_chars)?,
                TextKind::Block => read_lines(text, MAX_BLOCK_CHARS)?,
            };
            if self.piping {
                let piped = self.piped.get() + Template::of_label(&text)?.field_names().count();
                self.piped.set(piped);
                if piped > MAX_ALL_PIPED {
                    let detail = format!("is behind {MAX_ALL_PIPED} tracking fields in texts, as many as a form may have");
                    return Err(Fault::new(code::TOO_MANY, detail));
                }
            }
            Ok(text)
        })
    }

    /// A text of several lines that may be left out, and the same in other languages (the member `<name>_labels`).
    pub(super) fn block(self, of: &Members, name: &str) -> (Option<String>, Labels) {
        let labels = self.labels(of, &format!("{name}_labels"), TextKind::Block);
        let text = of
            .get(name)
            .and_then(|_| self.text(of, name, TextKind::Block));
        (text, labels)
    }

    /// The member `name`: a text in other languages. Left out, there are none.
    pub(super) fn labels(self, of: &Members, name: &str, kind: TextKind) -> Labels {
        let Some(labels) = of.member(name) else {
            return Labels::new();
        };
        let mut read = Labels::new();
        for language in labels.names().filter(|name| labels.get(name).is_some()) {
            if read.len() == MAX_LANGUAGES {
                let detail = format!("more than {MAX_LANGUAGES} languages");
                of.note(name, code::TOO_MANY, detail);
                break;
            } else if let Err(fault) = read_language(language) {
                of.note(name, fault.code, format!("a language {fault}"));
            } else if self.language == Some(language) {
                let detail = "is the form's own language";
                labels.note(language, code::DUPLICATE, detail);
            } else if let Some(text) = self.text(&labels, language, kind) {
                read.insert(language.to_owned(), text);
            }
        }
        read
    }
}

/// Reads the code of a language.
pub(super) fn read_language(text: &str) -> Result<String, Fault> {
    let letters = text.bytes().all(|byte| byte.is_ascii_lowercase());
    if letters && (2..=3).contains(&text.len()) {
        Ok(text.to_owned())
    } else {
        let detail = "is two or three small letters";
        Err(Fault::new(code::MALFORMED, detail))
    }
}

impl Template {
    /// Reads a text in which `{name|text}` stands for a tracking field, and `{{` for a brace.
    ///
    /// # Errors
    /// A brace that is not closed, a name without a text for where the field is missing, or a link.
    pub fn of_label(source: &str) -> Result<Self, Fault> {
        let template = Self::read(source)?;
        if template.field_names().count() > MAX_PIPED {
            let detail = format!("has more than {MAX_PIPED} tracking fields");
            Err(Fault::new(code::TOO_MANY, detail))
        } else if template.is_always_filled() {
            Ok(template)
        } else {
            let detail = "has a name without a text for where it is missing, which is {name|text}";
            Err(Fault::new(code::MALFORMED, detail))
        }
    }
}
