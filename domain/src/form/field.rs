//! One question of a form.

use serde::{Deserialize, Serialize};

use super::choice::ChoiceOption;
use super::key::FieldKey;
use super::kind::FieldKind;
use super::label::Labels;
use super::show_if::ShowIf;

/// A question, as it is stored and answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    /// Not `visit`; each key once.
    pub key: FieldKey,
    #[serde(flatten)]
    pub kind: FieldKind,
    pub label: String,
    pub required: bool,
    /// Off the page, still in reports.
    pub retired: bool,
    /// The label in other languages.
    #[serde(default, skip_serializing_if = "Labels::is_empty")]
    pub labels: Labels,
    /// `None`: always asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub show_if: Option<ShowIf>,
}

impl Field {
    /// Whether a text may be given, or could once, with one of its options.
    pub fn has_text(&self) -> bool {
        self.kind.options().iter().any(|option| option.text)
    }

    /// The option of the page with which a text may be given.
    pub fn text_option(&self) -> Option<&ChoiceOption> {
        self.page_options().find(|option| option.text)
    }

    /// Under which name stored answers have what was written to it, or beside one of its options; `None`: nothing is written.
    pub fn written_name(&self) -> Option<String> {
        match self.kind {
            FieldKind::Comment | FieldKind::Text => Some(self.key.as_str().to_owned()),
            _ => self.has_text().then(|| self.key.text_name()),
        }
    }

    /// What exports call the texts beside its options.
    pub fn text_column(&self) -> String {
        format!("{}_text", self.key.as_str())
    }

    /// The options of the page.
    pub fn page_options(&self) -> impl Iterator<Item = &ChoiceOption> {
        self.kind.options().iter().filter(|option| !option.retired)
    }
}
