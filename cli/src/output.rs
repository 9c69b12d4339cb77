//! What a command found, as JSON or as text, and the parts of an answer's JSON.

use std::io::{Write, stdout};

use serde::Serialize;
use serde_json::Value;

/// Prints what was found: a line of JSON, or what `show` makes of it.
pub(crate) fn print<T: Serialize + ?Sized>(
    found: &T,
    json: bool,
    show: impl FnOnce(&T) -> String,
) -> anyhow::Result<()> {
    let text = if json {
        serde_json::to_string(found)? + "\n"
    } else {
        show(found)
    };
    stdout().lock().write_all(text.as_bytes())?;
    Ok(())
}

/// The entries of an array; none of anything else.
pub(crate) fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// A text; empty of anything else.
pub(crate) fn word(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
