//! Schemas of the document that no type has.

use serde_json::Value;
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
