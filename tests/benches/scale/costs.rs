//! Part `costs`: what one of each thing takes of whom.

use anyhow::{Context, Result};
use tests::app::{App, Service};
use tests::bench::cpu::{of_all, of_process};
use tests::bench::report::{Row, Target, Unit};
use tests::bench::settings::Settings;
use tests::servers::Endpoints;

use super::loads::Loads;

/// Core-seconds, bytes of the database's log and its commits: since the beginning, or of one thing.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Used {
    pub(super) api: f64,
    pub(super) workers: f64,
    pub(super) database: f64,
    /// The broker, the cache and who makes the load.
    pub(super) others: f64,
    pub(super) log: f64,
    pub(super) commits: f64,
}

impl Used {
    pub(super) async fn read(app: &App) -> Result<Self> {
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
        let log = backends.sql(log).await?.parse()?;
        let commits = "SELECT sum(xact_commit) FROM pg_stat_database";
        let commits = backends.sql(commits).await?.parse()?;
        let (api, workers) = (of(&app.apis)?, of(&app.workers)?);
        let database = of_process(postmaster)?;
        Ok(Self {
            api,
            workers,
            database,
            others: of_all()? - api - workers - database,
            log,
            commits,
        })
    }

    /// The same of both, number by number.
    pub(super) fn with(self, other: Self, of: impl Fn(f64, f64) -> f64) -> Self {
        Self {
            api: of(self.api, other.api),
            workers: of(self.workers, other.workers),
            database: of(self.database, other.database),
            others: of(self.others, other.others),
            log: of(self.log, other.log),
            commits: of(self.commits, other.commits),
        }
    }

    /// What was used from `before` until now, of each of so many things.
    pub(super) fn of_each(self, before: Self, things: f64) -> Self {
        self.with(before, |now, before| (now - before) / things)
    }
}

pub(super) async fn measure(settings: &Settings, endpoints: &Endpoints) -> Result<Vec<Row>> {
    let loads = Loads::start(settings, endpoints, 2).await?;
    let app = &loads.app;
    let mut rows = Vec::new();
    for what in ["record", "page", "answer", "message", "cached report"] {
        let mut costs = Costs::new(what);
        // Round 0 warms up.
        for round in 0..=settings.rounds {
            loads.empty().await?;
            let before = Used::read(app).await?;
            let things = match what {
                "record" => loads.records().await?.0,
                "page" => loads.pages().await?.0,
                "answer" => loads.answers(64).await?.0,
                "message" => loads.messages().await?,
                _ => loads.reports().await?.0,
            };
            let after = Used::read(app).await?;
            if round > 0 {
                costs.add(after.of_each(before, things));
            }
        }
        rows.extend(costs.rows());
    }
    Ok(rows)
}

/// What one of something costs.
struct Costs {
    by_process: [Row; 4],
    log: Row,
    commits: Row,
}

impl Costs {
    fn new(what: &str) -> Self {
        let row = |whose: &str, unit| Row::new(format!("{what}: {whose}"), unit, "", Target::None);
        Self {
            by_process: ["api", "workers", "PostgreSQL", "all"]
                .map(|whose| row(whose, Unit::CoreMicroseconds)),
            log: row("log of the database", Unit::Bytes),
            commits: row("commits", Unit::Commits),
        }
    }

    fn add(&mut self, one: Used) {
        let all = one.api + one.workers + one.database + one.others;
        let used = [one.api, one.workers, one.database, all];
        for (row, used) in self.by_process.iter_mut().zip(used) {
            row.lone_round(used * 1e6);
        }
        self.log.lone_round(one.log);
        self.commits.lone_round(one.commits);
    }

    fn rows(self) -> impl Iterator<Item = Row> {
        self.by_process.into_iter().chain([self.log, self.commits])
    }
}
