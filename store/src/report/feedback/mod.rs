//! Lists of what was answered, newest first: pages of one moment, and rows by key for streams.
//!
//! The key's order is that of time, so a list reads the primary key backwards, and only within its range. How many there are
//! the rollups and the pending counts tell together, which in one snapshot is exactly what the table has.
//!
//! What is *not* here: storing and erasing feedbacks ([`crate::collect`]), and counts by day ([`crate::report`]).

mod length;
mod newest;
mod rows;
mod words;

use std::ops::Range;

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use chrono_tz::Tz;
use domain::answer::{AnswerMatch, Counted, GradeRange};
use domain::date_range::{DateRange, day_of};
use domain::link::{BusPropIds, TrackFields};
use sea_orm::FromQueryResult;
use uuid::Uuid;

use self::length::{DayRun, RowsByDay, runs};
pub(crate) use self::length::{first_id, ids_of_days};
pub use self::newest::NEWEST;
use self::rows::ReadRows;
pub use self::words::has_words;
pub(crate) use self::words::pattern_of_all;
use crate::form::FormKey;
use crate::report::rollup::next_as_of;
use crate::tx::{Sql, rows_that_fit, statement, values};
use crate::{Error, ListPage, PAGE_BYTES, Result, Store, Tx};

/// The rows that fit into a page whatever their size.
const FITTING: usize = 2;

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
    /// Those whose link has each of these.
    pub track_fields: TrackFields,
    pub answers: AnswerFilter,
}

/// Which answers are meant; the default: all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnswerFilter {
    pub nps: Option<GradeRange>,
    pub happiness: Option<GradeRange>,
    /// Those with each of these answers.
    pub answers: Vec<AnswerMatch>,
    /// Those that answer any of the fields with these keys, or have any of the texts with these names; empty: all.
    pub any_of: Vec<String>,
    /// Those that have each of these words, whichever of the fields below has it.
    pub words: Vec<String>,
    /// The keys of the fields and the names of the texts in which words are looked for.
    pub word_keys: Vec<String>,
}

/// A stored feedback.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedbackRow {
    pub feedback_id: Uuid,
    pub submitted_at: DateTime<Utc>,
    pub bus_prop_ids: BusPropIds,
    /// An object of strings, as JSON, by name.
    pub track_fields: String,
    /// An object of the answers by their field's key, as JSON.
    pub answers: String,
    pub nps: Option<i16>,
    pub happiness: Option<i16>,
}

/// When the last change was made that is counted, and the last that is pending.
#[derive(FromQueryResult)]
struct LastChanges {
    as_of: DateTime<Utc>,
    pending: Option<DateTime<Utc>>,
}

/// The newest rows of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LatestRows {
    pub rows: Vec<FeedbackRow>,
    /// The first day from which on all rows of the list are among these; `None`: not even those of the last day.
    pub since: Option<NaiveDate>,
}

/// A page of a list, all of it as of one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeedbackPage {
    /// When the last change was made that a report counts or is about to count.
    pub as_of: DateTime<Utc>,
    /// Of the whole list.
    pub total: i64,
    pub page: ListPage<FeedbackRow>,
}

/// Where a part begins. The default is the list's beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct ListPosition {
    before: Option<Uuid>,
    /// How far down rows are looked for, if that is known.
    floor: Option<Uuid>,
    /// The rows before it were so small that the next ones are read without a look at their sizes.
    is_small: bool,
}

/// How much of a list is read at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadSize {
    /// Rows of the list.
    pub rows: usize,
    /// Rows of the form among which they are looked for.
    pub among: usize,
    /// Bytes of the rows, about.
    pub bytes: usize,
}

impl FeedbackQuery {
    /// Which count by day tells how many there are; `None`: none does.
    fn counted(&self) -> Option<Counted> {
        let answers = &self.answers;
        let is_searched = !answers.words.is_empty() || !answers.any_of.is_empty();
        if is_searched || !self.track_fields.is_empty() {
            return None;
        }
        let comments = self.comments_only.then_some(Counted::Comments);
        let nps = answers.nps.clone().map(Counted::Nps);
        let happiness = answers.happiness.clone().map(Counted::Happiness);
        let matches = answers.answers.iter().cloned().map(Counted::Answer);
        let mut narrowed = comments
            .into_iter()
            .chain(nps)
            .chain(happiness)
            .chain(matches);
        match (narrowed.next(), narrowed.next()) {
            (None, _) => Some(Counted::Responses),
            (one, None) => one,
            _ => None,
        }
    }

    /// Whether its rows are only some of those that its statement walks.
    fn is_narrowed(&self) -> bool {
        let whole = [Some(Counted::Responses), Some(Counted::Comments)];
        self.bus_prop_id.is_some() || !whole.contains(&self.counted())
    }
}

impl Store {
    /// A page of a list, of the feedbacks that are older than `before`, and how long the whole list is. The form must exist.
    pub async fn feedback_page(
        &self,
        query: &FeedbackQuery,
        before: Option<Uuid>,
        limit: usize,
    ) -> Result<FeedbackPage> {
        let mut tx = self.snapshot().await?;
        let as_of = tx.list_as_of(query).await?;
        let rows_by_day = tx.rows_by_day(query).await?;
        let rows = limit + 1;
        let (total, runs) = if let Some(rows_by_day) = rows_by_day {
            let total: i64 = rows_by_day.values().sum();
            (total, runs(&rows_by_day, query, before, rows))
        } else {
            // Only reading it tells.
            let run = DayRun::of(query.range);
            let values = rows::values(tx.is_sqlite(), query, run, &run.ids(None), None)?;
            let counted = tx.fetch_value(rows::COUNTED.of(query), values).await?;
            (counted.unwrap_or_default(), vec![run])
        };
        let read = tx.listed(query, &runs, before, rows).await?;
        let position = |row: &FeedbackRow| row.feedback_id;
        Ok(FeedbackPage {
            as_of,
            total,
            page: ListPage::new(read.rows, limit, read.has_more, position),
        })
    }

