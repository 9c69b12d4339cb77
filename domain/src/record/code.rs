//! The names of what can be wrong with a record, as callers match on them.

use serde::{Deserialize, Serialize};
use strum::{IntoStaticStr, VariantArray};

/// A record code of the API, by its name on the wire.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, IntoStaticStr, VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum RecordCode {
    /// The element is no JSON object.
    NotAnObject,
    /// Absent or null.
    DocidMissing,
    /// Empty, too long, not a string or with a control character.
    DocidInvalid,
    /// Of a record accepted earlier in the same body.
    DocidDuplicate,
    /// Absent or null.
    PhoneMissing,
    /// Not a string in E.164 form.
    PhoneInvalid,
    /// A tracking field's name is empty, too long or with a control character.
    FieldNameInvalid,
    /// A tracking field's value is a number, a boolean, an array or an object.
    FieldNotString,
    /// A tracking field's value is too long.
    FieldTooLong,
    /// A tracking field's value holds U+0000.
    FieldInvalid,
    /// More than 64 tracking fields.
    TooManyFields,
    /// A member's name comes twice.
    DuplicateMember,
    /// A CSV row of another width than its header.
    RowWidth,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_serialise_as_their_names() {
        for code in RecordCode::VARIANTS {
            let json = serde_json::to_string(code).unwrap();
            assert_eq!(json, format!("\"{}\"", code.into_str()));
            assert_eq!(serde_json::from_str::<RecordCode>(&json).unwrap(), *code);
        }
    }
}
