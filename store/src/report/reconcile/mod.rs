//! Counts made anew from what is stored, slice by slice: a form on a day. To check the rollups ([`Store::check_slice`]), and
//! to replace them ([`Store::rebuild_slice`]), both beside a running service.
//!
//! A check reads rollup, pending counts and what they count in one snapshot: rollup and pending counts together are what is
//! stored, at every moment. A rebuild holds the form, so that nobody rolls up, and takes the slice's pending rows in
//! the very statement that reads what they count: of an answer or erasure that commits at the same time it sees the effect and
//! the row, or neither. Either reads a day of any size in bounded memory, and none holds a snapshot longer than a slice.

mod links;
mod read;
mod recipients;
mod slices;

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;
use domain::form::FormContent;
use domain::month::Month;
use domain::rollup::Delta;
use uuid::Uuid;

pub use self::links::LinkDrift;
use self::read::Sums;
pub use self::recipients::RecipientDrift;
pub use self::slices::Slices;
use crate::form::FormKey;
use crate::report::rollup::{RollupKey, WHOLE};
use crate::tx::{Patience, Sql, values};
use crate::{Committed, Error, Store, Tx};

/// A stored number that counting does not give.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drift {
    pub form_id: Uuid,
    /// The text of the business property; `None`: the whole.
    pub bus_prop: Option<String>,
    pub day: NaiveDate,
    /// As [`domain::rollup::Difference`] names it.
    pub counter: String,
    pub stored: i64,
    pub recomputed: i64,
}

impl Store {
    /// Every number of a form's day that rollup and pending counts have and counting does not give.
    ///
    /// # Errors
    /// See [`Error`].
    pub async fn check_slice(
        &self,
        form: FormKey,
        slices: &Slices,
        day: NaiveDate,
    ) -> Result<Vec<Drift>, Error> {
        let mut tx = self.snapshot(Patience::Request).await?;
        let content = tx.form_content(form).await?;
        let mut stored = tx.pending(form, day).await?.by_bus_prop();
        let recomputed = tx.recount(form, day, &content).await?.by_bus_prop();
        let ids = slices
            .bus_prop_ids
            .iter()
            .chain(stored.keys())
            .chain(recomputed.keys());
        let ids: BTreeSet<i64> = ids.copied().collect();
        for (id, delta) in tx.rollup_of_day(form, day, &ids).await? {
            stored.entry(id).or_default().merge(&delta);
        }
        let none = Delta::default();
        let mut drifts = Vec::new();
        for id in ids {
            let stored = stored.get(&id).unwrap_or(&none);
            let recomputed = recomputed.get(&id).unwrap_or(&none);
            drifts.extend(
                stored
                    .differences(recomputed)
                    .into_iter()
                    .map(|difference| Drift {
                        form_id: form.form_id,
                        bus_prop: bus_prop_text(&content, id),
                        day,
                        counter: difference.counter,
                        stored: difference.left,
                        recomputed: difference.right,
                    }),
            );
        }
        Ok(drifts)
    }

    /// Makes the rollup of a form's day what counting gives, and takes what waits for it. Whether anything changed.
    ///
    /// # Errors
    /// See [`Error`]. Doing it again is safe.
    pub async fn rebuild_slice(
        &self,
        form: FormKey,
        slices: &Slices,
        day: NaiveDate,
    ) -> Result<bool, Error> {
        self.retry(|| self.try_rebuild(form, slices, day)).await
    }

    async fn try_rebuild(
        &self,
        form: FormKey,
        slices: &Slices,
        day: NaiveDate,
    ) -> Result<bool, Error> {
        let mut tx = self.begin_by_key().await?;
        tx.lock_form(form).await?;
        // An edit of the form waits for the lock too, so the content is that of all answers that are read below.
        let content = tx.form_content(form).await?;
        let recount = tx.recount_and_take(form, day, &content).await?;
        let (taken, links) = (recount.taken, recount.links.clone());
        let recomputed = recount.by_bus_prop();
        let ids = slices.bus_prop_ids.iter().chain(recomputed.keys());
        let ids: BTreeSet<i64> = ids.copied().collect();
        let mut stored = tx.rollup_of_day(form, day, &ids).await?;
        let changed: BTreeMap<RollupKey, Delta> = recomputed
            .into_iter()
            .filter(|(id, delta)| stored.remove(id).as_ref() != Some(delta))
            .map(|(id, delta)| ((id, day), delta))
            .collect();
        // What is left is counted no more.
        if changed.is_empty() && stored.is_empty() && taken == 0 {
            return Ok(false);
        }
        tx.remove_from_rollup(form, day, stored.keys()).await?;
        tx.put_rollup(form, &changed).await?;
        tx.add_to_links(form, &links).await?;
        let now = tx.now().await?;
        let version = tx.raise_version(form, now).await?;
        tx.raise_months(form, [Month::of(day)], version).await?;
        match tx.commit().await? {
            Committed::Done => Ok(true),
            // Again, then: it comes to the same.
            Committed::Unknown(error) => Err(Error::Conflict(error.into())),
        }
    }

    /// Gives a form another version and so all its months, in the last step of its rebuild: whatever copies were made before
    /// are looked at no more, also those of counts that a rebuild found right.
    ///
    /// # Errors
    /// See [`Error`]. Doing it again is safe.
    pub async fn restamp_form(&self, form: FormKey) -> Result<(), Error> {
        let mut tx = self.begin().await?;
        let as_of = tx.lock_form(form).await?.as_of;
        let version = tx.raise_version(form, as_of).await?;
        tx.execute(
            "UPDATE rollup_month SET version = $3, stamp = $4 WHERE account_id = $1 AND form_id = $2",
            values![form, version.number, version.stamp],
        )
        .await?;
        tx.commit_surely().await
    }
}

impl Tx {
    pub(crate) async fn form_content(&mut self, form: FormKey) -> Result<FormContent, Error> {
        let content = "SELECT content FROM form WHERE account_id = $1 AND form_id = $2";
        let content: Option<String> = self.one(content, values![form]).await?;
        let content = content.ok_or_else(|| Error::broken("a version without a form"))?;
        serde_json::from_str(&content).map_err(Error::broken)
    }

    async fn recount(
        &mut self,
        form: FormKey,
        day: NaiveDate,
        content: &FormContent,
    ) -> Result<Sums, Error> {
        read::sums(self, read::STORED, read::values(form, day), content).await
    }

    /// What waits goes in the same moment.
    async fn recount_and_take(
        &mut self,
        form: FormKey,
        day: NaiveDate,
        content: &FormContent,
    ) -> Result<Sums, Error> {
        if !self.is_sqlite() {
            return read::sums(self, read::TAKING, read::values(form, day), content).await;
        }
        // Nobody else writes while this transaction is open.
        let delete = "DELETE FROM pending_delta WHERE account_id = $1 AND form_id = $2 AND day = $3 RETURNING link_counts";
        let taken: Vec<String> = self.all(delete, values![form, day]).await?;
        let mut sums = self.recount(form, day, content).await?;
        for link_counts in &taken {
            sums.take(link_counts)?;
        }
        Ok(sums)
    }
}

fn bus_prop_text(content: &FormContent, id: i64) -> Option<String> {
    if id == WHOLE {
        return None;
    }
    let entry = u32::try_from(id).ok().and_then(|id| content.bus_prop(id));
    Some(entry.map_or_else(|| format!("#{id}"), |entry| entry.text.to_string()))
}
