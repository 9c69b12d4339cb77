//! The statements of a list, a pair a dialect. Those for comments are apart, so that the planner may take their index.

use futures::{Stream, TryStreamExt};
use sea_orm::{QueryResult, Value, sqlx};
use serde_json::json;
use uuid::Uuid;

use super::bounds::Bounds;
use super::tally::Run;
use super::{FeedbackQuery, FeedbackRow};
use crate::Error;

/// Rows that are read at once take this many bytes at most, and one row more.
const BYTES: usize = 4 << 20;

macro_rules! of_list {
    ($select:literal, $comments:literal, $bus_prop:literal, $track_fields:literal, $tail:literal) => {
        concat!(
            $select,
            " FROM feedback f
              WHERE f.account_id = $1 AND f.form_id = $2 AND f.feedback_id >= $3 AND f.feedback_id < $4
                AND f.day BETWEEN $5 AND $6 AND ($7 = '' OR ",
            $bus_prop,
            "('_' || f.bus_prop_ids || '_', $7) > 0) AND ",
            $track_fields,
            $comments,
            $tail
        )
    };
    (postgres $select:literal, $comments:literal, $tail:literal) => {
        of_list!(
            $select,
            $comments,
            "strpos",
            "f.track_fields @> ALL (ARRAY(SELECT jsonb_array_elements(CAST($8 AS jsonb))))",
            $tail
        )
    };
    (sqlite $select:literal, $comments:literal, $tail:literal) => {
        of_list!(
            $select,
            $comments,
            "instr",
            "NOT EXISTS (
                SELECT 1 FROM json_each($8) w, json_each(w.value) p
                 WHERE NOT EXISTS (
                       SELECT 1 FROM json_each(f.track_fields) h WHERE h.key = p.key AND h.value = p.value))",
            $tail
        )
    };
}

macro_rules! listed {
    ($dialect:ident, $comments:literal) => {
        of_list!($dialect
            "SELECT f.feedback_id, f.submitted_at, f.bus_prop_ids, CAST(f.track_fields AS text) AS track_fields,
                    CAST(f.answers AS text) AS answers, f.nps, f.happiness",
            $comments,
            " ORDER BY f.feedback_id DESC LIMIT $9"
        )
    };
}

macro_rules! counted {
    ($dialect:ident, $comments:literal) => {
        of_list!($dialect "SELECT count(*) AS listed", $comments, "")
    };
}

/// The rows of a list.
pub(super) fn listed(sqlite: bool, comments: bool) -> &'static str {
    match (sqlite, comments) {
        (false, false) => listed!(postgres, ""),
        (false, true) => listed!(postgres, " AND f.has_comment"),
        (true, false) => listed!(sqlite, ""),
        (true, true) => listed!(sqlite, " AND f.has_comment"),
    }
}

/// How many they are.
pub(super) fn counted(sqlite: bool, comments: bool) -> &'static str {
    match (sqlite, comments) {
        (false, false) => counted!(postgres, ""),
        (false, true) => counted!(postgres, " AND f.has_comment"),
        (true, false) => counted!(sqlite, ""),
        (true, true) => counted!(sqlite, " AND f.has_comment"),
    }
}

/// The id of the form's row that so many others between two ids come before, newest first.
pub(super) fn nth(comments: bool) -> &'static str {
    macro_rules! nth {
        ($comments:literal) => {
            concat!(
                "SELECT f.feedback_id FROM feedback f
                  WHERE f.account_id = $1 AND f.form_id = $2 AND f.feedback_id >= $3 AND f.feedback_id < $4",
                $comments,
                " ORDER BY f.feedback_id DESC LIMIT 1 OFFSET $5"
            )
        };
    }
    if comments {
        nth!(" AND f.has_comment")
    } else {
        nth!("")
    }
}

/// Ids between which the list's rows can be. No link has U+0000, which jsonb does not take.
pub(super) fn within(query: &FeedbackQuery, bounds: Bounds) -> Bounds {
    let fields = &query.track_fields;
    let is_impossible =
        |(name, value): &(String, String)| name.contains('\0') || value.contains('\0');
    if fields.iter().any(is_impossible) {
        Bounds {
            below: Uuid::nil(),
            ..bounds
        }
    } else {
        bounds
    }
}

/// The values of [`counted`]; [`listed`] has one more, how many rows.
pub(super) fn values(query: &FeedbackQuery, run: Run, bounds: Bounds) -> Vec<Value> {
    let bus_prop = query.bus_prop_id.map(|id| format!("_{id}_"));
    let bounds = within(query, bounds);
    let track_fields: serde_json::Value = if bounds.below.is_nil() {
        json!([])
    } else {
        let fields = query.track_fields.iter();
        fields.map(|(name, value)| json!({name: value})).collect()
    };
    let mut values = query.form.values();
    values.extend::<[Value; 6]>([
        bounds.from.into(),
        bounds.below.into(),
        run.first.into(),
        run.last.into(),
        bus_prop.unwrap_or_default().into(),
        track_fields.to_string().into(),
    ]);
    values
}

/// Rows that were read at once.
#[derive(Debug, Default)]
pub(super) struct Read {
    pub rows: Vec<FeedbackRow>,
    bytes: usize,
}

impl Read {
    /// Whether more would take too much memory.
    pub fn is_cut(&self) -> bool {
        self.bytes >= BYTES
    }

    /// Adds rows until they take too much.
    pub async fn rows_of<R: Into<QueryResult>>(
        &mut self,
        rows: impl Stream<Item = Result<R, sqlx::Error>>,
    ) -> Result<(), Error> {
        let mut rows = std::pin::pin!(rows);
        while !self.is_cut()
            && let Some(row) = rows.try_next().await?
        {
            let row = read(&row.into())?;
            self.bytes += row.answers.len() + row.track_fields.len();
            self.rows.push(row);
        }
        Ok(())
    }
}

/// By place, since streams read millions.
fn read(row: &QueryResult) -> Result<FeedbackRow, Error> {
    let bus_prop_ids: String = row.try_get_by_index(2)?;
    Ok(FeedbackRow {
        feedback_id: row.try_get_by_index(0)?,
        submitted_at: row.try_get_by_index(1)?,
        bus_prop_ids: bus_prop_ids.parse().map_err(Error::broken)?,
        track_fields: row.try_get_by_index(3)?,
        answers: row.try_get_by_index(4)?,
        nps: row.try_get_by_index(5)?,
        happiness: row.try_get_by_index(6)?,
    })
}
