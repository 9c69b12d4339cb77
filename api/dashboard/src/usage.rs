//! What was sent and what it cost, by month, sender and country; and the account's budget of a month.

use std::collections::{BTreeMap, BTreeSet};

use api_http::{Problem, Result};
use api_language::Text;
use api_send::operations;
use askama::Template;
use axum::extract::Query;
use axum::response::Response;
use chrono::{Months, Utc};
use domain::date_range::{DateRange, day_of, parse_date};
use domain::month::Month;
use domain::price::{Currency, Money};
use domain::sms::SendSetting;
use serde::Deserialize;
use serde_json::json;
use store::send::usage::{BudgetSpent, Usage};

use crate::page::{Alert, Frame, page};
use crate::reasons::reasons;
use crate::sent::SentChange;
use crate::signed_in::SignedIn;
use crate::{done, money};

pub const PATH: &str = "/dashboard/usage";
/// This month and those before it that are shown.
const MONTHS: u32 = 12;
/// More than senders and countries in so many months come to.
const ROWS: usize = 20_000;

#[derive(Template)]
#[template(path = "usage.html")]
struct UsagePage<'a> {
    f: &'a Frame,
    months: Vec<Sum>,
    /// The month that the other tables are about.
    month: String,
    senders: Vec<Sum>,
    countries: Vec<Sum>,
    /// What of this month's budget is spent, and whether that is nearly all.
    spent: Option<(String, bool)>,
    budget: TypedBudget,
    /// Those of the senders' prices, and of the budget.
    currencies: Vec<String>,
    /// Why the budget was not saved.
    refusal: Option<String>,
}

/// What messages come to that have something in common.
#[derive(Default)]
struct Sum {
    name: String,
    /// The query of the month; empty of others.
    query: String,
    messages: i64,
    parts: i64,
    costs: BTreeMap<Currency, i64>,
}

impl Sum {
    fn add(&mut self, usage: &Usage) {
        self.messages += usage.messages;
        self.parts += usage.parts;
        if let Some(cost) = &usage.cost {
            *self.costs.entry(cost.currency.clone()).or_default() += cost.millionths;
        }
    }

    fn cost(&self, t: &Text) -> String {
        let costs = self.costs.iter().map(|(currency, millionths)| {
            let cost = Money {
                millionths: *millionths,
                currency: currency.clone(),
            };
            money::shown(t, &cost)
        });
        let costs: Vec<_> = costs.collect();
        if costs.is_empty() {
            "–".to_owned()
        } else {
            costs.join(", ")
        }
    }
}

/// What `key` has in common, in the order of it.
fn sums<'u>(items: &[&'u Usage], key: impl Fn(&'u Usage) -> &'u str) -> Vec<Sum> {
    let mut sums: BTreeMap<&str, Sum> = BTreeMap::new();
    for usage in items {
        let name = key(usage);
        let sum = sums.entry(name).or_default();
        name.clone_into(&mut sum.name);
        sum.add(usage);
    }
    sums.into_values().collect()
}

/// The first months of all that are shown, the newest first, with their sums.
fn months(t: &Text, items: &[&Usage]) -> Vec<Sum> {
    let mut months = sums(items, |usage| &usage.month);
    months.reverse();
    for sum in &mut months {
        sum.query = format!("month={}", sum.name);
        if let Some(month) = month(&sum.name) {
            sum.name = t.month(month.first());
        }
    }
    months
}

fn month(text: &str) -> Option<Month> {
    parse_date(&format!("{text}-01")).map(Month::of)
}

/// What of a budget is spent, in a sentence.
pub fn spent(t: &Text, budget: &BudgetSpent) -> String {
    let amounts = [&budget.spent, &budget.budget].map(|amount| money::shown(t, amount));
    let key = if budget.campaign.is_some() {
        "budget-of-campaign"
    } else {
        "budget-of-month"
    };
    t.count_with(key, budget.percent(), amounts.join(" / "))
}

