//! Part `freshness`: from the 201 of an answer until the cached report has it, while reports are asked for and records
//! imported.

use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::json;
use tests::bench::lag::{Lag, p99};
use tests::bench::load::{self, CONNECTIONS};
use tests::bench::million;
use tests::bench::report::{Row, Target, Unit};
use tests::bench::settings::Settings;
use tests::bench::timed;
use tests::report::Of;

use super::beside::PAUSE;
use super::cached::month;
use super::data::Data;

/// Who answers at once.
const WRITERS: u32 = 8;
/// How long a load of reports lasts before the next one begins.
const LOAD: Duration = Duration::from_secs(2);

pub(super) async fn measure(settings: &Settings, data: &Data) -> Result<Vec<Row>> {
    let body = million::body(&million::at_random(settings.records));
    let client = &data.large.client;
    let url = format!("{}{}", client.base(), month(&data.large)?);
    let script = load::getter(data.folder.path(), &client.key_headers()?, Some(PAUSE))?;
    let mut fresh = Row::new(
        format!(
            "p99 of {} answers until the cached report has them",
            settings.commits
        ),
        Unit::Milliseconds,
        "",
        Target::AtMost(500.0),
    );
    for round in 1..=settings.rounds {
        let reports = async {
            loop {
                load::wrk(&url, CONNECTIONS, LOAD, Some(&script)).await?;
            }
        };
        let imports = async {
            loop {
                let importer = data.app.client().await?;
                timed::import(&importer, &body, settings.records, "created").await?;
            }
        };
        // The load ends with what is measured, or with its own failure.
        let lags = tokio::select! {
            lags = lags(data, settings.commits) => lags?,
            failed = reports => return failed,
            failed = imports => return failed,
        };
        let p99 = p99(&lags)?;
        fresh.lone_round(p99);
        let middle = lags.get(lags.len() / 2).context("no answers")?;
        let last = lags.last().context("no answers")?;
        eprintln!("round {round}: p50 {middle:.1?}, p99 {p99:.1} ms, most {last:.1?}");
    }
    Ok(vec![fresh])
}

/// How long each answer took from its 201 into the report, in order of length.
async fn lags(data: &Data, commits: u32) -> Result<Vec<Duration>> {
    let owner = &data.large.client;
    let form = data.large.forms.last().context("no form")?;
    let (from, to) = (data.large.day(335), data.large.day(366));
    let lag = Lag {
        public: &data.app.anonymous()?,
        owner,
        path: &Of::Form.path(form, (&from, &to), ""),
        link: &owner.link(form, "1", &[]).await?,
        answers: &json!({"recommend": 9}),
        writers: WRITERS,
        pause: Duration::ZERO,
    };
    lag.measure(commits).await
}
