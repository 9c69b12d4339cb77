//! Part `kills`: whoever drives the sender is killed again and again, and the centre sees no message twice.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use tests::app::{App, Backends};
use tests::bench::report::{Row, Target, Unit};
use tests::bench::settings::Settings;
use tests::campaign::count;
use tests::servers::Endpoints;

use super::run::{Run, start};
use super::smpp::Centre;

/// The most messages without a known result, and how many times as many messages a wide window sends.
const WINDOWS: [(u32, u32); 2] = [(10, 2), (100, 8)];
/// The time between two kills.
const EVERY: Duration = Duration::from_secs(10);

pub(super) async fn measure(settings: &Settings, endpoints: &Endpoints) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (window, times) in WINDOWS {
        let backends = Backends::on(endpoints).await?;
        rows.extend(of_window(backends, window, times * settings.messages).await?);
    }
    Ok(rows)
}

async fn of_window(backends: Backends, window: u32, messages: u32) -> Result<[Row; 2]> {
    let centre = Centre::start(None).await?;
    let mut app = start(backends, &centre.sender(window)).await?;
    let run = Run::begin(&app, "centre", messages).await?;
    let mut kills = 0;
    while !is_sent(&run.now().await?) {
        let killed = Instant::now();
        run.until(|now| is_sent(now) || killed.elapsed() > EVERY)
            .await?;
        if !is_sent(&run.now().await?) {
            kill_driver(&mut app).await?;
            kills += 1;
        }
    }
    // What was accepted has its receipt in the end.
    let done = run
        .until(|now| count(now, "first", "accepted") == 0)
        .await?;
    let seen = centre.figures().await?;
    let figure = |name: &str| seen[name].as_u64().context(name.to_owned());
    let (all, phones, links) = (figure("messages")?, figure("phones")?, figure("links")?);
    let delivered = count(&done, "first", "delivered");
    let unknown = count(&done, "first", "unknown");
    eprintln!(
        "{messages} messages, {kills} kills, {:.0} s: {delivered} delivered, {unknown} unknown; the centre has seen {seen}",
        run.began.elapsed().as_secs_f64()
    );
    ensure!(delivered + unknown == u64::from(messages), "{done}");
    ensure!(
        delivered <= all && all <= delivered + unknown,
        "{seen}: {done}"
    );
    let mut twice = Row::new(
        format!("messages seen twice, window {window}"),
        Unit::Messages,
        "",
        Target::AtMost(0.0),
    );
    twice.lone_round(exact(all - phones.min(links)));
    let mut uncertain = Row::new(
        format!("unknown after {kills} kills, window {window}"),
        Unit::Messages,
        "",
        Target::AtMost(f64::from(window * kills)),
    );
    uncertain.lone_round(exact(unknown));
    Ok([twice, uncertain])
}

fn is_sent(campaign: &Value) -> bool {
    count(campaign, "first", "scheduled") + count(campaign, "first", "sending") == 0
}

#[expect(clippy::cast_precision_loss, reason = "a million at most")]
fn exact(messages: u64) -> f64 {
    messages as f64
}

/// Kills the worker that has the sender's lease, if one has, and starts it again.
async fn kill_driver(app: &mut App) -> Result<()> {
    let owner = "SELECT owner FROM lease WHERE name = 'centre'";
    let owner = app.backends().sql(owner).await?;
    for worker in &mut app.workers {
        if worker.worker_id()? == owner {
            worker.kill()?;
            worker.start_again().await?;
            worker.process.hide_log();
            return Ok(());
        }
    }
    Ok(())
}
