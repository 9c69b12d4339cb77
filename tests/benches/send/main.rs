//! Sending by the clock: `cargo bench -p tests --bench send [-- PART …]`.
//!
//! Parts, all unless told: `plan`, `demo`, `smpp`, `hook`, `kills`, all on PostgreSQL, RabbitMQ and Redis with one api and
//! two workers, and `embedded` (`feedback serve` on SQLite). Needs what `tests/run` installs, and the command `wrk`.
//! Servers and binaries are those of the bench `import`.
//!
//! | variable | default | |
//! |---|---|---|
//! | `FEEDBACK_BENCH_RECORDS` | 1000000 | recipients of the campaign that is planned |
//! | `FEEDBACK_BENCH_MESSAGES` | 50000 | of each other part, a round; `kills` sends twice and eight times as many, once |
//! | `FEEDBACK_BENCH_ROUNDS` | 3 | |
//! | `FEEDBACK_BENCH_BUILD` | | `0`: take the binaries as they are |
//!
//! # How to read the table
//! As that of `import`. A rate with a target of its own is judged by its worst round. Messages are planned while their
//! campaign is paused: a rate counts from its resumption until the campaign's counts, asked for every 50 ms, have all.
//!
//! - *plan*: from the start of a campaign over stored recipients until all its messages are made, due tomorrow, against
//!   `\copy` of the same rows into an empty copy of `message`. Then the same again and again, beside another account:
//!   from the start of its campaign of ten recipients until the first message is accepted, and p99 of its answers from the
//!   201 until its overview has them.
//! - *demo*, *embedded*: the simulated provider, whose receipts come after 100 ms. The reference is what an SMS gateway
//!   (Jasmin) takes in by its batch call, which only enqueues, on a machine like ours: a constant.
//! - *smpp*: an SMPP centre (npm `smpp`) that answers at once, until all receipts are stored; and one that is too busy for each fifth
//!   message, beside one that takes all, both at most a thousand a second.
//! - *hook*: messages go to a receiver in this process; then `wrk` posts their signed receipts over 64 connections, each
//!   once.
//! - *kills*: messages go to the SMPP centre, and each ten seconds the worker that drives the sender is killed and started
//!   again. In the end the centre has seen no phone and no link twice, and the campaign's counts are what it has seen.

mod demo;
mod hook;
mod kills;
mod plan;
mod run;
mod smpp;

use std::process::ExitCode;

use anyhow::{Context, Result};
use serde_json::{Value, json};
use tests::app::Backends;
use tests::bench::frame::Bench;
use tests::bench::report::Row;
use tests::bench::settings::Settings;
use tests::servers::Endpoints;

/// The only part that needs no servers.
const EMBEDDED: &str = "embedded";

const BENCH: Bench = Bench {
    name: "send",
    parts: &["plan", "demo", EMBEDDED, "smpp", "hook", "kills"],
    embedded: &[EMBEDDED],
};

// One thread: the client must take as little of the machine as it can.
#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    BENCH.run(prepare, measure).await
}

async fn prepare(settings: &Settings) -> Result<Value> {
    Ok(json!({"records": settings.records, "messages": settings.messages}))
}

async fn measure(
    part: &str,
    settings: &Settings,
    endpoints: Option<&Endpoints>,
) -> Result<Vec<Row>> {
    if part == EMBEDDED {
        return demo::measure(settings, Backends::Embedded, 8_000.0).await;
    }
    let endpoints = endpoints.context("no servers")?;
    match part {
        "smpp" => return smpp::measure(settings, endpoints).await,
        "kills" => return kills::measure(settings, endpoints).await,
        _ => {}
    }
    let backends = Backends::on(endpoints).await?;
    match part {
        "plan" => plan::measure(settings, backends).await,
        "demo" => demo::measure(settings, backends, 8_000.0).await,
        _ => hook::measure(settings, backends).await,
    }
}
