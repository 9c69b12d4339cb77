//! What the document says of a form that is sent. `domain` reads the body as it is, because it notes everything that is
//! wrong with it; so the schema is built from `domain`'s limits and not from types.

use api_http::schema::{LINE, line, object, read_only, written};
use domain::form::{
    FieldType, Grades, MAX_BUS_PROPS, MAX_FIELDS, MAX_LABEL_CHARS, MAX_OPTIONS, MAX_TITLE_CHARS,
    MAX_VALUE_CHARS, READ_ONLY,
};
use serde_json::{Value, json};
use utoipa::openapi::{Ref, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

const KEY: &str = "^[a-z][a-z0-9_]{0,39}$";
const BUS_PROP: &str = "^[^:\\u0000-\\u001f\\u007f-\\u009f]+:[^\\u0000-\\u001f\\u007f-\\u009f]+$";

/// A form to be made, or to replace another. `null` is as if left out.
pub struct FormRequest;

impl ToSchema for FormRequest {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        let fields: Vec<_> = FieldType::all().map(field).collect();
        for (name, schema) in [
            ("FieldRequest", json!({ "oneOf": fields })),
            ("OptionRequest", option()),
            ("TitlesRequest", labels(MAX_TITLE_CHARS)),
            ("LabelsRequest", labels(MAX_LABEL_CHARS)),
            ("ShowIfRequest", show_if()),
            ("BusPropRequest", bus_prop()),
        ] {
            schemas.push((name.to_owned(), written(&schema)));
        }
    }
}

impl PartialSchema for FormRequest {
    fn schema() -> RefOr<Schema> {
        let list = |of, most: usize| {
            let items = Ref::from_schema_name(of);
            json!({"type": ["array", "null"], "items": items, "maxItems": most})
        };
        let mut properties = json!({
            "title": line(MAX_TITLE_CHARS),
        "labels": or_null("TitlesRequest"),
        "piping": {"type": ["boolean", "null"]},
            "bus_props": list("BusPropRequest", MAX_BUS_PROPS),
            "fields": list("FieldRequest", MAX_FIELDS),
        });
        for name in READ_ONLY {
            properties[name] = read_only();
        }
        let mut form = object(&["title"], &properties);
        form["description"] = json!(
            "A form that was read can be put back as it is: what only the answer has is ignored, and what is retired is \
             as if left out"
        );
        written(&form)
    }
}

/// A field of this type, with what the type needs and nothing else.
fn field(field_type: FieldType) -> Value {
    let mut required = vec!["key", "type", "label"];
    let mut properties = json!({
        "key": {"type": "string", "pattern": KEY},
        "type": {"type": "string", "enum": [field_type.as_str()]},
        "label": line(MAX_LABEL_CHARS),
        "labels": or_null("LabelsRequest"),
        "show_if": or_null("ShowIfRequest"),
        "required": {"type": ["boolean", "null"]},
        "retired": read_only(),
    });
    for (name, Grades { lowest, highest }) in field_type.numbers() {
        required.push(name);
        properties[*name] = json!({"type": "integer", "minimum": lowest, "maximum": highest});
    }
    if field_type.has_options() {
        required.push("options");
        let option = Ref::from_schema_name("OptionRequest");
        properties["options"] =
            json!({"type": "array", "items": option, "minItems": 1, "maxItems": MAX_OPTIONS});
    }
    object(&required, &properties)
}

fn option() -> Value {
    let properties = json!({
        "value": line(MAX_VALUE_CHARS),
        "label": line(MAX_LABEL_CHARS),
        "labels": or_null("LabelsRequest"),
        "retired": read_only(),
    });
    object(&["value", "label"], &properties)
}

fn or_null(name: &str) -> Value {
    json!({"oneOf": [Ref::from_schema_name(name), {"type": "null"}]})
}

/// A text in other languages.
fn labels(most: usize) -> Value {
    json!({
        "type": "object",
        "description": "The text in other languages: two or three small letters each",
        "propertyNames": {"pattern": "^[a-z]{2,3}$"},
        "additionalProperties": {"type": ["string", "null"], "minLength": 1, "maxLength": most, "pattern": LINE},
        "maxProperties": 20,
    })
}

fn show_if() -> Value {
    let values = json!({"type": ["string", "integer"]});
    let properties = json!({
        "key": {"type": "string", "pattern": KEY},
        "in": {"type": "array", "items": values, "minItems": 1, "maxItems": MAX_OPTIONS},
    });
    let mut show_if = object(&["key", "in"], &properties);
    show_if["description"] =
        json!("Asked only where a field before, which is no text, is answered with one of these");
    show_if
}

fn bus_prop() -> Value {
    let mut named = line(500);
    named["pattern"] = json!(BUS_PROP);
    named["examples"] = json!(["store:Berlin"]);
    let properties = json!({
        "bus_prop_id": {"type": ["string", "null"], "pattern": "^[1-9][0-9]*$"},
        "bus_prop": named,
        "retired": read_only(),
    });
    json!({
        "description": "`<name>:<value>`; with a `bus_prop_id` where one is meant that the form has",
        "oneOf": [named, object(&["bus_prop"], &properties)],
    })
}
