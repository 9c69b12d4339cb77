//! Part `growth`: ten imports into one account, after one into another that warms up; the last must not be much slower
//! than the first.

use anyhow::{Context, Result};
use tests::bench::frame::{on_servers, settle};
use tests::bench::million;
use tests::bench::report::{Row, Target, Unit};
use tests::bench::settings::Settings;
use tests::bench::timed;
use tests::servers::Endpoints;

use super::servers;

const IMPORTS: u32 = 10;

pub(super) async fn measure(settings: &Settings, endpoints: &Endpoints) -> Result<Vec<Row>> {
    let records = settings.records;
    let size = usize::try_from(records)?;
    let everything = million::at_random(records * IMPORTS);
    let spread: Vec<&[u32]> = everything.chunks(size).collect();
    let spread = ten(endpoints, records, "docids spread", &spread).await?;

    let one = million::at_random(records);
    let ranges: Vec<Vec<u32>> = (0..IMPORTS)
        .map(|import| one.iter().map(|number| number + import * records).collect())
        .collect();
    let ranges: Vec<&[u32]> = ranges.iter().map(Vec::as_slice).collect();
    let ranges = ten(endpoints, records, "docids in ranges", &ranges).await?;
    Ok(vec![spread, ranges])
}

async fn ten(endpoints: &Endpoints, records: u32, name: &str, imports: &[&[u32]]) -> Result<Row> {
    let app = on_servers(endpoints).await?;
    // Processes that never stored anything are slow at first, which would make the last import look fast.
    let body = million::body(imports.first().context("no imports")?);
    timed::import(&app.client().await?, &body, records, "created").await?;
    servers::empty(app.backends()).await?;
    let client = app.client().await?;
    let mut rates = Vec::new();
    for numbers in imports {
        let body = million::body(numbers);
        settle(&app).await?;
        let took = timed::import(&client, &body, records, "created").await?;
        let rate = f64::from(records) / took.stored.as_secs_f64();
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
    Ok(row)
}
