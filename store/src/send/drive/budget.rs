//! What may still be spent: of a campaign's budget, and of its account's for the month. What does not fit stays as it is.
//!
//! Steps of several senders of an account come one after the other where there is a budget: they lock the row of the account's
//! setting before they read what was spent. So no budget is exceeded, whoever sends.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;
use domain::campaign::SkipReason;
use domain::month::Month;
use domain::price::Money;
use domain::sms::SendSetting;
use uuid::Uuid;

use super::charge::Charge;
use super::claims::Candidate;
use super::{LockedCampaign, StepTx, Wanted};
use crate::send::CampaignKey;
use crate::tx::{JsonText, Sql, Statement, statement, values};
use crate::{Result, Tx};

const LOCK: &Statement = statement!(lock "FOR UPDATE":
    "SELECT content FROM send_setting WHERE account_id = $1"
);
/// The defaults.
const INSERT: &Statement = statement!(
    "INSERT INTO send_setting (account_id, content) VALUES ($1, '{}') ON CONFLICT DO NOTHING"
);

impl Tx {
    /// Locks the settings of the accounts that have a budget, or of whose campaigns one has, in their order, and gives what they say now.
    pub(super) async fn lock_budgets(
        &self,
        wanted: &[Wanted],
        campaigns: &mut BTreeMap<CampaignKey, LockedCampaign>,
    ) -> Result<()> {
        let keys = wanted.iter().map(|wanted| wanted.campaign);
        let has_budget = |key: &CampaignKey| {
            campaigns.get(key).is_some_and(|campaign| {
                let of_campaign = campaign.content.0.budget.is_some();
                of_campaign || campaign.setting.0.month_budget.is_some()
            })
        };
        let accounts: BTreeSet<Uuid> = keys.filter(has_budget).map(|key| key.account_id).collect();
        for account_id in accounts {
            let setting = self.lock_setting(account_id).await?;
            for (_, campaign) in campaigns
                .iter_mut()
                .filter(|(key, _)| key.account_id == account_id)
            {
                campaign.setting.0.clone_from(&setting);
            }
        }
        Ok(())
    }

    /// Locks the setting of an account until the transaction ends, and gives what it says now.
    pub(in crate::send) async fn lock_setting(&self, account_id: Uuid) -> Result<SendSetting> {
        let locked = || self.fetch_value(LOCK, values![account_id]);
        let mut setting: Option<JsonText<SendSetting>> = locked().await?;
        if setting.is_none() {
            self.execute(INSERT, values![account_id]).await?;
            setting = locked().await?;
        }
        Ok(setting.map(|setting| setting.0).unwrap_or_default())
    }
}

/// What is left of the budgets that a message has to fit in.
pub(super) struct BudgetsLeft(Vec<Money>);

impl BudgetsLeft {
    fn fit(&self, cost: Option<&Money>) -> bool {
        self.0.iter().all(|left| {
            cost.is_some_and(|cost| {
                cost.currency == left.currency && cost.millionths <= left.millionths
            })
        })
    }

    /// Whether a message fits.
    pub(super) fn have(&self, charge: &Charge) -> bool {
        self.fit(charge.cost.as_ref())
    }

    /// Takes what a message costs that fits.
    pub(super) fn take(&mut self, charge: &Charge) {
        for left in &mut self.0 {
            left.millionths -= charge.millionths().unwrap_or_default();
        }
    }
}

impl StepTx<'_> {
    /// What is left for a campaign on a day, without what this step spent.
    pub(super) async fn budgets_left(
        &self,
        key: CampaignKey,
        campaign: &LockedCampaign,
        today: NaiveDate,
    ) -> Result<BudgetsLeft> {
        let mut left = Vec::new();
        if let Some(budget) = &campaign.content.0.budget {
            let mut budget = budget.clone();
            budget.take_all(self.tx.spent(key).await?);
            budget.take_all(self.spent_in_step(|campaign, _| campaign == key));
            left.push(budget);
        }
        let prices = self.driver.prices;
        let budget = campaign.setting.0.month_budget.as_ref();
        // What costs nothing, or is paid in another currency, is not of it.
        let budget = budget
            .filter(|budget| prices.is_some_and(|prices| *prices.currency() == budget.currency));
        if let Some(budget) = budget {
            let (mut budget, month) = (budget.clone(), Month::of(today));
            let of_month = self.tx.spent_in_month(key.account_id, month);
            budget.take_all(of_month.await?);
            let is_of_month = |campaign: CampaignKey, day| {
                campaign.account_id == key.account_id && Month::of(day) == month
            };
            budget.take_all(self.spent_in_step(is_of_month));
            left.push(budget);
        }
        Ok(BudgetsLeft(left))
    }

    /// For which reason a message is skipped: whoever waited for a budget until it was too late was left out by that. Less is left
    /// then than the longest message costs.
    pub(super) fn reason(
        &self,
        reason: SkipReason,
        candidate: &Candidate,
        left: &BudgetsLeft,
        max_parts: u32,
    ) -> SkipReason {
        if reason != SkipReason::TooLate {
            return reason;
        }
        let phone = candidate.due.phone.as_deref().unwrap_or_default();
        let prices = self.driver.prices;
        let longest = prices.and_then(|prices| prices.of(phone, max_parts.into()));
        if left.fit(longest.as_ref()) {
            reason
        } else {
            SkipReason::LimitReached
        }
    }
}
