//! Answers and reports while the schema is migrated, and while an account lets go of most of what it collected: `cargo bench -p tests
//! --bench migrate`, with `schema` or `retention` only that part.
//!
//! On PostgreSQL, RabbitMQ and Redis with one api and two workers, on an account with many feedbacks and recipients. Forms and
//! links are made through the API, feedbacks and recipients by INSERT, their counts by `feedback rebuild`. Needs what
//! `tests/run` installs. Servers and binaries are those of the bench `import`.
//!
//! | variable | default | |
//! |---|---|---|
//! | `FEEDBACK_BENCH_FEEDBACKS` | 5000000 | of the account |
//! | `FEEDBACK_BENCH_RECORDS` | 1000000 | of an import |
//! | `FEEDBACK_BENCH_BUILD` | | `0`: take the binaries as they are |
//!
//! The bench has a migration that the program has not: a column with a default on `recipient` and one on `feedback`, an
//! index on `feedback`, and a backfill over all of its rows. It is applied as `feedback migrate` would, while processes
//! that know nothing of it run on. The account of `retention` keeps answers and visits for 30 days from then on: of a year of them
//! eleven months go, of which the bench sees some minutes. All the while visitors answer a form, its owner asks for reports,
//! and records are imported that are stored already, with other values, again and again.
//!
//! # How to read the table
//! As that of `import`, but that all is measured once.
//!
//! - *slowest*: of all answers and of all reports from the first step of the migration to its end, or while days are let go, from
//!   the request to the whole answer. The reference is the same load alone. Of the reports one is the same each time, some have counts of
//!   what was just answered, some a range that nobody asked for before, and one lists feedbacks.
//! - *refused*: answers and reports that were 5xx.
//! - *lost*: answers that were 201 and are not in the report in the end. `feedback verify` must find nothing then.
//! - *step*: how long one of the migration took, which has no target: a step waits for those who use its table.
//! - *let go*: feedbacks a second, which has no target either: each transaction drops few, and its worker rests after it.

mod load;
mod migration;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use domain::retention::Retention;
use serde_json::{Value, json};
use store::migration::Watch;
use store::{Store, Workload};
use tests::app::{App, Backends};
use tests::bench::frame::{Bench, settle, unlimited};
use tests::bench::report::{Row, Target, Unit};
use tests::bench::settings::Settings;
use tests::bench::year::{Account, LONGEST, rebuild};
use tests::servers::Endpoints;
use tests::wait::eventually;
use tokio::time::sleep;

use load::{Load, Stages};

const BENCH: Bench = Bench {
    name: "migrate",
    parts: &[SCHEMA, RETENTION],
    embedded: &[],
};

const SCHEMA: &str = "schema";
const RETENTION: &str = "retention";

/// Rows of one INSERT.
const AT_ONCE: u32 = 1_000_000;
/// How long the load goes on before it is measured, and how long it is measured alone.
const WARM_UP: Duration = Duration::from_secs(10);
const ALONE: Duration = Duration::from_mins(1);
/// How long the account is watched while it lets go.
const LETTING_GO: Duration = Duration::from_mins(5);
/// By when a worker has begun to let go.
const BEGUN: Duration = Duration::from_mins(1);
/// How long the account keeps answers and visits then.
const KEPT_DAYS: u16 = 30;

// One thread: the client must take as little of the machine as it can.
#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    BENCH.run(prepare, measure).await
}

async fn prepare(settings: &Settings) -> Result<Value> {
    let recipients = recipients(settings, SCHEMA);
    ensure!(
        settings.records <= recipients,
        "FEEDBACK_BENCH_RECORDS: more than the {recipients} recipients"
    );
    Ok(
        json!({"feedbacks": settings.feedbacks, "recipients": recipients, "records": settings.records}),
    )
}

/// How many the account has: imports meet only recipients that are stored.
fn recipients(settings: &Settings, part: &str) -> u32 {
    if part == SCHEMA {
        2 * settings.feedbacks
    } else {
        settings.records
    }
}

