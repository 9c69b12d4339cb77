//! Part `cached`: a report that is asked for all the time, against a bare axum route that returns the same bytes.

use anyhow::{Context, Result};
use tests::bench::load::{self, CONNECTIONS};
use tests::bench::report::{Row, Target, Unit};
use tests::bench::settings::Settings;
use tests::bench::year::Account;
use tests::report::Of;

use super::data::Data;
use super::{TIME, bare};

/// The report of a form over its last month.
pub(super) fn month(account: &Account) -> Result<String> {
    let form = account.forms.first().context("no form")?;
    let (from, to) = (account.day(335), account.day(364));
    Ok(Of::Form.path(form, (&from, &to), ""))
}

pub(super) async fn measure(settings: &Settings, data: &Data) -> Result<Vec<Row>> {
    let client = &data.large.client;
    let path = month(&data.large)?;
    let bytes = client.get(&path).await?.expect(200)?.body;
    let size = bytes.len();
    let url = format!("{}{path}", client.base());
    let bare = format!("http://{}/", bare::serve(bytes, "application/json")?);
    let script = load::getter(data.folder.path(), &client.key_headers()?, None)?;
    let ours = async || load::wrk(&url, CONNECTIONS, TIME, Some(&script)).await;
    let theirs = async || load::wrk(&bare, CONNECTIONS, TIME, Some(&script)).await;
    let row = |measure, unit, target| Row::new(measure, unit, "bare axum route", target);
    let mut rate = row(
        format!("cached report, {size} bytes"),
        Unit::AnswersPerSecond,
        Target::RatioAtLeast(0.75),
    );
    let mut p99 = row(
        "p99 of a cached report".to_owned(),
        Unit::Milliseconds,
        Target::RatioAtMost(2.0),
    );
    // The first of each warms up.
    ours().await?;
    theirs().await?;
    for round in 1..=settings.rounds {
        let (load, reference) = if round % 2 == 1 {
            let load = ours().await?;
            (load, theirs().await?)
        } else {
            let reference = theirs().await?;
            (ours().await?, reference)
        };
        rate.round(load.rate, reference.rate);
        p99.round(load.p99, reference.p99);
        eprintln!(
            "round {round}: {:.0}/s, p50 {:.2} ms, p99 {:.2} ms; bare {:.0}/s, p50 {:.2} ms, p99 {:.2} ms",
            load.rate, load.p50, load.p99, reference.rate, reference.p50, reference.p99
        );
    }
    Ok(vec![rate, p99])
}
