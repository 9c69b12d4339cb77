//! The database's disk is full for a while: that is told, nothing accepted is lost, and once there is room all goes on.

use std::sync::Arc;

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use tests::app::{App, Backends};
use tests::check;
use tests::client::{Answer, Client};
use tests::form::form;
use tests::import::{Accepted, records};
use tests::report::Of;
use tests::servers::{Endpoints, Postgres, SmallDisk};
use tests::visitor::Visitor;
use tests::wait::{LATER, eventually};

/// A service whose database is alone on a small disk, and what keeps the database running.
async fn on_a_small_disk() -> Result<(App, Arc<SmallDisk>, Option<Postgres>)> {
    let disk = Arc::new(SmallDisk::new(160).await?);
    if matches!(Backends::from_environment().await?, Backends::Embedded) {
        let app = App::setup().on_disk(disk.clone()).start().await?;
        return Ok((app, disk, None));
    }
    let postgres = Postgres::on_disk(disk.clone()).await?;
    let endpoints = Endpoints::from_environment()?.on(&postgres);
    let backends = Backends::on(&endpoints).await?;
    let app = App::setup().on(backends).start().await?;
    Ok((app, disk, Some(postgres)))
}

/// The disk being full is told as a server that is away.
fn unavailable(answer: &Answer) -> Result<()> {
    answer.problem(503, "unavailable")?;
    ensure!(answer.header("retry-after").is_some(), "{answer:?}");
    Ok(())
}

/// Answers one after the other until one finds no room: those that were stored, and the one that was not.
async fn answer_until_full(public: &Client, link: &Value) -> Result<(usize, Visitor)> {
    for stored in 0..5_000 {
        let visitor = Visitor::new(public, link)?;
        let answer = visitor.answer(&given(stored)).await?;
        if answer.status == 503 {
            unavailable(&answer)?;
            return Ok((stored, visitor));
        }
        answer.expect(201)?;
    }
    bail!("the disk is never full")
}

fn given(number: usize) -> Value {
    json!({"recommend": number % 11, "more": "x".repeat(5_000)})
}

#[tokio::test]
async fn a_full_disk_is_told_and_nothing_accepted_is_lost() -> Result<()> {
    let (app, disk, _postgres) = on_a_small_disk().await?;
    let owner = app.client().await?;
    let form = owner.published(&form()).await?;
    let link = owner.link(&form, "1", &[]).await?;
    let public = app.anonymous()?;
    let before = records("A", 60_000, "1");
    let accepted = owner.import(&before).await?;
    disk.fill()?;

    let refused = records("B", 60_000, "1");
    unavailable(&owner.import_once("key", &refused).await?)?;
    let (stored, last) = answer_until_full(&public, &link).await?;
    let ready = async |line: &str| {
        let ready = public.get("/health/ready").await?.expect(200)?;
        ensure!(ready.text()?.contains(line), "{:?}", ready.text());
        Ok(())
    };
    ready("disk degraded: the disk of the database is full\n").await?;
    eventually(LATER, async || {
        unavailable(&owner.import_once("key", &refused).await?)?;
        let scraped = public.get("/metrics").await?.expect(200)?;
        let full = "feedback_database_disk_full 1\n";
        ensure!(scraped.text()?.contains(full), "{:?}", scraped.text());
        Ok(())
    })
    .await?;
    let api = app.apis.first().context("no api")?;
    let log = api.process.log()?;
    let told = "the disk of the database is full: nothing can be stored";
    ensure!(log.matches(told).count() == 1, "{log}");
    // What is there can be read.
    owner.batch(&accepted.batch_id).await?;
    owner.read_link(&link).await?;

    disk.free()?;
    let again = eventually(LATER, async || {
        owner.import_once("key", &refused).await?.expect(202)
    })
    .await?;
    let again = Accepted::read(again)?;
    eventually(LATER, async || last.stored(&given(0)).await).await?;
    eventually(LATER, async || ready("disk ok\n").await).await?;
    for (accepted, all) in [(&accepted, &before), (&again, &refused)] {
        let batch = owner.completed(&accepted.batch_id, LATER).await?;
        ensure!(check::outcome(&batch, "created")? == 60_000, "{batch}");
        check::stored_sample(&owner, all, &accepted.batch_id, 200).await?;
    }
    let today = chrono::Utc::now().date_naive();
    let day = |offset: i64| (today + chrono::TimeDelta::days(offset)).to_string();
    let (from, to) = (day(-1), day(1));
    eventually(LATER, async || {
        let report = owner.report(Of::Form, &form, (&from, &to), "").await?;
        let responses = check::count(&report["metrics"], "responses")?;
        ensure!(responses == stored as u64 + 1, "not {stored} + 1: {report}");
        Ok(())
    })
    .await?;
    app.succeeds(&["verify"]).await.context("verify")?;
    Ok(())
}
