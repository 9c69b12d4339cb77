//! Sending.

mod again;
mod audience;
mod budget;
mod cost;
mod driver;
mod erasing;
mod explained;
mod failures;
mod faults;
mod funnel;
mod hooks;
mod kannel;
mod life;
mod lists;
mod people;
mod previews;
mod providers;
mod replies;
mod reports;
mod segments;
mod senders;
mod several;
mod smpp;
mod told;
mod whom;

use anyhow::{Result, ensure};
use serde_json::Value;
use tests::app::{App, Setup};
use tests::peer;
use tests::wait::{LATER, eventually};
use tests::webhook::SECRET;

/// Long before any test, as both databases read it.
const LONG_AGO: &str = "2020-01-01T00:00:00+00:00";

/// A service with these senders.
fn with_senders(senders: &str) -> Setup {
    App::setup()
        .setting("FEEDBACK_SENDERS", senders)
        .setting("FEEDBACK_PUBLIC_URL", "https://feedback.example")
}

/// A service whose simulated provider is quick and has no failures.
fn with_demo() -> Setup {
    with_senders("demo=demo:?delay=10ms&failures=0&rate=100000&window=200")
}

/// How many messages of a kind were skipped for a reason.
fn skipped(campaign: &Value, kind: &str, reason: &str) -> u64 {
    let skipped = &campaign["counts"][kind]["skipped"][reason];
    skipped.as_u64().unwrap_or_default()
}

/// The readiness of its worker tells that a sender is in error: its name and the code.
async fn degrades(app: &mut App, sender: &str) -> Result<()> {
    let worker = app.anonymous()?.at(app.worker()?.base());
    let line = format!("worker senders degraded: {sender}\n");
    eventually(LATER, async || {
        let ready = worker.get("/health/ready").await?.expect(200)?;
        let ready = ready.text()?;
        ensure!(ready.contains(&line), "{ready}");
        Ok(())
    })
    .await
}

/// Neither logs nor metrics tell a phone, a secret of a provider, or what it wrote beside its codes.
async fn names_nobody(app: &App) -> Result<()> {
    for service in app.apis.iter().chain(&app.workers) {
        service.names_nobody(&[SECRET, peer::ERROR_TEXT]).await?;
    }
    Ok(())
}
