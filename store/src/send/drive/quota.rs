//! How many parts an account may send through a sender on a day of its own. The driver alone counts them, so the limit holds for
//! all workers together.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use uuid::Uuid;

use super::{Loaded, StepTx};
use crate::Result;
use crate::send::CampaignKey;
use crate::tx::{Sql, values};

const USED: &str = "WITH g(s, a, d, p) AS (ROWS)
     INSERT INTO sender_usage AS u (sender, account_id, day, parts) SELECT * FROM g WHERE true
         ON CONFLICT (sender, account_id) DO UPDATE SET day = excluded.day,
            parts = CASE WHEN u.day = excluded.day THEN u.parts + excluded.parts
                         WHEN excluded.parts > 0 THEN excluded.parts ELSE 0 END";

impl StepTx<'_> {
    /// How many more parts the account of a campaign may send today.
    pub(super) async fn parts_left(&self, account_id: Uuid, campaign: &Loaded) -> Result<i64> {
        let Some(limit) = self.driver.parts_per_day else {
            return Ok(i64::MAX);
        };
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let sent =
            "SELECT parts FROM sender_usage WHERE sender = $1 AND account_id = $2 AND day = $3";
        let (name, today) = (self.driver.lease.name.as_str(), self.today(campaign));
        let sent: Option<i64> = self.tx.one(sent, values![name, account_id, today]).await?;
        let in_step = self.parts.get(&account_id).copied().unwrap_or_default();
        Ok(limit - sent.unwrap_or_default() - in_step)
    }

    /// Adds the parts of this step to those of the accounts' day.
    pub(super) fn keep_parts(&mut self, campaigns: &BTreeMap<CampaignKey, Loaded>) {
        let parts = std::mem::take(&mut self.parts);
        for (account_id, parts) in parts {
            let of_account = |(key, _): &(&CampaignKey, &Loaded)| key.account_id == account_id;
            if self.driver.parts_per_day.is_some()
                && let Some((_, campaign)) = campaigns.iter().find(of_account)
            {
                let key = values![self.driver.lease.name.as_str(), account_id];
                self.write(USED, key, values![self.today(campaign), parts]);
            }
        }
    }

    fn today(&self, campaign: &Loaded) -> NaiveDate {
        self.now.with_timezone(&campaign.account_zone).date_naive()
    }
}
