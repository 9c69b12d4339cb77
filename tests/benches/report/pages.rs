//! Part `pages`: the dashboard against the reports that it shows.

use std::time::Instant;

use anyhow::{Context, Result, bail};
use chrono::{TimeDelta, Utc};
use serde_json::{Value, json};
use tests::bench::report::{Row, Target, Unit};
use tests::bench::settings::Settings;
use tests::bench::spread::Spread;
use tests::bench::year::Account;
use tests::form::form;
use tests::report::{Of, overview};
use tests::visitor::Visitor;

use super::data::Data;

/// Requests of each kind in a round.
const TURNS: i64 = 30;
/// Stores of the form whose stores are compared, and the answers of each.
const STORES: usize = 1_000;
const ANSWERS: u8 = 12;

pub(super) async fn measure(settings: &Settings, data: &Data) -> Result<Vec<Row>> {
    let account = &data.large;
    let measure = format!("page of the overview, {} feedbacks", account.feedbacks);
    let target = Target::RatioAtMost(3.0);
    let mut row = Row::new(measure, Unit::Milliseconds, "its JSON report", target);
    let form = account.forms.first().context("no form")?;
    let form_id = form["form_id"].as_str().context("no form_id")?;
    // Round 0 warms up.
    for round in 0..=settings.rounds {
        let mut times: [Vec<f64>; 4] = Default::default();
        for turn in 0..TURNS {
            let first = TURNS * i64::from(round) + turn;
            let (from, to) = (account.day(first), account.day(first + 89));
            let days = format!("?from={from}&to={to}");
            let paths = [
                format!("/dashboard{days}"),
                overview((&from, &to)),
                format!("/dashboard/form/{form_id}{days}"),
                Of::Form.path(form, (&from, &to), ""),
            ];
            for (times, path) in times.iter_mut().zip(&paths) {
                times.push(took(account, path).await?);
            }
        }
        let medians: Vec<_> = times.map(Spread::of).into_iter().flatten().collect();
        let [page, report, of_form, its_report] = medians.as_slice() else {
            bail!("nothing measured");
        };
        eprintln!(
            "round {round}: overview {:.2} ms, as JSON {:.2} ms; a form {:.2} ms, as JSON {:.2} ms",
            page.median, report.median, of_form.median, its_report.median
        );
        if round > 0 {
            row.round(page.median, report.median);
        }
    }
    Ok(vec![row, stores(settings, data).await?])
}

/// The comparison of many stores, all drawn, against the report of their form. Each time over other days, all of which have all answers.
async fn stores(settings: &Settings, data: &Data) -> Result<Row> {
    let account = &data.large;
    let form = with_stores(data, account).await?;
    let form_id = form["form_id"].as_str().context("no form_id")?;
    let measure = format!("comparison of {STORES} stores");
    let target = Target::RatioAtMost(3.0);
    let mut row = Row::new(
        measure,
        Unit::Milliseconds,
        "the JSON report of their form",
        target,
    );
    let today = Utc::now().date_naive();
    let to = today.to_string();
    // Round 0 warms up.
    for round in 0..=settings.rounds {
        let mut times: [Vec<f64>; 3] = Default::default();
        for turn in 0..TURNS {
            let from = (today - TimeDelta::days(1 + TURNS * i64::from(round) + turn)).to_string();
            let stores = format!("/dashboard/stores?from={from}&to={to}&form={form_id}");
            let paths = [
                stores.clone(),
                format!("{stores}&rows=all"),
                Of::Form.path(&form, (&from, &to), ""),
            ];
            for (times, path) in times.iter_mut().zip(&paths) {
                times.push(took(account, path).await?);
            }
        }
        let medians: Vec<_> = times.map(Spread::of).into_iter().flatten().collect();
        let [page, all, report] = medians.as_slice() else {
            bail!("nothing measured");
        };
        eprintln!(
            "round {round}: {STORES} stores {:.2} ms, all drawn {:.2} ms; their form as JSON {:.2} ms",
            page.median, all.median, report.median
        );
        if round > 0 {
            row.round(page.median, report.median);
        }
    }
    Ok(row)
}

/// A form with answers of each of its stores.
async fn with_stores(data: &Data, account: &Account) -> Result<Value> {
    let mut content = form();
    content["bus_props"] = (0..STORES).map(|store| format!("store:S{store}")).collect();
    let form = account.client.published(&content).await?;
    let anonymous = data.app.anonymous()?;
    for store in 1..=STORES {
        let link = account.client.link(&form, &store.to_string(), &[]).await?;
        for answer in 0..ANSWERS {
            let grade = (store + 7 * usize::from(answer)) % 11;
            let visitor = Visitor::new(&anonymous, &link)?;
            visitor.stored(&json!({"recommend": grade})).await?;
        }
    }
    Ok(form)
}

/// Milliseconds until a page or a report is there.
async fn took(account: &Account, path: &str) -> Result<f64> {
    let start = Instant::now();
    let answer = if path.starts_with("/dashboard") {
        account.person.get(path).await?
    } else {
        account.client.get(path).await?
    };
    let took = start.elapsed();
    answer.expect(200)?;
    Ok(took.as_secs_f64() * 1_000.0)
}
