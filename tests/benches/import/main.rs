//! The import by the clock: `cargo bench -p tests --bench import [-- PART …]`.
//!
//! Parts, all unless told: `servers` (PostgreSQL and RabbitMQ, one api, two workers), `memory` (of the api), `embedded`
//! (`feedback serve` on SQLite), `growth` (ten imports into one account). Needs what `tests/run` installs, and the
//! command `sqlite3`. PostgreSQL, RabbitMQ and Redis are started as private copies with their default settings, fsync
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
//! - *growth*: ten imports of as many different docids each. *Spread*: the docids of every import lie in random order
//!   over the whole, so that each touches all of the index. *Ranges*: each has a range of its own.
//!
//! A debug build of the bench (`cargo build -p tests --benches`, then run it with `--bench`) measures debug binaries
//! and says so: it shows that the bench works, and nothing else.

mod embedded;
mod growth;
mod memory;
mod servers;

use std::process::ExitCode;

use anyhow::{Context, Result};
use serde_json::json;
use tests::app::{App, Backends};
use tests::bench::binaries::Build;
use tests::bench::report::{self, Row};
use tests::bench::settings::Settings;
use tests::bench::{rows, sqlite};
use tests::servers::{Durability, Endpoints, Servers, psql};

/// The only part that needs no servers.
const EMBEDDED: &str = "embedded";
const PARTS: [&str; 4] = ["servers", "memory", EMBEDDED, "growth"];

// One thread: the client must take as little of the machine as it can.
#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match run().await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("import: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Whether every part could be measured. A missed target is a finding, not a failure.
async fn run() -> Result<bool> {
    let Some(settings) = Settings::read(&PARTS)? else {
        eprintln!("measures nothing without --bench, which `cargo bench` gives");
        return Ok(true);
    };
    // What is missing is said before anything takes long.
    let sqlite3 = if settings.wants(EMBEDDED) {
        Some(sqlite::version().await?)
    } else {
        None
    };
    let build = Build::of_this_bench()?;
    build.refresh_binaries()?;
    let wanted = PARTS.into_iter().filter(|part| settings.wants(part));
    let servers = if wanted.clone().any(|part| part != EMBEDDED) {
        Some(Servers::start(Durability::Full).await?)
    } else {
        None
    };
    let endpoints = servers.as_ref().map(|servers| &servers.endpoints);
    let postgres = match endpoints {
        Some(endpoints) => Some(psql(&endpoints.database, "SHOW server_version").await?),
        None => None,
    };

    let mut found: Vec<Row> = Vec::new();
    let mut whole = true;
    for part in wanted {
        eprintln!("--- {part}");
        match measure(part, &settings, endpoints).await {
            Ok(rows) => found.extend(rows),
            Err(error) => {
                whole = false;
                eprintln!("part {part}: {error:#}");
            }
        }
    }
    if let Some(servers) = servers {
        servers.stop().await?;
    }

    println!("{}", report::table(&found));
    let missed = found.iter().filter(|row| !row.met()).count();
    println!("{} targets, {missed} missed", found.len());
    if !build.release {
        println!("a debug build: these figures mean nothing");
    }
    let facts = json!({
        "records": settings.records,
        "rounds": settings.rounds,
        "release": build.release,
        "complete": whole,
        "cores": std::thread::available_parallelism()?.get(),
        "postgres": postgres,
        "sqlite3": sqlite3,
    });
    let file = report::write_json(&build.target, "import", facts, &found)?;
    println!("{}", file.display());
    Ok(whole)
}

async fn measure(
    part: &str,
    settings: &Settings,
    endpoints: Option<&Endpoints>,
) -> Result<Vec<Row>> {
    if part == EMBEDDED {
        return embedded::measure(settings).await;
    }
    let endpoints = endpoints.context("no servers")?;
    match part {
        "servers" => servers::measure(settings, endpoints).await,
        "memory" => memory::measure(settings, endpoints).await,
        _ => growth::measure(settings, endpoints).await,
    }
}

/// The service on servers as in production: one api and two workers, all settings at their defaults.
async fn on_servers(endpoints: &Endpoints) -> Result<App> {
    let backends = Backends::on(endpoints).await?;
    quiet(App::setup().workers(2).on(backends)).await
}

/// A service whose logs are shown only if it does not start, with the default limit of requests.
async fn quiet(setup: tests::app::Setup) -> Result<App> {
    let mut app = setup.setting("FEEDBACK_KEY_RATE", "500").start().await?;
    for service in app.apis.iter_mut().chain(&mut app.workers) {
        service.process.hide_log();
    }
    Ok(app)
}

/// Nobody pays for what was written before: the next measurement starts on flushed tables and disks.
async fn settle(app: &App) -> Result<()> {
    if !app.embedded() {
        app.backends().sql("CHECKPOINT").await?;
    }
    rows::flush_disks().await
}
