//! What the document says of records and of what is wrong with them.

use domain::record::MAX_FIELDS;
use utoipa::openapi::schema::{Object, ObjectBuilder, SchemaType, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// What is wrong with a record, as `domain` writes it.
#[expect(dead_code, reason = "only its schema is used")]
#[derive(ToSchema)]
#[schema(as = RecordError)]
pub struct RecordErrorSchema {
    /// Which record of the body, from 0.
    index: u64,
    /// The record's docid, if it has a string there.
    #[schema(required = true)]
    docid: Option<String>,
    /// Where in the body, as a JSON pointer.
    #[schema(example = "/1/phone")]
    pointer: String,
    /// What is wrong, for programs.
    #[schema(example = "phone_invalid")]
    code: String,
    /// What is wrong, for people.
    detail: String,
}

/// The records of an import: an array of them, or an object with the array as its only member `data`.
pub struct RecordsSchema;

impl ToSchema for RecordsSchema {
    fn name() -> std::borrow::Cow<'static, str> {
        "Records".into()
    }
}

impl PartialSchema for RecordsSchema {
    fn schema() -> RefOr<Schema> {
        let records = utoipa::openapi::schema::ArrayBuilder::new()
            .items(record())
            .min_items(Some(1))
            .build();
        let wrapped = ObjectBuilder::new()
            .property("data", records.clone())
            .required("data")
            .additional_properties(Some(
                utoipa::openapi::schema::AdditionalProperties::FreeForm(false),
            ));
        utoipa::openapi::schema::OneOfBuilder::new()
            .item(records)
            .item(wrapped)
            .into()
    }
}

/// One record. Every member but `docid` and `phone` is a tracking field.
fn record() -> Object {
    let string = || ObjectBuilder::new().schema_type(SchemaType::new(Type::String));
    ObjectBuilder::new()
        .property(
            "docid",
            string()
                .min_length(Some(1))
                .max_length(Some(128))
                .description(Some("The caller's own id")),
        )
        .property(
            "phone",
            string()
                .pattern(Some("^\\+[1-9][0-9]{6,14}$"))
                .description(Some("E.164"))
                .examples(["+491701234567"]),
        )
        .required("docid")
        .required("phone")
        .additional_properties(Some(
            string()
                .max_length(Some(1_024))
                .description(Some("A tracking field")),
        ))
        .max_properties(Some(MAX_FIELDS + 2))
        .build()
}
