//! What people wrote, with their grades.

use std::borrow::Cow;

use chrono::{DateTime, Utc};
use domain::form::{BusProp, Field, FieldKind, FormContent};
use store::report::FeedbackRow;
use uuid::Uuid;

/// Characters of a text that lists show; its own page has all of it.
const SHOWN: usize = 280;

/// A text, with the grades that came with it.
#[derive(Clone)]
pub struct Comment {
    pub feedback_id: Uuid,
    pub at: DateTime<Utc>,
    pub text: String,
    pub nps: Option<i16>,
    pub happiness: Option<i16>,
    /// Of which stores or groups it is.
    pub bus_props: Vec<BusProp>,
    /// Whose it is, if that is known.
    pub docid: Option<String>,
}

/// As much of a text as lists show, up to the end of a word, and whether that is not all.
pub fn beginning(text: &str) -> (Cow<'_, str>, bool) {
    let Some((end, _)) = text.char_indices().nth(SHOWN) else {
        return (Cow::Borrowed(text), false);
    };
    let head = &text[..end];
    // A text without blanks is cut anywhere.
    let words = head.rfind(char::is_whitespace).filter(|at| *at > end / 2);
    let head = head[..words.unwrap_or(end)].trim_end();
    (Cow::Owned(format!("{head}…")), true)
}

/// The comments of feedbacks, in their order.
pub fn comments(content: &FormContent, feedbacks: &[FeedbackRow]) -> impl Iterator<Item = Comment> {
    feedbacks.iter().filter_map(move |row| {
        let mut texts = written(content, false, row).into_iter();
        let bus_props = row.bus_prop_ids.texts(content);
        let bus_props = bus_props.cloned().collect();
        let comment = comment(row, texts.next()?);
        Some(Comment {
            bus_props,
            ..comment
        })
    })
}

/// The answers to one field in words.
pub fn texts<'a>(key: &'a str, feedbacks: &'a [FeedbackRow]) -> impl Iterator<Item = Comment> + 'a {
    feedbacks.iter().filter_map(move |row| {
        let answers: serde_json::Value = serde_json::from_str(&row.answers).ok()?;
        let text = answers.get(key)?.as_str()?;
        Some(comment(row, text.to_owned()))
    })
}

/// The comment of a feedback and, with texts, what was written to questions of short text and beside options.
pub fn written(content: &FormContent, with_texts: bool, row: &FeedbackRow) -> Vec<String> {
    let answers: serde_json::Value = serde_json::from_str(&row.answers).unwrap_or_default();
    let fields = content.fields.iter();
    let fields = fields.filter(|field| with_texts || field.kind == FieldKind::Comment);
    let names = fields.filter_map(Field::written_name);
    let texts = names.filter_map(|name| answers.get(&name)?.as_str());
    texts.map(ToOwned::to_owned).collect()
}

/// The docid of the link of an answer.
fn docid(row: &FeedbackRow) -> Option<String> {
    let track_fields: serde_json::Value = serde_json::from_str(&row.track_fields).ok()?;
    Some(track_fields.get("docid")?.as_str()?.to_owned())
}

fn comment(row: &FeedbackRow, text: String) -> Comment {
    Comment {
        feedback_id: row.feedback_id,
        at: row.submitted_at,
        text,
        nps: row.nps,
        happiness: row.happiness,
        bus_props: Vec::new(),
        docid: docid(row),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_ends_with_a_word() {
        let short = "Zu teuer.";
        assert_eq!(beginning(short), (short.into(), false));
        let words = "Grüße ".repeat(100);
        let (shown, is_cut) = beginning(&words);
        assert!(is_cut && shown.ends_with("Grüße…"), "{shown}");
        assert!(shown.chars().count() <= SHOWN, "{shown}");
        let one_more = "ü".repeat(SHOWN + 1);
        let (shown, is_cut) = beginning(&one_more);
        assert!(is_cut);
        assert_eq!(shown.chars().count(), SHOWN + 1);
        let whole = "ü".repeat(SHOWN);
        assert_eq!(beginning(&whole), (whole.as_str().into(), false));
    }
}
