//! The single values of a campaign's body, and of its lists.

use std::collections::HashSet;
use std::hash::Hash;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use super::MAX_SENDER_CHARS;
use crate::date_range::parse_time;
use crate::form::BusProp;
use crate::invalid::{Fault, code};
use crate::link::track_field;
use crate::record::column_of;
use crate::text::parse_uuid;

/// What `read` makes of the entries of a list, each once.
pub(super) fn once<'a, T: Clone + Eq + Hash>(
    read: impl Fn(&'a str) -> Result<T, Fault>,
) -> impl FnMut(&'a str) -> Result<T, Fault> {
    let mut known = HashSet::new();
    move |text| {
        let entry = read(text)?;
        let is_new = known.insert(entry.clone());
        let repeated = || Fault::new(code::DUPLICATE, "comes before in the list");
        is_new.then_some(entry).ok_or_else(repeated)
    }
}

pub(super) fn uuid(text: &str) -> Result<Uuid, Fault> {
    parse_uuid(text).ok_or_else(|| Fault::new(code::MALFORMED, "is not a UUID"))
}

pub(super) fn time(text: &str) -> Result<DateTime<Utc>, Fault> {
    parse_time(text).map_err(|error| Fault::new(code::MALFORMED, error.to_string()))
}

/// Whether a sender may have this name.
pub fn is_sender_name(text: &str) -> bool {
    let is_plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    (1..=MAX_SENDER_CHARS).contains(&text.len()) && text.bytes().all(is_plain)
}

pub(super) fn sender_name(text: &str) -> Result<String, Fault> {
    if is_sender_name(text) {
        Ok(text.to_owned())
    } else {
        let detail = format!("is not 1 to {MAX_SENDER_CHARS} small letters, digits and `-`");
        Err(Fault::new(code::MALFORMED, detail))
    }
}

/// The name of a tracking field, as in an import.
pub(super) fn field_name(name: &str) -> Result<&str, Fault> {
    let name = track_field::read_name(name)?;
    let is_reserved = column_of(name).is_some();
    (!is_reserved)
        .then_some(name)
        .ok_or_else(|| Fault::new(code::RESERVED, "is that of no tracking field"))
}

/// What stands before the `:` of a business property.
pub(super) fn bus_prop_name(name: &str) -> Result<&str, Fault> {
    if name.is_empty() {
        Err(Fault::new(code::BLANK, "is empty"))
    } else if name.contains(':') {
        Err(Fault::new(code::MALFORMED, "holds a `:`"))
    } else {
        // The shortest value that it may have.
        BusProp::parse(&format!("{name}:1")).map(|_| name)
    }
}
