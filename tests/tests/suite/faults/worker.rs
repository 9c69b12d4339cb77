//! Faults of whatever stores: a worker process, embedded the whole service. Nothing accepted is lost or counted twice.

use anyhow::{Result, ensure};
use tests::app::App;
use tests::check;
use tests::client::Client;
use tests::import::records;
use tests::wait::{LATER, eventually};

/// Waits until so much of the batch is stored, and says whether anything is left to do.
async fn under_way(client: &Client, batch_id: &str, at_least: u64) -> Result<bool> {
    eventually(LATER, async || {
        let batch = client.batch(batch_id).await?;
        let stored = check::outcome(&batch, "created")? + check::outcome(&batch, "updated")?;
        let pending = check::count(&batch, "pending")?;
        ensure!(stored >= at_least || pending == 0, "not under way: {batch}");
        Ok(pending > 0)
    })
    .await
}

#[tokio::test]
async fn a_killed_worker_comes_back_and_every_record_is_stored_once() -> Result<()> {
    let mut app = App::start().await?;
    let client = app.client().await?;
    // All new, then all changed: an update done twice would say `unchanged` the second time.
    for (version, outcome) in [("1", "created"), ("2", "updated")] {
        let all = records("A", 100_000, version);
        let accepted = client.import(&all).await?;
        let mut in_time = 0;
        for kills in 0..4 {
            let work_left = under_way(&client, &accepted.batch_id, kills * 12_000).await?;
            app.worker()?.kill()?;
            app.worker()?.start_again().await?;
            in_time += u32::from(work_left);
        }
        ensure!(in_time > 1, "only {in_time} kills while there was work");
        let batch = client.completed(&accepted.batch_id, LATER).await?;
        ensure!(check::outcome(&batch, outcome)? == 100_000, "{batch}");
        check::stored_sample(&client, &all, &accepted.batch_id, 400).await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_worker_killed_at_once_after_the_answer_has_lost_nothing() -> Result<()> {
    let mut app = App::start().await?;
    let client = app.client().await?;
    for round in 0..8 {
        let all = records(&format!("R{round}"), 1 + round * 700, "1");
        let accepted = client.import(&all).await?;
        app.worker()?.kill()?;
        app.worker()?.start_again().await?;
        let batch = client.completed(&accepted.batch_id, LATER).await?;
        let created = check::outcome(&batch, "created")?;
        ensure!(created == all.len() as u64, "{batch}");
        check::stored_sample(&client, &all, &accepted.batch_id, 50).await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_worker_that_is_ended_in_order_leaves_the_rest_to_the_next() -> Result<()> {
    let mut app = App::start().await?;
    let client = app.client().await?;
    let all = records("A", 60_000, "1");
    let accepted = client.import(&all).await?;
    let mut in_time = 0;
    for stops in 0..3 {
        let work_left = under_way(&client, &accepted.batch_id, stops * 5_000).await?;
        let status = app.worker()?.stop().await?;
        ensure!(status.code() == Some(0), "ended with {status}");
        app.worker()?.start_again().await?;
        in_time += u32::from(work_left);
    }
    ensure!(in_time > 0, "it never had work when it was ended");
    let batch = client.completed(&accepted.batch_id, LATER).await?;
    ensure!(check::outcome(&batch, "created")? == 60_000, "{batch}");
    check::stored_sample(&client, &all, &accepted.batch_id, 200).await
}
