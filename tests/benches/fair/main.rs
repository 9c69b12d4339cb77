//! What one account sends beside what another feels: `cargo bench -p tests --bench fair [-- PART …]`.
//!
//! Each part loads the service as a hostile account, as much as the limits allow, and measures another, the witness, beside it
//! and alone. All on PostgreSQL, RabbitMQ and Redis with one api and two workers, but for `embedded`. Servers, binaries and the
//! variables `FEEDBACK_BENCH_ROUNDS`, `FEEDBACK_BENCH_RECORDS` and `FEEDBACK_BENCH_BUILD` are those of the bench `import`.
//!
//! | part | the hostile account |
//! |---|---|
//! | `answers` | sixty answers of 680 kB at once, again and again, through a link with fifty business properties |
//! | `embedded` | the same on SQLite |
//! | `uploads` | ten imports that hardly come: four at 40 kB/s, five at 110 kB/s after 1.5 MB, one at 1 kB/s |
//! | `errors` | two bodies of 10,600 records with 5,000 problems each |
//! | `lists` | 250 forms of 0.9 MB, listed by 24 callers |
//! | `giant` | ten imports of a million records |
//! | `link` | a link with a million views, read by 100 callers |
//! | `ready` | 500 requests for the readiness at once |
//!
//! # How to read the table
//! As that of `import`. The reference of each row is the witness alone.
//!
//! - *answer*: p99 of the witness's answers, from the 201 until its overview has them.
//! - *records*: the witness's import, from the first byte of its POST until all of it is stored.

mod loads;
mod witness;

use std::process::ExitCode;

use anyhow::{Context, Result};
use serde_json::{Value, json};
use tests::app::{App, Backends};
use tests::bench::frame::{Frame, unlimited};
use tests::bench::report::Row;
use tests::bench::settings::Settings;
use tests::servers::Endpoints;

use crate::witness::Witness;

/// The only part that needs no servers.
const EMBEDDED: &str = "embedded";

const BENCH: Frame = Frame {
    name: "fair",
    parts: &[
        "answers", EMBEDDED, "uploads", "errors", "lists", "giant", "link", "ready",
    ],
    embedded: &[EMBEDDED],
};

// One thread: the client must take as little of the machine as it can.
#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    BENCH.run(prepare, measure).await
}

async fn prepare(settings: &Settings) -> Result<Value> {
    Ok(json!({"records": settings.records}))
}

async fn measure(
    part: &str,
    settings: &Settings,
    endpoints: Option<&Endpoints>,
) -> Result<Vec<Row>> {
    let app = if part == EMBEDDED {
        start(Backends::Embedded).await?
    } else {
        start(Backends::on(endpoints.context("no servers")?).await?).await?
    };
    let witness = Witness::new(&app, settings).await?;
    match part {
        "answers" => {
            witness
                .beside("huge answers", None, || loads::answers(&app))
                .await
        }
        EMBEDDED => {
            let measure = "huge answers, embedded";
            witness.beside(measure, None, || loads::answers(&app)).await
        }
        "uploads" => {
            witness
                .beside("slow uploads", Some(60_000), || loads::uploads(&app))
                .await
        }
        "errors" => {
            witness
                .beside("broken bodies", Some(1_000), || loads::errors(&app))
                .await
        }
        "lists" => {
            let hostile = loads::forms(&app).await?;
            witness
                .beside("lists of large forms", None, || loads::lists(&hostile))
                .await
        }
        "giant" => {
            let giant = || loads::giant(&app, settings.records);
            witness
                .beside("ten giant imports", Some(50_000), giant)
                .await
        }
        "link" => {
            let link = loads::seen_link(&app, settings.records).await?;
            witness
                .beside("a link with many views", None, || loads::read_link(&link))
                .await
        }
        _ => {
            witness
                .beside("requests for readiness", None, || loads::ready(&app))
                .await
        }
    }
}

/// As in production, but that no limit of requests ends a load.
async fn start(backends: Backends) -> Result<App> {
    let setup = App::setup().workers(2).on(backends);
    let setup = setup.setting("FEEDBACK_LINK_RATE", "0");
    unlimited(setup.setting("FEEDBACK_ADDRESS_RATE", "0")).await
}
