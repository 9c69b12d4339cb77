//! What people wrote, with their grades.

use chrono::{DateTime, Utc};
use domain::form::{FieldType, FormContent};
use store::report::FeedbackRow;

/// A comment, with the grades that came with it.
pub struct Comment {
    pub at: DateTime<Utc>,
    pub text: String,
    pub nps: Option<i16>,
    pub happiness: Option<i16>,
}

/// The comments of feedbacks, in their order.
pub fn comments(content: &FormContent, feedbacks: &[FeedbackRow]) -> impl Iterator<Item = Comment> {
    let fields = content
        .fields
        .iter()
        .filter(|field| field.kind.field_type() == FieldType::Comment);
    let keys: Vec<String> = fields.map(|field| field.key.as_str().to_owned()).collect();
    feedbacks.iter().filter_map(move |row| {
        let answers: serde_json::Value = serde_json::from_str(&row.answers).ok()?;
        let text = keys.iter().find_map(|key| answers.get(key)?.as_str())?;
        Some(Comment {
            at: row.submitted_at,
            text: text.to_owned(),
            nps: row.nps,
            happiness: row.happiness,
        })
    })
}
