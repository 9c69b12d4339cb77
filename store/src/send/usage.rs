//! What was handed over, by month, sender and country, and what it cost.

use chrono::NaiveDate;
use domain::date_range::DateRange;
use domain::month::Month;
use domain::price::{Currency, Money};
use sea_orm::FromQueryResult;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::CampaignKey;
use crate::tx::{Sql, Statement, statement, values};
use crate::{Error, ListPage, Result, Store, Tx};

/// Both databases write a day as `2026-11-27`.
const USAGE: &Statement = statement!(
    "SELECT month, sender, country, currency, CAST(sum(messages) AS bigint) AS messages, CAST(sum(parts) AS bigint) AS parts,
            CAST(sum(cost) AS bigint) AS cost
       FROM (SELECT substr(CAST(day AS text), 1, 7) AS month, sender, country, currency, messages, parts, cost
               FROM send_usage WHERE account_id = $1 AND day >= $2 AND day <= $3) AS of_day
      WHERE (month, sender, country, currency) > ($4, $5, $6, $7)
      GROUP BY month, sender, country, currency HAVING sum(messages) <> 0
      ORDER BY month, sender, country, currency LIMIT $8"
);

const OF_CAMPAIGN: &Statement = statement!(
    "SELECT currency, CAST(sum(cost) AS bigint) AS cost FROM send_usage
      WHERE account_id = $1 AND campaign_id = $2 AND currency <> '' GROUP BY currency ORDER BY currency"
);

const OF_MONTH: &Statement = statement!(
    "SELECT currency, CAST(sum(cost) AS bigint) AS cost FROM send_usage
      WHERE account_id = $1 AND day >= $2 AND day <= $3 AND currency <> '' GROUP BY currency ORDER BY currency"
);

/// Messages that an account handed over in a month through a sender to a country.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Usage {
    /// Such as `2026-11`.
    pub month: String,
    pub sender: String,
    /// An ISO code, or a calling code such as `+1` where no country is known.
    pub country: String,
    pub parts: i64,
    pub messages: i64,
    /// `None`: the sender had no price.
    pub cost: Option<Money>,
}

/// A place in the list of usage.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsageAt {
    month: String,
    sender: String,
    country: String,
    currency: String,
}

#[derive(FromQueryResult)]
struct UsageRow {
    month: String,
    sender: String,
    country: String,
    currency: String,
    messages: i64,
    parts: i64,
    cost: i64,
}

#[derive(FromQueryResult)]
struct Sum {
    currency: String,
    cost: i64,
}

/// An amount as it is stored; `None`: there was no price.
fn money(currency: String, millionths: i64) -> Result<Option<Money>> {
    if currency.is_empty() {
        return Ok(None);
    }
    let currency = Currency::try_from(currency).map_err(Error::broken)?;
    Ok(Some(Money {
        millionths,
        currency,
    }))
}

impl Usage {
    /// Where it stands in the list.
    pub fn position(&self) -> UsageAt {
        let currency = self.cost.as_ref().map(|cost| cost.currency.as_str());
        UsageAt {
            month: self.month.clone(),
            sender: self.sender.clone(),
            country: self.country.clone(),
            currency: currency.unwrap_or_default().to_owned(),
        }
    }
}

impl Store {
    /// A page of what an account handed over on days of its own, by month, sender and country, after a place. What was certainly not
    /// sent is not in it.
    pub async fn usage(
        &self,
        account_id: Uuid,
        days: DateRange,
        after: Option<UsageAt>,
        limit: usize,
    ) -> Result<ListPage<Usage, UsageAt>> {
        let after = after.unwrap_or_default();
        let (from, to): (NaiveDate, NaiveDate) = (days.start(), days.end());
        let most = i64::try_from(limit).unwrap_or(i64::MAX).saturating_add(1);
        let values = values![
            account_id,
            from,
            to,
            after.month,
            after.sender,
            after.country,
            after.currency,
            most
        ];
        let rows: Vec<UsageRow> = self.fetch_all(USAGE, values).await?;
        let rows = rows.into_iter().map(|row| {
            Ok(Usage {
                month: row.month,
                sender: row.sender,
                country: row.country,
                parts: row.parts,
                messages: row.messages,
                cost: money(row.currency, row.cost)?,
            })
        });
        let rows = rows.collect::<Result<Vec<_>>>()?;
        Ok(ListPage::new(rows, limit, false, Usage::position))
    }
}

/// Amounts of rows.
fn amounts(sums: Vec<Sum>) -> Result<Vec<Money>> {
    let sums = sums.into_iter().map(|sum| money(sum.currency, sum.cost));
    let sums: Result<Vec<_>> = sums.collect();
    Ok(sums?.into_iter().flatten().collect())
}

impl Tx {
    /// What an account has spent in a month, a sum a currency.
    pub(super) async fn spent_in_month(
        &self,
        account_id: Uuid,
        month: Month,
    ) -> Result<Vec<Money>> {
        let days = values![account_id, month.first(), month.last()];
        amounts(self.fetch_all(OF_MONTH, days).await?)
    }

    /// What a campaign has spent, a sum a currency.
    pub(super) async fn spent(&self, key: CampaignKey) -> Result<Vec<Money>> {
        amounts(self.fetch_all(OF_CAMPAIGN, values![key]).await?)
    }
}