/// The budgets that a campaign would exceed by what it costs, a sentence each: its own, and what is left of the month's.
pub fn exceeded(
    t: &Text,
    cost: &Money,
    own: Option<Money>,
    of_month: Option<&BudgetSpent>,
) -> Vec<String> {
    let left = of_month.map(|one| {
        let mut left = one.budget.clone();
        left.take_all([one.spent.clone()]);
        left.millionths = left.millionths.max(0);
        left
    });
    let budgets = [("preview-over-budget", own), ("preview-over-month", left)];
    let sentence = |(key, budget): (&str, Option<Money>)| {
        let budget = budget.filter(|budget| budget.currency == cost.currency)?;
        let amounts = [cost, &budget].map(|amount| money::shown(t, amount));
        let is_exceeded = cost.millionths > budget.millionths;
        is_exceeded.then(|| t.with(key, amounts.join(" / ")))
    };
    budgets.into_iter().filter_map(sentence).collect()
}

/// What all pages tell of a budget that is nearly spent.
pub fn alert(t: &Text, budget: &BudgetSpent) -> Alert {
    let (path, name) = match &budget.campaign {
        Some((id, name)) => (format!("/dashboard/campaigns/{id}"), name.clone()),
        None => (PATH.to_owned(), t.get("usage")),
    };
    Alert {
        text: spent(t, budget),
        path,
        name,
    }
}

/// The currencies that a budget can have: those of the senders' prices, and the one that it has.
pub fn currencies(person: &SignedIn, known: &str) -> Vec<String> {
    let sending = &person.state.sending;
    let mut currencies: BTreeSet<&str> = sending.currencies(&person.account_name);
    currencies.extend((!known.is_empty()).then_some(known));
    currencies.into_iter().map(str::to_owned).collect()
}

#[derive(Default, Deserialize)]
pub struct UsageQuery {
    #[serde(default)]
    month: String,
}

/// A budget of a month as it was typed.
#[derive(Default, Deserialize)]
pub struct TypedBudget {
    amount: String,
    #[serde(default)]
    currency: String,
}

impl TypedBudget {
    fn read(setting: &SendSetting) -> Self {
        let budget = setting.month_budget.as_ref();
        budget.map_or_else(Self::default, |budget| Self {
            amount: money::typed(budget),
            currency: budget.currency.as_str().to_owned(),
        })
    }
}

/// `GET /dashboard/usage`.
pub async fn show(person: SignedIn, Query(query): Query<UsageQuery>) -> Result<Response> {
    answer(&person, &query, None).await
}

async fn answer(
    person: &SignedIn,
    query: &UsageQuery,
    refused: Option<(TypedBudget, String)>,
) -> Result<Response> {
    let f = person.frame("senders");
    let caller = &person.caller;
    let today = day_of(Utc::now(), f.zone);
    let this = Month::of(today);
    let first = this.first().checked_sub_months(Months::new(MONTHS - 1));
    let days = DateRange::day(first.unwrap_or(today)).spanning(DateRange::day(today));
    let items = operations::list_usage(caller, days, None, ROWS).await?.rows;
    let items: Vec<&Usage> = items.iter().collect();
    let chosen = month(&query.month).unwrap_or(this);
    let text = chosen.to_string();
    let mut of_month = items.clone();
    of_month.retain(|usage| usage.month == text);
    let budgets = operations::list_budgets(caller).await?;
    let mut budgets = budgets.iter();
    let spent_of_month = budgets.find(|budget| budget.campaign.is_none());
    let (budget, refusal) = if let Some((budget, refusal)) = refused {
        (budget, Some(refusal))
    } else {
        let setting = operations::read_setting(caller).await?;
        (TypedBudget::read(&setting), None)
    };
    let template = UsagePage {
        months: months(f.t, &items),
        month: f.t.month(chosen.first()),
        senders: sums(&of_month, |usage| &usage.sender),
        countries: sums(&of_month, |usage| &usage.country),
        spent: spent_of_month.map(|one| (spent(f.t, one), one.is_nearly_spent())),
        currencies: currencies(person, &budget.currency),
        budget,
        refusal,
        f: &f,
    };
    Ok(page(&f, &template))
}

