//! Part `growth`: ten imports into one account, after one into another that warms up; the last must not be much slower
//! than the first, nor than the fastest way that the database itself has for its rows.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use tests::app::App;
use tests::bench::copy::empty_copy;
use tests::bench::frame::{on_servers, settle};
use tests::bench::million;
use tests::bench::report::{Row, Target, Unit};
use tests::bench::settings::Settings;
use tests::bench::timed;
use tests::servers::{Account, Endpoints};

use super::servers;

const IMPORTS: u32 = 10;

pub(super) async fn measure(settings: &Settings, endpoints: &Endpoints) -> Result<Vec<Row>> {
    let records = settings.records;
    let size = usize::try_from(records)?;
    let everything = million::at_random(records * IMPORTS);
    let spread: Vec<&[u32]> = everything.chunks(size).collect();
    let (app, spread, tenth) = ten(endpoints, records, "docids spread", &spread).await?;
    let mut beside = Row::new(
        format!("import {IMPORTS}, docids spread"),
        Unit::Seconds,
        r"two sorted \copy at once",
        Target::RatioAtMost(2.0),
    );
    let copies = sorted_copies(&app).await?;
    beside.round(tenth.as_secs_f64(), copies.as_secs_f64());
    drop(app);

    let one = million::at_random(records);
    let ranges: Vec<Vec<u32>> = (0..IMPORTS)
        .map(|import| one.iter().map(|number| number + import * records).collect())
        .collect();
    let ranges: Vec<&[u32]> = ranges.iter().map(Vec::as_slice).collect();
    let (_, ranges, _) = ten(endpoints, records, "docids in ranges", &ranges).await?;
    Ok(vec![spread, beside, ranges])
}

/// The rows of the last import, loaded into a table that has all others.
async fn sorted_copies(app: &App) -> Result<Duration> {
    let backends = app.backends();
    let copy = empty_copy(backends, "recipient").await?;
    let last = "seq = (SELECT max(seq) FROM import_batch)";
    let first_nine = format!("INSERT INTO {copy} SELECT * FROM recipient WHERE NOT {last}");
    backends.sql(&first_nine).await?;
    let folder = Account::folder(None, "halves")?;
    let mut loads = Vec::new();
    for half in [1, 2] {
        let file = folder.path().join(format!("{half}.copy"));
        let file = file.display();
        let rows =
            format!("SELECT *, ntile(2) OVER (ORDER BY docid) AS half FROM recipient WHERE {last}");
        let columns =
            "account_id, docid, phone, fields, batch_id, seq, created_at, updated_at, created_day";
        backends
            .sql(&format!(
                r"\copy (SELECT {columns} FROM ({rows}) r WHERE half = {half} ORDER BY docid) TO '{file}'"
            ))
            .await?;
        loads.push(format!(r"\copy {copy} ({columns}) FROM '{file}'"));
    }
    settle(app).await?;
    let start = Instant::now();
    let loads = loads.iter().map(|load| backends.sql(load));
    futures::future::try_join_all(loads).await?;
    let took = start.elapsed();
    eprintln!(r"two sorted \copy at once: {:.3} s", took.as_secs_f64());
    Ok(took)
}

/// Ten imports: the service that has them, the rate of the last against the first, and how long the last took.
async fn ten(
    endpoints: &Endpoints,
    records: u32,
    name: &str,
    imports: &[&[u32]],
) -> Result<(App, Row, Duration)> {
    let app = on_servers(endpoints).await?;
    // Processes that never stored anything are slow at first, which would make the last import look fast.
    let body = million::body(imports.first().context("no imports")?);
    timed::import(&app.client().await?, &body, records, "created").await?;
    servers::empty(app.backends()).await?;
    let client = app.client().await?;
    let mut rates = Vec::new();
    let mut stored = Duration::ZERO;
    for numbers in imports {
        let body = million::body(numbers);
        settle(&app).await?;
        stored = timed::import(&client, &body, records, "created")
            .await?
            .stored;
        let rate = f64::from(records) / stored.as_secs_f64();
        rates.push(rate);
        eprintln!("{name}, import {}: {rate:.0} records/s", rates.len());
    }
    let mut row = Row::new(
        format!("rate of import {}, {name}", rates.len()),
        Unit::RecordsPerSecond,
        "import 1",
        Target::RatioAtLeast(0.7),
    );
    let (first, last) = (
        rates.first().context("none")?,
        rates.last().context("none")?,
    );
    row.round(*last, *first);
    Ok((app, row, stored))
}
