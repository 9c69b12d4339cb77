//! What the document says of an import's body.

use api_http::schema::written;
use domain::record::Record;
use serde_json::json;
use utoipa::openapi::{Ref, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// The records of an import: an array of them, or an object with the array as its only member `data`.
pub struct Records;

impl ToSchema for Records {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push(("Record".to_owned(), Record::schema()));
    }
}

impl PartialSchema for Records {
    /// One schema for both, without a choice: generators of clients make a type of the object's part, and of a choice
    /// none. What is said of members holds for objects, what is said of items for arrays.
    fn schema() -> RefOr<Schema> {
        let record = Ref::from_schema_name("Record");
        written(&json!({
            "description": "The records as the member `data`, or as an array alone",
            "properties": {"data": {"type": "array", "items": record, "minItems": 1}},
            "required": ["data"],
            "additionalProperties": false,
            "items": record,
            "minItems": 1,
            "not": {"type": ["string", "number", "boolean", "null"]},
        }))
    }
}
