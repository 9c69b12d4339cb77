//! What was handed over, by month, sender and country, and what it cost.

use chrono::NaiveDate;
use domain::campaign::CampaignContent;
use domain::date_range::{DateRange, day_of};
use domain::month::Month;
use domain::price::{Currency, Money};
use sea_orm::FromQueryResult;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::CampaignKey;
use crate::tx::{JsonText, Sql, Statement, statement, values};
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

/// Campaigns that may have a budget and go on, with what they spent.
const BUDGETED: &Statement = statement!(
    "SELECT c.campaign_id, c.content, coalesce(u.currency, '') AS currency, CAST(coalesce(sum(u.cost), 0) AS bigint) AS cost
       FROM campaign c LEFT JOIN send_usage u ON u.account_id = c.account_id AND u.campaign_id = c.campaign_id
      WHERE c.account_id = $1 AND c.status IN ('RUNNING', 'PAUSED') AND c.content LIKE '%\"budget\":{%'
      GROUP BY c.campaign_id, c.content, u.currency ORDER BY c.campaign_id, u.currency LIMIT 1000"
);

#[derive(FromQueryResult)]
struct BudgetedCampaign {
    campaign_id: Uuid,
    content: JsonText<CampaignContent>,
    #[sea_orm(nested)]
    sum: Sum,
}

/// A budget, and what of it is spent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BudgetSpent {
    /// The id and the name of its campaign; `None`: it is the account's, of this month.
    pub campaign: Option<(Uuid, String)>,
    pub budget: Money,
    pub spent: Money,
}

impl BudgetSpent {
    /// In whole percent, rounded down.
    pub fn percent(&self) -> i64 {
        let (spent, budget) = (self.spent.millionths, self.budget.millionths);
        let percent = i128::from(spent) * 100 / i128::from(budget.max(1));
        i64::try_from(percent).unwrap_or(i64::MAX)
    }

    /// Whether a person should look at it before it ends: four fifths are spent.
    pub fn is_nearly_spent(&self) -> bool {
        self.budget.millionths == 0 || self.percent() >= 80
    }
}

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

impl Store {
    /// The budgets of an account: that of this month, if it has one, and those of its campaigns that go on.
    pub async fn budgets_spent(&self, account_id: Uuid) -> Result<Vec<BudgetSpent>> {
        let tx = self.snapshot().await?;
        let mut budgets = Vec::new();
        if let Some(budget) = tx.setting(account_id).await?.month_budget {
            let today = day_of(tx.now().await?, tx.account_zone(account_id).await?);
            let spent = tx.spent_in_month(account_id, Month::of(today)).await?;
            budgets.push(BudgetSpent {
                campaign: None,
                spent: Money::sum_of(&budget.currency, spent),
                budget,
            });
        }
        let campaigns: Vec<BudgetedCampaign> = tx.fetch_all(BUDGETED, values![account_id]).await?;
        for row in campaigns {
            let JsonText(content) = row.content;
            let Some(budget) = content.budget else {
                continue;
            };
            let campaign = Some((row.campaign_id, content.name));
            let spent = money(row.sum.currency, row.sum.cost)?;
            let spent = Money::sum_of(&budget.currency, spent);
            match budgets.last_mut() {
                // It spent money of several currencies.
                Some(last) if last.campaign == campaign => {
                    last.spent.millionths += spent.millionths;
                }
                _ => budgets.push(BudgetSpent {
                    campaign,
                    budget,
                    spent,
                }),
            }
        }
        Ok(budgets)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_nearly_spent_from_four_fifths_on() {
        let of = |spent: &str, budget: &str| BudgetSpent {
            campaign: None,
            budget: budget.parse().unwrap(),
            spent: spent.parse().unwrap(),
        };
        for (spent, budget, percent, is_nearly_spent) in [
            ("0EUR", "10EUR", 0, false),
            ("7.99EUR", "10EUR", 79, false),
            ("8EUR", "10EUR", 80, true),
            ("10EUR", "10EUR", 100, true),
            ("0EUR", "0EUR", 0, true),
            ("5EUR", "4EUR", 125, true),
        ] {
            let one = of(spent, budget);
            let found = (one.percent(), one.is_nearly_spent());
            assert_eq!(found, (percent, is_nearly_spent), "{spent} of {budget}");
        }
    }
}
