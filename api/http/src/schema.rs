//! Schemas of the document that are written, and what they are put together from. `domain` and `store` know nothing of the
//! document: what goes over the wire is described where it is served.

use domain::form::FieldType;
use serde::Serialize;
use serde_json::{Value, json};
use strum::VariantArray;
use utoipa::PartialSchema;
use utoipa::openapi::extensions::Extensions;
use utoipa::openapi::schema::{ObjectBuilder, SchemaType};
use utoipa::openapi::{Ref, RefOr, Schema};

/// A JSON Schema as it is written.
pub fn written(schema: &Value) -> RefOr<Schema> {
    let members = schema.as_object().into_iter().flatten();
    let members: Extensions = members.map(|(name, value)| (name, value.clone())).collect();
    ObjectBuilder::new()
        .schema_type(SchemaType::AnyValue)
        .extensions(Some(members))
        .into()
}

/// Types of these names that have nothing but a schema, which may refer to the others. Operations and bodies name one where they
/// have a type of `domain` or `store`. Comments before a name are its description.
#[macro_export]
macro_rules! schemas {
    ($($(#[doc = $about:literal])* $name:ident = $schema:expr;)*) => {
        fn all(schemas: &mut Vec<(String, utoipa::openapi::RefOr<utoipa::openapi::Schema>)>) {
            use utoipa::{PartialSchema, ToSchema};
            $(schemas.push(($name::name().into_owned(), $name::schema()));)*
        }

        $(
            $(#[doc = $about])*
            pub struct $name;

            impl utoipa::PartialSchema for $name {
                fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                    $crate::schema::written(&$crate::schema::told(&[$($about),*], $schema))
                }
            }

            impl utoipa::ToSchema for $name {
                fn schemas(schemas: &mut Vec<(String, utoipa::openapi::RefOr<utoipa::openapi::Schema>)>) {
                    all(schemas);
                }
            }
        )*
    };
}

/// The schema of an object that is answered: its members, and after a `;` those that may be absent. Comments before a member are
/// its description.
#[macro_export]
macro_rules! members {
    (
        $($(#[doc = $about:literal])* $name:ident: $schema:expr,)*
        $(; $($(#[doc = $optional_about:literal])* $optional:ident: $optional_schema:expr,)*)?
    ) => {
        $crate::schema::response(
            vec![$((stringify!($name), $crate::schema::told(&[$($about),*], $schema))),*],
            vec![$($((stringify!($optional), $crate::schema::told(&[$($optional_about),*], $optional_schema))),*)?],
        )
    };
}

/// A schema with these lines as its description, if there are any.
pub fn told(lines: &[&str], schema: Value) -> Value {
    if lines.is_empty() {
        return schema;
    }
    let lines: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
    with(schema, "description", lines.join("\n"))
}

/// An object of these members.
pub fn response(required: Vec<(&str, Value)>, optional: Vec<(&str, Value)>) -> Value {
    let names: Vec<&str> = required.iter().map(|(name, _)| *name).collect();
    let members: Value = required.into_iter().chain(optional).collect();
    let object = json!({"type": "object", "properties": members});
    if names.is_empty() {
        return object;
    }
    with(object, "required", names)
}

/// A schema with one more member.
pub fn with(mut schema: Value, member: &str, value: impl Into<Value>) -> Value {
    schema[member] = value.into();
    schema
}

/// The schema of this name.
pub fn named(name: &str) -> Value {
    json!(Ref::from_schema_name(name))
}

/// The same, or null.
pub fn or_null(mut schema: Value) -> Value {
    let Some(one) = schema.get("type") else {
        return json!({"oneOf": [schema, {"type": "null"}]});
    };
    schema["type"] = json!([one, "null"]);
    schema
}

pub fn text() -> Value {
    json!({"type": "string"})
}

/// A text of this pattern.
pub fn pattern(pattern: &str) -> Value {
    with(text(), "pattern", pattern)
}

pub fn flag() -> Value {
    json!({"type": "boolean"})
}

/// A whole number, also below zero.
pub fn count() -> Value {
    json!({"type": "integer", "format": "int64"})
}

pub fn id() -> Value {
    json!({"type": "string", "format": "uuid"})
}

pub fn time() -> Value {
    json!({"type": "string", "format": "date-time"})
}

pub fn list_of(item: Value) -> Value {
    with(json!({"type": "array"}), "items", item)
}

/// An object whose members may have any names.
pub fn map_of(member: Value) -> Value {
    let object = json!({"type": "object", "propertyNames": text()});
    with(object, "additionalProperties", member)
}

/// The name of a value of this type. It is no list of values, which a client would have to know all of.
pub fn one_of<T: VariantArray + Copy + Into<&'static str>>() -> Value {
    let names: Vec<&str> = T::VARIANTS.iter().map(|value| (*value).into()).collect();
    pattern(&format!("^({})$", names.join("|")))
}

/// The type of a field.
pub fn field_type() -> RefOr<Schema> {
    written(&one_of::<FieldType>())
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
pub fn closed(object: Value) -> Value {
    with(object, "additionalProperties", false)
}

/// An object that is sent, without other members than those named.
pub fn object(required: &[&str], properties: &Value) -> Value {
    closed(json!({"type": "object", "required": required, "properties": properties}))
}

/// Checks, in a test, that a schema has the members that a value has.
#[track_caller]
pub fn assert_describes<T: PartialSchema>(value: &impl Serialize) {
    let names = |object: &Value| -> Option<Vec<String>> {
        Some(object.as_object()?.keys().cloned().collect())
    };
    assert_eq!(
        names(&json!(T::schema())["properties"]),
        names(&json!(value))
    );
}
