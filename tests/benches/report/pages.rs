//! Part `pages`: the dashboard against the reports that it shows.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use chrono::{TimeDelta, Utc};
use serde_json::{Value, json};
use tests::bench::million::{body, in_sequence};
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
/// How long an import may take.
const IMPORTED: Duration = Duration::from_mins(5);

pub(super) async fn measure(settings: &Settings, data: &Data) -> Result<Vec<Row>> {
    let overview = overviews(settings, data).await?;
    let stores = stores(settings, data).await?;
    Ok(vec![overview, stores, imports(settings, data).await?])
}

/// The overview, and a form's report besides.
async fn overviews(settings: &Settings, data: &Data) -> Result<Row> {
    let account = &data.large;
    let form = account.forms.first().context("no form")?;
    let form_id = form["form_id"].as_str().context("no form_id")?;
    let row = Row::new(
        format!("page of the overview, {} feedbacks", account.feedbacks),
        Unit::Milliseconds,
        "its JSON report",
        Target::RatioAtMost(3.0),
    );
    let paths = |turn| {
        let (from, to) = (account.day(turn), account.day(turn + 89));
        let days = format!("?from={from}&to={to}");
        [
            format!("/dashboard{days}"),
            overview((&from, &to)),
            format!("/dashboard/form/{form_id}{days}"),
            Of::Form.path(form, (&from, &to), ""),
        ]
    };
    let names = ["overview", "as JSON", "a form", "as JSON"];
    compared(settings, account, row, names, paths).await
}

/// The comparison of many stores, against the report of their form, and all of them drawn besides. Each time over other days, all of
/// which have all answers.
async fn stores(settings: &Settings, data: &Data) -> Result<Row> {
    let account = &data.large;
    let form = with_stores(data, account).await?;
    let form_id = form["form_id"].as_str().context("no form_id")?;
    let row = Row::new(
        format!("comparison of {STORES} stores"),
        Unit::Milliseconds,
        "the JSON report of their form",
        Target::RatioAtMost(3.0),
    );
    let today = Utc::now().date_naive();
    let to = today.to_string();
    let paths = |turn| {
        let from = (today - TimeDelta::days(1 + turn)).to_string();
        let stores = format!("/dashboard/stores?from={from}&to={to}&form={form_id}");
        let all = format!("{stores}&rows=all");
        [stores, Of::Form.path(&form, (&from, &to), ""), all]
    };
    let names = ["stores", "their form as JSON", "all drawn"];
    compared(settings, account, row, names, paths).await
}

/// The page of an import, against the import.
async fn imports(settings: &Settings, data: &Data) -> Result<Row> {
    let account = &data.large;
    let rows = in_sequence(settings.records);
    let accepted = account.client.import_as("application/json", body(&rows));
    let batch = accepted.await?.expect(202)?.json()?;
    let batch_id = batch["batch_id"].as_str().context("no batch_id")?;
    account.client.completed(batch_id, IMPORTED).await?;
    let row = Row::new(
        format!("page of an import of {} rows", rows.len()),
        Unit::Milliseconds,
        "its JSON",
        Target::RatioAtMost(3.0),
    );
    let paths = |_| {
        [
            format!("/dashboard/imports/{batch_id}"),
            format!("/api_v1/sms/import/{batch_id}"),
        ]
    };
    compared(settings, account, row, ["import", "as JSON"], paths).await
}

/// The medians of the first path against those of the second; those of the others are only told.
async fn compared<const N: usize>(
    settings: &Settings,
    account: &Account,
    mut row: Row,
    names: [&str; N],
    paths: impl Fn(i64) -> [String; N],
) -> Result<Row> {
    // Round 0 warms up.
    for round in 0..=settings.rounds {
        let mut times = [const { Vec::new() }; N];
        for turn in 0..TURNS {
            let paths = paths(TURNS * i64::from(round) + turn);
            for (times, path) in times.iter_mut().zip(&paths) {
                times.push(took(account, path).await?);
            }
        }
        let medians: Vec<_> = times.map(Spread::of).into_iter().flatten().collect();
        let told = names.iter().zip(&medians);
        let told = told.map(|(name, spread)| format!("{name} {:.2} ms", spread.median));
        eprintln!("round {round}: {}", told.collect::<Vec<_>>().join(", "));
        let [page, reference, ..] = medians.as_slice() else {
            bail!("nothing measured");
        };
        if round > 0 {
            row.round(page.median, reference.median);
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