    /// The rows of a list from a position on, as of the last commit: as many as a stride has, or fewer where they are large or
    /// far between. A list of any length is so read in bounded memory, in statements that are short however rare its rows
    /// are, and without a long snapshot. A part may have no rows, though the list goes on.
    pub async fn feedback_part(
        &self,
        query: &FeedbackQuery,
        position: ListPosition,
        stride: ReadSize,
    ) -> Result<ListPage<FeedbackRow, ListPosition>> {
        let mut tx = self.long_snapshot().await?;
        let run = DayRun::of(query.range);
        let mut ids = run.ids(position.before);
        let floor = match position.floor {
            // So many of the form's rows are down to it; there may be fewer.
            None if query.is_narrowed() => {
                let before_it = i64::try_from(stride.among.saturating_sub(1)).unwrap_or(i64::MAX);
                let values = values![query.form, ids.start, ids.end, before_it];
                tx.fetch_value(rows::NTH.of(query), values).await?
            }
            known => known,
        };
        ids.start = floor.unwrap_or(ids.start);
        let mut read = ReadRows::new(stride.bytes);
        let (rows, is_small) = (stride.rows, position.is_small);
        tx.read(query, (run, ids), (rows, is_small), &mut read)
            .await?;
        let next = if read.has_more || read.rows.len() >= stride.rows {
            read.rows.last().map(|last| (last.feedback_id, floor))
        } else {
            floor.map(|below| (below, None))
        };
        let next = next.map(|(before, floor)| ListPosition {
            before: Some(before),
            floor,
            is_small: !read.has_more,
        });
        let rows = read.rows;
        Ok(ListPage { rows, next })
    }
}

impl Tx {
    /// At most `rows` of the newest of a list. `days` says among how many each day's are: the list's own, or more where nothing
    /// counts these. They are looked for on the last days that have `among` of them.
    pub async fn latest(
        &mut self,
        query: &FeedbackQuery,
        days: impl IntoIterator<Item = (NaiveDate, i64)>,
        (rows, among): (usize, usize),
    ) -> Result<LatestRows> {
        let days: RowsByDay = days.into_iter().collect();
        let runs = runs(&days, query, None, among);
        let Some(oldest) = runs.last() else {
            return Ok(LatestRows {
                rows: Vec::new(),
                since: Some(query.range.start()),
            });
        };
        let read = self.listed(query, &runs, None, rows).await?;
        let last = read.rows.last();
        let since = match last.filter(|_| read.has_more || read.rows.len() >= rows) {
            Some(last) => day_of(last.submitted_at, query.time_zone) + TimeDelta::days(1),
            None if days.range(..oldest.first).all(|(_, rows)| *rows <= 0) => query.range.start(),
            None => oldest.first,
        };
        Ok(LatestRows {
            rows: read.rows,
            since: Some(since).filter(|day| query.range.contains(*day)),
        })
    }

    /// The list has what is not rolled up yet, so its `as_of` is the one that the roll-up will give it.
    async fn list_as_of(&mut self, query: &FeedbackQuery) -> Result<DateTime<Utc>> {
        let changes = statement!(
            "SELECT v.as_of, (SELECT max(i.created_at) FROM pending_delta i WHERE i.account_id = $1 AND i.form_id = $2) AS pending
               FROM form_version v WHERE v.account_id = $1 AND v.form_id = $2"
        );
        let changes: Option<LastChanges> = self.fetch_one(changes, values![query.form]).await?;
        let changes = changes.ok_or_else(|| Error::broken("a form without a version"))?;
        let as_of = changes.as_of;
        Ok(changes
            .pending
            .map_or(as_of, |pending| next_as_of(pending, as_of)))
    }

    /// The first `rows` of a list that are older than `before`, as far as they are in these runs (newest first).
    async fn listed(
        &mut self,
        query: &FeedbackQuery,
        runs: &[DayRun],
        before: Option<Uuid>,
        rows: usize,
    ) -> Result<ReadRows> {
        let mut read = ReadRows::new(PAGE_BYTES);
        for run in runs {
            if read.rows.len() >= rows || read.bytes_left == 0 {
                read.has_more = true;
                break;
            }
            let ids = run.ids(before);
            // With its last row a run ends: what is older is another day's.
            let rows = rows.min(read.rows.len().saturating_add(run.rows));
            let left = rows - read.rows.len();
            self.read(query, (*run, ids), (left, left <= FITTING), &mut read)
                .await?;
        }
        Ok(read)
    }

    /// Reads the next `rows`, as long as they fit. Unless they are small, their sizes are read first: what does not fit is not
    /// read.
    async fn read(
        &mut self,
        query: &FeedbackQuery,
        (run, ids): (DayRun, Range<Uuid>),
        (rows, is_small): (usize, bool),
        read: &mut ReadRows,
    ) -> Result<()> {
        let is_sqlite = self.is_sqlite();
        let values = |rows| rows::values(is_sqlite, query, run, &ids, rows);
        let mut fitting = rows;
        if !is_small {
            let sizes = rows::SIZES.of(query);
            let sizes: Vec<i32> = self.fetch_values(sizes, values(Some(rows))?).await?;
            fitting = rows_that_fit(&sizes, read.bytes_left);
            read.has_more = fitting < sizes.len();
        }
        let listed = self.stream(rows::LISTED.of(query), values(Some(fitting))?);
        read.add(listed).await
    }
}
