//! The single values of a campaign's body.

use chrono::{DateTime, Utc};
use serde_json::Value;
use uuid::Uuid;

use super::limits::MAX_SENDER_CHARS;
use crate::form::BusProp;
use crate::invalid::{Fault, code};
use crate::record::{MAX_NAME_BYTES, MAX_VALUE_BYTES, column_of};
use crate::sms::Template;
use crate::text::has_control;

/// The text of a list's entry.
pub(super) fn entry_text(entry: &Value) -> Result<&str, Fault> {
    let text = entry.as_str();
    text.ok_or_else(|| Fault::new(code::WRONG_TYPE, "is not a string"))
}

/// Only the written form with hyphens; `Uuid` itself reads others too.
pub(super) fn uuid(text: &str) -> Result<Uuid, Fault> {
    let is_hyphenated = text.len() == uuid::fmt::Hyphenated::LENGTH;
    let id = Uuid::parse_str(text).ok().filter(|_| is_hyphenated);
    id.ok_or_else(|| Fault::new(code::MALFORMED, "is not a UUID"))
}

/// RFC 3339 in UTC; chrono also reads longer years, other offsets and spaces.
pub fn time(text: &str) -> Result<DateTime<Utc>, Fault> {
    let byte = |index| text.as_bytes().get(index).copied();
    let is_utc = text.ends_with('Z') && byte(4) == Some(b'-') && byte(10) == Some(b'T');
    let time = DateTime::parse_from_rfc3339(text).ok().filter(|_| is_utc);
    let detail = "is not a time such as 2030-12-31T23:59:59Z";
    time.map(|time| time.to_utc())
        .ok_or_else(|| Fault::new(code::MALFORMED, detail))
}

pub(super) fn template(text: &str) -> Result<Template, Fault> {
    Template::parse(text).map_err(Fault::from)
}

pub(super) fn sender_name(text: &str) -> Result<String, Fault> {
    let is_plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    if (1..=MAX_SENDER_CHARS).contains(&text.len()) && text.bytes().all(is_plain) {
        Ok(text.to_owned())
    } else {
        let detail = format!("is not 1 to {MAX_SENDER_CHARS} small letters, digits and `-`");
        Err(Fault::new(code::MALFORMED, detail))
    }
}

/// The name of a tracking field, as in an import.
pub(super) fn field_name(name: &str) -> Result<(), Fault> {
    if name.is_empty() {
        Err(Fault::new(code::BLANK, "is empty"))
    } else if name.len() > MAX_NAME_BYTES {
        let detail = format!("has more than {MAX_NAME_BYTES} bytes");
        Err(Fault::new(code::TOO_LONG, detail))
    } else if has_control(name) {
        let detail = "holds a control character";
        Err(Fault::new(code::CONTROL_CHARACTER, detail))
    } else if column_of(name).is_some() {
        let detail = "is that of no tracking field";
        Err(Fault::new(code::RESERVED, detail))
    } else {
        Ok(())
    }
}

/// The value of a tracking field, as in an import.
pub(super) fn field_value(value: &str) -> Result<(), Fault> {
    if value.len() > MAX_VALUE_BYTES {
        let detail = format!("has more than {MAX_VALUE_BYTES} bytes");
        Err(Fault::new(code::TOO_LONG, detail))
    } else if value.contains('\0') {
        Err(Fault::new(code::CONTROL_CHARACTER, "holds U+0000"))
    } else {
        Ok(())
    }
}

/// What stands before the `:` of a business property.
pub(super) fn bus_prop_name(name: &str) -> Result<(), Fault> {
    if name.is_empty() {
        Err(Fault::new(code::BLANK, "is empty"))
    } else if name.contains(':') {
        Err(Fault::new(code::MALFORMED, "holds a `:`"))
    } else {
        // The shortest value that it may have.
        BusProp::parse(&format!("{name}:1")).map(drop)
    }
}
