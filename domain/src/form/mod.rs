//! A form: its title, its business properties and its fields.
//!
//! A request's body becomes a [`FormDraft`] or the list of its problems (`draft`, `draft_field`); a draft becomes the
//! [`FormContent`] of a new form or replaces that of another (`edit`). Ids, times and the rows of forms live
//! in `store`.

mod bus_prop;
mod draft;
mod draft_field;
mod edit;
mod field;
mod key;
mod members;
mod status;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

pub(crate) use self::bus_prop::parse_bus_prop_id;
pub use self::bus_prop::{BusProp, BusPropEntry, BusPropError};
pub use self::draft::FormDraft;
pub use self::edit::EditRefused;
pub use self::field::{ChoiceOption, Field, FieldKind};
pub use self::key::{FieldKey, FieldKeyError};
pub use self::status::{FormStatus, UnknownStatus};
use crate::docid::has_control;
use crate::invalid::code;

/// A form has at most this many fields, retired ones included.
pub const MAX_FIELDS: usize = 100;
/// A field has at most this many options, retired ones included.
pub const MAX_OPTIONS: usize = 100;
/// A form has at most this many business properties, retired ones included.
pub const MAX_BUS_PROPS: usize = 1_000;
/// The characters of a title, at most; at least 1.
pub const MAX_TITLE_CHARS: usize = 200;
/// The characters of the label of a field or option, at most; at least 1.
pub const MAX_LABEL_CHARS: usize = 500;

/// What a form asks. Its JSON is stored and read back as it is; nothing of it is checked again then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormContent {
    pub title: String,
    /// Each id and each text once; those in use in the order given, then the retired ones.
    pub bus_props: Vec<BusPropEntry>,
    /// Each key once; those in use in the order of the page, then the retired ones.
    pub fields: Vec<Field>,
    /// The highest `bus_prop_id` ever given, 0 before the first.
    last_bus_prop_id: u32,
}

impl FormContent {
    /// The field with this key, retired or not.
    pub fn field(&self, key: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.key.as_str() == key)
    }

    /// The fields of the page.
    pub fn page_fields(&self) -> impl Iterator<Item = &Field> {
        self.fields.iter().filter(|field| !field.retired)
    }

    /// The business property with this id, retired or not.
    pub fn bus_prop(&self, id: u32) -> Option<&BusPropEntry> {
        self.bus_props.iter().find(|entry| entry.id == id)
    }

    /// The business property with this text (`<name>:<value>`), retired or not.
    pub fn bus_prop_by_text(&self, text: &str) -> Option<&BusPropEntry> {
        self.bus_props
            .iter()
            .find(|entry| entry.text.as_str() == text)
    }
}

/// Why a text is no text of one line: a code and a sentence.
struct Fault {
    code: &'static str,
    detail: String,
}

/// Whether the text has 1 to `max_chars` characters, not all of them white space, and no control character.
fn check_line(text: &str, max_chars: usize) -> Result<(), Fault> {
    let (code, detail) = if text.trim().is_empty() {
        (code::BLANK, "is empty or white space only".to_owned())
    } else if text.chars().nth(max_chars).is_some() {
        (
            code::TOO_LONG,
            format!("has more than {max_chars} characters"),
        )
    } else if has_control(text) {
        (
            code::CONTROL_CHARACTER,
            "holds a control character".to_owned(),
        )
    } else {
        return Ok(());
    };
    Err(Fault { code, detail })
}
