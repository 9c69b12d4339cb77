//! Part `beside`: answers on SQLite while a million records are imported through the same one writer.

use std::time::Duration;

use anyhow::{Result, ensure};
use tests::app::{App, Backends};
use tests::bench::frame::{quiet, settle};
use tests::bench::hot::{Hot, script};
use tests::bench::load;
use tests::bench::million;
use tests::bench::report::{Row, Target, Unit};
use tests::bench::settings::Settings;
use tests::bench::timed;
use tests::servers::Account;

/// Shorter than an import takes.
const TIME: Duration = Duration::from_secs(4);
/// Some people at once.
const CONNECTIONS: u32 = 4;

pub(super) async fn measure(settings: &Settings) -> Result<Vec<Row>> {
    let body = million::body(&million::at_random(settings.records));
    let mut row = Row::new(
        "embedded: p99 of an answer beside an import",
        Unit::Milliseconds,
        "",
        Target::AtMost(100.0),
    );
    let folder = Account::folder(None, "beside")?;
    let lua = script(folder.path())?;
    for round in 1..=settings.rounds {
        let setup = App::setup().on(Backends::Embedded);
        let app = quiet(setup.setting("FEEDBACK_LINK_RATE", "0")).await?;
        let hot = Hot::make(&app).await?;
        let client = app.client().await?;
        settle(&app).await?;
        let (import, load) = tokio::try_join!(
            timed::import(&client, &body, settings.records, "created"),
            load::wrk(&hot.url, CONNECTIONS, TIME, Some(&lua)),
        )?;
        ensure!(import.stored > TIME, "the import ended first: {import:?}");
        row.lone_round(load.p99);
        eprintln!(
            "round {round}: {:.0} answers/s, p50 {:.1} ms, p99 {:.1} ms; the import took {:.1} s",
            load.rate,
            load.p50,
            load.p99,
            import.stored.as_secs_f64()
        );
    }
    Ok(vec![row])
}
