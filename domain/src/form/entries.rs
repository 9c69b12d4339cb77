//! The entries of a form's lists.

use serde_json::Value;

use crate::members::Members;

/// A list of at most `max` entries with the pointer of each. An entry that says of itself that it is retired counts, but is
/// otherwise as if left out, and not looked at.
pub(super) fn entries_in_use<'a>(
    object: &Members<'a>,
    name: &str,
    max: usize,
) -> Option<impl Iterator<Item = (String, &'a Value)> + use<'a>> {
    let entries = object.list(name, max)?;
    Some(entries.filter(|(_, entry)| entry["retired"] != true))
}
