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
//! | `pages` | forms of the dashboard of 8 MiB, twelve at once, by an editor and a viewer, with the right token and with none |
//! | `shared` | eight shared pages of a form with 2,000 comments of 2 kB, read by 64 clients while answers come |
//! | `sign-in` | wrong passwords for unknown names from 400 networks; somebody signs in rightly meanwhile and is never refused |
//! | `stalled` | 500 bodies of the sign-in page that stall and 300 connections without a request |
//! | `readers` | a page of a large form and an export, 600 times each, over HTTP/2 with a window of 0 |
//! | `forms` | forms of 0.35 MB, made and replaced by 40 clients of one key |
//! | `streams` | 400 connections over HTTP/2, each with a hundred posts of 90 headers whose bodies never come |
//! | `small` | imports of one record and erasures by 1,000 clients of one key |
//! | `queue` | imports of 250,000 records by eight clients of one key, one after the other |
//! | `document` | `/openapi.json`, read by 50 clients, and by 60 connections over HTTP/2 with a window of 0 |
//!
//! # How to read the table
//! As that of `import`. The reference of each row is the witness alone.
//!
//! - *answer*: p99 of the witness's answers, from the 201 until its overview has them.
//! - *records*: the witness's import, from the first byte of its POST until all of it is stored.
//! - *memory*: the most that the api had resident while the load went on, over what it had before the first. All memory that is
//!   shared out by account is at most 256 MiB together.
//! - *sign-in*: p99 of sign-ins in a browser in which the person signed in before.
//!
//! An answer or an import of the witness that is refused, such as by 503, ends its part with an error.

mod connections;
mod loads;
mod pages;
mod witness;

use std::process::ExitCode;

use anyhow::{Context, Result};
use serde_json::{Value, json};
use tests::app::{App, Backends};
use tests::bench::frame::{Bench, unlimited};
use tests::bench::lag::p99;
use tests::bench::report::{Row, Target, Unit};
use tests::bench::settings::Settings;
use tests::servers::Endpoints;

use crate::connections::Readers;
use crate::pages::{Pages, Shared, SignIns};
use crate::witness::Witness;

/// The only part that needs no servers.
const EMBEDDED: &str = "embedded";

const BENCH: Bench = Bench {
    name: "fair",
    parts: &[
        "answers", EMBEDDED, "uploads", "errors", "lists", "giant", "link", "ready", "pages",
        "shared", "sign-in", "stalled", "readers", "forms", "streams", "small", "queue",
        "document",
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
    let backends = if part == EMBEDDED {
        Backends::Embedded
    } else {
        Backends::on(endpoints.context("no servers")?).await?
    };
    // Who signs in comes from many networks.
    let proxies = if part == "sign-in" { "127.0.0.0/8" } else { "" };
    let app = start(backends, proxies).await?;
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
        "ready" => {
            witness
                .beside("requests for readiness", None, || loads::ready(&app))
                .await
        }
        _ => beside_people(part, &app, &witness).await,
    }
}

/// The parts whose load comes from browsers and from connections, and those that came last.
async fn beside_people(part: &str, app: &App, witness: &Witness<'_>) -> Result<Vec<Row>> {
    match part {
        "pages" => {
            let pages = Pages::new(app).await?;
            witness
                .beside("large forms of pages", None, || pages.load())
                .await
        }
        "shared" => {
            let shared = Shared::new(app).await?;
            witness.beside("shared pages", None, || shared.load()).await
        }
        "sign-in" => {
            let sign_ins = SignIns::new(app).await?;
            let load = || sign_ins.load();
            let rows = witness.beside("wrong passwords", None, load).await?;
            let mut sign_in = Row::new(
                "sign-in, beside wrong passwords",
                Unit::Milliseconds,
                "",
                Target::AtMost(1_000.0),
            );
            sign_in.lone_round(p99(&sign_ins.took())?);
            Ok([rows, vec![sign_in]].concat())
        }
        "stalled" => {
            let load = || connections::stalled(app);
            witness.beside("stalled bodies", None, load).await
        }
        "readers" => {
            let readers = Readers::new(app).await?;
            let load = || readers.load();
            witness.beside("readers that do not read", None, load).await
        }
        "forms" => {
            let load = || loads::writes(app);
            witness.beside("forms that are written", None, load).await
        }
        "streams" => {
            let load = || connections::streams(app);
            witness.beside("posts without bodies", None, load).await
        }
        "small" => {
            let load = || loads::small(app);
            witness.beside("small writes", Some(1_000), load).await
        }
        "queue" => {
            let load = || loads::queue(app);
            witness.beside("imports in line", Some(60_000), load).await
        }
        _ => {
            let load = || connections::document(app);
            witness.beside("the document", None, load).await
        }
    }
}

/// As in production, but that no limit of requests ends a load.
async fn start(backends: Backends, proxies: &str) -> Result<App> {
    let setup = App::setup().workers(2).on(backends);
    let setup = setup.setting("FEEDBACK_TRUSTED_PROXIES", proxies);
    let setup = setup.setting("FEEDBACK_ADDRESS_ANSWERS", "0");
    let setup = setup.setting("FEEDBACK_LINK_RATE", "0");
    unlimited(setup.setting("FEEDBACK_ADDRESS_RATE", "0")).await
}
