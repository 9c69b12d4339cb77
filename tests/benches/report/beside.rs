//! Part `beside`: cached reports while a million records are imported.

use std::time::Duration;

use anyhow::{Result, ensure};
use tests::bench::frame::settle;
use tests::bench::load::{self, CONNECTIONS};
use tests::bench::million;
use tests::bench::report::{Row, Target, Unit};
use tests::bench::settings::Settings;
use tests::bench::timed;

use super::cached::month;
use super::data::Data;

/// Shorter than an import takes.
const TIME: Duration = Duration::from_secs(3);
/// After each answer a connection rests: dashboards do not ask for all that a machine can give.
pub(super) const PAUSE: Duration = Duration::from_millis(20);

pub(super) async fn measure(settings: &Settings, data: &Data) -> Result<Vec<Row>> {
    let body = million::body(&million::at_random(settings.records));
    let client = &data.large.client;
    let url = format!("{}{}", client.base(), month(&data.large)?);
    let script = load::getter(data.folder.path(), &client.key_headers()?, Some(PAUSE))?;
    let load = async || load::wrk(&url, CONNECTIONS, TIME, Some(&script)).await;
    let mut p99 = Row::new(
        format!(
            "p99 of cached reports while {} records are imported",
            settings.records
        ),
        Unit::Milliseconds,
        "idle",
        Target::RatioAtMost(3.0),
    );
    load().await?;
    for round in 1..=settings.rounds {
        settle(&data.app).await?;
        let idle = load().await?;
        let importer = data.app.client().await?;
        let (import, busy) = tokio::try_join!(
            timed::import(&importer, &body, settings.records, "created"),
            load(),
        )?;
        ensure!(import.stored > TIME, "the import ended first: {import:?}");
        p99.round(busy.p99, idle.p99);
        eprintln!(
            "round {round}: {:.0}/s, p50 {:.2} ms, p99 {:.2} ms; idle {:.0}/s, p50 {:.2} ms, p99 {:.2} ms; the import took {:.1} s",
            busy.rate,
            busy.p50,
            busy.p99,
            idle.rate,
            idle.p50,
            idle.p99,
            import.stored.as_secs_f64()
        );
    }
    Ok(vec![p99])
}
