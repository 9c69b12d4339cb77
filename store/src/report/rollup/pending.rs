//! Which forms have pending counts, and how far those of a form were read.

use std::collections::BTreeSet;

use chrono::{DateTime, TimeDelta, Utc};
use sea_orm::FromQueryResult;

use crate::form::FormKey;
use crate::tx::{Accounts, Parts, Sql, Statement, statement, values};
use crate::{Result, Store};

/// Pending rows that one scan over all forms reads at a time.
const SCAN: i64 = 10_000;

/// The next `as_of`, strictly greater than the last: rows commit in any order, and different data never has the same
/// `as_of`.
pub(crate) fn next_as_of(at: DateTime<Utc>, as_of: DateTime<Utc>) -> DateTime<Utc> {
    at.max(as_of + TimeDelta::microseconds(1))
}

macro_rules! pending {
    ($accounts:literal) => {
        concat!(
            "SELECT account_id, form_id, count(*) AS rows, max(id) AS last
               FROM (SELECT account_id, form_id, id FROM pending_delta WHERE id > $1 ",
            $accounts,
            " ORDER BY id LIMIT $2) i
              GROUP BY account_id, form_id"
        )
    };
}

/// Forms with pending counts.
#[derive(Clone, Debug)]
pub struct PendingForms {
    pub forms: BTreeSet<FormKey>,
    /// All up to this id were read; 0 where nothing is pending, or not all nodes were there.
    pub last: i64,
}

const PENDING: &Statement = statement!(
    postgres: pending!("");
    citus: pending!("AND account_id = ANY($3)");
    sqlite: pending!("")
);

/// A form with pending rows that were read.
#[derive(FromQueryResult)]
struct PendingForm {
    #[sea_orm(nested)]
    form: FormKey,
    rows: i64,
    last: i64,
}

impl Store {
    /// How many roll-ups at once make sense. On SQLite each holds the one writer, for which answers wait.
    pub fn concurrent_roll_ups(&self) -> usize {
        if self.is_sqlite() { 1 } else { 4 }
    }

    /// Forms with pending rows above an id, as far as one scan reads. Where the id is 0 all of them, so that rows that
    /// cannot be read yet hide none behind them.
    pub async fn pending_forms(&self, above: i64) -> Result<PendingForms> {
        let mut forms = BTreeSet::new();
        let (mut last, mut cut_off): (i64, Option<i64>) = (0, None);
        let Parts { there, mut are_all } = self.parts(Accounts::WithWork).await?;
        for part in there {
            let mut of_part: i64 = 0;
            loop {
                let values = values![above.max(of_part), SCAN];
                let pending = self.scan_part(&part, PENDING, values).await?;
                are_all &= pending.is_some();
                let pending: Vec<PendingForm> = pending.unwrap_or_default();
                let mut read: i64 = 0;
                for row in pending {
                    forms.insert(row.form);
                    read += row.rows;
                    of_part = of_part.max(row.last);
                }
                if read < SCAN {
                    break;
                }
                if above > 0 {
                    cut_off = Some(cut_off.map_or(of_part, |cut_off| cut_off.min(of_part)));
                    break;
                }
            }
            last = last.max(of_part);
        }
        if !are_all {
            // Rows of the others are to be found once they are back.
            last = 0;
        }
        let last = cut_off.map_or(last, |cut_off| cut_off.min(last));
        Ok(PendingForms { forms, last })
    }
}

/// How long a transaction may have had its ids and not committed yet.
const MAX_OPEN: TimeDelta = TimeDelta::seconds(60);

/// Where a scan of pending rows begins: a minute behind what was read, because ids are drawn before their transaction
/// commits and lower ones may still appear. Below the watermark are only dead rows, rows that cannot be read, and rows of
/// transactions that took longer. A scan from zero finds these each minute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromQueryResult)]
pub struct Watermark {
    /// Rows up to this id are skipped.
    #[sea_orm(from_alias = "watermark")]
    pub position: i64,
    /// The next position, and when it was noted.
    #[sea_orm(from_alias = "next_watermark")]
    pub(crate) next: i64,
    #[sea_orm(from_alias = "next_watermark_at")]
    pub(crate) next_at: DateTime<Utc>,
}

impl Watermark {
    /// A watermark below the first row.
    pub fn new(now: DateTime<Utc>) -> Self {
        Self {
            position: 0,
            next: 0,
            next_at: now,
        }
    }

    /// Notes the highest id that was read, which stays the same where rows cannot be read. Whether the watermark moved.
    pub fn advance(&mut self, last: i64, now: DateTime<Utc>) -> bool {
        let news = last >= self.next && last > self.position;
        let due = news && now - self.next_at >= MAX_OPEN;
        if due {
            *self = Self {
                position: self.next,
                next: last,
                next_at: now,
            };
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_watermark_is_what_was_read_a_minute_ago() {
        let start = DateTime::UNIX_EPOCH;
        let at = |seconds| start + TimeDelta::seconds(seconds);
        let mut watermark = Watermark::new(start);
        watermark.advance(10, at(1));
        assert_eq!((watermark.position, watermark.next), (0, 0));
        watermark.advance(20, at(60));
        assert_eq!((watermark.position, watermark.next), (0, 20));
        watermark.advance(30, at(119));
        assert_eq!((watermark.position, watermark.next), (0, 20));
        watermark.advance(40, at(120));
        assert_eq!((watermark.position, watermark.next), (20, 40));
        watermark.advance(0, at(500));
        assert_eq!((watermark.position, watermark.next), (20, 40));
        watermark.advance(50, at(501));
        assert_eq!((watermark.position, watermark.next), (40, 50));
        assert!(watermark.advance(50, at(561)));
        assert_eq!((watermark.position, watermark.next), (50, 50));
        assert!(!watermark.advance(50, at(700)));
    }
}
