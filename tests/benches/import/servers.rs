//! Part `servers`: the whole way and the way to the 202, against `\copy`; the same batch again, against its first time.

use std::time::Duration;

use anyhow::Result;
use bytes::Bytes;
use tests::app::{App, Backends};
use tests::bench::copy::CopyReference;
use tests::bench::frame::{on_servers, settle};
use tests::bench::million;
use tests::bench::report::{Row, Target, Unit};
use tests::bench::settings::Settings;
use tests::bench::timed::{self, Timed};
use tests::servers::{Account, Endpoints};

/// An order of docids, and what its rows may take.
struct Order {
    name: &'static str,
    numbers: Vec<u32>,
    stored: f64,
    accepted: f64,
}

/// One import into a new account, and the same body a second time.
struct Twice {
    first: Timed,
    again: Timed,
}

pub(super) async fn measure(settings: &Settings, endpoints: &Endpoints) -> Result<Vec<Row>> {
    let app = on_servers(endpoints).await?;
    let orders = [
        Order {
            name: "docids random",
            numbers: million::at_random(settings.records),
            stored: 0.6,
            accepted: 0.15,
        },
        Order {
            name: "docids in sequence",
            numbers: million::in_sequence(settings.records),
            stored: 0.9,
            accepted: 0.25,
        },
    ];
    let mut found = Vec::new();
    for order in &orders {
        found.extend(one_order(settings, &app, order).await?);
    }
    Ok(found)
}

async fn one_order(settings: &Settings, app: &App, order: &Order) -> Result<[Row; 3]> {
    let (name, records) = (order.name, settings.records);
    let copy = r"\copy";
    let most = Target::RatioAtMost;
    let mut stored = Row::new(
        format!("POST → stored, {name}"),
        Unit::Seconds,
        copy,
        most(order.stored),
    );
    let mut accepted = Row::new(
        format!("POST → 202, {name}"),
        Unit::Seconds,
        copy,
        most(order.accepted),
    );
    let mut again = Row::new(
        format!("the same again, {name}"),
        Unit::Seconds,
        "first time",
        most(1.0),
    );

    let body = million::body(&order.numbers);
    eprintln!("{name}: {records} records, {} bytes", body.len());
    // The round that warms up leaves the rows for the reference.
    empty(app.backends()).await?;
    ours(app, &body, records).await?;
    let folder = Account::folder(None, "copy")?;
    let reference = CopyReference::prepare(
        app.backends(),
        "recipient",
        "docid",
        &order.numbers,
        folder.path(),
    )
    .await?;
    theirs(app, &reference).await?;

    for round in 1..=settings.rounds {
        let (twice, loaded) = if round % 2 == 1 {
            let twice = emptied_ours(app, &reference, &body, records).await?;
            (twice, theirs(app, &reference).await?)
        } else {
            let loaded = theirs(app, &reference).await?;
            (emptied_ours(app, &reference, &body, records).await?, loaded)
        };
        let loaded = loaded.as_secs_f64();
        let first = twice.first.stored.as_secs_f64();
        stored.round(first, loaded);
        accepted.round(twice.first.accepted.as_secs_f64(), loaded);
        again.round(twice.again.stored.as_secs_f64(), first);
        eprintln!(
            "{name}, round {round}: 202 {:.3} s, stored {first:.3} s, again {:.3} s, {copy} {loaded:.3} s",
            twice.first.accepted.as_secs_f64(),
            twice.again.stored.as_secs_f64(),
        );
    }
    Ok([stored, accepted, again])
}

/// Ours on empty tables. The reference's is emptied too: neither has more of the server's memory.
async fn emptied_ours(
    app: &App,
    reference: &CopyReference,
    body: &Bytes,
    records: u32,
) -> Result<Twice> {
    empty(app.backends()).await?;
    reference.empty(app.backends()).await?;
    ours(app, body, records).await
}

async fn ours(app: &App, body: &Bytes, records: u32) -> Result<Twice> {
    let client = app.client().await?;
    settle(app).await?;
    let first = timed::import(&client, body, records, "created").await?;
    settle(app).await?;
    let again = timed::import(&client, body, records, "unchanged").await?;
    Ok(Twice { first, again })
}

async fn theirs(app: &App, reference: &CopyReference) -> Result<Duration> {
    empty(app.backends()).await?;
    reference.empty(app.backends()).await?;
    settle(app).await?;
    reference.load(app.backends()).await
}

/// All recipients of all accounts go.
pub(super) async fn empty(backends: &Backends) -> Result<()> {
    backends.sql("TRUNCATE recipient").await.map(drop)
}
