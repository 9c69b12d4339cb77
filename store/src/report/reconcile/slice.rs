//! A form's rollup, slice by slice: what is stored, and what counting gives.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::mem;

use chrono::NaiveDate;
use domain::answer::Answers;
use domain::form::FormContent;
use domain::link::BusPropIds;
use domain::month::Month;
use domain::rollup::{DayCounts, DecodeCounts, Delta};
use entity::form;
use futures::TryStreamExt;
use sea_orm::{EntityTrait, FromQueryResult};

use super::Drift;
use crate::form::FormKey;
use crate::report::feedback::ids_of_days;
use crate::report::rollup::{RollupKey, WHOLE, keys};
use crate::retention::{Sealed, Seals, is_sealed};
use crate::tx::{Sql, Statement, statement, values};
use crate::{Committed, Error, Result, Store, Tx};

/// What is compared at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slice {
    /// The views and answers of a day.
    Day(NaiveDate),
    /// The messages of all days: no index leads to those of one.
    Messages,
}

/// Where a form has counts or what is counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slices {
    /// In order.
    pub days: Vec<NaiveDate>,
    /// Those in the rollup, also ids that the form has not.
    pub bus_prop_ids: Vec<i64>,
}

impl Slices {
    pub fn iter(&self) -> impl Iterator<Item = Slice> {
        let days = self.days.iter().copied().map(Slice::Day);
        days.chain([Slice::Messages])
    }
}

/// What a slice's pending rows count, and what they count: answers one by one, views and messages as many as are alike.
const DAY: &Statement = statement!(
    "SELECT bus_prop_ids, day, delta, NULL AS answers, CAST(0 AS bigint) AS views, CAST(0 AS bigint) AS sent,
            CAST(0 AS bigint) AS delivered, CAST(0 AS bigint) AS answered, CAST(0 AS bigint) AS delivered_and_answered
       FROM pending_delta WHERE account_id = $1 AND form_id = $2 AND day = $3
      UNION ALL
     SELECT bus_prop_ids, day, NULL, answers, 0, 0, 0, 0, 0 FROM feedback
      WHERE account_id = $1 AND form_id = $2 AND day = $3 AND feedback_id >= $4 AND feedback_id < $5
      UNION ALL
     SELECT l.bus_prop_ids, v.day, NULL, NULL, count(*), 0, 0, 0, 0
       FROM visit_view v JOIN link l ON l.account_id = v.account_id AND l.link_id = v.link_id
      WHERE v.account_id = $1 AND v.form_id = $2 AND v.day = $3 GROUP BY l.bus_prop_ids, v.day"
);
const MESSAGES: &Statement = statement!(
    "SELECT bus_prop_ids, day, delta, NULL AS answers, CAST(0 AS bigint) AS views, CAST(0 AS bigint) AS sent,
            CAST(0 AS bigint) AS delivered, CAST(0 AS bigint) AS answered, CAST(0 AS bigint) AS delivered_and_answered
       FROM pending_delta WHERE account_id = $1 AND form_id = $2
      UNION ALL
     SELECT l.bus_prop_ids, m.accepted_day, NULL, NULL, 0, count(*), count(*) FILTER (WHERE m.status = 'delivered'),
            count(m.answered_at), count(m.answered_at) FILTER (WHERE m.status = 'delivered')
       FROM campaign c
       JOIN message m ON m.account_id = c.account_id AND m.campaign_id = c.campaign_id
       JOIN link l ON l.account_id = m.account_id AND l.link_id = m.link_id
      WHERE c.account_id = $1 AND c.form_id = $2 AND m.kind <> 'test' AND m.accepted_day IS NOT NULL
      GROUP BY l.bus_prop_ids, m.accepted_day"
);

/// Some of what a slice's rows count: a pending delta, an answer, or views and messages that are alike.
#[derive(FromQueryResult)]
struct SliceRow {
    bus_prop_ids: String,
    day: NaiveDate,
    delta: Option<Vec<u8>>,
    answers: Option<String>,
    views: i64,
    sent: i64,
    delivered: i64,
    answered: i64,
    delivered_and_answered: i64,
}

/// The counters of all rows of a form.
const COUNTERS: &Statement = statement!(
    "SELECT bus_prop_id, day, substr(delta, 1, 150) AS delta FROM rollup WHERE account_id = $1 AND form_id = $2"
);

#[derive(FromQueryResult)]
struct Counters {
    bus_prop_id: i64,
    day: NaiveDate,
    delta: Vec<u8>,
}

