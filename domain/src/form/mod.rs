//! A form: its title, its business properties, its fields, and what stands around them.
//!
//! A request's body becomes a [`FormInput`] or the list of its problems (`input`); an input becomes the [`FormContent`] of
//! a new form or replaces that of another (`edit`). `reader` gives its texts as one reader sees them, `show_if` says when a
//! field is asked. `kind` is the one place of a field's type. Ids, times and the rows of
//! forms are in `store`.

mod bus_prop;
mod choice;
mod content;
mod edit;
mod field;
mod input;
mod key;
mod kind;
mod label;
mod limits;
mod link;
mod reader;
mod show_if;
mod status;
#[cfg(test)]
mod tests;

pub(crate) use self::bus_prop::parse_bus_prop_id;
pub use self::bus_prop::{BusProp, BusPropEntry};
pub use self::choice::{ChoiceOption, MAX_OTHER_CHARS, MAX_VALUE_CHARS};
pub use self::content::FormContent;
pub use self::edit::EditRefused;
pub use self::field::Field;
pub use self::input::{FormInput, READ_ONLY};
pub use self::key::FieldKey;
pub use self::kind::{AnswerShape, FieldKind, FieldType, Grades};
pub use self::label::{Labels, MAX_LANGUAGES};
pub use self::limits::{
    MAX_BLOCK_CHARS, MAX_BUS_PROPS, MAX_FIELDS, MAX_LABEL_CHARS, MAX_LINK_LABEL_CHARS, MAX_LINKS,
    MAX_OPTIONS, MAX_TITLE_CHARS, MAX_URL_BYTES,
};
pub use self::link::FormLink;
pub use self::show_if::ShowIf;
pub use self::status::FormStatus;
