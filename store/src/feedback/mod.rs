//! Lists of what was answered, newest first: pages of one moment, and rows by key for streams.
//!
//! The key's order is that of time, so a list reads the primary key backwards, and only within its range. How many there are
//! tell the rollups and the inbox together, which in one snapshot is exactly what the table has.
//!
//! What is *not* here: storing and erasing feedbacks ([`crate::collect`]), and counts by day ([`crate::report`]).

mod bounds;
mod rows;
mod tally;

use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;
use domain::date_range::DateRange;
use domain::link::BusPropIds;
use sea_orm::sqlx;
use sea_query_sqlx::SqlxValues;
use uuid::Uuid;

pub(crate) use self::bounds::Bounds;
use self::tally::Tally;
use crate::form::FormKey;
use crate::tx::{Inner, Patience, get};
use crate::{Error, Store, Tx};

/// Which feedbacks are meant.
#[derive(Clone, Debug)]
pub struct FeedbackQuery {
    pub form: FormKey,
    pub range: DateRange,
    /// Of the account.
    pub time_zone: Tz,
    /// Those of links with this business property; `None`: all.
    pub bus_prop_id: Option<u32>,
    /// Those with a comment.
    pub comments_only: bool,
    /// Those whose link has each of these, name and value.
    pub track_fields: Vec<(String, String)>,
}

/// A stored feedback.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedbackRow {
    pub feedback_id: Uuid,
    pub submitted_at: DateTime<Utc>,
    pub bus_prop_ids: BusPropIds,
    /// An object of strings, as JSON.
    pub track_fields: String,
    /// An object of the answers by their field's key, as JSON.
    pub answers: String,
    pub nps: Option<i16>,
    pub happiness: Option<i16>,
}

/// A part of a list, all of it as of one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedbackPage {
    /// The commit time of the form's last change that a report counts, or the newest feedback's, if that is later.
    pub as_of: DateTime<Utc>,
    /// Of the whole list.
    pub total: i64,
    pub rows: Vec<FeedbackRow>,
    /// Whether they are fewer than were asked for because they are large: more may follow.
    pub is_cut: bool,
}

/// Rows that are read at once take this many bytes at most, and one row more.
const BYTES: usize = 4 << 20;

impl Store {
    /// The first `rows` of a list that are older than `before`, and how long the whole list is. The form must exist.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn feedback_page(
        &self,
        query: &FeedbackQuery,
        before: Option<Uuid>,
        rows: usize,
    ) -> Result<FeedbackPage, Error> {
        let mut tx = self.snapshot(Patience::Request).await?;
        let as_of = tx.list_as_of(query).await?;
        let tally = tx.tally(query).await?;
        let (total, since) = match &tally {
            Some(tally) => (tally.total(), tally.since(query, before, rows)),
            None => (tx.count_listed(query).await?, query.range.start()),
        };
        let (rows, is_cut) = tx.listed(query, since, before, rows).await?;
        Ok(FeedbackPage {
            as_of,
            total,
            rows,
            is_cut,
        })
    }

    /// The first `rows` of a list that are older than `before`, or fewer if they are large, but none only at its end; as of
    /// the last commit. With the last one's id as the next `before` a list of any length is read in bounded memory and
    /// without a long snapshot.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn feedback_rows(
        &self,
        query: &FeedbackQuery,
        before: Option<Uuid>,
        rows: usize,
    ) -> Result<Vec<FeedbackRow>, Error> {
        let mut tx = self.snapshot(Patience::Stream).await?;
        let since = query.range.start();
        Ok(tx.listed(query, since, before, rows).await?.0)
    }

    /// The newest comments of a list, of the days from `since` on: by the daily counts a day on which there are enough of
    /// them, so that a rare business property is not searched for in years.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn latest_comments(
        &self,
        query: &FeedbackQuery,
        since: NaiveDate,
        rows: usize,
    ) -> Result<Vec<FeedbackRow>, Error> {
        let Some(range) = query.range.since(since) else {
            return Ok(Vec::new());
        };
        let query = FeedbackQuery {
            range,
            comments_only: true,
            ..query.clone()
        };
        self.feedback_rows(&query, None, rows).await
    }
}

impl Tx {
    async fn list_as_of(&mut self, query: &FeedbackQuery) -> Result<DateTime<Utc>, Error> {
        let bounds = Bounds::of(query, query.range.start(), None);
        let mut values = query.form.values();
        values.extend::<[sea_orm::Value; 2]>([bounds.from.into(), bounds.below.into()]);
        let row = self
            .row(
                "SELECT v.as_of, (SELECT f.submitted_at FROM feedback f
                          WHERE f.account_id = $1 AND f.form_id = $2 AND f.feedback_id >= $3 AND f.feedback_id < $4
                          ORDER BY f.feedback_id DESC LIMIT 1) AS newest
                   FROM form_version v WHERE v.account_id = $1 AND v.form_id = $2",
                values,
            )
            .await?
            .ok_or_else(|| Error::broken("a form without a version"))?;
        let (as_of, newest): (DateTime<Utc>, Option<DateTime<Utc>>) =
            (get(&row, "as_of")?, get(&row, "newest")?);
        Ok(newest.map_or(as_of, |newest| newest.max(as_of)))
    }

    /// Counts a list by reading it, where no tally tells.
    async fn count_listed(&mut self, query: &FeedbackQuery) -> Result<i64, Error> {
        let mut values = rows::values(query, &Bounds::of(query, query.range.start(), None), 0);
        values.pop();
        let sql = rows::counted(self.is_sqlite(), query.comments_only);
        let row = self.row(sql, values).await?;
        row.map_or(Ok(0), |row| get(&row, "listed"))
    }

    /// Rows, and whether they were cut off at [`BYTES`].
    async fn listed(
        &mut self,
        query: &FeedbackQuery,
        since: NaiveDate,
        before: Option<Uuid>,
        rows: usize,
    ) -> Result<(Vec<FeedbackRow>, bool), Error> {
        let values = rows::values(query, &Bounds::of(query, since, before), rows);
        let sql = rows::listed(self.is_sqlite(), query.comments_only);
        let values = SqlxValues(sea_orm::Values(values));
        match &mut self.inner {
            Inner::Postgres(tx) => {
                rows::gather(sqlx::query_with(sql, values).fetch(&mut **tx), BYTES).await
            }
            Inner::Sqlite(tx) => {
                rows::gather(sqlx::query_with(sql, values).fetch(&mut **tx), BYTES).await
            }
        }
    }

    /// The list's counts by day; `None` where only reading it tells.
    async fn tally(&mut self, query: &FeedbackQuery) -> Result<Option<Tally>, Error> {
        if !query.track_fields.is_empty() {
            return Ok(None);
        }
        let mut tally = self.folded_tally(query).await?;
        Ok(self.add_pending(query, &mut tally).await?.then_some(tally))
    }
}
