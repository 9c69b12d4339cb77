//! Collecting by the clock: `cargo bench -p tests --bench collect [-- PART …]`.
//!
//! Parts, all unless told: `answers` (one hot form through HTTP), `page` (the page of a link), both on PostgreSQL,
//! RabbitMQ and Redis with one api and two workers, and `beside` (answers on SQLite while a million records are
//! imported). Needs what `tests/run` installs, and the command `wrk`. Servers, binaries and the variables
//! `FEEDBACK_BENCH_ROUNDS`, `FEEDBACK_BENCH_RECORDS` and `FEEDBACK_BENCH_BUILD` are those of the bench `import`.
//!
//! # How to read the table
//! As that of `import`. Limits of public requests are off: they would end the load.
//!
//! - *answers*: `wrk` posts JSON answers, each of a new visit, over 64 connections to one link, and takes every answer
//!   that is no 201 for a failure. The reference is `pgbench` with 64 clients at the same tables: the INSERTs of one
//!   answer, in a transaction for each.
//! - *page*: `GET /f/{token}` against a bare axum route that returns the same bytes, over 64 connections.
//! - *beside*: how long 99 of 100 answers take at most, over 4 connections, while the import is under way.

mod answers;
mod bare;
mod beside;
mod page;

use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::{Value, json};
use tests::bench::frame::Bench;
use tests::bench::report::Row;
use tests::bench::settings::Settings;
use tests::servers::Endpoints;

/// The only part that needs no servers.
const BESIDE: &str = "beside";

const BENCH: Bench = Bench {
    name: "collect",
    parts: &["answers", "page", BESIDE],
    embedded: &[BESIDE],
};

/// How long a load lasts.
const TIME: Duration = Duration::from_secs(8);

// One thread: the client must take as little of the machine as it can.
#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    BENCH.run(prepare, measure).await
}

async fn prepare(settings: &Settings) -> Result<Value> {
    Ok(json!({"records": settings.records, "seconds": TIME.as_secs()}))
}

async fn measure(
    part: &str,
    settings: &Settings,
    endpoints: Option<&Endpoints>,
) -> Result<Vec<Row>> {
    match part {
        BESIDE => beside::measure(settings).await,
        "answers" => answers::measure(settings, endpoints.context("no servers")?).await,
        _ => page::measure(settings, endpoints.context("no servers")?).await,
    }
}