async fn measure(
    part: &str,
    settings: &Settings,
    endpoints: Option<&Endpoints>,
) -> Result<Vec<Row>> {
    let backends = Backends::on(endpoints.context("no servers")?).await?;
    let setup = App::setup().workers(2).on(backends);
    let app = unlimited(setup.setting("FEEDBACK_LINK_RATE", "0")).await?;
    let account = fill(&app, settings, recipients(settings, part)).await?;
    let stages = Arc::new(Stages::default());
    let load = Load::new(&app, &account, settings.records, &stages).await?;
    let store = Store::connect(&app.database(), Workload::Migration)?;
    let mut gone = None;
    let changed = async {
        sleep(WARM_UP).await;
        stages.begin("alone");
        sleep(ALONE).await;
        if part == SCHEMA {
            let watch: Arc<dyn Watch> = stages.clone();
            store.migrate(migration::migrations(), &watch).await?;
        } else {
            gone = Some(let_go(&app, &store, &account, &stages).await?);
        }
        stages.begin("over");
        Ok(())
    };
    load.beside(changed).await?;
    store.close().await;
    let mut rows = stages.rows(part)?;
    if let Some(gone) = gone {
        let mut row = Row::new("let go", Unit::AnswersPerSecond, "", Target::None);
        row.lone_round(gone);
        rows.push(row);
    }
    let lost = load.lost().await?;
    let verified = app.cli_within(LONGEST, &["verify"], &[]).await?;
    ensure!(verified.status.success(), "verify: {verified:?}");
    for (measure, answers) in [
        ("answers and reports refused", load.refused()),
        ("answers lost", lost),
    ] {
        let measure = format!("{measure}, {part}");
        let mut row = Row::new(measure, Unit::Answers, "", Target::AtMost(0.0));
        row.lone_round(answers.into());
        rows.push(row);
    }
    Ok(rows)
}

/// Keeps less from now on, and waits while the rest goes: how many feedbacks a second.
async fn let_go(app: &App, store: &Store, account: &Account, stages: &Stages) -> Result<f64> {
    let retention = Retention {
        answers_days: Some(KEPT_DAYS),
        visits_days: Some(KEPT_DAYS),
        ..Retention::default()
    };
    store
        .set_retention(account.account_id.parse()?, &retention)
        .await?;
    // A day in which it could be taken back is over.
    app.backends()
        .sql("UPDATE retention SET holds_from = NULL")
        .await?;
    eventually(BEGUN, async || {
        let sealed = "SELECT count(*) FROM retention WHERE answers_sealed IS NOT NULL";
        let sealed = app.backends().sql(sealed).await?;
        ensure!(sealed == "1", "no day is sealed");
        Ok(())
    })
    .await?;
    let before = gone(app).await?;
    stages.begin("letting go");
    let began = Instant::now();
    sleep(LETTING_GO).await;
    let gone = gone(app).await? - before;
    ensure!(gone > 0.0, "nothing went");
    Ok(gone / began.elapsed().as_secs_f64())
}

/// How many feedbacks went so far.
async fn gone(app: &App) -> Result<f64> {
    let gone = "SELECT n_tup_del FROM pg_stat_user_tables WHERE relname = 'feedback'";
    Ok(app.backends().sql(gone).await?.parse()?)
}

/// The account, whose recipients have the docids of [`tests::bench::million`], and other values.
async fn fill(app: &App, settings: &Settings, recipients: u32) -> Result<Account> {
    let start = Instant::now();
    let account = Account::fill(app, settings.feedbacks).await?;
    for from in (0..recipients).step_by(usize::try_from(AT_ONCE)?) {
        let to = recipients.min(from + AT_ONCE) - 1;
        let insert = format!(
            r#"INSERT INTO recipient (account_id, docid, phone, fields, batch_id, seq, created_at, updated_at, created_day)
               SELECT '{}', 'order-' || lpad(n::text, 8, '0'), '+49171' || lpad(n::text, 8, '0'), '{{"store_code": "S000"}}',
                      gen_random_uuid(), 0, now(), now(), current_date
                 FROM generate_series({from}, {to}) n"#,
            account.account_id
        );
        app.backends().sql_within(LONGEST, &insert).await?;
    }
    eprintln!(
        "{} feedbacks and {recipients} recipients stored in {:.0} s",
        account.feedbacks,
        start.elapsed().as_secs_f64()
    );
    rebuild(app, &["recipient"]).await?;
    account.is_counted().await?;
    settle(app).await?;
    Ok(account)
}
