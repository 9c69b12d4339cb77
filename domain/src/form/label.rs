//! A text of a form in other languages, and with tracking fields in it.

use std::collections::BTreeMap;

use crate::invalid::{Fault, code, read_line};
use crate::members::Members;
use crate::sms::Template;

/// A text in other languages, by their codes of two or three small letters.
pub type Labels = BTreeMap<String, String>;

/// Languages of a text, besides its own, at most.
pub const MAX_LANGUAGES: usize = 20;
/// Tracking fields in a text, at most.
const MAX_PIPED: usize = 5;

/// How the texts of a form are read.
#[derive(Clone, Copy)]
pub(super) struct FormTexts {
    /// Whether `{name|text}` in them stands for a tracking field.
    pub(super) piping: bool,
}

impl FormTexts {
    /// A text that must be there, of one line and at most so many characters.
    pub(super) fn text(self, of: &Members, name: &str, max_chars: usize) -> Option<String> {
        of.parsed(name, |text| {
            let text = read_line(text, max_chars)?;
            if self.piping {
                Template::of_label(&text)?;
            }
            Ok(text)
        })
    }

    /// The member `labels`: the text in other languages. Left out, there are none.
    pub(super) fn labels(self, of: &Members, max_chars: usize) -> Labels {
        let Some(labels) = of.member("labels") else {
            return Labels::new();
        };
        let mut read = Labels::new();
        for language in labels.names().filter(|name| labels.get(name).is_some()) {
            let letters = language.bytes().all(|byte| byte.is_ascii_lowercase());
            if read.len() == MAX_LANGUAGES {
                let detail = format!("more than {MAX_LANGUAGES} languages");
                of.note("labels", code::TOO_MANY, detail);
                break;
            } else if !letters || !(2..=3).contains(&language.len()) {
                let detail = "a language is two or three small letters";
                of.note("labels", code::MALFORMED, detail);
            } else if let Some(text) = self.text(&labels, language, max_chars) {
                read.insert(language.to_owned(), text);
            }
        }
        read
    }
}

impl Template {
    /// Reads a text in which `{name|text}` stands for a tracking field, and `{{` for a brace.
    ///
    /// # Errors
    /// A brace that is not closed, a name without a text for where the field is missing, or a link.
    pub fn of_label(source: &str) -> Result<Self, Fault> {
        let template = Self::read(source)?;
        if template.fields() > MAX_PIPED {
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
