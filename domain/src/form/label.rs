//! The texts of a form as one reader sees them: in their language, with the tracking fields of their link.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::content::FormContent;
use crate::invalid::{Fault, check_line, code};
use crate::link::TrackFields;
use crate::members::Members;
use crate::sms::Template;
use crate::text::cut;

/// A text in other languages, by their codes of two or three small letters.
pub type Labels = BTreeMap<String, String>;

/// Languages of a text, besides its own, at most.
pub const MAX_LANGUAGES: usize = 20;
/// Tracking fields in a text, at most.
const MAX_PIPED: usize = 5;
/// The bytes of a tracking field that a text shows, at most: pages are made by the thousand.
const MAX_SHOWN: usize = 200;

/// How the texts of a form are read.
#[derive(Clone, Copy)]
pub(super) struct Texts {
    /// Whether `{name|text}` in them stands for a tracking field.
    pub(super) piping: bool,
}

impl Texts {
    /// A text that must be there, of one line and at most so many characters.
    pub(super) fn text(self, of: &Members, name: &str, max_chars: usize) -> Option<String> {
        of.parsed(name, |text| {
            check_line(text, max_chars)?;
            if self.piping {
                Template::of_label(text)?;
            }
            Ok(text.to_owned())
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

impl FormContent {
    /// Whether any text of the form is there in this language, besides its own.
    pub fn is_translated(&self, language: &str) -> bool {
        let fields = self.fields.iter();
        let options = fields.clone().flat_map(|field| field.kind.options());
        let labels = fields.map(|field| &field.labels);
        let labels = labels.chain(options.map(|option| &option.labels));
        let mut labels = labels.chain([&self.labels]);
        labels.any(|labels| labels.contains_key(language))
    }

    /// The form as reports name it: in its own language, without tracking fields in its texts.
    #[must_use]
    pub fn for_reports(self) -> Self {
        match self.for_reader(None, &TrackFields::default()) {
            Cow::Owned(form) => form,
            Cow::Borrowed(_) => self,
        }
    }

    /// The form with its texts in a language, as far as it has them, and with tracking fields in them.
    pub fn for_reader(&self, language: Option<&str>, fields: &TrackFields) -> Cow<'_, Self> {
        let language = language.filter(|language| self.is_translated(language));
        if language.is_none() && !self.piping {
            return Cow::Borrowed(self);
        }
        let piping = self.piping;
        let fill = |text: &mut String, labels: &Labels| {
            if let Some(translated) = language.and_then(|language| labels.get(language)) {
                text.clone_from(translated);
            }
            let template = piping.then(|| Template::of_label(text).ok()).flatten();
            let value = |name: &str| fields.get(name).map(|value| cut(value, MAX_SHOWN));
            if let Some(filled) = template.and_then(|of| of.fill(value, "")) {
                *text = filled;
            }
        };
        let mut form = self.clone();
        fill(&mut form.title, &form.labels);
        for field in &mut form.fields {
            fill(&mut field.label, &field.labels);
            for option in field.kind.options_mut() {
                fill(&mut option.label, &option.labels);
            }
        }
        Cow::Owned(form)
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
