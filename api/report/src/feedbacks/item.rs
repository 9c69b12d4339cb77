//! A feedback as lists show it, in JSON.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain::form::{BusProp, Field, FieldKind, FieldType, FormContent};
use serde::Serialize;
use serde_json::value::RawValue;
use store::report::FeedbackRow;
use utoipa::ToSchema;
use uuid::Uuid;

use api_http::{Problem, Result};

/// What somebody answered.
#[derive(Serialize, ToSchema)]
#[schema(as = Feedback)]
pub struct FeedbackItem<'a> {
    feedback_id: Uuid,
    pub submitted_at: DateTime<Utc>,
    /// Of its link.
    #[schema(example = json!(["store:Berlin"]))]
    pub bus_props: Vec<&'a str>,
    /// Of its link.
    #[schema(value_type = std::collections::BTreeMap<String, String>)]
    pub track_fields: &'a RawValue,
    /// 0 to 10.
    #[schema(required = true)]
    pub nps: Option<i16>,
    /// 1 to 5.
    #[schema(required = true)]
    pub happiness: Option<i16>,
    #[schema(required = true, value_type = Option<String>)]
    pub comment: Option<&'a RawValue>,
    /// In the order of the form's fields.
    pub answers: Vec<FieldAnswer<'a>>,
}

/// The answer to one field.
#[derive(Serialize, ToSchema)]
#[schema(as = Answer)]
pub struct FieldAnswer<'a> {
    pub key: &'a str,
    pub label: &'a str,
    #[serde(rename = "type")]
    #[schema(schema_with = api_http::schema::field_type)]
    pub kind: FieldType,
    #[schema(value_type = crate::schema::AnswerValue)]
    pub value: &'a RawValue,
    /// Only where it is: what was written beside an option ("other: …").
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub text: Option<&'a RawValue>,
}

/// Stored answers by the keys of fields, as they are written: a number, a string or a list of strings each; and the texts beside
/// options, by the names that keys have for them. All are borrowed, because lists show them by the thousand.
pub type StoredAnswers<'a> = BTreeMap<&'a str, &'a RawValue>;

impl<'a> FeedbackItem<'a> {
    /// Of a stored feedback. Answers to fields that the form lacks are left out.
    ///
    /// # Errors
    /// What is stored cannot be read.
    pub fn read(
        form: &'a FormContent,
        feedback: &'a FeedbackRow,
    ) -> Result<Self, serde_json::Error> {
        let stored: StoredAnswers<'_> = serde_json::from_str(&feedback.answers)?;
        let mut comment = None;
        let mut answers = Vec::with_capacity(stored.len());
        for field in &form.fields {
            let key = field.key.as_str();
            let Some(value) = stored.get(key).copied() else {
                continue;
            };
            let kind = field.kind.field_type();
            if field.kind == FieldKind::Comment {
                comment = Some(value);
            }
            answers.push(FieldAnswer {
                key,
                label: &field.label,
                kind,
                value,
                text: text_beside(field, &stored),
            });
        }
        let bus_props = feedback.bus_prop_ids.texts(form);
        Ok(Self {
            feedback_id: feedback.feedback_id,
            submitted_at: feedback.submitted_at,
            bus_props: bus_props.map(BusProp::as_str).collect(),
            track_fields: serde_json::from_str(&feedback.track_fields)?,
            nps: feedback.nps,
            happiness: feedback.happiness,
            comment,
            answers,
        })
    }
}

/// What was written beside an option of the field.
pub fn text_beside<'a>(field: &Field, stored: &StoredAnswers<'a>) -> Option<&'a RawValue> {
    let name = field.has_text().then(|| field.key.text_name())?;
    stored.get(name.as_str()).copied()
}

/// The items of feedbacks.
///
/// # Errors
/// 500: what is stored cannot be read.
pub fn items<'a>(
    form: &'a FormContent,
    feedbacks: &'a [FeedbackRow],
) -> Result<Vec<FeedbackItem<'a>>> {
    let items = feedbacks.iter();
    let items = items.map(|feedback| FeedbackItem::read(form, feedback));
    let items = items.collect::<Result<_, _>>();
    items.map_err(|error| Problem::internal(&error))
}
