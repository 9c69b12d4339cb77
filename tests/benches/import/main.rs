//! The import by the clock: `cargo bench -p tests --bench import [-- PART …]`.
//!
//! Parts, all unless told: `servers` (PostgreSQL and RabbitMQ, one api, two workers), `memory` (of the api), `embedded`
//! (`feedback serve` on SQLite), `files` (an XLSX there), `growth` (ten imports into one account), `docids` (the set of a
//! body's docids). Needs what `tests/run` installs, and the command `sqlite3`. PostgreSQL, RabbitMQ and Redis are started as private copies with their default settings, fsync
//! on, unless `DATABASE_URL`, `AMQP_URL` and `REDIS_URL` name others (PostgreSQL as superuser: it is told to
//! checkpoint). The service's release binaries are built first where they are missing or stale.
//!
//! | variable | default | |
//! |---|---|---|
//! | `FEEDBACK_BENCH_RECORDS` | 1000000 | of the large import; memory is also taken of a tenth |
//! | `FEEDBACK_BENCH_ROUNDS` | 3 | measured rounds, after one that warms up and is not counted |
//! | `FEEDBACK_BENCH_BUILD` | | `0`: take the binaries as they are |
//!
//! # How to read the table
//! Each row is one measure: the median of ours, the median of the reference, the median of the rounds' ratios (ours ÷
//! reference) with the least and the most, the target, and whether it is met. Only ratios compare between machines. A
//! wide range means that the machine was not quiet: measure again. Targets are judged by the median ratio; limits
//! without a reference by the worst round, which is then the figure shown. The same with every round goes to
//! `target/bench/import.json`.
//!
//! - *stored*: from the first byte of the POST to the status `completed`, as a client sees it (asked every 20 ms).
//! - *202*: from the first byte of the POST to its answer.
//! - `\copy`: `psql` loads the same rows, dumped as stored, in the order of the body, into an empty copy of the same
//!   table on the same server. `.import` is the same with `sqlite3` in a fresh file under our pragmas.
//! - Ours and the reference alternate, and take turns to be first. Before each the tables are emptied, PostgreSQL is
//!   told to checkpoint, and the disks are flushed; each round is a new account.
//! - *memory*: the most the api had resident during the POST, less what it had when idle after its start. *Beyond the
//!   set* leaves out the 36 MB a million that the set of docids takes; "the same at both sizes" has a quarter as
//!   tolerance.
//! - *files*: a tenth of the records as an XLSX whose columns and phones are as people have them, until they are stored, and
//!   what that took of memory, on a new `feedback serve`.
//! - *growth*: ten imports of as many different docids each. *Spread*: the docids of every import lie in random order
//!   over the whole, so that each touches all of the index. *Ranges*: each has a range of its own. The rows of the tenth
//!   are also loaded, sorted beforehand, by two `\copy` at once into a table that has the first nine.
//! - *docids*: what finds a body's duplicates, in this process, against the standard library's set of texts.
//!
//! A debug build of the bench (`cargo build -p tests --benches`, then run it with `--bench`) measures debug binaries
//! and says so: it shows that the bench works, and nothing else.

mod docids;
mod embedded;
mod files;
mod growth;
mod memory;
mod servers;

use std::process::ExitCode;

use anyhow::{Context, Result};
use serde_json::{Value, json};
use tests::bench::frame::Bench;
use tests::bench::report::Row;
use tests::bench::settings::Settings;
use tests::bench::sqlite;
use tests::servers::Endpoints;

// The parts that need no servers.
const EMBEDDED: &str = "embedded";
const FILES: &str = "files";
const DOCIDS: &str = "docids";

const BENCH: Bench = Bench {
    name: "import",
    parts: &["servers", "memory", EMBEDDED, FILES, "growth", DOCIDS],
    embedded: &[EMBEDDED, FILES, DOCIDS],
};

// One thread: the client must take as little of the machine as it can.
#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    BENCH.run(prepare, measure).await
}

async fn prepare(settings: &Settings) -> Result<Value> {
    let sqlite3 = if settings.wants(EMBEDDED) {
        Some(sqlite::version().await?)
    } else {
        None
    };
    Ok(json!({"records": settings.records, "sqlite3": sqlite3}))
}

async fn measure(
    part: &str,
    settings: &Settings,
    endpoints: Option<&Endpoints>,
) -> Result<Vec<Row>> {
    if part == EMBEDDED {
        return embedded::measure(settings).await;
    }
    if part == FILES {
        return files::measure(settings).await;
    }
    if part == DOCIDS {
        return docids::measure(settings);
    }
    let endpoints = endpoints.context("no servers")?;
    match part {
        "servers" => servers::measure(settings, endpoints).await,
        "memory" => memory::measure(settings, endpoints).await,
        _ => growth::measure(settings, endpoints).await,
    }
}
