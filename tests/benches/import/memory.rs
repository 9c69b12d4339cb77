//! Part `memory`: what the api has resident at most while it takes a POST, over what it has when idle.

use std::time::Duration;

use anyhow::Result;
use tests::app::App;
use tests::bench::frame::{on_servers, settle};
use tests::bench::memory;
use tests::bench::million;
use tests::bench::report::{Row, Target, Unit};
use tests::bench::settings::Settings;
use tests::bench::timed;
use tests::servers::Endpoints;

use super::servers;

/// What the set of a body's docids takes: 36 MB a million.
const SET: f64 = 36e6 / (1024.0 * 1024.0) / 1e6;

/// "The same at both sizes", and a quarter for what an allocator happens to keep.
const SAME: f64 = 1.25;

/// After its start a process still settles; then it is idle.
const IDLE: Duration = Duration::from_secs(2);

pub(super) async fn measure(settings: &Settings, endpoints: &Endpoints) -> Result<Vec<Row>> {
    let mut app = on_servers(endpoints).await?;
    let (few, many) = (settings.records / 10, settings.records);
    let limit = |records: u32| {
        let measure = format!("memory over idle, {records} records");
        Row::new(measure, Unit::Mebibytes, "", Target::AtMost(96.0))
    };
    let (mut of_few, mut of_many) = (limit(few), limit(many));
    let mut beyond = Row::new(
        format!("memory beyond the set, {many} records"),
        Unit::Mebibytes,
        "at a tenth of them",
        Target::RatioAtMost(SAME),
    );
    for round in 1..=settings.rounds {
        let small = over_idle(&mut app, few).await?;
        let large = over_idle(&mut app, many).await?;
        of_few.lone_round(small);
        of_many.lone_round(large);
        beyond.round(large - SET * f64::from(many), small - SET * f64::from(few));
        eprintln!("round {round}: {few} records {small:.1} MiB, {many} records {large:.1} MiB");
    }
    Ok(vec![of_few, of_many, beyond])
}

/// In a fresh process: an allocator keeps what an import before this one took.
async fn over_idle(app: &mut App, records: u32) -> Result<f64> {
    let body = million::body(&million::at_random(records));
    servers::empty(app.backends()).await?;
    let client = app.client().await?;
    settle(app).await?;
    let api = app.api()?;
    api.stop().await?;
    api.start_again().await?;
    api.process.hide_log();
    tokio::time::sleep(IDLE).await;
    let idle = memory::resident(&api.process)?;
    memory::forget_peak(&api.process)?;
    // What the few status requests after the 202 take is nothing beside the POST.
    timed::import(&client, &body, records, "created").await?;
    Ok(memory::peak(&app.api()?.process)? - idle)
}
