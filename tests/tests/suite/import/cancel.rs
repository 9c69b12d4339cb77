//! Cancel and retry: the counts are final from the answer on.

use anyhow::{Result, ensure};
use futures::future::try_join_all;
use tests::app::App;
use tests::check;
use tests::client::Client;
use tests::import::{record, records};
use tests::wait::{LATER, SOON};

/// Cancels a batch that may be running, and checks whatever came of it. Returns whether it was in time.
async fn cancel(client: &Client, batch_id: &str) -> Result<bool> {
    let answer = client.batch_action(batch_id, "cancel").await?;
    if answer.status == 409 {
        answer.problem(409, "batch_finished")?;
        ensure!(client.batch(batch_id).await?["status"] == "completed");
        return Ok(false);
    }
    let cancelled = answer.expect(200)?.json()?;
    check::counts_add_up(&cancelled)?;
    ensure!(cancelled["status"] == "cancelled", "{cancelled}");
    let again = client.batch_action(batch_id, "cancel").await?;
    let again = again.expect(200)?.json()?;
    let later = client.batch(batch_id).await?;
    for counts in [&again, &later] {
        for member in ["status", "accepted", "cancelled", "failed", "outcomes"] {
            ensure!(
                counts[member] == cancelled[member],
                "not final: {counts}, before {cancelled}"
            );
        }
    }
    Ok(true)
}

#[tokio::test]
async fn a_completed_or_unknown_batch_is_not_cancelled_and_not_retried() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let batch = client.import_and_wait(&[record("A1")], SOON).await?;
    let batch_id = batch["batch_id"].as_str().unwrap_or_default();
    let unknown = "01890000-0000-7000-8000-000000000000";
    for action in ["cancel", "retry"] {
        let answer = client.batch_action(batch_id, action).await?;
        answer.problem(409, "batch_finished")?;
        let answer = client.batch_action(unknown, action).await?;
        answer.problem(404, "not_found")?;
        let answer = client.batch_action("nonsense", action).await?;
        answer.problem(400, "invalid_parameter")?;
    }
    Ok(())
}

/// Twenty chunks of PostgreSQL, a hundred of SQLite: a cancel waits for those that a worker has begun, and no more.
const RECORDS: usize = 100_000;

#[tokio::test]
async fn a_cancelled_batch_counts_what_is_stored_and_stores_no_more() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    let all = records("A", RECORDS, "1");
    let accepted = client.import(&all).await?;
    ensure!(
        cancel(&client, &accepted.batch_id).await?,
        "all were stored before the cancel came"
    );
    // What comes after shows that the workers are past whatever they had begun.
    client
        .import_and_wait(&records("B", 10, "1"), LATER)
        .await?;
    let batch = client.batch(&accepted.batch_id).await?;
    let created = check::outcome(&batch, "created")?;
    ensure!(
        check::count(&batch, "cancelled")? + created == RECORDS as u64,
        "{batch}"
    );
    let mut stored = 0;
    for part in all.chunks(100) {
        // A chunk is stored whole or not at all; one of each hundred is proof enough.
        let Some(docid) = part.first().and_then(|record| record["docid"].as_str()) else {
            continue;
        };
        stored += u64::from(client.recipient(docid).await?.status == 200);
    }
    ensure!(
        stored.abs_diff(created / 100) <= 10,
        "{stored} hundreds stored, {created} counted"
    );
    Ok(())
}

#[tokio::test]
async fn cancelling_against_running_workers_never_hangs_and_never_miscounts() -> Result<()> {
    let app = App::setup().workers(2).start().await?;
    let client = app.client().await?;
    let mut cancelled = 0;
    for round in 0..15 {
        // Of the first large one at least the cancel comes in time.
        let large = if round == 0 { RECORDS } else { 6_000 };
        let sizes = [1, 400, large];
        let accepted = try_join_all(sizes.iter().enumerate().map(|(number, size)| {
            let all = records(&format!("R{round}-{number}"), *size, "1");
            let client = client.clone();
            async move { client.import(&all).await }
        }))
        .await?;
        // The progress read before decides, in effect at random, how far the workers are.
        for _ in 0..round {
            client.batch(&accepted[0].batch_id).await?;
        }
        let cancels = accepted.iter().map(|one| cancel(&client, &one.batch_id));
        for (one, in_time) in accepted.iter().zip(try_join_all(cancels).await?) {
            let batch = client.batch(&one.batch_id).await?;
            let ended = if in_time { "cancelled" } else { "completed" };
            ensure!(batch["status"] == ended, "not {ended}: {batch}");
            cancelled += usize::from(in_time);
        }
    }
    ensure!(cancelled > 0, "no cancel ever came in time");
    let batch = client
        .import_and_wait(&records("Z", 100, "1"), LATER)
        .await?;
    ensure!(check::outcome(&batch, "created")? == 100, "{batch}");
    Ok(())
}
