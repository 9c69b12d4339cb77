//! Part `embedded`: the whole way in one process on SQLite, against `sqlite3`'s `.import`.

use std::time::Duration;

use anyhow::Result;
use bytes::Bytes;
use tests::app::{App, Backends};
use tests::bench::frame::{quiet, settle};
use tests::bench::million;
use tests::bench::report::{Row, Target, Unit};
use tests::bench::rows;
use tests::bench::settings::Settings;
use tests::bench::sqlite::ImportReference;
use tests::bench::timed;
use tests::servers::Account;

pub(super) async fn measure(settings: &Settings) -> Result<Vec<Row>> {
    Ok(vec![
        one_order(
            settings,
            "docids random",
            &million::at_random(settings.records),
        )
        .await?,
        one_order(
            settings,
            "docids in sequence",
            &million::in_sequence(settings.records),
        )
        .await?,
    ])
}

async fn one_order(settings: &Settings, name: &str, order: &[u32]) -> Result<Row> {
    let mut row = Row::new(
        format!("embedded, {name}"),
        Unit::Seconds,
        ".import",
        Target::RatioAtMost(1.0),
    );
    let body = million::body(order);
    let folder = Account::folder(None, "import")?;
    // The round that warms up leaves the rows for the reference.
    let (app, _) = ours(&body, settings.records).await?;
    let database = app.folder().join("data").join("feedback.db");
    let reference =
        ImportReference::prepare(&database, "recipient", "docid", order, folder.path()).await?;
    drop(app);
    theirs(&reference).await?;

    for round in 1..=settings.rounds {
        let (stored, loaded) = if round % 2 == 1 {
            let stored = ours(&body, settings.records).await?.1;
            (stored, theirs(&reference).await?)
        } else {
            let loaded = theirs(&reference).await?;
            (ours(&body, settings.records).await?.1, loaded)
        };
        let (stored, loaded) = (stored.as_secs_f64(), loaded.as_secs_f64());
        row.round(stored, loaded);
        eprintln!("{name}, round {round}: stored {stored:.3} s, .import {loaded:.3} s");
    }
    Ok(row)
}

/// Each time a new service on a new file, as the reference's is new each time.
async fn ours(body: &Bytes, records: u32) -> Result<(App, Duration)> {
    let app = quiet(App::setup().on(Backends::Embedded)).await?;
    let client = app.client().await?;
    settle(&app).await?;
    let stored = timed::import(&client, body, records, "created")
        .await?
        .stored;
    Ok((app, stored))
}

async fn theirs(reference: &ImportReference) -> Result<Duration> {
    reference.empty().await?;
    rows::flush_disks().await?;
    reference.load().await
}
