//! A form on the wire: as it is answered, and as it is sent.

use chrono::{DateTime, Utc};
use domain::form::{BusPropEntry, ChoiceOption, Field, FieldKind};
use serde::Serialize;
use store::form::Form;
use utoipa::ToSchema;
use uuid::Uuid;

/// A form.
#[derive(Serialize, ToSchema)]
#[schema(as = Form)]
pub struct FormBody<'a> {
    form_id: Uuid,
    title: &'a str,
    #[schema(example = "PUBLISHED", pattern = "^(DRAFT|PUBLISHED|DELETED)$")]
    status: &'static str,
    bus_props: Vec<BusPropBody<'a>>,
    fields: Vec<FieldBody<'a>>,
    created_at: DateTime<Utc>,
    /// Of the last change of any kind.
    updated_at: DateTime<Utc>,
    #[schema(required = true)]
    published_at: Option<DateTime<Utc>>,
    #[schema(required = true)]
    deleted_at: Option<DateTime<Utc>>,
}

/// A business property.
#[derive(Serialize, ToSchema)]
#[schema(as = BusProp)]
pub struct BusPropBody<'a> {
    /// Given once in the form and never reused.
    #[schema(value_type = String, example = "1")]
    bus_prop_id: Id,
    #[schema(example = "store:Berlin")]
    bus_prop: &'a str,
    /// Only where it is: off new links, still in old ones and in reports.
    #[serde(skip_serializing_if = "is_false")]
    #[schema(required = false)]
    retired: bool,
}

/// A question.
#[derive(Serialize, ToSchema)]
#[schema(as = Field)]
pub struct FieldBody<'a> {
    #[schema(example = "recommend")]
    key: &'a str,
    #[serde(rename = "type")]
    #[schema(
        example = "nps",
        pattern = "^(nps|happiness|rating|choice|choices|text|comment)$"
    )]
    kind: &'static str,
    label: &'a str,
    required: bool,
    /// Off the page, still in reports.
    retired: bool,
    /// Of a rating: how far it goes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false)]
    scale: Option<u8>,
    /// Of a choice.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false)]
    options: Option<Vec<OptionBody<'a>>>,
}

/// What can be chosen.
#[derive(Serialize, ToSchema)]
#[schema(as = ChoiceOption)]
pub struct OptionBody<'a> {
    value: &'a str,
    label: &'a str,
    /// Only where it is: off the page, still in reports.
    #[serde(skip_serializing_if = "is_false")]
    #[schema(required = false)]
    retired: bool,
}

/// A number as text.
struct Id(u32);

impl Serialize for Id {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde asks with a reference"
)]
fn is_false(flag: &bool) -> bool {
    !flag
}

impl<'a> FormBody<'a> {
    pub fn new(form: &'a Form) -> Self {
        Self {
            form_id: form.form_id,
            title: &form.content.title,
            status: form.status.as_str(),
            bus_props: form.content.bus_props.iter().map(bus_prop).collect(),
            fields: form.content.fields.iter().map(field).collect(),
            created_at: form.created_at,
            updated_at: form.updated_at,
            published_at: form.published_at,
            deleted_at: form.deleted_at,
        }
    }
}

fn bus_prop(entry: &BusPropEntry) -> BusPropBody<'_> {
    BusPropBody {
        bus_prop_id: Id(entry.id),
        bus_prop: entry.text.as_str(),
        retired: entry.retired,
    }
}

fn field(field: &Field) -> FieldBody<'_> {
    let (scale, options) = match &field.kind {
        FieldKind::Rating { scale } => (Some(*scale), None),
        FieldKind::Choice { options } | FieldKind::Choices { options } => {
            (None, Some(options.iter().map(option).collect()))
        }
        _ => (None, None),
    };
    FieldBody {
        key: field.key.as_str(),
        kind: field.kind.type_name(),
        label: &field.label,
        required: field.required,
        retired: field.retired,
        scale,
        options,
    }
}

fn option(option: &ChoiceOption) -> OptionBody<'_> {
    OptionBody {
        value: &option.value,
        label: &option.label,
        retired: option.retired,
    }
}

/// A form to be made, or to replace another. A form that was read can be put back as it is: what only the answer has is
/// ignored, and what is retired is as if left out.
#[expect(dead_code, reason = "only its schema is used")]
#[derive(ToSchema)]
pub struct FormRequest {
    #[schema(min_length = 1, max_length = 200)]
    title: String,
    /// Texts of up to 500 characters, `<name>:<value>`; with a `bus_prop_id` where one is meant that the form has.
    #[schema(required = false, max_items = 1_000)]
    bus_props: Vec<BusPropRequest>,
    #[schema(required = false, max_items = 100)]
    fields: Vec<FieldRequest>,
}

#[expect(dead_code, reason = "only its schema is used")]
#[derive(ToSchema)]
#[serde(untagged)]
pub enum BusPropRequest {
    #[schema(example = "store:Berlin")]
    Text(String),
    Entry {
        #[schema(required = false, nullable = false, pattern = "^[1-9][0-9]*$")]
        bus_prop_id: Option<String>,
        #[schema(example = "store:Berlin")]
        bus_prop: String,
    },
}

#[expect(dead_code, reason = "only its schema is used")]
#[derive(ToSchema)]
pub struct FieldRequest {
    /// Not `visit`; each key once.
    #[schema(pattern = "^[a-z][a-z0-9_]{0,39}$", example = "recommend")]
    key: String,
    #[schema(
        rename = "type",
        example = "nps",
        pattern = "^(nps|happiness|rating|choice|choices|text|comment)$"
    )]
    kind: String,
    #[schema(min_length = 1, max_length = 500)]
    label: String,
    #[schema(required = false, default = false)]
    required: bool,
    /// Of a rating only.
    #[schema(required = false, nullable = false, minimum = 2, maximum = 10)]
    scale: Option<u8>,
    /// Of a choice only.
    #[schema(required = false, nullable = false, min_items = 1, max_items = 100)]
    options: Option<Vec<OptionRequest>>,
}

#[expect(dead_code, reason = "only its schema is used")]
#[derive(ToSchema)]
pub struct OptionRequest {
    /// Each value once.
    #[schema(min_length = 1, max_length = 100)]
    value: String,
    #[schema(min_length = 1, max_length = 500)]
    label: String,
}
