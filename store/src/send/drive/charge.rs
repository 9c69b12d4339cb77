//! What messages are counted as when they are claimed: parts, and what they cost by the sender's prices of that moment. What was
//! certainly not sent is taken back as it was counted, on the same day.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use domain::price::{Currency, Money};
use domain::sms::country_or_code;
use serde::{Deserialize, Serialize};

use super::StepTx;
use crate::send::CampaignKey;
use crate::tx::{BatchStatement, batch_row, statement};

batch_row! {
    struct SendUsage {
        campaign: CampaignKey,
        day: NaiveDate,
        sender: String,
        country: String,
        currency: String,
        messages: i64,
        parts: i64,
        cost: i64,
    }
}

const ADD: &BatchStatement<SendUsage> = statement!(SendUsage:
    "INSERT INTO send_usage AS u ({columns}) SELECT {columns} FROM batch WHERE true
         ON CONFLICT (account_id, campaign_id, day, sender, country, currency) DO UPDATE SET
            messages = u.messages + excluded.messages, parts = u.parts + excluded.parts, cost = u.cost + excluded.cost"
);

/// What a message was counted as when it was claimed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Charge {
    day: NaiveDate,
    country: String,
    pub(super) parts: i64,
    /// `None` of a sender without a price.
    pub(super) cost: Option<Money>,
}

impl Charge {
    /// In millionths of its currency.
    pub(super) fn millionths(&self) -> Option<i64> {
        self.cost.as_ref().map(|cost| cost.millionths)
    }
}

/// Where charges are added up.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ChargedTo {
    campaign: CampaignKey,
    day: NaiveDate,
    country: String,
    currency: Option<Currency>,
}

/// What a step adds, less what it takes back.
#[derive(Debug, Default)]
pub(super) struct Charged {
    messages: i64,
    parts: i64,
    cost: i64,
}

pub(super) type Charges = BTreeMap<ChargedTo, Charged>;

impl StepTx<'_> {
    /// What a message of so many parts to a phone is counted as.
    pub(super) fn charge(&self, day: NaiveDate, phone: &str, parts: i64) -> Charge {
        let prices = self.driver.prices;
        Charge {
            day,
            country: country_or_code(phone),
            parts,
            cost: prices.and_then(|prices| prices.of(phone, parts.unsigned_abs())),
        }
    }

    /// Counts a message that is claimed.
    pub(super) fn add_charge(&mut self, campaign: CampaignKey, charge: &Charge) {
        self.count_charge(campaign, charge, 1);
    }

    /// Takes back what a message was counted as that was not sent after all.
    pub(super) fn take_back(&mut self, campaign: CampaignKey, charge: &Charge) {
        self.count_charge(campaign, charge, -1);
    }

    fn count_charge(&mut self, campaign: CampaignKey, charge: &Charge, times: i64) {
        let to = ChargedTo {
            campaign,
            day: charge.day,
            country: charge.country.clone(),
            currency: charge.cost.as_ref().map(|cost| cost.currency.clone()),
        };
        let sum = self.charges.entry(to).or_default();
        sum.messages += times;
        sum.parts += times * charge.parts;
        sum.cost += times * charge.millionths().unwrap_or_default();
    }

    /// What this step spent, less what it took back, of campaigns and days that are meant.
    pub(super) fn spent_in_step(
        &self,
        is_meant: impl Fn(CampaignKey, NaiveDate) -> bool,
    ) -> impl Iterator<Item = Money> {
        let charges = self.charges.iter();
        charges.filter_map(move |(to, sum)| {
            let currency = to.currency.clone()?;
            is_meant(to.campaign, to.day).then_some(Money {
                millionths: sum.cost,
                currency,
            })
        })
    }

    /// Adds the charges of this step to what was handed over.
    pub(super) fn keep_charges(&mut self) {
        let charges = std::mem::take(&mut self.charges);
        for (to, sum) in charges {
            let usage = SendUsage {
                campaign: to.campaign,
                day: to.day,
                sender: self.driver.lease.name.clone(),
                country: to.country,
                currency: to.currency.map_or_else(String::new, String::from),
                messages: sum.messages,
                parts: sum.parts,
                cost: sum.cost,
            };
            self.writes.add(ADD, usage);
        }
    }
}
