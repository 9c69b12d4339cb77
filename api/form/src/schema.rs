//! What the document says of forms and of branding. `domain` reads what is sent as it is, because it notes everything that is
//! wrong with it; so the schema of a request is built from `domain`'s limits and not from types.

use api_http::members;
use api_http::schema::{
    LINE, closed, field_type, flag, line, list_of, named, object, or_null, pattern, read_only,
    text, with,
};
use domain::branding::MAX_NAME_CHARS;
use domain::form::{
    FieldType, Grades, Labels, MAX_BLOCK_CHARS, MAX_BUS_PROPS, MAX_FIELDS, MAX_LABEL_CHARS,
    MAX_LINK_LABEL_CHARS, MAX_LINKS, MAX_OPTIONS, MAX_TITLE_CHARS, MAX_URL_BYTES, MAX_VALUE_CHARS,
    READ_ONLY,
};
use serde_json::{Value, json};
use utoipa::ToSchema;

const KEY: &str = "^[a-z][a-z0-9_]{0,39}$";
const LANGUAGE: &str = "^[a-z]{2,3}$";
/// Of a text of several lines, not all of them blank.
const LINES: &str = "^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f]*[^\\s\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f][^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f]*$";
const BUS_PROP: &str = "^[^:\\u0000-\\u001f\\u007f-\\u009f]+:[^\\u0000-\\u001f\\u007f-\\u009f]+$";

api_http::schemas! {
    FormRequest = form_request();
    FieldRequest = json!({"oneOf": FieldType::all().map(field_request).collect::<Vec<_>>()});
    OptionRequest = option_request();
    TitlesRequest = labels_request(MAX_TITLE_CHARS, LINE);
    LabelsRequest = labels_request(MAX_LABEL_CHARS, LINE);
    BlocksRequest = labels_request(MAX_BLOCK_CHARS, LINES);
    FormLinkRequest = link_request();
    FormLinksRequest = labels_request(MAX_LINK_LABEL_CHARS, LINE);
    /// A link at the end of a form.
    FormLink = members! {
        label: text(),
        url: text(),
        ;
        /// In other languages.
        labels: named(&Labels::name()),
    };
    ShowIfRequest = show_if_request();
    BusPropRequest = bus_prop_request();
    /// A question.
    // One object with the members of all types: a union is more than many generators of clients can do.
    Field = members! {
        key: with(text(), "example", "recommend"),
        type: json!(field_type()),
        label: text(),
        required: flag(),
        /// Off the page, still in reports.
        retired: flag(),
        ;
        /// The label in other languages.
        labels: named(&Labels::name()),
        show_if: named("ShowIf"),
        /// Of a rating: how far it goes.
        scale: json!({"type": "integer", "format": "int32", "minimum": 0}),
        /// Of a choice.
        options: list_of(named("ChoiceOption")),
    };
    /// What can be chosen.
    ChoiceOption = members! {
        value: text(),
        label: text(),
        ;
        /// In other languages.
        labels: named(&Labels::name()),
        /// Only where it is: a text may be given with it ("other: …").
        text: flag(),
        /// Only where it is: off the page, still in reports.
        retired: flag(),
    };
    /// The field is asked only where an earlier one is answered with one of some values.
    ShowIf = members! {
        key: with(text(), "example", "recommend"),
        /// Grades, or values of options.
        in: with(list_of(json!({})), "example", vec![0, 1, 2]),
    };
    /// An account's own; what is `None` is as the service has it.
    Branding = closed(members! {
        ;
        /// Whose pages they are, as their readers know it.
        name: or_null(with(with(text(), "maxLength", MAX_NAME_CHARS), "example", "Acme")),
        /// A PNG, JPEG, WebP or SVG of at most 100,000 bytes, as a `data:` URL in base64. Of an SVG what images need stays, and of its parts at most 10,000 are drawn.
        logo: or_null(pattern("^data:image/(png|jpeg|webp|svg\\+xml);base64,")),
        /// Of buttons and the edge of the page.
        color: or_null(with(pattern("^#[0-9a-fA-F]{6}$"), "example", "#2c4cc4")),
        /// Of the pages' own words, for readers whose own languages the service does not have.
        language: or_null(with(pattern("^[a-z]{2}$"), "example", "en")),
    });
}

/// A form to be made, or to replace another. `null` is as if left out.
fn form_request() -> Value {
    let list =
        |of, most: usize| json!({"type": ["array", "null"], "items": named(of), "maxItems": most});
    let mut properties = json!({
        "title": line(MAX_TITLE_CHARS),
        "labels": or_null(named("TitlesRequest")),
        "language": {"type": ["string", "null"], "pattern": LANGUAGE},
        "intro": block(),
        "intro_labels": or_null(named("BlocksRequest")),
        "thanks": block(),
        "thanks_labels": or_null(named("BlocksRequest")),
        "links": list("FormLinkRequest", MAX_LINKS),
        "piping": {"type": ["boolean", "null"]},
        "bus_props": list("BusPropRequest", MAX_BUS_PROPS),
        "fields": list("FieldRequest", MAX_FIELDS),
    });
    for name in READ_ONLY {
        properties[name] = read_only();
    }
    let form = "A form that was read can be put back as it is: what only the answer has is ignored, and what is retired is \
                as if left out";
    with(object(&["title"], &properties), "description", form)
}

