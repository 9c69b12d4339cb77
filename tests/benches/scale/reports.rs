//! Part `reports`: a report of a form, from the cache and from the database.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use tests::app::App;
use tests::bench::load::{self, CONNECTIONS};
use tests::bench::report::{Row, Target, Unit};
use tests::bench::settings::Settings;
use tests::bench::spread::Spread;
use tests::bench::year::{Account, BUS_PROPS, rebuild};
use tests::report::Of;
use tests::servers::{Account as Folder, Endpoints};

use super::pair::Pair;

const TIME: Duration = Duration::from_secs(8);

pub(super) async fn measure(settings: &Settings, endpoints: &Endpoints) -> Result<Vec<Row>> {
    let pair = Pair::start(endpoints).await?;
    let folder = Folder::folder(None, "reports")?;
    let mut accounts = Vec::new();
    for app in [&pair.distributed, &pair.plain] {
        let account = Account::fill(app, settings.feedbacks).await?;
        rebuild(app, &[]).await?;
        account.is_counted().await?;
        accounts.push(account);
    }
    let account_of = |app: &App| {
        let distributed = std::ptr::eq(app, &raw const pair.distributed);
        &accounts[usize::from(!distributed)]
    };
    let row = |measure: &str, target| {
        Row::new(measure, Unit::AnswersPerSecond, "plain PostgreSQL", target)
    };
    let mut rows = [
        row("cached reports, Citus", Target::RatioAtLeast(0.9)),
        row(
            "uncached reports, one after the other, Citus",
            Target::RatioAtLeast(0.9),
        ),
    ];
    // Round 0 warms up.
    for round in 0..=settings.rounds {
        let cached = pair
            .round(round, async |app| {
                cached(account_of(app), folder.path()).await
            })
            .await?;
        let uncached = pair
            .round(round, async |app| uncached(account_of(app), round).await)
            .await?;
        eprintln!(
            "round {round}: Citus and plain, cached {cached:.0?}, uncached {uncached:.0?} a second"
        );
        if round > 0 {
            for (row, [distributed, plain]) in rows.iter_mut().zip([cached, uncached]) {
                row.round(distributed, plain);
            }
        }
    }
    pair.stop().await?;
    Ok(rows.into())
}

async fn cached(account: &Account, folder: &std::path::Path) -> Result<f64> {
    let form = account.forms.first().context("no form")?;
    let (from, to) = (account.day(335), account.day(364));
    let path = Of::Form.path(form, (&from, &to), "");
    let client = &account.client;
    client.get(&path).await?.expect(200)?;
    let script = load::getter(folder, &client.key_headers()?, None)?;
    let url = format!("{}{path}", client.base());
    Ok(load::wrk(&url, CONNECTIONS, TIME, Some(&script))
        .await?
        .rate)
}

/// Every form and business property once, each over a range that nobody asked for before: one over the median.
async fn uncached(account: &Account, round: u32) -> Result<f64> {
    let mut times = Vec::new();
    for (turn, form) in (0..).zip(&account.forms) {
        for (number, bus_prop) in (0..).zip(BUS_PROPS) {
            let from = account.day(i64::from(round % 10));
            let to = account.day(341 + (turn + number) % 24);
            let path = Of::Form.path(form, (&from, &to), bus_prop);
            let start = Instant::now();
            let answer = account.client.get(&path).await?;
            times.push(start.elapsed().as_secs_f64());
            answer.expect(200)?;
        }
    }
    Ok(1.0 / Spread::of(times).context("nothing measured")?.median)
}
