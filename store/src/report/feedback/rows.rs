//! The statements of a list, a pair a dialect. Those for comments are apart, so that the planner may take their index.

use futures::{Stream, TryStreamExt};
use sea_orm::{QueryResult, Value};

use super::bounds::Bounds;
use super::tally::Run;
use super::{FeedbackQuery, FeedbackRow};
use crate::{Error, PAGE_BYTES};

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
            "f.track_fields @> CAST($8 AS jsonb)",
            $tail
        )
    };
    (sqlite $select:literal, $comments:literal, $tail:literal) => {
        of_list!(
            $select,
            $comments,
            "instr",
            "NOT EXISTS (
                SELECT 1 FROM json_each($8) p
                 WHERE NOT EXISTS (
                       SELECT 1 FROM json_each(f.track_fields) h WHERE h.key = p.key AND h.value = p.value))",
            $tail
        )
    };
}

macro_rules! listed {
    ($dialect:ident, $comments:literal) => {
        of_list!($dialect
            "SELECT f.feedback_id, f.submitted_at, f.bus_prop_ids, CAST(f.track_fields AS text), f.answers, f.nps, f.happiness",
            $comments,
            " ORDER BY f.feedback_id DESC LIMIT $9"
        )
    };
}

/// The length of a text is read without the text.
macro_rules! sizes {
    ($dialect:ident, $comments:literal) => {
        of_list!($dialect
            "SELECT octet_length(f.answers) AS bytes",
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

macro_rules! by_kind {
    ($statement:ident, $sqlite:expr, $comments:expr) => {
        match ($sqlite, $comments) {
            (false, false) => $statement!(postgres, ""),
            (false, true) => $statement!(postgres, " AND f.has_comment"),
            (true, false) => $statement!(sqlite, ""),
            (true, true) => $statement!(sqlite, " AND f.has_comment"),
        }
    };
}

/// The rows of a list.
pub(super) fn listed(sqlite: bool, comments: bool) -> &'static str {
    by_kind!(listed, sqlite, comments)
}

/// How large they are.
pub(super) fn sizes(sqlite: bool, comments: bool) -> &'static str {
    by_kind!(sizes, sqlite, comments)
}

/// How many they are.
pub(super) fn counted(sqlite: bool, comments: bool) -> &'static str {
    by_kind!(counted, sqlite, comments)
}

/// The id of the n-th newest of the form's rows between two ids.
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

/// The values of [`counted`]; [`listed`] and [`sizes`] have one more, how many rows at most.
pub(super) fn values(query: &FeedbackQuery, run: Run, bounds: Bounds) -> Result<Vec<Value>, Error> {
    let bus_prop = query.bus_prop_id.map(|id| format!("_{id}_"));
    let track_fields = serde_json::to_string(&query.track_fields).map_err(Error::broken)?;
    let mut values = query.form.values();
    values.extend::<[Value; 6]>([
        bounds.from.into(),
        bounds.below.into(),
        run.first.into(),
        run.last.into(),
        bus_prop.unwrap_or_default().into(),
        track_fields.into(),
    ]);
    Ok(values)
}

/// Rows that are read at once.
#[derive(Debug, Default)]
pub(super) struct Read {
    pub rows: Vec<FeedbackRow>,
    /// Whether rows follow that did not fit.
    pub has_more: bool,
    bytes: usize,
}

impl Read {
    pub fn bytes_left(&self) -> usize {
        PAGE_BYTES.saturating_sub(self.bytes)
    }

    /// Adds rows of [`listed`] as long as they fit.
    pub async fn add(
        &mut self,
        mut rows: impl Stream<Item = Result<QueryResult, Error>> + Unpin,
    ) -> Result<(), Error> {
        while let Some(row) = rows.try_next().await? {
            if self.bytes_left() == 0 {
                self.has_more = true;
                break;
            }
            let row = read(&row)?;
            self.bytes += row.answers.len();
            self.rows.push(row);
        }
        Ok(())
    }
}

/// By the index of the column, not its name: streams read millions of rows.
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
