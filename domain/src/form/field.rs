//! One question of a form.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa::openapi::{RefOr, Schema};

use super::choice::ChoiceOption;
use super::key::FieldKey;
use super::kind::{FieldKind, FieldType};
use super::label::Labels;
use super::show_if::ShowIf;

/// A question, as it is stored and answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    /// Not `visit`; each key once.
    pub key: FieldKey,
    #[serde(flatten)]
    pub kind: FieldKind,
    pub label: String,
    pub required: bool,
    /// Off the page, still in reports.
    pub retired: bool,
    /// The label in other languages.
    #[serde(default, skip_serializing_if = "Labels::is_empty")]
    pub labels: Labels,
    /// `None`: always asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub show_if: Option<ShowIf>,
}

impl Field {
    /// The options of the page.
    pub fn page_options(&self) -> impl Iterator<Item = &ChoiceOption> {
        self.kind.options().iter().filter(|option| !option.retired)
    }
}

/// A question.
// One object with the members of all types: a union is more than many generators of clients can do.
#[expect(dead_code, reason = "only its schema is used")]
#[derive(ToSchema)]
struct FieldMembers {
    #[schema(example = "recommend")]
    key: String,
    #[schema(rename = "type", inline)]
    kind: FieldType,
    label: String,
    required: bool,
    /// Off the page, still in reports.
    retired: bool,
    /// The label in other languages.
    #[schema(required = false)]
    labels: Labels,
    #[schema(required = false)]
    show_if: ShowIf,
    /// Of a rating: how far it goes.
    #[schema(required = false)]
    scale: u8,
    /// Of a choice.
    #[schema(required = false)]
    options: Vec<ChoiceOption>,
}

impl utoipa::PartialSchema for Field {
    fn schema() -> RefOr<Schema> {
        FieldMembers::schema()
    }
}

impl ToSchema for Field {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        FieldMembers::schemas(schemas);
    }
}
