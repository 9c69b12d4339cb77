//! More than one machine by the clock: `cargo bench -p tests --bench scale [-- PART …]`.
//!
//! Parts, all unless told: `imports`, `answers`, `reports` (Citus on three nodes of this machine against plain PostgreSQL on the same
//! machine, in turns), `workers` (one, two and four of them against the database's own limit), `costs`, `size` and `model`. Each with one
//! api and, but where workers are counted, two workers. Needs what `tests/run` installs, the command `wrk`, and for the first three the
//! Citus that `tests/citus` installs. Servers, binaries and the variables `FEEDBACK_BENCH_ROUNDS`, `FEEDBACK_BENCH_RECORDS` and
//! `FEEDBACK_BENCH_BUILD` are those of the bench `import`, `FEEDBACK_BENCH_FEEDBACKS` is that of `report` and `FEEDBACK_BENCH_MESSAGES`
//! (50000 unless told) that of `send`; `FEEDBACK_BENCH_RECIPIENTS` is 1000000 unless told.
//!
//! # How to read the table
//! As that of `import`. One account lies on one node of the three: what is measured is what the way by the coordinator costs it, and
//! not what more nodes bring.
//!
//! - *imports*: a new account imports records in random order, until all are stored.
//! - *answers*: `wrk` posts answers over 256 connections to one link.
//! - *reports*: of a form, over a year: over 64 connections from the cache, and each once with nothing in any cache.
//! - *workers*: the same import with more workers, against `\copy` of the same rows.
//! - *costs*: what one record, page, answer, message and cached report takes of each kind of process, in microseconds of a core; *all*
//!   has the broker, the cache and who makes the load too; and how many bytes of log and commits the database writes for it.
//! - *size*: what people and programs wait for, in an account with many recipients and answers and in one with a hundredth of both, in
//!   turns. Both are filled by INSERT. A target have those whose time is not to grow. As in the bench `report` the small account has no
//!   answers at all on many days if the large one has fewer than some millions, and is fast for that reason alone.
//! - *model*: costs of single things are measured as in `costs`, and a simulated machine (`simulation.rs`, `predicted.rs`) says what
//!   follows from them. Beside it stands what was measured then, on a new database. Costs of answers are measured over 8 and 64
//!   connections, the others with two workers; nothing else of what is measured goes into the model.

mod answers;
mod costs;
#[expect(
    dead_code,
    reason = "its folder is for scripts of `wrk`, which only `report` has"
)]
#[path = "../report/data.rs"]
mod data;
mod imports;
mod loads;
mod model;
mod pair;
mod predicted;
mod reports;
mod side;
mod simulation;
mod size;
mod workers;

use std::process::ExitCode;

use anyhow::{Context, Result};
use serde_json::{Value, json};
use tests::bench::frame::Bench;
use tests::bench::report::Row;
use tests::bench::settings::Settings;
use tests::servers::Endpoints;

const BENCH: Bench = Bench {
    name: "scale",
    parts: &[
        "imports", "answers", "reports", "workers", "costs", "size", "model",
    ],
    embedded: &[],
};

// One thread: the client must take as little of the machine as it can.
#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    BENCH.run(prepare, measure).await
}

async fn prepare(settings: &Settings) -> Result<Value> {
    Ok(json!({
        "records": settings.records,
        "recipients": settings.recipients,
        "feedbacks": settings.feedbacks,
        "messages": settings.messages,
    }))
}

async fn measure(
    part: &str,
    settings: &Settings,
    endpoints: Option<&Endpoints>,
) -> Result<Vec<Row>> {
    let endpoints = endpoints.context("no servers")?;
    match part {
        "imports" => imports::measure(settings, endpoints).await,
        "answers" => answers::measure(settings, endpoints).await,
        "reports" => reports::measure(settings, endpoints).await,
        "workers" => workers::measure(settings, endpoints).await,
        "size" => size::measure(settings, endpoints).await,
        "model" => model::measure(settings, endpoints).await,
        _ => costs::measure(settings, endpoints).await,
    }
}
