//! Part `workers`: an import with one, two and four workers, against the database's own limit.

use anyhow::Result;
use tests::app::{App, Backends};
use tests::bench::copy::CopyReference;
use tests::bench::frame::{quiet, settle};
use tests::bench::million;
use tests::bench::report::{Row, Target, Unit};
use tests::bench::settings::Settings;
use tests::bench::timed;
use tests::servers::{Account, Endpoints};

const WORKERS: [usize; 3] = [1, 2, 4];

pub(super) async fn measure(settings: &Settings, endpoints: &Endpoints) -> Result<Vec<Row>> {
    let numbers = million::at_random(settings.records);
    let body = million::body(&numbers);
    let folder = Account::folder(None, "workers")?;
    let mut rows = Vec::new();
    for workers in WORKERS {
        let mut row = Row::new(
            format!("{} records stored, workers: {workers}", settings.records),
            Unit::RecordsPerSecond,
            r"\copy",
            Target::None,
        );
        let backends = Backends::on(endpoints).await?;
        let app = quiet(App::setup().workers(workers).on(backends)).await?;
        let rate = |seconds: f64| f64::from(settings.records) / seconds;
        let ours = async || -> Result<f64> {
            app.backends().sql("TRUNCATE recipient").await?;
            settle(&app).await?;
            let client = app.client().await?;
            let timed = timed::import(&client, &body, settings.records, "created").await?;
            Ok(rate(timed.stored.as_secs_f64()))
        };
        // Warms up, and leaves the rows for the reference.
        ours().await?;
        let (backends, path) = (app.backends(), folder.path());
        let reference =
            CopyReference::prepare(backends, "recipient", "docid", &numbers, path).await?;
        for round in 1..=settings.rounds {
            reference.empty(backends).await?;
            let stored = ours().await?;
            settle(&app).await?;
            let copied = rate(reference.load(backends).await?.as_secs_f64());
            eprintln!("workers: {workers}, round {round}: {stored:.0}/s; \\copy {copied:.0}/s");
            row.round(stored, copied);
        }
        rows.push(row);
    }
    Ok(rows)
}
