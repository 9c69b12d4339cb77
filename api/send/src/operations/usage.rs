//! What an account handed over, and what it cost.

use api_http::deadline::soon;
use api_http::{Caller, Problem, Result};
use chrono::{Datelike, NaiveDate, Utc};
use domain::date_range::{DateRange, day_of, parse_date};
use store::ListPage;
use store::send::usage::{BudgetSpent, Usage, UsageAt};

use crate::SCOPE;

/// Days of an account, by their texts; what is left out is of its current month.
#[derive(Clone, Copy, Debug, Default)]
pub struct UsageDays<'a> {
    pub from: Option<&'a str>,
    pub to: Option<&'a str>,
}

impl UsageDays<'_> {
    /// # Errors
    /// 400 `invalid_parameter`: no days, in the wrong order, or too many.
    pub fn range(&self, caller: &Caller) -> Result<DateRange> {
        let invalid = |what: &str| Problem::invalid_parameter(what.to_owned());
        let today = day_of(Utc::now(), caller.time_zone());
        let day = |text: Option<&str>, other: NaiveDate, what| {
            text.map_or(Some(other), parse_date)
                .ok_or_else(|| invalid(what))
        };
        let to = day(self.to, today, "to is not a date (YYYY-MM-DD)")?;
        let first = today.with_day(1).unwrap_or(today).min(to);
        let from = day(self.from, first, "from is not a date (YYYY-MM-DD)")?;
        let range = DateRange::parse(&from.to_string(), &to.to_string());
        range.map_err(|_| invalid("from is after to, or there are more than 1830 days"))
    }
}

/// Lists what an account handed over on these days, by month, sender and country.
///
/// # Errors
/// 503.
pub async fn list_usage(
    caller: &Caller,
    days: DateRange,
    after: Option<UsageAt>,
    limit: usize,
) -> Result<ListPage<Usage, UsageAt>> {
    let (store, account_id) = (caller.app.store.clone(), caller.account_id());
    let list = async move { Ok(store.usage(account_id, days, after, limit).await?) };
    caller.read(SCOPE, soon(list)).await
}

/// The budgets of an account, and what of each is spent: that of this month, and those of campaigns that go on.
///
/// # Errors
/// 503.
pub async fn list_budgets(caller: &Caller) -> Result<Vec<BudgetSpent>> {
    let budgets = caller.app.store.budgets_spent(caller.account_id());
    let budgets = async { Ok(budgets.await?) };
    caller.read(SCOPE, soon(budgets)).await
}