/// A text of several lines, or none.
fn block() -> Value {
    json!({"type": ["string", "null"], "minLength": 1, "maxLength": MAX_BLOCK_CHARS, "pattern": LINES})
}

fn link_request() -> Value {
    let properties = json!({
        "label": line(MAX_LINK_LABEL_CHARS),
        "labels": or_null(named("FormLinksRequest")),
        "url": {"type": "string", "pattern": "^https://[^/?#@.:]+\\.[^@]", "maxLength": MAX_URL_BYTES,
                "examples": ["https://www.example.com/privacy"]},
    });
    object(&["label", "url"], &properties)
}

/// A field of this type, with what the type needs and nothing else.
fn field_request(field_type: FieldType) -> Value {
    let mut required = vec!["key", "type", "label"];
    let mut properties = json!({
        "key": {"type": "string", "pattern": KEY},
        "type": {"type": "string", "enum": [field_type.as_str()]},
        "label": line(MAX_LABEL_CHARS),
        "labels": or_null(named("LabelsRequest")),
        "show_if": or_null(named("ShowIfRequest")),
        "required": {"type": ["boolean", "null"]},
        "retired": read_only(),
    });
    for (name, Grades { lowest, highest }) in field_type.numbers() {
        required.push(name);
        properties[*name] = json!({"type": "integer", "minimum": lowest, "maximum": highest});
    }
    if field_type.has_options() {
        required.push("options");
        properties["options"] = json!({"type": "array", "items": named("OptionRequest"), "minItems": 1, "maxItems": MAX_OPTIONS});
    }
    object(&required, &properties)
}

fn option_request() -> Value {
    let properties = json!({
        "value": line(MAX_VALUE_CHARS),
        "label": line(MAX_LABEL_CHARS),
        "labels": or_null(named("LabelsRequest")),
        "text": {"type": ["boolean", "null"], "description": "A text may be given with it (`other: …`): at most one of a field"},
        "retired": read_only(),
    });
    object(&["value", "label"], &properties)
}

/// A text in other languages.
fn labels_request(most: usize, pattern: &str) -> Value {
    json!({
        "type": "object",
        "description": "The text in other languages: two or three small letters each",
        "propertyNames": {"pattern": LANGUAGE},
        "additionalProperties": {"type": ["string", "null"], "minLength": 1, "maxLength": most, "pattern": pattern},
        "maxProperties": 20,
    })
}

fn show_if_request() -> Value {
    let values = json!({"type": ["string", "integer"]});
    let properties = json!({
        "key": {"type": "string", "pattern": KEY},
        "in": {"type": "array", "items": values, "minItems": 1, "maxItems": MAX_OPTIONS},
    });
    let show_if =
        "Asked only where a field before, which is no text, is answered with one of these";
    with(object(&["key", "in"], &properties), "description", show_if)
}

fn bus_prop_request() -> Value {
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

#[cfg(test)]
mod tests {
    use api_http::schema::assert_describes;
    use domain::branding;
    use domain::form::{FormContent, FormInput};

    use super::*;

    #[test]
    fn forms_and_branding_have_the_members_that_the_document_says() {
        assert_describes::<Branding>(&branding::Branding::default());
        let labels = json!({"de": "B"});
        let option = json!({"value": "a", "label": "A", "labels": labels, "text": true});
        let link = json!({"label": "A", "labels": labels, "url": "https://a.example"});
        let form = json!({"title": "A", "labels": {"de": "B"}, "links": [link], "fields": [
            {"key": "a", "type": "rating", "scale": 5, "label": "A", "labels": labels},
            {"key": "b", "type": "choice", "options": [option], "label": "A", "labels": labels,
             "show_if": {"key": "a", "in": [1]}},
        ]});
        let mut form = FormContent::new(FormInput::parse(&form).unwrap()).unwrap();
        assert_describes::<FormLink>(&form.links[0]);
        let choice = form.fields.pop().unwrap();
        assert_describes::<ShowIf>(&choice.show_if);
        let mut option = choice.kind.options()[0].clone();
        option.retired = true;
        assert_describes::<ChoiceOption>(&option);
        // No field has the members of all types.
        let mut field = json!(choice);
        field["scale"] = json!(form.fields)[0]["scale"].clone();
        assert_describes::<Field>(&field);
    }
}
