//! How many parts an account may send through a sender on a day of its own. The driver alone counts them, so the limit holds for
//! all workers together.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use domain::date_range::day_of;
use uuid::Uuid;

use super::{LockedCampaign, StepTx};
use crate::Result;
use crate::send::CampaignKey;
use crate::tx::{BatchStatement, Sql, Statement, batch_row, statement, values};

const PARTS_OF_DAY: &Statement =
    statement!("SELECT parts FROM sender_usage WHERE sender = $1 AND account_id = $2 AND day = $3");

batch_row! {
    /// Parts that an account handed over through a sender on a day; below zero, that were not sent after all.
    struct QuotaUsage {
        sender: String,
        account_id: Uuid,
        day: NaiveDate,
        parts: i64,
    }
}

const ADD_USAGE: &BatchStatement<QuotaUsage> = statement!(QuotaUsage:
    "INSERT INTO sender_usage AS u ({columns}) SELECT {columns} FROM batch WHERE true
         ON CONFLICT (sender, account_id) DO UPDATE SET day = excluded.day,
            parts = CASE WHEN u.day = excluded.day THEN u.parts + excluded.parts
                         WHEN excluded.parts > 0 THEN excluded.parts ELSE 0 END"
);

impl StepTx<'_> {
    /// How many more parts the account of a campaign may send today.
    pub(super) async fn parts_left(
        &self,
        account_id: Uuid,
        campaign: &LockedCampaign,
    ) -> Result<i64> {
        let Some(limit) = self.driver.parts_per_day else {
            return Ok(i64::MAX);
        };
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let (name, today) = (self.driver.lease.name.as_str(), self.today(campaign));
        let sent = values![name, account_id, today];
        let sent: Option<i64> = self.tx.fetch_value(PARTS_OF_DAY, sent).await?;
        let in_step = self.parts.get(&account_id).copied().unwrap_or_default();
        Ok(limit - sent.unwrap_or_default() - in_step)
    }

    /// Adds the parts of this step to those of the accounts' day.
    pub(super) fn keep_parts(&mut self, campaigns: &BTreeMap<CampaignKey, LockedCampaign>) {
        let parts = std::mem::take(&mut self.parts);
        for (account_id, parts) in parts {
            let mut of_account = campaigns
                .iter()
                .filter(|(key, _)| key.account_id == account_id);
            if self.driver.parts_per_day.is_some()
                && let Some((_, campaign)) = of_account.next()
            {
                let usage = QuotaUsage {
                    sender: self.driver.lease.name.clone(),
                    account_id,
                    day: self.today(campaign),
                    parts,
                };
                self.writes.add(ADD_USAGE, usage);
            }
        }
    }

    pub(super) fn today(&self, campaign: &LockedCampaign) -> NaiveDate {
        day_of(self.now, campaign.time_zone.0)
    }
}