/// Counts as they are stored, and as counting gives them.
#[derive(Debug, Default)]
struct ComparedDelta {
    stored: Delta,
    recomputed: Delta,
}

impl ComparedDelta {
    fn add(&mut self, row: &SliceRow, content: &FormContent) -> Result<()> {
        if let Some(delta) = &row.delta {
            self.stored = mem::take(&mut self.stored).merged_with(delta)?;
        } else if let Some(answers) = &row.answers {
            let answers = serde_json::from_str(answers).map_err(Error::broken)?;
            let answers = Answers::from_stored(content, answers).map_err(Error::broken)?;
            self.recomputed.merge(&Delta::answer(content, &answers));
        } else {
            self.recomputed.counts += DayCounts {
                views: row.views,
                sent: row.sent,
                delivered: row.delivered,
                answered: row.answered,
                delivered_and_answered: row.delivered_and_answered,
                ..DayCounts::default()
            };
        }
        Ok(())
    }

    fn merge(&mut self, other: &Self) {
        self.stored.merge(&other.stored);
        self.recomputed.merge(&other.recomputed);
    }

    /// Leaves out what of a day's slice is sealed.
    fn skip_sealed(&mut self, slice: Slice, day: NaiveDate, seals: &Seals) {
        for delta in [&mut self.stored, &mut self.recomputed] {
            match slice {
                Slice::Messages if is_sealed(seals.messages, day) => *delta = Delta::default(),
                Slice::Messages => {}
                Slice::Day(_) => {
                    if is_sealed(seals.answers, day) {
                        let views = delta.counts.views;
                        *delta = DayCounts {
                            views,
                            ..DayCounts::default()
                        }
                        .into();
                    }
                    if is_sealed(seals.visits, day) {
                        delta.counts.views = 0;
                    }
                }
            }
        }
    }

    /// What is to be added to what is stored.
    fn missing(mut self) -> Delta {
        self.recomputed.merge(&self.stored.negated());
        self.recomputed
    }
}

impl Store {
    /// The slices of a form, as of now: later days need no look.
    pub async fn slices(&self, form: FormKey) -> Result<Slices> {
        let days = statement!(
            "SELECT day FROM rollup WHERE account_id = $1 AND form_id = $2
              UNION SELECT day FROM feedback WHERE account_id = $1 AND form_id = $2
              UNION SELECT day FROM visit_view WHERE account_id = $1 AND form_id = $2
              UNION SELECT day FROM pending_delta WHERE account_id = $1 AND form_id = $2 ORDER BY day"
        );
        let ids = statement!(
            "SELECT DISTINCT bus_prop_id FROM rollup WHERE account_id = $1 AND form_id = $2 ORDER BY bus_prop_id"
        );
        Ok(Slices {
            days: self.fetch_values(days, values![form]).await?,
            bus_prop_ids: self.fetch_values(ids, values![form]).await?,
        })
    }

    /// Every number of a slice that rollup and pending counts have and counting does not give.
    pub async fn check_slice(
        &self,
        form: FormKey,
        slices: &Slices,
        slice: Slice,
    ) -> Result<Vec<Drift>> {
        let mut tx = self.snapshot().await?;
        let content = tx.form_content(form).await?;
        let compared = tx.compare(form, slices, slice, &content).await?;
        let drifts = compared.into_iter().flat_map(|((id, day), compared)| {
            let differences = compared.stored.differences(&compared.recomputed);
            let part = bus_prop_text(&content, id);
            differences.into_iter().map(move |(counter, found)| Drift {
                part: part.clone(),
                day: Some(day),
                ..Drift::new("rollup", form.form_id, &counter, found)
            })
        });
        Ok(drifts.collect())
    }

    /// Makes the rollup of a slice what counting gives, without what is pending. Whether anything changed.
    ///
    /// # Errors
    /// Doing it again is safe.
    pub async fn rebuild_slice(
        &self,
        form: FormKey,
        slices: &Slices,
        slice: Slice,
    ) -> Result<bool> {
        self.retry(|| async move {
            let mut tx = self.begin_by_key().await?;
            tx.lock_form(form).await?;
            // An edit of the form waits for the lock too, so the content is that of all answers that are read below.
            let content = tx.form_content(form).await?;
            let compared = tx.compare(form, slices, slice, &content).await?;
            let missing = compared.into_iter();
            let mut missing: BTreeMap<RollupKey, Delta> = missing
                .map(|(key, compared)| (key, compared.missing()))
                .collect();
            missing.retain(|_, missing| *missing != Delta::default());
            if missing.is_empty() {
                // Not by dropping it: a roll-up passes by a form that is still held.
                tx.rollback().await?;
                return Ok(false);
            }
            let months: Vec<Month> = missing.keys().map(|(_, day)| Month::of(*day)).collect();
            tx.add_to_rollup(form, missing).await?;
            let now = tx.now().await?;
            let version = tx.raise_version(form, now).await?;
            tx.raise_months(form, months, version).await?;
            match tx.commit().await? {
                Committed::Done => Ok(true),
                // Again, then: it comes to the same.
                Committed::Unknown(error) => Err(Error::Conflict(error.into())),
            }
        })
        .await
    }

