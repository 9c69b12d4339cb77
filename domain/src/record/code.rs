//! The names of what can be wrong with a record, as callers match on them.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A record code of the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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

impl RecordCode {
    pub const ALL: [RecordCode; 13] = [
        RecordCode::NotAnObject,
        RecordCode::DocidMissing,
        RecordCode::DocidInvalid,
        RecordCode::DocidDuplicate,
        RecordCode::PhoneMissing,
        RecordCode::PhoneInvalid,
        RecordCode::FieldNameInvalid,
        RecordCode::FieldNotString,
        RecordCode::FieldTooLong,
        RecordCode::FieldInvalid,
        RecordCode::TooManyFields,
        RecordCode::DuplicateMember,
        RecordCode::RowWidth,
    ];

    /// The code on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            RecordCode::NotAnObject => "not_an_object",
            RecordCode::DocidMissing => "docid_missing",
            RecordCode::DocidInvalid => "docid_invalid",
            RecordCode::DocidDuplicate => "docid_duplicate",
            RecordCode::PhoneMissing => "phone_missing",
            RecordCode::PhoneInvalid => "phone_invalid",
            RecordCode::FieldNameInvalid => "field_name_invalid",
            RecordCode::FieldNotString => "field_not_string",
            RecordCode::FieldTooLong => "field_too_long",
            RecordCode::FieldInvalid => "field_invalid",
            RecordCode::TooManyFields => "too_many_fields",
            RecordCode::DuplicateMember => "duplicate_member",
            RecordCode::RowWidth => "row_width",
        }
    }
}

impl fmt::Display for RecordCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_serialise_as_their_names() {
        for code in RecordCode::ALL {
            let json = serde_json::to_string(&code).unwrap();
            assert_eq!(json, format!("\"{code}\""));
            assert_eq!(serde_json::from_str::<RecordCode>(&json).unwrap(), code);
        }
    }
}
