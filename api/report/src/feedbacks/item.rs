//! A feedback as lists show it, in JSON.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain::answer::AnswerValue;
use domain::form::{BusProp, FieldKind, FieldType, FormContent};
use serde::Serialize;
use serde_json::value::RawValue;
use store::report::FeedbackRow;
use utoipa::ToSchema;
use uuid::Uuid;

use api_http::{Problem, Result};

/// What somebody answered.
#[derive(Serialize, ToSchema)]
#[schema(as = Feedback)]
pub struct Item<'a> {
    feedback_id: Uuid,
    submitted_at: DateTime<Utc>,
    /// Of its link.
    #[schema(example = json!(["store:Berlin"]))]
    bus_props: Vec<&'a str>,
    /// Of its link.
    #[schema(value_type = std::collections::BTreeMap<String, String>)]
    track_fields: &'a RawValue,
    /// 0 to 10.
    #[schema(required = true)]
    nps: Option<i16>,
    /// 1 to 5.
    #[schema(required = true)]
    happiness: Option<i16>,
    #[schema(required = true, value_type = Option<String>)]
    comment: Option<&'a RawValue>,
    /// In the order of the form's fields.
    answers: Vec<FieldAnswer<'a>>,
}

/// The answer to one field.
#[derive(Serialize, ToSchema)]
#[schema(as = Answer)]
pub struct FieldAnswer<'a> {
    key: &'a str,
    label: &'a str,
    #[serde(rename = "type")]
    #[schema(inline)]
    kind: FieldType,
    #[schema(value_type = AnswerValue)]
    value: &'a RawValue,
}

/// Stored answers by the keys of fields, as they are written: a number, a string or a list of strings each. All are borrowed,
/// because lists show them by the thousand.
pub type StoredAnswers<'a> = BTreeMap<&'a str, &'a RawValue>;

impl<'a> Item<'a> {
    /// The answers of a stored feedback, and whether some are to fields that this version of the form lacks.
    ///
    /// # Errors
    /// What is stored cannot be read.
    pub fn read(
        form: &'a FormContent,
        feedback: &'a FeedbackRow,
    ) -> Result<(Self, bool), serde_json::Error> {
        let mut stored: StoredAnswers<'_> = serde_json::from_str(&feedback.answers)?;
        let mut comment = None;
        let mut answers = Vec::with_capacity(stored.len());
        for field in &form.fields {
            let key = field.key.as_str();
            let Some(value) = stored.remove(key) else {
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
            });
        }
        let bus_props = feedback.bus_prop_ids.texts(form);
        let item = Self {
            feedback_id: feedback.feedback_id,
            submitted_at: feedback.submitted_at,
            bus_props: bus_props.map(BusProp::as_str).collect(),
            track_fields: serde_json::from_str(&feedback.track_fields)?,
            nps: feedback.nps,
            happiness: feedback.happiness,
            comment,
            answers,
        };
        Ok((item, !stored.is_empty()))
    }
}

/// The items of feedbacks, and whether any has answers to fields that this form has not.
///
/// # Errors
/// 500: what is stored cannot be read.
pub fn items<'a>(
    form: &'a FormContent,
    feedbacks: &'a [FeedbackRow],
) -> Result<(Vec<Item<'a>>, bool)> {
    let mut items = Vec::with_capacity(feedbacks.len());
    let mut any_has_more = false;
    for feedback in feedbacks {
        let read = Item::read(form, feedback).map_err(|error| Problem::internal(&error));
        let (item, has_more) = read?;
        items.push(item);
        any_has_more |= has_more;
    }
    Ok((items, any_has_more))
}
