//! The statements of a list, and its rows as they are read.

use std::collections::BTreeMap;
use std::ops::Range;

use domain::answer::GradeRange;
use domain::link::BusPropIds;
use futures::{Stream, TryStreamExt};
use sea_orm::{DbErr, FromQueryResult, QueryResult, Value};
use serde_json::json;
use uuid::Uuid;

use super::length::DayRun;
use super::words::pattern;
use super::{FeedbackQuery, FeedbackRow};
use crate::tx::{Parsed, Statement, statement, values};
use crate::{Error, Result};

/// A statement about a list: of all its rows, or of those with a comment. They are apart, so that the planner may take the index of
/// the latter.
pub(super) struct ListStatement {
    all: &'static Statement,
    comments: &'static Statement,
}

impl ListStatement {
    pub(super) fn of(&self, query: &FeedbackQuery) -> &'static Statement {
        if query.comments_only {
            self.comments
        } else {
            self.all
        }
    }
}

macro_rules! in_form {
    () => {
        "f.account_id = $1 AND f.form_id = $2 AND f.feedback_id >= $3 AND f.feedback_id < $4"
    };
}

macro_rules! graded {
    () => {
        "(CAST($11 AS smallint) IS NULL OR f.nps BETWEEN $11 AND $12)
         AND (CAST($13 AS smallint) IS NULL OR f.happiness BETWEEN $13 AND $14)"
    };
}

/// Each of the words ($9, as their patterns) is in the answer to one of some fields ($10). Each of the answers ($15) was given:
/// `value` to the field `key`, maybe among other options; null: anything. Any of some fields ($16) is answered, unless there are none.
macro_rules! listed {
    ($columns:literal, $comments:literal, $tail:literal) => {
        statement!(
            postgres: "SELECT ", $columns, " FROM feedback f WHERE ", in_form!(), $comments,
                " AND f.day BETWEEN $5 AND $6 AND ($7 = '' OR strpos('_' || f.bus_prop_ids || '_', $7) > 0)
                  AND f.track_fields @> CAST($8 AS jsonb)
                  AND NOT EXISTS (
                      SELECT 1 FROM json_array_elements_text(CAST($9 AS json)) w(word)
                       WHERE NOT EXISTS (
                           SELECT 1 FROM json_array_elements_text(CAST($10 AS json)) k(key)
                            WHERE CAST(f.answers AS json) ->> k.key ~ w.word))
                  AND NOT EXISTS (
                      SELECT 1 FROM jsonb_to_recordset(CAST($15 AS jsonb)) a(key text, value jsonb)
                       WHERE NOT coalesce(CAST(f.answers AS jsonb) -> a.key @> coalesce(a.value, CAST(f.answers AS jsonb) -> a.key), false))
                  AND ($16 = '[]' OR EXISTS (
                      SELECT 1 FROM json_array_elements_text(CAST($16 AS json)) k(key)
                       WHERE CAST(f.answers AS json) ->> k.key IS NOT NULL))
                  AND ", graded!(), $tail;
            sqlite: "SELECT ", $columns, " FROM feedback f WHERE ", in_form!(), $comments,
                " AND f.day BETWEEN $5 AND $6 AND ($7 = '' OR instr('_' || f.bus_prop_ids || '_', $7) > 0)
                  AND NOT EXISTS (
                      SELECT 1 FROM json_each($8) p
                       WHERE NOT EXISTS (SELECT 1 FROM json_each(f.track_fields) h WHERE h.key = p.key AND h.value = p.value))
                  AND NOT EXISTS (
                      SELECT 1 FROM json_each($9) w
                       WHERE NOT EXISTS (SELECT 1 FROM json_each($10) k WHERE f.answers ->> k.value GLOB w.value))
                  AND NOT EXISTS (
                      SELECT 1 FROM json_each($15) a
                       WHERE NOT EXISTS (
                           SELECT 1 FROM json_each(f.answers, '$.' || (a.value ->> 'key')) g
                            WHERE coalesce(a.value ->> 'value', g.value) = g.value))
                  AND ($16 = '[]' OR EXISTS (SELECT 1 FROM json_each($16) k WHERE f.answers ->> k.value IS NOT NULL))
                  AND ", graded!(), $tail
        )
    };
}

/// A statement about a list, with [`values`].
macro_rules! of_list {
    ($columns:literal, $tail:literal) => {
        ListStatement {
            all: listed!($columns, "", $tail),
            comments: listed!($columns, " AND f.has_comment", $tail),
        }
    };
}

/// The rows of a list, newest first, for [`ReadRows`]. Their last value is how many at most.
pub(super) const LISTED: ListStatement = of_list!(
    "f.feedback_id, f.submitted_at, f.bus_prop_ids, CAST(f.track_fields AS text), f.answers, f.nps, f.happiness",
    " ORDER BY f.feedback_id DESC LIMIT $17"
);

