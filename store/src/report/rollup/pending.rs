//! Which forms have pending counts, and how far those of a form were read.

use std::collections::BTreeSet;

use chrono::{DateTime, TimeDelta, Utc};

use crate::form::FormKey;
use crate::tx::get;
use crate::{Error, Store};

/// Rows that one look at all forms reads at a time.
const LOOK: i64 = 10_000;

/// As of when a form is with a row that came at a moment, after it was as of another: its rows commit in any order, and
/// other data is never as of the same moment.
pub(crate) fn later(at: DateTime<Utc>, as_of: DateTime<Utc>) -> DateTime<Utc> {
    at.max(as_of + TimeDelta::microseconds(1))
}

/// Forms with rows in the inbox.
#[derive(Clone, Debug)]
pub struct Waiting {
    pub forms: Vec<FormKey>,
    /// The highest id that was read; 0 where nothing waits.
    pub last: i64,
}

impl Store {
    /// Forms with rows above an id, as far as one look reads; all forms with rows where the id is 0, so that rows that
    /// nobody can take yet hide none behind them.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn forms_waiting(&self, above: i64) -> Result<Waiting, Error> {
        let mut forms = BTreeSet::new();
        let mut last: i64 = 0;
        loop {
            let rows = self
                .rows(
                    "SELECT account_id, form_id, count(*) AS waiting, max(id) AS last
                       FROM (SELECT account_id, form_id, id FROM inbox WHERE id > $1 ORDER BY id LIMIT $2) i
                      GROUP BY account_id, form_id",
                    vec![above.max(last).into(), LOOK.into()],
                )
                .await?;
            let mut read: i64 = 0;
            for row in &rows {
                forms.insert(FormKey {
                    account_id: get(row, "account_id")?,
                    form_id: get(row, "form_id")?,
                });
                read += get::<i64>(row, "waiting")?;
                last = last.max(get(row, "last")?);
            }
            if above > 0 || read < LOOK {
                break;
            }
        }
        Ok(Waiting {
            forms: forms.into_iter().collect(),
            last,
        })
    }
}

/// How long a transaction may have had its ids and not committed yet.
const OPEN: TimeDelta = TimeDelta::seconds(60);

/// How far an inbox was read, a minute behind: ids are drawn before their transaction commits, so lower ones may still
/// come. Below it lie only rows that are dead, those that cannot be read, and those of transactions that took longer,
/// for which somebody looks from zero each minute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trail {
    /// Rows up to here need not be looked at.
    pub low: i64,
    /// What `low` will be when it is old enough, and since when it is known.
    pub(crate) mark: i64,
    pub(crate) marked_at: DateTime<Utc>,
}

impl Trail {
    /// One that begins at the first row.
    pub fn new(now: DateTime<Utc>) -> Self {
        Self {
            low: 0,
            mark: 0,
            marked_at: now,
        }
    }

    /// Notes the highest id that was read, which stays the same where rows cannot be taken. Whether the trail moved.
    pub fn advance(&mut self, last: i64, now: DateTime<Utc>) -> bool {
        let news = last >= self.mark && last > self.low;
        let due = news && now - self.marked_at >= OPEN;
        if due {
            *self = Self {
                low: self.mark,
                mark: last,
                marked_at: now,
            };
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_low_bound_is_what_was_read_a_minute_ago() {
        let start = DateTime::UNIX_EPOCH;
        let at = |seconds| start + TimeDelta::seconds(seconds);
        let mut trail = Trail::new(start);
        trail.advance(10, at(1));
        assert_eq!((trail.low, trail.mark), (0, 0));
        trail.advance(20, at(60));
        assert_eq!((trail.low, trail.mark), (0, 20));
        trail.advance(30, at(119));
        assert_eq!((trail.low, trail.mark), (0, 20));
        trail.advance(40, at(120));
        assert_eq!((trail.low, trail.mark), (20, 40));
        trail.advance(0, at(500));
        assert_eq!((trail.low, trail.mark), (20, 40));
        trail.advance(50, at(501));
        assert_eq!((trail.low, trail.mark), (40, 50));
        assert!(trail.advance(50, at(561)));
        assert_eq!((trail.low, trail.mark), (50, 50));
        assert!(!trail.advance(50, at(700)));
    }
}