/// Sets what all messages of a month may cost; the rest of the account's setting stays.
pub async fn set_budget(
    person: SignedIn,
    SentChange(budget): SentChange<TypedBudget>,
) -> Result<Response> {
    let body = json!({"month_budget": money::written(&budget.amount, &budget.currency)});
    let (state, caller) = (&person.state.sending, &person.caller);
    let changed = match SendSetting::parse(&body) {
        Ok(setting) => operations::set_month_budget(state, caller, setting.month_budget).await,
        Err(wrong) => Err(Problem::invalid(wrong)),
    };
    match changed {
        Ok(()) => {
            person.state.sender_alerts.forget(person.account_id).await;
            Ok(done::go(PATH, "setting.replace"))
        }
        Err(problem) => {
            let refusal = reasons(person.t, &problem);
            answer(&person, &UsageQuery::default(), Some((budget, refusal))).await
        }
    }
}

#[cfg(test)]
mod tests {
    use api_language::of_code;

    use super::*;

    fn usage(month: &str, sender: &str, cost: Option<&str>) -> Usage {
        Usage {
            month: month.to_owned(),
            sender: sender.to_owned(),
            country: "DE".to_owned(),
            parts: 2,
            messages: 1,
            cost: cost.map(|cost| cost.parse().unwrap()),
        }
    }

    #[test]
    fn what_is_alike_is_added_up_and_currencies_stay_apart() {
        let t = of_code("en");
        let items = [
            usage("2026-10", "one", Some("0.1EUR")),
            usage("2026-11", "one", Some("0.2EUR")),
            usage("2026-11", "other", Some("0.3USD")),
            usage("2026-11", "free", None),
        ];
        let items: Vec<_> = items.iter().collect();
        let months = months(t, &items);
        let told: Vec<_> = months
            .iter()
            .map(|sum| (&*sum.name, &*sum.query, sum.messages, sum.cost(t)))
            .collect();
        let expected = [
            (
                "Nov 2026",
                "month=2026-11",
                3,
                "0.20 EUR, 0.30 USD".to_owned(),
            ),
            ("Oct 2026", "month=2026-10", 1, "0.10 EUR".to_owned()),
        ];
        assert_eq!(told, expected);
        let senders = sums(&items, |usage| &usage.sender);
        let told: Vec<_> = senders
            .iter()
            .map(|sum| (&*sum.name, sum.parts, sum.cost(t)))
            .collect();
        let expected = [
            ("free", 2, "–".to_owned()),
            ("one", 4, "0.30 EUR".to_owned()),
            ("other", 2, "0.30 USD".to_owned()),
        ];
        assert_eq!(told, expected);
    }

    #[test]
    fn a_budget_says_what_of_it_is_spent() {
        let budget = BudgetSpent {
            campaign: None,
            budget: "500EUR".parse().unwrap(),
            spent: "425EUR".parse().unwrap(),
        };
        let told = alert(of_code("en"), &budget);
        let expected = "85% of this month’s SMS budget is spent (425.00 EUR / 500.00 EUR).";
        assert_eq!((told.text.as_str(), &*told.path), (expected, PATH));
    }

    #[test]
    fn what_a_campaign_costs_is_compared_with_its_budget_and_the_rest_of_the_month() {
        let money = |text: &str| text.parse::<Money>().unwrap();
        let month = BudgetSpent {
            campaign: None,
            budget: money("500EUR"),
            spent: money("425EUR"),
        };
        let told = |cost: &str, own: Option<&str>| {
            let exceeded = exceeded(of_code("en"), &money(cost), own.map(money), Some(&month));
            exceeded.len()
        };
        assert_eq!(told("75EUR", None), 0);
        assert_eq!(told("75.01EUR", Some("100EUR")), 1);
        assert_eq!(told("80EUR", Some("79EUR")), 2);
        assert_eq!(told("80USD", Some("79EUR")), 0);
    }
}
