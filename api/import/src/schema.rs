//! What the document says of an import's body.

use std::borrow::Cow;

use domain::record::Record;
use serde_json::json;
use utoipa::openapi::extensions::Extensions;
use utoipa::openapi::schema::{AdditionalProperties, ArrayBuilder, ObjectBuilder, SchemaType};
use utoipa::openapi::{Ref, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// The records of an import: an array of them, or an object with the array as its only member `data`.
pub struct RecordsSchema;

impl ToSchema for RecordsSchema {
    fn name() -> Cow<'static, str> {
        "Records".into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push(("Record".to_owned(), Record::schema()));
    }
}

impl PartialSchema for RecordsSchema {
    /// One schema for both, without a choice: generators of clients make a type of the object's part, and of a choice
    /// none. What is said of members holds for objects, what is said of items for arrays.
    fn schema() -> RefOr<Schema> {
        let record = || Ref::from_schema_name("Record");
        let data = ArrayBuilder::new().items(record()).min_items(Some(1));
        let arrays = [
            ("items", json!(record())),
            ("minItems", json!(1)),
            (
                "not",
                json!({"type": ["string", "number", "boolean", "null"]}),
            ),
        ];
        ObjectBuilder::new()
            .schema_type(SchemaType::AnyValue)
            .description(Some(
                "The records as the member `data`, or as an array alone",
            ))
            .property("data", data)
            .required("data")
            .additional_properties(Some(AdditionalProperties::FreeForm(false)))
            .extensions(Some(Extensions::from_iter(arrays)))
            .into()
    }
}
