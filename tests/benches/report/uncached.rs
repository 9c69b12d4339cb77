//! Part `uncached`: reports that are in no cache, of the large account against the small one.

use std::time::Instant;

use anyhow::{Context, Result};
use tests::bench::report::{Row, Target, Unit};
use tests::bench::settings::Settings;
use tests::bench::spread::Spread;
use tests::bench::year::{Account, BUS_PROPS};
use tests::report::{Of, overview};

use super::data::Data;

/// Overviews of each account in a round: each costs a start of the api.
const OVERVIEWS: i64 = 6;

pub(super) async fn measure(settings: &Settings, data: &mut Data) -> Result<Vec<Row>> {
    let row = |name: &str| {
        let measure = format!("{name}, {} feedbacks", data.large.feedbacks);
        Row::new(
            measure,
            Unit::Milliseconds,
            "at a hundredth of them",
            Target::RatioAtMost(1.2),
        )
    };
    let mut rows = [
        row("uncached report of a form"),
        row("uncached summary"),
        row("uncached overview"),
    ];
    // Round 0 warms up.
    for round in 0..=settings.rounds {
        let medians = [
            forms(data, Of::Form, round).await?,
            forms(data, Of::Summary, round).await?,
            overviews(data, round).await?,
        ];
        eprintln!("round {round}: large and small, form, summary and overview, ms: {medians:.2?}");
        if round > 0 {
            for (row, [large, small]) in rows.iter_mut().zip(medians) {
                row.round(large, small);
            }
        }
    }
    Ok(rows.into())
}

/// Every form and business property of both accounts, each once: the medians of the large and the small one.
async fn forms(data: &mut Data, of: Of, round: u32) -> Result<[f64; 2]> {
    data.forget().await?;
    let accounts = [&data.large, &data.small];
    let mut times = [Vec::new(), Vec::new()];
    for form in 0..data.large.forms.len() {
        for (number, bus_prop) in BUS_PROPS.iter().enumerate() {
            let turn = form + number;
            for which in [turn % 2, 1 - turn % 2] {
                let account = accounts[which];
                let form = account.forms.get(form).context("no form")?;
                let days = range(account, i64::from(round), i64::try_from(turn)?);
                let path = of.path(form, (&days.0, &days.1), bus_prop);
                times[which].push(took(account, &path).await?);
            }
        }
    }
    medians(times)
}

async fn overviews(data: &mut Data, round: u32) -> Result<[f64; 2]> {
    let mut times = [Vec::new(), Vec::new()];
    for turn in 0..OVERVIEWS {
        for which in [turn % 2, 1 - turn % 2] {
            data.forget().await?;
            let which = usize::try_from(which)?;
            let account = [&data.large, &data.small][which];
            let (from, to) = range(account, i64::from(round), turn);
            times[which].push(took(account, &overview((&from, &to))).await?);
        }
    }
    medians(times)
}

/// A range of 340 days and a little, another one for each round and turn.
fn range(account: &Account, round: i64, turn: i64) -> (String, String) {
    (account.day(round % 10), account.day(341 + turn % 24))
}

async fn took(account: &Account, path: &str) -> Result<f64> {
    let start = Instant::now();
    let answer = account.client.get(path).await?;
    let took = start.elapsed();
    answer.expect(200)?;
    Ok(took.as_secs_f64() * 1_000.0)
}

fn medians(times: [Vec<f64>; 2]) -> Result<[f64; 2]> {
    let [large, small] = times.map(Spread::of);
    Ok([
        large.context("nothing measured")?.median,
        small.context("nothing measured")?.median,
    ])
}
