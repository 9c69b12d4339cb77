//! What a command found, as JSON or as text, and the parts of an answer's JSON.

use std::io::{Write, stdout};

use indicatif::ProgressStyle;
use serde::Serialize;
use serde_json::{Value, json};

use crate::table::Table;

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

/// The members of what was found that are named, with spaces between, and are neither null nor empty: each on a line of its own, a list of
/// objects on a line an object.
pub(crate) fn members(found: &impl Serialize, names: &str) -> String {
    let found = json!(found);
    let is_empty = |value: &Value| match value {
        Value::Array(entries) => entries.is_empty(),
        Value::Object(members) => members.is_empty(),
        value => value.is_null(),
    };
    let given = names.split(' ').filter(|name| !is_empty(&found[name]));
    let lines = given.map(|name| match list(&found[name]) {
        objects @ [Value::Object(_), ..] => {
            let objects: Vec<_> = objects.iter().map(inline).collect();
            format!("{name:13}  {}\n", objects.join("\n               "))
        }
        _ => format!("{name:13}  {}\n", inline(&found[name])),
    });
    lines.collect()
}

/// The names of these members, and below them a line for each of what was found; `-` for a member that is null.
pub(crate) fn rows(found: &[impl Serialize], names: &str) -> String {
    let mut table = Table::whole(names.split(' '));
    for found in found {
        let found = json!(found);
        table.push(names.split(' ').map(|name| match &found[name] {
            Value::Null => "-".to_owned(),
            value => inline(value),
        }));
    }
    let mut text = String::new();
    table.write(&mut text);
    text
}

/// A value on one line; the entries of a list and the members of an object side by side.
fn inline(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(entries) => {
            let entries: Vec<_> = entries.iter().map(inline).collect();
            entries.join(", ")
        }
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| match value {
                Value::String(text) => format!("{name}: {text}"),
                value => format!("{name}: {value}"),
            });
            members.collect::<Vec<_>>().join(", ")
        }
        value => value.to_string(),
    }
}

/// How a progress bar looks.
pub(crate) fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// The entries of an array; none of anything else.
pub(crate) fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// A text; empty of anything else.
pub(crate) fn word(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_that_are_null_or_empty_are_left_out_and_objects_of_a_list_take_a_line_each() {
        let found = json!({
            "recipients": 3, "skipped": {"opted_out": 1, "too_late": 2}, "starts_at": null, "countries": {}, "other": 1,
            "samples": [{"docid": "A1", "parts": 1}, {"docid": "A2"}], "scopes": ["form", "link"],
        });
        assert_eq!(
            members(
                &found,
                "samples scopes recipients starts_at skipped countries none"
            ),
            "samples        docid: A1, parts: 1\n               docid: A2\nscopes         form, link\nrecipients     3\n\
             skipped        opted_out: 1, too_late: 2\n"
        );
    }

    #[test]
    fn a_row_is_a_line_with_a_place_for_each_member() {
        let found = [
            json!({"a": "x", "b": 1}),
            json!({"a": null, "b": {"c": "d"}}),
        ];
        assert_eq!(rows(&found, "b a"), "b     a\n1     x\nc: d  -\n");
    }
}
