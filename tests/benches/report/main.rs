//! Reports by the clock: `cargo bench -p tests --bench report [-- PART …]`.
//!
//! Parts, all unless told: `cached`, `uncached`, `pages`, `beside`, `freshness`, `export`, all on PostgreSQL, RabbitMQ and Redis
//! with one api and two workers, and all on the same data: an account with many feedbacks over 365 days and 20 forms, and
//! one with a hundredth of them over as many days and forms. Forms and links are made through the API, feedbacks by
//! INSERT, counts by `feedback rebuild`. Needs what `tests/run` installs, and the command `wrk`. Servers and binaries are
//! those of the bench `import`.
//!
//! | variable | default | |
//! |---|---|---|
//! | `FEEDBACK_BENCH_FEEDBACKS` | 5000000 | of the large account |
//! | `FEEDBACK_BENCH_COMMITS` | 10000 | answers by which freshness is measured, a round |
//! | `FEEDBACK_BENCH_RECORDS` | 1000000 | of an import whose page, or beside which something, is measured |
//! | `FEEDBACK_BENCH_ROUNDS` | 3 | |
//! | `FEEDBACK_BENCH_BUILD` | | `0`: take the binaries as they are |
//!
//! # How to read the table
//! As that of `import`. The limit of a key's requests is off: it would end the load.
//!
//! - *cached*: `wrk` asks for one report of a form, with its keys, over 64 connections, against a bare axum route that
//!   returns the same bytes to the same requests.
//! - *uncached*: the api is started anew and Redis emptied; then each form and business property is asked for once, over
//!   a range of which nothing was ever asked. Large and small account take turns, and the medians are compared. The
//!   overview has all forms at once: before each the api is started anew and Redis emptied. With fewer than some millions
//!   of feedbacks the small account has none at all on many days, and is fast for that reason alone.
//! - *pages*: pages of the dashboard over 90 days each, which nobody asked for before in this process, and then the same report
//!   as JSON; the comparison of a form's thousand stores, against the JSON report of that form; and the page of an import, against
//!   its JSON.
//! - *beside*: `wrk` asks over 64 connections that rest 20 ms after each answer (about 3,000 a second), first alone, then
//!   while an import is under way.
//! - *freshness*: while the same load and imports go on, answers are posted. An answer is committed when its 201 is
//!   there; the nth committed answer is in the cached report when the report says n more than before. The report is asked
//!   for without a pause.
//! - *export*: all forms as CSV, one after the other, in a fresh process; the most that it had resident, less what it
//!   had when idle; its rows a second, against `psql`'s `\copy` of the same rows in the same order to nowhere. The same as XLSX,
//!   a sheet a form.

#[path = "../collect/bare.rs"]
mod bare;
mod beside;
mod cached;
mod data;
mod export;
mod freshness;
mod pages;
mod uncached;

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::{Value, json};
use tests::bench::frame::Bench;
use tests::bench::report::Row;
use tests::bench::settings::Settings;
use tests::servers::Endpoints;
use tokio::sync::Mutex;

use data::Data;

const BENCH: Bench = Bench {
    name: "report",
    parts: &[
        "cached",
        "uncached",
        "pages",
        "beside",
        "freshness",
        "export",
    ],
    embedded: &[],
};

/// How long a load lasts.
const TIME: Duration = Duration::from_secs(8);

// One thread: the client must take as little of the machine as it can.
#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    // Made by the first part, used by all, gone before the servers.
    let data = Mutex::new(None);
    let measure = async move |part: &str, settings: &Settings, endpoints: Option<&Endpoints>| {
        let endpoints = endpoints.context("no servers")?;
        let mut data = data.lock().await;
        let data = match &mut *data {
            Some(data) => data,
            none => none.insert(Data::make(settings, endpoints).await?),
        };
        measure(part, settings, data).await
    };
    BENCH.run(prepare, measure).await
}

async fn prepare(settings: &Settings) -> Result<Value> {
    Ok(json!({
        "feedbacks": settings.feedbacks,
        "records": settings.records,
        "commits": settings.commits,
        "seconds": TIME.as_secs(),
    }))
}

async fn measure(part: &str, settings: &Settings, data: &mut Data) -> Result<Vec<Row>> {
    match part {
        "cached" => cached::measure(settings, data).await,
        "uncached" => uncached::measure(settings, data).await,
        "pages" => pages::measure(settings, data).await,
        "beside" => beside::measure(settings, data).await,
        "freshness" => freshness::measure(settings, data).await,
        _ => export::measure(settings, data).await,
    }
}
