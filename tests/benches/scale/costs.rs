//! Part `costs`: what one of each thing takes of whom.

use std::time::Duration;

use anyhow::{Context, Result};
use tests::app::{App, Backends, Service};
use tests::bench::cpu::{of_machine, of_process};
use tests::bench::frame::{settle, unlimited};
use tests::bench::hot::{Hot, script};
use tests::bench::load::{self, CONNECTIONS};
use tests::bench::million;
use tests::bench::report::{Row, Target, Unit};
use tests::bench::settings::Settings;
use tests::bench::timed;
use tests::campaign::{count, on_import};
use tests::report::overview;
use tests::servers::{Account, Endpoints};

const TIME: Duration = Duration::from_secs(8);
pub(super) const SENDER: &str = "demo=demo:?rate=100000&window=200&delay=100ms&failures=0";

/// Core-seconds, and bytes of the database's log, since the beginning.
#[derive(Clone, Copy)]
struct Used {
    api: f64,
    workers: f64,
    database: f64,
    all: f64,
    log: f64,
}

impl Used {
    async fn read(app: &App) -> Result<Self> {
        let of = |services: &[Service]| -> Result<f64> {
            let used = services.iter();
            used.map(|service| of_process(service.process.pid()?.as_raw()))
                .sum()
        };
        let backends = app.backends();
        let file = backends
            .sql("SELECT pg_read_file('postmaster.pid')")
            .await?;
        let postmaster = file.lines().next().context("no pid")?.parse()?;
        let log = "SELECT pg_current_wal_lsn() - '0/0'";
        Ok(Self {
            api: of(&app.apis)?,
            workers: of(&app.workers)?,
            database: of_process(postmaster)?,
            all: of_machine()?,
            log: backends.sql(log).await?.parse()?,
        })
    }
}

pub(super) async fn measure(settings: &Settings, endpoints: &Endpoints) -> Result<Vec<Row>> {
    let backends = Backends::on(endpoints).await?;
    let setup = App::setup().workers(2).on(backends);
    let setup = setup.setting("FEEDBACK_LINK_RATE", "0");
    let app = unlimited(setup.setting("FEEDBACK_SENDERS", SENDER)).await?;
    let folder = Account::folder(None, "costs")?;
    let lua = script(folder.path())?;
    let hot = Hot::make(&app).await?;
    let owner = app.client().await?;
    let report = overview(("2026-01-01", "2026-01-31"));
    owner.get(&report).await?.expect(200)?;
    let getter = load::getter(folder.path(), &owner.key_headers()?, None)?;
    let report = format!("{}{report}", owner.base());
    let body = million::body(&million::at_random(settings.records));

    let mut rows = Vec::new();
    for what in ["record", "page", "answer", "message", "cached report"] {
        let mut costs = Costs::new(what);
        // Round 0 warms up.
        for round in 0..=settings.rounds {
            app.backends().sql("TRUNCATE recipient").await?;
            let client = app.client().await?;
            settle(&app).await?;
            let before = Used::read(&app).await?;
            let done = match what {
                "record" => {
                    timed::import(&client, &body, settings.records, "created").await?;
                    settings.records.into()
                }
                "page" => answers(load::wrk(&hot.url, CONNECTIONS, TIME, None).await?),
                "answer" => answers(load::wrk(&hot.url, CONNECTIONS, TIME, Some(&lua)).await?),
                "message" => {
                    let campaign = client.started(|form| on_import(form, "demo")).await?;
                    let all = million::body(&million::at_random(settings.messages));
                    let id = campaign["campaign_id"].as_str().context("no id")?;
                    let path = format!("{}?campaign={id}", tests::import::IMPORT);
                    let import = client.call(reqwest::Method::POST, &path);
                    let import = import.body(tests::import::JSON, all).send().await?;
                    import.expect(202)?;
                    let sent = u64::from(settings.messages);
                    let is_sent = |now: &_| count(now, "first", "delivered") == sent;
                    client.until(&campaign, is_sent).await?;
                    settings.messages.into()
                }
                _ => answers(load::wrk(&report, CONNECTIONS, TIME, Some(&getter)).await?),
            };
            let after = Used::read(&app).await?;
            if round > 0 {
                costs.add(before, after, done);
            }
        }
        rows.extend(costs.rows());
    }
    Ok(rows)
}

#[expect(clippy::cast_precision_loss, reason = "a rounded figure is as good")]
fn answers(load: load::Load) -> f64 {
    load.answers as f64
}

/// What one of something costs.
struct Costs {
    by_process: [Row; 4],
    log: Row,
}

impl Costs {
    fn new(what: &str) -> Self {
        let row = |whose: &str, unit| Row::new(format!("{what}: {whose}"), unit, "", Target::None);
        Self {
            by_process: ["api", "workers", "PostgreSQL", "all"]
                .map(|whose| row(whose, Unit::CoreMicroseconds)),
            log: row("log of the database", Unit::Bytes),
        }
    }

    fn add(&mut self, before: Used, after: Used, done: f64) {
        let used = [
            after.api - before.api,
            after.workers - before.workers,
            after.database - before.database,
            after.all - before.all,
        ];
        for (row, used) in self.by_process.iter_mut().zip(used) {
            row.lone_round(used * 1e6 / done);
        }
        self.log.lone_round((after.log - before.log) / done);
    }

    fn rows(self) -> impl Iterator<Item = Row> {
        self.by_process.into_iter().chain([self.log])
    }
}
