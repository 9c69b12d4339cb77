//! A feedback as lists show it, in JSON.

use std::borrow::Cow;

use chrono::{DateTime, Utc};
use domain::answer::AnswerValue;
use domain::form::{BusProp, FieldKind, FieldType, FormContent};
use serde::Serialize;
use serde_json::value::RawValue;
use store::report::FeedbackRow;
use utoipa::ToSchema;
use uuid::Uuid;

use super::answer::{AnswerRef, Columns};
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
    comment: Option<Cow<'a, str>>,
    /// In the order of the form's fields.
    answers: Vec<Answer<'a>>,
}

/// The answer to one field.
#[derive(Serialize, ToSchema)]
#[schema(as = Answer)]
pub struct Answer<'a> {
    key: &'a str,
    label: &'a str,
    #[serde(rename = "type")]
    #[schema(inline)]
    kind: FieldType,
    #[schema(value_type = AnswerValue)]
    value: AnswerRef<'a>,
}

impl<'a> Item<'a> {
    /// Of a stored feedback, and whether it has answers that the columns have not.
    ///
    /// # Errors
    /// What is stored cannot be read.
    pub fn read(
        form: &'a FormContent,
        columns: &Columns<'a>,
        feedback: &'a FeedbackRow,
    ) -> Result<(Self, bool), serde_json::Error> {
        let row = columns.read(&feedback.answers)?;
        let mut comment = None;
        let mut answers = Vec::with_capacity(row.cells.len());
        for (field, cell) in columns.fields.iter().zip(row.cells) {
            let Some(value) = cell else { continue };
            if let (FieldKind::Comment, AnswerRef::Text(text)) = (&field.kind, &value) {
                comment = Some(text.clone());
            }
            answers.push(Answer {
                key: field.key.as_str(),
                label: &field.label,
                kind: field.kind.field_type(),
                value,
            });
        }
        let item = Self {
            feedback_id: feedback.feedback_id,
            submitted_at: feedback.submitted_at,
            bus_props: feedback
                .bus_prop_ids
                .texts(form)
                .map(BusProp::as_str)
                .collect(),
            track_fields: serde_json::from_str(&feedback.track_fields)?,
            nps: feedback.nps,
            happiness: feedback.happiness,
            comment,
            answers,
        };
        Ok((item, row.has_more))
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
    let columns = Columns::new(form);
    let mut items = Vec::with_capacity(feedbacks.len());
    let mut any_has_more = false;
    for feedback in feedbacks {
        let (item, has_more) =
            Item::read(form, &columns, feedback).map_err(|error| Problem::internal(&error))?;
        items.push(item);
        any_has_more |= has_more;
    }
    Ok((items, any_has_more))
}

#[cfg(test)]
pub mod tests {
    use super::super::answer::tests::form;
    use super::*;

    pub fn feedback(answers: &str) -> FeedbackRow {
        FeedbackRow {
            feedback_id: Uuid::from_u128(7),
            submitted_at: DateTime::from_timestamp_micros(1_767_225_600_000_001).unwrap(),
            bus_prop_ids: "2_1".parse().unwrap(),
            track_fields: r#"{"order": "=1"}"#.to_owned(),
            answers: answers.to_owned(),
            nps: Some(9),
            happiness: None,
        }
    }

    #[test]
    fn an_item_shows_its_answers_in_the_forms_order() {
        let form = form();
        let rows = [feedback(
            r#"{"comment":"Good \"so\"","choices":["b","a"],"nps":9}"#,
        )];
        let (items, has_more) = items(&form, &rows).unwrap();
        assert!(!has_more);
        let text = serde_json::to_string_pretty(&items[0]).unwrap();
        insta::assert_snapshot!(text, @r#"
        {
          "feedback_id": "00000000-0000-0000-0000-000000000007",
          "submitted_at": "2026-01-01T00:00:00.000001Z",
          "bus_props": [
            "store:\"Ü\"",
            "store:Berlin"
          ],
          "track_fields": {"order": "=1"},
          "nps": 9,
          "happiness": null,
          "comment": "Good \"so\"",
          "answers": [
            {
              "key": "nps",
              "label": "nps?",
              "type": "nps",
              "value": 9
            },
            {
              "key": "choices",
              "label": "choices?",
              "type": "choices",
              "value": [
                "b",
                "a"
              ]
            },
            {
              "key": "comment",
              "label": "comment?",
              "type": "comment",
              "value": "Good \"so\""
            }
          ]
        }
        "#);
    }
}
