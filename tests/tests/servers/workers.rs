//! Several worker processes on servers: killed, frozen, held back, cancelled against.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};
use tests::app::App;
use tests::campaign::{count, on_import};
use tests::check;
use tests::client::Client;
use tests::form::form;
use tests::import::{Accepted, record, records};
use tests::report::overview;
use tests::visitor::Visitor;
use tests::wait::{LATER, SOON, eventually};

/// A chunk resumes elsewhere within 10 s; here three times that: the suite shares two cores.
const RESUMED: Duration = Duration::from_secs(30);

async fn created_at_least(client: &Client, batch_id: &str, least: u64) -> Result<()> {
    eventually(LATER, async || {
        let batch = client.batch(batch_id).await?;
        let created = check::outcome(&batch, "created")?;
        ensure!(created >= least, "only {created}: {batch}");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn each_kind_of_work_may_have_workers_of_its_own() -> Result<()> {
    let mut app = App::setup().workers(0).start().await?;
    let client = app.client().await?;
    let campaign = client.started(|form| on_import(form, "demo")).await?;
    let all = records("A", 100, "1");
    let imported = client.import_for(&campaign, &all).await?;
    let batch_id = Accepted::read(imported)?.batch_id;
    let form = client.published(&form()).await?;
    let link = client.link(&form, "1_3", &[]).await?;
    let visitor = Visitor::new(&app.anonymous()?, &link)?;
    visitor.stored(&json!({"recommend": 10, "mood": 1})).await?;

    app.start_worker_with(&[("FEEDBACK_ONLY", "roll-up")])
        .await?;
    let today = Utc::now().date_naive();
    let days = [-1, 1].map(|days| (today + TimeDelta::days(days)).to_string());
    eventually(LATER, async || {
        let path = overview((&days[0], &days[1]));
        let report = client.get(&path).await?.expect(200)?.json()?;
        ensure!(report["metrics"]["responses"] == 1, "{report}");
        Ok(())
    })
    .await?;
    let batch = client.batch(&batch_id).await?;
    ensure!(check::count(&batch, "pending")? == 100, "{batch}");

    app.start_worker_with(&[("FEEDBACK_ONLY", "import")])
        .await?;
    client.completed(&batch_id, LATER).await?;
    let planned = client.read_campaign(&campaign).await?;
    for status in ["accepted", "delivered"] {
        ensure!(count(&planned, "first", status) == 0, "{planned}");
    }

    app.start_worker_with(&[("FEEDBACK_ONLY", "send")]).await?;
    let sent = |now: &Value| {
        let sent = ["accepted", "delivered", "undelivered"];
        sent.map(|status| count(now, "first", status))
            .iter()
            .sum::<u64>()
            == 100
    };
    client.until(&campaign, sent).await?;
    Ok(())
}

#[tokio::test]
async fn one_of_two_workers_is_killed_and_the_other_finishes_its_chunk() -> Result<()> {
    let mut app = App::setup().workers(2).start().await?;
    let client = app.client().await?;
    let all = records("A", 150_000, "1");
    let accepted = client.import(&all).await?;
    created_at_least(&client, &accepted.batch_id, 1).await?;
    app.worker()?.kill()?;
    let batch = client.batch(&accepted.batch_id).await?;
    ensure!(
        check::count(&batch, "pending")? > 0,
        "killed too late: {batch}"
    );
    let batch = client.completed(&accepted.batch_id, LATER).await?;
    ensure!(check::outcome(&batch, "created")? == 150_000, "{batch}");
    check::stored_sample(&client, &all, &accepted.batch_id, 300).await
}

#[tokio::test]
async fn a_worker_killed_in_mid_transaction_has_stored_nothing_of_it() -> Result<()> {
    let mut app = App::setup().workers(1).start().await?;
    let client = app.client().await?;
    for round in 0..4_u64 {
        // In turn all new, and all changed.
        let all = records(&format!("R{}", round / 2), 60_000, &format!("v{round}"));
        let accepted = client.import(&all).await?;
        app.freeze_in_transaction().await?;
        app.worker()?.kill()?;
        let batch = client.batch(&accepted.batch_id).await?;
        ensure!(
            check::count(&batch, "pending")? > 0,
            "killed too late: {batch}"
        );
        app.worker()?.start_again().await?;
        let batch = client.completed(&accepted.batch_id, LATER).await?;
        let expected = if round % 2 == 0 { "created" } else { "updated" };
        ensure!(check::outcome(&batch, expected)? == 60_000, "{batch}");
        check::stored_sample(&client, &all, &accepted.batch_id, 200).await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_worker_frozen_in_mid_transaction_is_overtaken_and_harmless_when_it_wakes() -> Result<()>
{
    let mut app = App::setup().workers(1).start().await?;
    let client = app.client().await?;
    for round in 0..3 {
        let all = records(&format!("R{round}"), 60_000, "1");
        let accepted = client.import(&all).await?;
        app.freeze_in_transaction().await?;
        app.start_worker().await?;
        let batch = client.completed(&accepted.batch_id, RESUMED).await?;
        ensure!(check::outcome(&batch, "created")? == 60_000, "{batch}");
        app.worker()?.process.thaw()?;
        app.worker()?.ready(SOON).await?;
        // The sleeper wakes with a chunk that is long stored: the counts stay as they are.
        let more = records(&format!("M{round}"), 6_000, "1");
        client.import_and_wait(&more, LATER).await?;
        let later = client.batch(&accepted.batch_id).await?;
        ensure!(later["outcomes"] == batch["outcomes"], "{later}");
        check::stored_sample(&client, &all, &accepted.batch_id, 100).await?;
        app.workers.truncate(1);
    }
    Ok(())
}

#[tokio::test]
async fn what_is_queued_while_no_worker_runs_is_stored_by_the_first() -> Result<()> {
    let mut app = App::setup().workers(0).start().await?;
    let client = app.client().await?;
    let (first, second) = (records("A", 300, "1"), records("B", 8_000, "1"));
    let one = client.import(&first).await?;
    let two = client.import(&second).await?;
    let batch = client.batch(&two.batch_id).await?;
    ensure!(batch["status"] == "queued", "{batch}");
    ensure!(check::count(&batch, "pending")? == 8_000, "{batch}");
    app.start_worker().await?;
    for (accepted, all) in [(&one, &first), (&two, &second)] {
        client.completed(&accepted.batch_id, LATER).await?;
        check::stored_sample(&client, all, &accepted.batch_id, 100).await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_batch_cancelled_before_any_worker_stores_nothing() -> Result<()> {
    let mut app = App::setup().workers(0).start().await?;
    let client = app.client().await?;
    let all = records("A", 12_000, "1");
    let accepted = client.import(&all).await?;
    let answer = client.batch_action(&accepted.batch_id, "cancel").await?;
    let cancelled = answer.expect(200)?.json()?;
    ensure!(cancelled["status"] == "cancelled", "{cancelled}");
    ensure!(
        check::count(&cancelled, "cancelled")? == 12_000,
        "{cancelled}"
    );
    app.start_worker().await?;
    client.import_and_wait(&[record("B1")], SOON).await?;
    let batch = client.batch(&accepted.batch_id).await?;
    ensure!(check::count(&batch, "cancelled")? == 12_000, "{batch}");
    for docid in ["A-0", "A-6000", "A-11999"] {
        client.recipient(docid).await?.problem(404, "not_found")?;
    }
    Ok(())
}

#[tokio::test]
async fn a_person_erased_while_an_import_waits_is_not_stored_by_it() -> Result<()> {
    let mut app = App::setup().workers(0).start().await?;
    let client = app.client().await?;
    let before = client.import(&records("A", 10, "before")).await?;
    client.erase("A-3").await?.expect(204)?;
    client.erase("A-4").await?.expect(204)?;
    let after = client.import(&[record("A-4")]).await?;
    app.start_worker().await?;
    let batch = client.completed(&before.batch_id, SOON).await?;
    // by the erasure; A-4 may be counted so by the later import just as well.
    ensure!(
        batch["outcomes"] == json!({"created": 8, "updated": 0, "unchanged": 0, "superseded": 2}),
        "{batch}"
    );
    client.completed(&after.batch_id, SOON).await?;
    client.recipient("A-3").await?.problem(404, "not_found")?;
    check::stored(&client, &[record("A-4")], &after.batch_id).await
}

#[tokio::test]
async fn a_giant_import_does_not_delay_a_small_one() -> Result<()> {
    let app = App::setup().workers(1).start().await?;
    let client = app.client().await?;
    let giant = client.import(&records("G", 100_000, "1")).await?;
    let small = client.import(&records("S", 10, "1")).await?;
    let small = client.completed(&small.batch_id, SOON).await?;
    let giant = client.completed(&giant.batch_id, LATER).await?;
    let end = |batch: &Value| -> Result<DateTime<Utc>> {
        let text = batch["completed_at"].as_str().context("no completed_at")?;
        Ok(text.parse()?)
    };
    ensure!(
        end(&small)? < end(&giant)?,
        "the giant was faster: {giant}, {small}"
    );
    Ok(())
}

#[tokio::test]
async fn workers_killed_and_started_all_the_time_lose_nothing() -> Result<()> {
    let mut app = App::setup().workers(3).start().await?;
    let client = app.client().await?;
    let import = async |number: usize| {
        let all = records("A", 40_000 + number * 5_000, &format!("v{number}"));
        anyhow::Ok((client.import(&all).await?.batch_id, all))
    };
    let mut batches = Vec::new();
    for number in 0..4 {
        batches.push(import(number).await?);
    }
    let mut in_time = 0;
    for round in 0..9 {
        let (newest, _) = batches.last().context("no batch")?;
        // However long a start takes, there is something to do.
        if client.batch(newest).await?["status"] == "completed" {
            batches.push(import(batches.len()).await?);
        }
        let (newest, _) = batches.last().context("no batch")?;
        let count = app.workers.len();
        let worker = app.workers.get_mut(round % count).context("no worker")?;
        worker.kill()?;
        let batch = client.batch(newest).await?;
        in_time += u32::from(batch["status"] != "completed");
        worker.start_again().await?;
    }
    ensure!(
        in_time > 2,
        "only {in_time} were killed while there was work"
    );
    for (batch_id, _) in &batches {
        client.completed(batch_id, LATER).await?;
    }
    let (newest, all) = batches.last().context("no batch")?;
    let batch = client.batch(newest).await?;
    ensure!(check::outcome(&batch, "superseded")? == 0, "{batch}");
    check::stored_sample(&client, all, newest, 300).await
}

#[tokio::test]
async fn a_worker_asked_for_no_pages_listens_nowhere() -> Result<()> {
    let app = App::setup().workers(0).start().await?;
    let client = app.client().await?;
    let worker = app.worker_without_pages()?;
    let accepted = client.import(&[record("A")]).await?;
    client.completed(&accepted.batch_id, LATER).await?;
    ensure!(worker.listeners()? == 0, "it listens");
    let api = app.apis.first().context("no api")?;
    ensure!(api.process.listeners()? == 1, "an api's socket is not seen");
    Ok(())
}
