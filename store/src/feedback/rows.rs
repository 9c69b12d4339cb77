//! The statements of a list, a pair a dialect. Those for comments are apart, so that the planner may take their index.

use futures::{Stream, TryStreamExt};
use sea_orm::{QueryResult, Value, sqlx};
use serde_json::json;
use uuid::Uuid;

use super::bounds::Bounds;
use super::{FeedbackQuery, FeedbackRow};
use crate::Error;

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

/// How many they are; without the last value.
pub(super) fn counted(sqlite: bool, comments: bool) -> &'static str {
    match (sqlite, comments) {
        (false, false) => counted!(postgres, ""),
        (false, true) => counted!(postgres, " AND f.has_comment"),
        (true, false) => counted!(sqlite, ""),
        (true, true) => counted!(sqlite, " AND f.has_comment"),
    }
}

/// The values of [`listed`].
pub(super) fn values(query: &FeedbackQuery, bounds: &Bounds, rows: usize) -> Vec<Value> {
    let bus_prop = query.bus_prop_id.map(|id| format!("_{id}_"));
    // No link has U+0000, which jsonb does not take.
    let impossible = query
        .track_fields
        .iter()
        .any(|(name, value)| name.contains('\0') || value.contains('\0'));
    let track_fields = query
        .track_fields
        .iter()
        .map(|(name, value)| json!({name: value}));
    let mut values = query.form.values();
    values.extend::<[Value; 7]>([
        bounds.from.into(),
        (if impossible {
            Uuid::nil()
        } else {
            bounds.below
        })
        .into(),
        query.range.start().into(),
        query.range.end().into(),
        bus_prop.unwrap_or_default().into(),
        (if impossible {
            json!([])
        } else {
            track_fields.collect()
        })
        .to_string()
        .into(),
        i64::try_from(rows).unwrap_or(i64::MAX).into(),
    ]);
    values
}

/// Rows until they take so many bytes, and whether that was reached.
pub(super) async fn gather<R: Into<QueryResult>>(
    rows: impl Stream<Item = Result<R, sqlx::Error>>,
    bytes: usize,
) -> Result<(Vec<FeedbackRow>, bool), Error> {
    let mut rows = std::pin::pin!(rows);
    let (mut gathered, mut taken) = (Vec::new(), 0);
    while let Some(row) = rows.try_next().await? {
        let row = read(&row.into())?;
        taken += row.answers.len() + row.track_fields.len();
        gathered.push(row);
        if taken >= bytes {
            return Ok((gathered, true));
        }
    }
    Ok((gathered, false))
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