/// How large they are. The length of a text is read without the text.
pub(super) const SIZES: ListStatement = of_list!(
    "octet_length(f.answers)",
    " ORDER BY f.feedback_id DESC LIMIT $17"
);

/// How many they are.
pub(super) const COUNTED: ListStatement = of_list!("count(*)", "");

macro_rules! nth {
    ($comments:literal) => {
        statement!(
            "SELECT f.feedback_id FROM feedback f WHERE ",
            in_form!(),
            $comments,
            " ORDER BY f.feedback_id DESC LIMIT 1 OFFSET $5"
        )
    };
}

/// The id of the form's row that so many others between two ids come before, newest first.
pub(super) const NTH: ListStatement = ListStatement {
    all: nth!(""),
    comments: nth!(" AND f.has_comment"),
};

/// The values of [`of_list`], with how many rows at most where it asks for that.
pub(super) fn values(
    is_sqlite: bool,
    query: &FeedbackQuery,
    run: DayRun,
    ids: &Range<Uuid>,
    most: Option<usize>,
) -> Result<Vec<Value>> {
    let bus_prop = query.bus_prop_id.map(|id| format!("_{id}_"));
    let track_fields = serde_json::to_string(&query.track_fields).map_err(Error::broken)?;
    let words = query.answers.words.iter();
    let words: Vec<String> = words.map(|word| pattern(word, is_sqlite)).collect();
    let lowest = |grades: Option<&GradeRange>| grades.map(|grades| i16::from(grades.lowest));
    let highest = |grades: Option<&GradeRange>| grades.map(|grades| i16::from(grades.highest));
    let (nps, happiness) = (query.answers.nps.as_ref(), query.answers.happiness.as_ref());
    let matches = query.answers.answers.iter();
    let matches = matches.map(|answer| json!({"key": answer.key, "value": answer.value}));
    let mut values = values![
        query.form,
        ids.start,
        ids.end,
        run.first,
        run.last,
        bus_prop.unwrap_or_default(),
        track_fields,
        serde_json::to_string(&words).map_err(Error::broken)?,
        serde_json::to_string(&query.answers.word_keys).map_err(Error::broken)?,
        lowest(nps),
        highest(nps),
        lowest(happiness),
        highest(happiness),
        Value::from(matches.collect::<serde_json::Value>().to_string()),
        serde_json::to_string(&query.answers.any_of).map_err(Error::broken)?,
    ];
    values.extend(most.map(|most| i64::try_from(most).unwrap_or(i64::MAX).into()));
    Ok(values)
}

/// Rows that are read at once.
#[derive(Debug)]
pub(super) struct ReadRows {
    pub rows: Vec<FeedbackRow>,
    /// Whether rows follow that did not fit.
    pub has_more: bool,
    pub bytes_left: usize,
}

impl ReadRows {
    /// Of about so many bytes: it ends with the row that reaches them.
    pub fn new(bytes: usize) -> Self {
        Self {
            rows: Vec::new(),
            has_more: false,
            bytes_left: bytes,
        }
    }

    /// Adds rows of [`LISTED`] as long as they fit.
    pub async fn add(
        &mut self,
        mut rows: impl Stream<Item = Result<FeedbackRow>> + Unpin,
    ) -> Result<()> {
        while let Some(row) = rows.try_next().await? {
            if self.bytes_left == 0 {
                self.has_more = true;
                break;
            }
            self.bytes_left = self.bytes_left.saturating_sub(row.answers.len());
            self.rows.push(row);
        }
        Ok(())
    }
}

/// By place, since streams read millions.
impl FromQueryResult for FeedbackRow {
    fn from_query_result(row: &QueryResult, _: &str) -> Result<Self, DbErr> {
        let track_fields = by_name(row.try_get_by_index(3)?);
        Ok(Self {
            feedback_id: row.try_get_by_index(0)?,
            submitted_at: row.try_get_by_index(1)?,
            bus_prop_ids: row.try_get_by_index::<Parsed<BusPropIds>>(2)?.0,
            track_fields: track_fields.map_err(|error| DbErr::Type(error.to_string()))?,
            answers: row.try_get_by_index(4)?,
            nps: row.try_get_by_index(5)?,
            happiness: row.try_get_by_index(6)?,
        })
    }
}

/// Tracking fields by name and without blanks. Each database gives the text in a way of its own: in the order that was given, or
/// the shortest name first.
fn by_name(track_fields: String) -> serde_json::Result<String> {
    if track_fields == "{}" {
        return Ok(track_fields);
    }
    let fields: BTreeMap<String, String> = serde_json::from_str(&track_fields)?;
    serde_json::to_string(&fields)
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