    /// Gives a form another version and so all its months, in the last step of its rebuild: whatever copies were made before
    /// are looked at no more, also those of counts that a rebuild found right.
    ///
    /// # Errors
    /// Doing it again is safe.
    pub async fn restamp_form(&self, form: FormKey) -> Result<()> {
        let mut tx = self.begin().await?;
        let as_of = tx.lock_form(form).await?.as_of;
        let version = tx.raise_version(form, as_of).await?;
        let update = statement!(
            "UPDATE rollup_month SET version = $3, stamp = $4 WHERE account_id = $1 AND form_id = $2"
        );
        tx.execute(update, values![form, version.number, version.stamp])
            .await?;
        tx.commit_surely().await
    }
}

impl Tx {
    pub(crate) async fn form_content(&mut self, form: FormKey) -> Result<FormContent> {
        let row = form::Entity::find_by_id((form.account_id, form.form_id));
        let row = row.one(self).await?;
        let row = row.ok_or_else(|| Error::broken("a version without a form"))?;
        serde_json::from_str(&row.content).map_err(Error::broken)
    }

    /// A slice by row of the rollup. No roll-up may commit meanwhile, unless this is a snapshot.
    async fn compare(
        &mut self,
        form: FormKey,
        slices: &Slices,
        slice: Slice,
        content: &FormContent,
    ) -> Result<BTreeMap<RollupKey, ComparedDelta>> {
        let (statement, values) = match slice {
            Slice::Day(day) => {
                let ids = ids_of_days(day, day);
                (DAY, values![form, day, ids.start, ids.end])
            }
            Slice::Messages => (MESSAGES, values![form]),
        };
        // By the text of `bus_prop_ids`, of which there are few, while a row may name fifty business properties.
        let mut alike: HashMap<(String, NaiveDate), ComparedDelta> = HashMap::new();
        let mut rows = self.stream::<SliceRow>(statement, values);
        while let Some(mut row) = rows.try_next().await? {
            let key = (mem::take(&mut row.bus_prop_ids), row.day);
            alike.entry(key).or_default().add(&row, content)?;
        }
        drop(rows);
        let mut compared: BTreeMap<RollupKey, ComparedDelta> = BTreeMap::new();
        for ((ids, day), sum) in &alike {
            let ids: BusPropIds = ids.parse().map_err(Error::broken)?;
            for key in keys(&ids, *day) {
                compared.entry(key).or_default().merge(sum);
            }
        }
        match slice {
            Slice::Day(day) => {
                let ids = slices.bus_prop_ids.iter().map(|id| (*id, day));
                let keys: BTreeSet<RollupKey> = ids.chain(compared.keys().copied()).collect();
                for (key, delta) in self.rollup_at(form, &keys).await? {
                    let stored = &mut compared.entry(key).or_default().stored;
                    stored.merge(&Delta::decode(&delta)?);
                }
                for sum in compared.values_mut() {
                    sum.stored.counts += -sum.stored.counts.of_messages();
                }
            }
            Slice::Messages => {
                for sum in compared.values_mut() {
                    sum.stored = sum.stored.counts.of_messages().into();
                }
                let mut rows = self.stream::<Counters>(COUNTERS, values![form]);
                while let Some(row) = rows.try_next().await? {
                    let counts = DayCounts::decode(&row.delta)?.of_messages();
                    if counts != DayCounts::default() {
                        let key = (row.bus_prop_id, row.day);
                        compared.entry(key).or_default().stored.counts += counts;
                    }
                }
            }
        }
        let (seals, _) = self.seals(form.account_id).await?;
        for ((_, day), sum) in &mut compared {
            sum.skip_sealed(slice, *day, &seals);
        }
        Ok(compared)
    }
}

fn bus_prop_text(content: &FormContent, id: i64) -> Option<String> {
    if id == WHOLE {
        return None;
    }
    let entry = u32::try_from(id).ok().and_then(|id| content.bus_prop(id));
    Some(entry.map_or_else(|| format!("#{id}"), |entry| entry.text.as_str().to_owned()))
}
