//! The statements of a list, and its rows as they are read.

use std::collections::BTreeMap;
use std::ops::Range;

use futures::{Stream, TryStreamExt};
use sea_orm::{QueryResult, Value};
use uuid::Uuid;

use super::tally::Run;
use super::words::pattern;
use super::{FeedbackQuery, FeedbackRow};
use crate::tx::values;
use crate::{Error, Result};

/// The rows of a list, for [`Read`]. Followed by how many at most.
pub(super) const LISTED: (&str, &str) = (
    "f.feedback_id, f.submitted_at, f.bus_prop_ids, CAST(f.track_fields AS text), f.answers, f.nps, f.happiness",
    NEWEST,
);

/// How large they are. The length of a text is read without the text.
pub(super) const SIZES: (&str, &str) = ("octet_length(f.answers)", NEWEST);

/// How many they are.
pub(super) const COUNTED: (&str, &str) = ("count(*)", "");

const NEWEST: &str = "ORDER BY f.feedback_id DESC LIMIT $11";

/// Each of the words ($9, as their patterns) is in the answer to a field ($10).
const WORDS_POSTGRES: &str =
    "NOT EXISTS (SELECT 1 FROM json_array_elements_text(CAST($9 AS json)) w(word)
     WHERE coalesce(CAST(f.answers AS json) ->> $10, '') !~ w.word)";
const WORDS_SQLITE: &str = "NOT EXISTS (SELECT 1 FROM json_each($9) w
     WHERE coalesce(f.answers ->> $10, '') NOT GLOB w.value)";

const TRACK_FIELDS_SQLITE: &str = "NOT EXISTS (
     SELECT 1 FROM json_each($8) p
      WHERE NOT EXISTS (SELECT 1 FROM json_each(f.track_fields) h WHERE h.key = p.key AND h.value = p.value))";

/// A statement about a list, with [`values`].
pub(super) fn of_list(
    is_sqlite: bool,
    query: &FeedbackQuery,
    (columns, tail): (&str, &str),
) -> String {
    let (position, track_fields, words) = if is_sqlite {
        ("instr", TRACK_FIELDS_SQLITE, WORDS_SQLITE)
    } else {
        (
            "strpos",
            "f.track_fields @> CAST($8 AS jsonb)",
            WORDS_POSTGRES,
        )
    };
    let comments = comments(query);
    let between = |column: &str, grades: Option<(u8, u8)>| {
        grades.map_or_else(String::new, |(lowest, highest)| {
            format!("AND f.{column} BETWEEN {lowest} AND {highest}")
        })
    };
    let nps = between("nps", query.answers.nps);
    let happiness = between("happiness", query.answers.happiness);
    format!(
        "SELECT {columns} FROM feedback f
          WHERE f.account_id = $1 AND f.form_id = $2 AND f.feedback_id >= $3 AND f.feedback_id < $4
            AND f.day BETWEEN $5 AND $6 AND ($7 = '' OR {position}('_' || f.bus_prop_ids || '_', $7) > 0)
            AND {track_fields} AND {words} {nps} {happiness} {comments} {tail}"
    )
}

/// The id of the form's row that so many others between two ids come before, newest first.
pub(super) fn nth(query: &FeedbackQuery) -> String {
    let comments = comments(query);
    format!(
        "SELECT f.feedback_id FROM feedback f
          WHERE f.account_id = $1 AND f.form_id = $2 AND f.feedback_id >= $3 AND f.feedback_id < $4 {comments}
          ORDER BY f.feedback_id DESC LIMIT 1 OFFSET $5"
    )
}

/// Statements for comments are apart, so that the planner may take their index.
fn comments(query: &FeedbackQuery) -> &'static str {
    if query.comments_only {
        "AND f.has_comment"
    } else {
        ""
    }
}

/// The values of [`of_list`], with how many rows at most where it asks for that.
pub(super) fn values(
    is_sqlite: bool,
    query: &FeedbackQuery,
    run: Run,
    ids: &Range<Uuid>,
    most: Option<usize>,
) -> Result<Vec<Value>> {
    let bus_prop = query.bus_prop_id.map(|id| format!("_{id}_"));
    let track_fields = serde_json::to_string(&query.track_fields).map_err(Error::broken)?;
    let words = query.answers.words.iter();
    let words: Vec<String> = words.map(|word| pattern(word, is_sqlite)).collect();
    let mut values = values![
        query.form,
        ids.start,
        ids.end,
        run.first,
        run.last,
        bus_prop.unwrap_or_default(),
        track_fields,
        serde_json::to_string(&words).map_err(Error::broken)?,
        query.answers.comment_key.as_str(),
    ];
    values.extend(most.map(|most| i64::try_from(most).unwrap_or(i64::MAX).into()));
    Ok(values)
}

/// Rows that are read at once.
#[derive(Debug)]
pub(super) struct Read {
    pub rows: Vec<FeedbackRow>,
    /// Whether rows follow that did not fit.
    pub has_more: bool,
    bytes_left: usize,
}

impl Read {
    /// Of about so many bytes: it ends with the row that reaches them.
    pub fn new(bytes: usize) -> Self {
        Self {
            rows: Vec::new(),
            has_more: false,
            bytes_left: bytes,
        }
    }

    pub fn bytes_left(&self) -> usize {
        self.bytes_left
    }

    /// Adds rows of [`LISTED`] as long as they fit.
    pub async fn add(
        &mut self,
        mut rows: impl Stream<Item = Result<QueryResult>> + Unpin,
    ) -> Result<()> {
        while let Some(row) = rows.try_next().await? {
            if self.bytes_left() == 0 {
                self.has_more = true;
                break;
            }
            let row = read(&row)?;
            self.bytes_left = self.bytes_left.saturating_sub(row.answers.len());
            self.rows.push(row);
        }
        Ok(())
    }
}

/// By place, since streams read millions.
fn read(row: &QueryResult) -> Result<FeedbackRow> {
    let bus_prop_ids: String = row.try_get_by_index(2)?;
    Ok(FeedbackRow {
        feedback_id: row.try_get_by_index(0)?,
        submitted_at: row.try_get_by_index(1)?,
        bus_prop_ids: bus_prop_ids.parse().map_err(Error::broken)?,
        track_fields: by_name(row.try_get_by_index(3)?)?,
        answers: row.try_get_by_index(4)?,
        nps: row.try_get_by_index(5)?,
        happiness: row.try_get_by_index(6)?,
    })
}

/// Tracking fields by name and without blanks. Each database gives the text in a way of its own: in the order that was given, or
/// the shortest name first.
fn by_name(track_fields: String) -> Result<String> {
    if track_fields == "{}" {
        return Ok(track_fields);
    }
    let fields: BTreeMap<String, String> =
        serde_json::from_str(&track_fields).map_err(Error::broken)?;
    serde_json::to_string(&fields).map_err(Error::broken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tracking_fields_are_the_same_text_from_any_database() {
        let text = r#"{"aa":"\"2\" ü\n","b":"1"}"#;
        for stored in [
            r#"{"b": "1", "aa": "\"2\" ü\n"}"#,
            r#"{"b":"1","aa":"\"2\" \u00fc\n"}"#,
            text,
        ] {
            assert_eq!(by_name(stored.to_owned()).unwrap(), text);
        }
        assert_eq!(by_name("{}".to_owned()).unwrap(), "{}");
        assert!(by_name("{".to_owned()).is_err());
    }
}
