//! What links collect: views and answers, many in one transaction, each at most once by its visit; and the erasure of
//! a feedback.
//!
//! Rows are only appended, so a hot link is no hot row. A link with `max_responses` is the exception: its row is locked
//! and counted. Both dialects do the same, each in its own statements, in the order links, visits, views and each of
//! them by its key: one batch may wait for another, but they never deadlock.

use std::collections::BTreeMap;

use chrono::{DateTime, NaiveDate, SubsecRound, Utc};
use domain::answer::Answers;
use domain::date_range::day_of;
use domain::rollup::Delta;
use sea_orm::FromQueryResult;
use uuid::{Timestamp, Uuid};

use crate::form::{FormKey, PublicLink};
use crate::send::{FirstUses, MessageKey};
use crate::tx::batch_row;
use crate::{Result, Store};

mod answers;
mod erase;
mod link_counts;
mod pending;

use self::answers::AnswerRow;
pub use self::answers::Recorded;
pub(crate) use self::link_counts::LinkCounts;
pub(crate) use self::pending::PendingDeltas;

/// A visit that saw a link's page on a day.
#[derive(Clone, Debug)]
pub struct NewView {
    key: ViewKey,
    form_id: Uuid,
    pub(crate) bus_prop_ids: String,
    pub(crate) at: DateTime<Utc>,
    /// The link is that of a message.
    is_of_message: bool,
}

/// A visit's answers, which the link's form has judged.
#[derive(Clone)]
pub struct NewAnswer {
    /// Whoever answers has seen the page.
    view: NewView,
    row: AnswerRow,
    /// The link has `max_responses`.
    limited: bool,
    delta: Delta,
}

batch_row! {
    /// The key of a link.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, FromQueryResult)]
    struct LinkKey {
        account_id: Uuid,
        link_id: Uuid,
    }
}

batch_row! {
    /// The key of a visit. The order is that of the tables' keys.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, FromQueryResult)]
    struct VisitKey {
        account_id: Uuid,
        link_id: Uuid,
        visit: Uuid,
    }
}

impl VisitKey {
    fn link(self) -> LinkKey {
        LinkKey {
            account_id: self.account_id,
            link_id: self.link_id,
        }
    }
}

batch_row! {
    /// The key of a view.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, FromQueryResult)]
    struct ViewKey {
        #[sea_orm(nested)]
        visit: VisitKey,
        /// In the account's time zone.
        day: NaiveDate,
    }
}

impl NewView {
    /// A visit's view of a link at a moment.
    pub fn new(link: &PublicLink, visit: Uuid, at: DateTime<Utc>) -> Self {
        Self {
            key: ViewKey {
                visit: VisitKey {
                    account_id: link.account_id,
                    link_id: link.link_id,
                    visit,
                },
                day: day_of(at, link.time_zone),
            },
            form_id: link.form_id,
            bus_prop_ids: link.bus_prop_ids.to_string(),
            at: at.trunc_subsecs(6),
            is_of_message: link.is_of_message,
        }
    }

    pub fn form(&self) -> FormKey {
        FormKey::new(self.key.visit.account_id, self.form_id)
    }

    /// Adds the link's use to those of messages, if it is of one.
    fn add_use<'a>(&'a self, uses: &mut FirstUses<'a>) {
        if self.is_of_message {
            let message = MessageKey {
                account_id: self.key.visit.account_id,
                message_id: self.key.visit.link_id,
            };
            let first = uses.entry(message).or_insert(self);
            if self.at < first.at {
                *first = self;
            }
        }
    }

    fn count(&self, delta: &Delta, deltas: &mut PendingDeltas) {
        let ViewKey { visit, day } = self.key;
        deltas.add(self.form(), visit.link_id, day, &self.bus_prop_ids, delta);
    }
}

impl NewAnswer {
    /// A visit's answers to a link at a moment.
    pub fn new(link: &PublicLink, visit: Uuid, at: DateTime<Utc>, answers: &Answers) -> Self {
        let view = NewView::new(link, visit, at);
        Self {
            row: AnswerRow {
                view: view.key,
                feedback_id: id_at(view.at),
                at: view.at,
                answers: answers.to_value().to_string(),
                nps: answers.nps.map(i16::from),
                happiness: answers.happiness.map(i16::from),
                has_comment: answers.has_comment,
            },
            view,
            limited: link.max_responses.is_some(),
            delta: Delta::answer(&link.content, answers),
        }
    }

    pub fn form(&self) -> FormKey {
        self.view.form()
    }

    /// The bytes that it takes in memory, about: what is chosen among options is counted in a quarter of its text.
    pub fn size(&self) -> usize {
        size_of::<Self>() + self.row.answers.len() + self.row.answers.len() / 4
    }
}

/// The bits that the microseconds of a millisecond take.
const MICROS_BITS: u8 = 10;

/// A version 7 UUID of the moment, so that the order of ids is that of time. Behind its milliseconds come the microseconds, as a
/// counter of one process would: those of several processes are in order too, and past moments as they were.
pub(crate) fn id_at(at: DateTime<Utc>) -> Uuid {
    let seconds = u64::try_from(at.timestamp()).unwrap_or(0);
    let nanos = at.timestamp_subsec_nanos();
    let micros = u128::from(nanos / 1_000 % 1_000);
    Uuid::new_v7(Timestamp::from_unix_time(
        seconds,
        nanos,
        micros,
        MICROS_BITS,
    ))
}

impl Store {
    /// Counts views in one transaction, each visit once a day. How many were new. Whether the link is gone is for
    /// the caller to judge.
    ///
    /// # Errors
    /// Giving the same views again is safe.
    pub async fn record_views(&self, views: &[NewView]) -> Result<u64> {
        self.retry(|| self.try_views(views)).await
    }

    async fn try_views(&self, views: &[NewView]) -> Result<u64> {
        let by_day: BTreeMap<_, &NewView> = views.iter().map(|view| (view.key, view)).collect();
        let given: Vec<&NewView> = by_day.values().copied().collect();
        let tx = self.begin_by_key().await?;
        let seen = tx.store_views(&given).await?;
        if seen.is_empty() {
            return Ok(0);
        }
        let mut deltas = PendingDeltas::default();
        let mut uses = FirstUses::new();
        let view = Delta::view();
        for key in &seen {
            if let Some(new) = by_day.get(key) {
                new.count(&view, &mut deltas);
                new.add_use(&mut uses);
            }
        }
        tx.note_uses(&uses, false, deltas).await?;
        tx.commit_surely().await?;
        Ok(seen.len() as u64)
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;

    #[test]
    fn ids_are_in_the_order_of_time_to_the_microsecond() {
        let at = |micros| DateTime::UNIX_EPOCH + TimeDelta::microseconds(micros);
        let moments = (1_790_000_000_000_000..).step_by(37).take(100);
        let ids: Vec<Uuid> = moments.map(|micros| id_at(at(micros))).collect();
        assert!(ids.is_sorted(), "{ids:?}");
        assert!(ids.iter().all(|id| id.get_version_num() == 7));
        let first = id_at(at(1_790_000_000_123_999));
        assert_eq!(first.as_u128() >> 80, 1_790_000_000_123);
        assert_ne!(first, id_at(at(1_790_000_000_123_999)));
    }
}
