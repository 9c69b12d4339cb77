//! The newest comments of several forms together.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use chrono::NaiveDate;
use domain::date_range::DateRange;
use sea_orm::FromQueryResult;
use uuid::Uuid;

use super::FeedbackRow;
use super::length::ids_of_days;
use crate::form::FormKey;
use crate::tx::{BatchStatement, batch_row, statement};
use crate::{Result, Tx};

batch_row! {
    /// Where the comments of a form are looked for.
    struct CommentDays {
        form: FormKey,
        first: NaiveDate,
        last: NaiveDate,
        first_id: Uuid,
        end_id: Uuid,
    }
}

/// So many comments are found at most; [`IDS`] says the same number.
pub const NEWEST: usize = 4;

macro_rules! newest {
    () => {
        "SELECT c.feedback_id FROM feedback c
          WHERE c.account_id = batch.account_id AND c.form_id = batch.form_id AND c.has_comment
            AND c.feedback_id >= batch.first_id AND c.feedback_id < batch.end_id AND c.day BETWEEN batch.first AND batch.last
          ORDER BY c.feedback_id DESC LIMIT 4"
    };
}

/// Of each form as many as are asked for of all.
const IDS: &BatchStatement<CommentDays> = statement!(CommentDays:
    postgres: "SELECT batch.form_id, f.feedback_id FROM batch CROSS JOIN LATERAL (", newest!(), ") f";
    sqlite: "SELECT batch.form_id, f.feedback_id FROM batch CROSS JOIN feedback f
                 ON f.account_id = batch.account_id AND f.form_id = batch.form_id AND f.feedback_id IN (", newest!(), ")"
);

batch_row! {
    struct CommentKey {
        form: FormKey,
        feedback_id: Uuid,
    }
}

const ROWS: &BatchStatement<CommentKey> = statement!(CommentKey:
    "SELECT f.feedback_id, f.submitted_at, f.bus_prop_ids, CAST(f.track_fields AS text), f.answers, f.nps, f.happiness
       FROM batch JOIN feedback f
         ON f.account_id = batch.account_id AND f.form_id = batch.form_id AND f.feedback_id = batch.feedback_id"
);

#[derive(FromQueryResult)]
struct FoundComment {
    form_id: Uuid,
    feedback_id: Uuid,
}

impl Tx {
    /// The [`NEWEST`] comments of some forms of an account, each with its form, newest first, as far as they are on the days of
    /// their form.
    pub async fn newest_comments(
        &self,
        account_id: Uuid,
        forms: &[(Uuid, DateRange)],
    ) -> Result<Vec<(Uuid, FeedbackRow)>> {
        let days = forms.iter().map(|(form_id, days)| {
            let ids = ids_of_days(days.start(), days.end());
            CommentDays {
                form: FormKey::new(account_id, *form_id),
                first: days.start(),
                last: days.end(),
                first_id: ids.start,
                end_id: ids.end,
            }
        });
        let mut found: Vec<FoundComment> = self.fetch_batch(IDS, days.collect()).await?;
        // An id begins with its time.
        found.sort_by_key(|one| Reverse(one.feedback_id));
        found.truncate(NEWEST);
        let key = |one: &FoundComment| CommentKey {
            form: FormKey::new(account_id, one.form_id),
            feedback_id: one.feedback_id,
        };
        let rows: Vec<FeedbackRow> = self
            .fetch_batch(ROWS, found.iter().map(key).collect())
            .await?;
        let rows = rows.into_iter().map(|row| (row.feedback_id, row));
        let mut rows: BTreeMap<Uuid, FeedbackRow> = rows.collect();
        let found = found.into_iter();
        let found = found.filter_map(|one| Some((one.form_id, rows.remove(&one.feedback_id)?)));
        Ok(found.collect())
    }
}
