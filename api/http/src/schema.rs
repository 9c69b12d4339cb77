//! Schemas of the document that no type has, and what they are put together from.

use serde_json::{Value, json};
use utoipa::openapi::extensions::Extensions;
use utoipa::openapi::schema::{ObjectBuilder, SchemaType};
use utoipa::openapi::{RefOr, Schema};

/// A JSON Schema as it is written.
pub fn written(schema: &Value) -> RefOr<Schema> {
    let members = schema.as_object().into_iter().flatten();
    let members: Extensions = members.map(|(name, value)| (name, value.clone())).collect();
    ObjectBuilder::new()
        .schema_type(SchemaType::AnyValue)
        .extensions(Some(members))
        .into()
}

/// A text on one line: without control characters, and not blank.
pub const LINE: &str = "^[^\\u0000-\\u001f\\u007f-\\u009f]*[^\\s\\u0000-\\u001f\\u007f-\\u009f][^\\u0000-\\u001f\\u007f-\\u009f]*$";

/// A [`LINE`] of at most so many characters.
pub fn line(most: usize) -> Value {
    json!({"type": "string", "minLength": 1, "maxLength": most, "pattern": LINE})
}

/// What only an answer has.
pub fn read_only() -> Value {
    json!({"readOnly": true})
}

/// Without other members than those named.
pub fn object(required: &[&str], properties: &Value) -> Value {
    json!({
        "type": "object",
        "required": required,
        "properties": properties,
        "additionalProperties": false,
    })
}
