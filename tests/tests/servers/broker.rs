//! RabbitMQ down, emptied, blocked, frozen: imports are taken all the same, and complete.

use anyhow::{Result, ensure};
use tests::app::{App, Backends};
use tests::check;
use tests::import::{Accepted, JSON, array, records};
use tests::servers::{Endpoints, Rabbit};
use tests::wait::{LATER, eventually};

/// A service on a broker of its own, on which any harm can be done.
async fn on_private_broker(workers: usize) -> Result<(Rabbit, App)> {
    let rabbit = Rabbit::start().await?;
    let endpoints = Endpoints {
        broker: rabbit.broker(),
        ..Endpoints::from_environment()?
    };
    let backends = Backends::on_private_broker(&endpoints).await?;
    let app = App::setup().workers(workers).on(backends).start().await?;
    Ok((rabbit, app))
}

#[tokio::test]
async fn a_broker_killed_with_its_data_loses_no_import() -> Result<()> {
    let (mut rabbit, app) = on_private_broker(2).await?;
    let client = app.client().await?;
    let all = records("A", 50_000, "1");
    let accepted = client.import(&all).await?;
    rabbit.delete_data().await?;
    // Down: taken all the same.
    let more = records("B", 12_000, "1");
    let meanwhile = client.import(&more).await?;
    rabbit.start_again().await?;
    for (batch, records) in [(&accepted, &all), (&meanwhile, &more)] {
        let done = client.completed(&batch.batch_id, LATER).await?;
        let created = check::outcome(&done, "created")?;
        ensure!(created == records.len() as u64, "{done}");
        check::stored_sample(&client, records, &batch.batch_id, 150).await?;
    }
    // The empty broker has its queues again, and notifications arrive.
    eventually(LATER, async || {
        let answer = client.get("/health/ready").await?.expect(200)?;
        ensure!(answer.text()?.contains("queue ok"), "{:?}", answer.text());
        Ok(())
    })
    .await?;
    client
        .import_and_wait(&records("C", 100, "1"), LATER)
        .await?;
    Ok(())
}

#[tokio::test]
async fn a_broker_that_is_down_is_told_as_degraded_and_missed_by_nobody() -> Result<()> {
    let (mut rabbit, app) = on_private_broker(1).await?;
    let client = app.client().await?;
    rabbit.stop().await?;
    let all = records("A", 3_000, "1");
    let accepted = client.import(&all).await?;
    eventually(LATER, async || {
        let answer = client.get("/health/ready").await?.expect(200)?;
        ensure!(
            answer.text()?.contains("queue degraded"),
            "{:?}",
            answer.text()
        );
        Ok(())
    })
    .await?;
    // The worker looks for itself: it needs no notification.
    let batch = client.completed(&accepted.batch_id, LATER).await?;
    ensure!(check::outcome(&batch, "created")? == 3_000, "{batch}");
    rabbit.start_again().await?;
    client
        .import_and_wait(&records("B", 3_000, "1"), LATER)
        .await?;
    check::stored_sample(&client, &all, &accepted.batch_id, 100).await
}

#[tokio::test]
async fn a_broker_that_takes_no_more_messages_does_not_hold_up_the_answer() -> Result<()> {
    let (rabbit, app) = on_private_broker(1).await?;
    let client = app.client().await?;
    let mut batches = Vec::new();
    rabbit.memory_alarm(true).await?;
    for number in 0..3 {
        let all = records(&format!("A{number}"), 7_000, "1");
        let answer = client.import_as(JSON, array(&all)).await?;
        batches.push((Accepted::read(answer)?, all));
    }
    rabbit.memory_alarm(false).await?;
    rabbit.process()?.freeze()?;
    for number in 0..3 {
        let all = records(&format!("B{number}"), 7_000, "1");
        batches.push((client.import(&all).await?, all));
    }
    rabbit.process()?.thaw()?;
    for (accepted, all) in &batches {
        let batch = client.completed(&accepted.batch_id, LATER).await?;
        ensure!(check::outcome(&batch, "created")? == 7_000, "{batch}");
        check::stored_sample(&client, all, &accepted.batch_id, 50).await?;
    }
    Ok(())
}
