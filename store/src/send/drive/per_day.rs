//! How many messages of a campaign go out on a day for each value of a business property. A message keeps its place of the day, however
//! often it is handed over.

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, NaiveDate, Utc};
use domain::campaign::{CampaignContent, MessageKind};
use domain::form::FormContent;
use sea_orm::FromQueryResult;

use super::StepTx;
use super::claims::Candidate;
use crate::Result;
use crate::send::CampaignKey;
use crate::tx::{BatchStatement, batch_row, statement};

batch_row! {
    struct AskedOfDay {
        campaign: CampaignKey,
        day: NaiveDate,
        bus_prop: String,
        messages: i64,
        began_at: DateTime<Utc>,
    }
}

/// What there is, so that nobody else adds to it meanwhile.
const LOCK: &BatchStatement<AskedOfDay> = statement!(AskedOfDay:
    "INSERT INTO campaign_quota AS q ({columns}) SELECT {columns} FROM batch WHERE true
         ON CONFLICT (account_id, campaign_id, day, bus_prop) DO UPDATE SET messages = q.messages + excluded.messages
     RETURNING bus_prop, messages"
);
const ADD: &BatchStatement<AskedOfDay> = statement!(AskedOfDay:
    "UPDATE campaign_quota AS q SET messages = q.messages + batch.messages
       FROM batch WHERE q.account_id = batch.account_id AND q.campaign_id = batch.campaign_id AND q.day = batch.day
        AND q.bus_prop = batch.bus_prop"
);

#[derive(FromQueryResult)]
struct Asked {
    bus_prop: String,
    messages: i64,
}

/// The places of a campaign on a day.
pub(super) struct DayPlaces {
    day: NaiveDate,
    /// How many were asked before, by the text of the business property.
    asked: HashMap<String, i64>,
    /// How many more since.
    more: BTreeMap<String, i64>,
}

/// What is asked of whom, and the form, unless it was deleted.
pub(super) type Asking<'a> = (&'a CampaignContent, Option<&'a FormContent>);

/// The business properties of a message that has no place of the day, and how many each may have.
fn quotas(
    (content, form): Asking<'_>,
    candidate: &Candidate,
    day: NaiveDate,
) -> Vec<(String, i64)> {
    if candidate.due.kind != MessageKind::First || candidate.quota_day == Some(day) {
        return vec![];
    }
    let fields = &candidate.due.fields;
    let quotas = content.quotas(form, |name| fields.get(name).map(String::as_str));
    let quotas = quotas.into_iter();
    quotas
        .map(|(text, most)| (text.as_str().to_owned(), most.into()))
        .collect()
}

impl DayPlaces {
    /// Takes a message's places; false: there are none left.
    pub(super) fn take(&mut self, asking: Asking<'_>, candidate: &mut Candidate) -> bool {
        let quotas = quotas(asking, candidate, self.day);
        if quotas.is_empty() {
            return true;
        }
        let is_free = |(text, most): &(String, i64)| {
            let asked = self.asked.get(text).copied().unwrap_or_default();
            asked + self.more.get(text).copied().unwrap_or_default() < *most
        };
        if !quotas.iter().all(is_free) {
            return false;
        }
        for (text, _) in quotas {
            *self.more.entry(text).or_default() += 1;
        }
        candidate.quota_day = Some(self.day);
        true
    }
}

impl StepTx<'_> {
    /// The places of the day that messages of a campaign want.
    pub(super) async fn day_places(
        &self,
        campaign: CampaignKey,
        asking: Asking<'_>,
        candidates: &[Candidate],
        day: NaiveDate,
    ) -> Result<DayPlaces> {
        let quotas = candidates.iter().flat_map(|one| quotas(asking, one, day));
        let wanted = quotas.map(|(text, _)| (text, 0)).collect();
        let wanted = self.asked_of_day(campaign, day, wanted);
        let asked: Vec<Asked> = self.tx.fetch_batch(LOCK, wanted).await?;
        let asked = asked.into_iter().map(|row| (row.bus_prop, row.messages));
        Ok(DayPlaces {
            day,
            asked: asked.collect(),
            more: BTreeMap::new(),
        })
    }

    /// Notes the places that were taken.
    pub(super) async fn keep_places(&self, campaign: CampaignKey, places: DayPlaces) -> Result<()> {
        let more = self.asked_of_day(campaign, places.day, places.more);
        self.tx.execute_batch(ADD, more).await
    }

    /// Rows in the order in which all lock them.
    fn asked_of_day(
        &self,
        campaign: CampaignKey,
        day: NaiveDate,
        messages: BTreeMap<String, i64>,
    ) -> Vec<AskedOfDay> {
        let rows = messages.into_iter().map(|(bus_prop, messages)| AskedOfDay {
            campaign,
            day,
            bus_prop,
            messages,
            began_at: self.now,
        });
        rows.collect()
    }
}
