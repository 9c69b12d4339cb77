//! What a hostile account sends: as much as the limits allow.

use std::io::Write as _;

use anyhow::Result;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

/// As many business properties as a link may name.
const BUS_PROPS: usize = 50;
const FIELDS: usize = 90;
const OPTIONS: usize = 100;
/// Characters of a comment: of such a page of reports reads as many as it may.
const COMMENT: usize = 2_000;

/// An option's value. 9,000 longer ones are more than a form may have.
fn value(field: usize, option: usize) -> String {
    format!("{field:0>36}{option:0>36}")
}

/// A form of 900 kB.
pub fn huge_form() -> Value {
    large_form(FIELDS)
}

/// A form of 10 kB a field.
pub fn large_form(fields: usize) -> Value {
    let bus_props: Vec<String> = (0..BUS_PROPS).map(|n| format!("store:{n}")).collect();
    let options = |field| {
        let options = (0..OPTIONS).map(|n| json!({"value": value(field, n), "label": "x"}));
        options.collect::<Vec<_>>()
    };
    let field = |field| {
        json!({"key": format!("f{field}"), "type": "choices", "label": "x", "required": false,
            "options": options(field)})
    };
    let fields: Vec<Value> = (0..fields).map(field).collect();
    json!({"title": "Huge", "bus_props": bus_props, "fields": fields})
}

/// The `bus_prop_id`s of all business properties of [`huge_form`].
pub fn all_bus_props() -> String {
    let ids: Vec<String> = (1..=BUS_PROPS).map(|id| id.to_string()).collect();
    ids.join("_")
}

/// Answers of 680 kB to [`huge_form`]: everything is chosen.
pub fn huge_answers() -> Value {
    let chosen = |field| (0..OPTIONS).map(|n| value(field, n)).collect::<Vec<_>>();
    let answers = (0..FIELDS).map(|field| (format!("f{field}"), json!(chosen(field))));
    Value::Object(answers.collect())
}

/// A comment of 2 kB, of words that few others have.
pub fn long_comment(number: usize) -> String {
    let group = number % 400;
    let words = (0..).map(|word| format!("w{group}x{word} "));
    let letters = words.flat_map(String::into_bytes).map(char::from);
    letters.take(COMMENT).collect()
}

/// gzip of a body with 10,600 records of 5,000 problems each: as large as a body may be once it is decoded, and 260 kB
/// before.
///
/// # Errors
/// None in practice: it writes to memory.
pub fn broken_records() -> Result<Bytes> {
    let members = vec![r#""":0"#; 5_000].join(",");
    let record = format!("{{{members}}}");
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    for number in 0..10_600 {
        encoder.write_all(if number == 0 { b"[" } else { b"," })?;
        encoder.write_all(record.as_bytes())?;
    }
    encoder.write_all(b"]")?;
    Ok(encoder.finish()?.into())
}
