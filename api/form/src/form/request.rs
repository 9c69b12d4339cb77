//! What the document says of a form that is sent. `domain` reads the body as it is, because it notes everything that is
//! wrong with it; so the schema is built from `domain`'s limits and not from types.

use std::borrow::Cow;

use domain::form::{
    FieldType, MAX_BUS_PROPS, MAX_FIELDS, MAX_LABEL_CHARS, MAX_OPTIONS, MAX_TITLE_CHARS,
    MAX_VALUE_CHARS, READ_ONLY, SCALES,
};
use utoipa::openapi::schema::{
    AdditionalProperties, ArrayBuilder, ObjectBuilder, OneOfBuilder, SchemaType, Type,
};
use utoipa::openapi::{Ref, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// Without control characters.
const LINE: &str = "^[^\\u0000-\\u001f\\u007f-\\u009f]+$";
const KEY: &str = "^[a-z][a-z0-9_]{0,39}$";
const BUS_PROP: &str = "^[^:\\u0000-\\u001f\\u007f-\\u009f]+:[^\\u0000-\\u001f\\u007f-\\u009f]+$";

/// A form to be made, or to replace another. `null` is as if left out.
pub struct FormRequest;

impl ToSchema for FormRequest {
    fn name() -> Cow<'static, str> {
        "FormRequest".into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        let field = FieldType::all()
            .map(field)
            .fold(OneOfBuilder::new(), OneOfBuilder::item);
        schemas.push(("FieldRequest".to_owned(), field.into()));
        schemas.push(("OptionRequest".to_owned(), option().into()));
        schemas.push(("BusPropRequest".to_owned(), bus_prop().into()));
    }
}

impl PartialSchema for FormRequest {
    fn schema() -> RefOr<Schema> {
        let list = |of, most| {
            ArrayBuilder::new()
                .schema_type(or_null(Type::Array))
                .items(Ref::from_schema_name(of))
                .max_items(Some(most))
        };
        let form = object()
            .description(Some(
                "A form that was read can be put back as it is: what only the answer has is ignored, and what is \
                 retired is as if left out",
            ))
            .property("title", line(MAX_TITLE_CHARS))
            .required("title")
            .property("bus_props", list("BusPropRequest", MAX_BUS_PROPS))
            .property("fields", list("FieldRequest", MAX_FIELDS));
        READ_ONLY
            .into_iter()
            .fold(form, |form, name| form.property(name, read_only()))
            .into()
    }
}

/// A field of this type, with what the type needs and nothing else.
fn field(field_type: FieldType) -> ObjectBuilder {
    let field = object()
        .property("key", of(Type::String).pattern(Some(KEY)))
        .property(
            "type",
            of(Type::String).enum_values(Some([field_type.as_str()])),
        )
        .property("label", line(MAX_LABEL_CHARS))
        .property(
            "required",
            ObjectBuilder::new().schema_type(or_null(Type::Boolean)),
        )
        .property("retired", read_only())
        .required("key")
        .required("type")
        .required("label");
    match field_type {
        FieldType::Rating => {
            let scale = of(Type::Integer)
                .minimum(Some(SCALES.lowest))
                .maximum(Some(SCALES.highest));
            field.property("scale", scale).required("scale")
        }
        FieldType::Choice | FieldType::Choices => {
            let options = ArrayBuilder::new()
                .items(Ref::from_schema_name("OptionRequest"))
                .min_items(Some(1))
                .max_items(Some(MAX_OPTIONS));
            field.property("options", options).required("options")
        }
        FieldType::Nps | FieldType::Happiness | FieldType::Text | FieldType::Comment => field,
    }
}

fn option() -> ObjectBuilder {
    object()
        .property("value", line(MAX_VALUE_CHARS))
        .property("label", line(MAX_LABEL_CHARS))
        .property("retired", read_only())
        .required("value")
        .required("label")
}

fn bus_prop() -> OneOfBuilder {
    let named = || line(500).pattern(Some(BUS_PROP)).examples(["store:Berlin"]);
    let id = ObjectBuilder::new()
        .schema_type(or_null(Type::String))
        .pattern(Some("^[1-9][0-9]*$"));
    let entry = object()
        .property("bus_prop_id", id)
        .property("bus_prop", named())
        .property("retired", read_only())
        .required("bus_prop");
    OneOfBuilder::new()
        .description(Some(
            "`<name>:<value>`; with a `bus_prop_id` where one is meant that the form has",
        ))
        .item(named())
        .item(entry)
}

/// Without other members than those named.
fn object() -> ObjectBuilder {
    ObjectBuilder::new().additional_properties(Some(AdditionalProperties::FreeForm(false)))
}

fn of(kind: Type) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(SchemaType::new(kind))
}

fn line(most: usize) -> ObjectBuilder {
    of(Type::String)
        .min_length(Some(1))
        .max_length(Some(most))
        .pattern(Some(LINE))
}

fn read_only() -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(SchemaType::AnyValue)
        .read_only(true)
}

fn or_null(kind: Type) -> SchemaType {
    SchemaType::from_iter([kind, Type::Null])
}
