//! What a sender's driver keeps to, and what operators see of it.

use anyhow::{Result, ensure};
use serde_json::{Value, json};
use tests::app::PEPPER;
use tests::campaign::count;
use tests::import::records;
use tests::wait::{LATER, eventually};

use super::peer::{Peer, sender_to};
use super::{LONG_AGO, degrades, with_demo, with_senders};

fn reminder() -> Value {
    json!({"reminder": {"after_days": 1, "text": "Still there? {link}"}})
}

#[tokio::test]
async fn an_account_sends_so_many_parts_a_day_and_the_rest_on_the_next() -> Result<()> {
    let app =
        with_senders("demo=demo:?delay=10ms&failures=0&rate=100000&window=20&parts_per_day=30")
            .start()
            .await?;
    let client = app.client().await?;
    let campaign = client.running("demo", &records("A", 50, "1")).await?;
    let used_up = client.until_first(&campaign, "delivered", 30).await?;
    ensure!(count(&used_up, "first", "scheduled") == 20, "{used_up}");
    let other = client.running("demo", &records("B", 5, "1")).await?;
    client.until_first(&other, "scheduled", 5).await?;
    // The account's next day.
    app.sql("UPDATE sender_usage SET day = '2020-01-01'")
        .await?;
    for (campaign, all) in [(&campaign, 50), (&other, 5)] {
        client.until_first(campaign, "delivered", all).await?;
    }
    Ok(())
}

#[tokio::test]
async fn without_receipts_reminders_follow_what_was_accepted() -> Result<()> {
    let app = with_senders("demo=demo:?receipts=off&rate=100000")
        .start()
        .await?;
    let client = app.client().await?;
    let campaign = client
        .running_with("demo", reminder(), &records("A", 3, "1"))
        .await?;
    let planned = client
        .until(&campaign, |now| count(now, "reminder", "scheduled") == 3)
        .await?;
    ensure!(count(&planned, "first", "accepted") == 3, "{planned}");
    app.sql(&format!("UPDATE message_due SET due_at = '{LONG_AGO}'"))
        .await?;
    client
        .until(&campaign, |now| count(now, "reminder", "accepted") == 3)
        .await?;
    client.act(&campaign, "finish").await?.expect(200)?;
    client.finished(&campaign).await?;
    Ok(())
}

#[tokio::test]
async fn a_campaign_waits_for_receipts_no_longer_than_they_can_come() -> Result<()> {
    let app = with_senders("demo=demo:?delay=100000s&rate=100000")
        .start()
        .await?;
    let client = app.client().await?;
    let campaign = client
        .running_with("demo", reminder(), &records("A", 3, "1"))
        .await?;
    client.until_first(&campaign, "accepted", 3).await?;
    client.act(&campaign, "finish").await?.expect(200)?;
    let waits = client.read_campaign(&campaign).await?;
    ensure!(waits["status"] == "RUNNING", "{waits}");
    app.sql(&format!("UPDATE message SET scheduled_at = '{LONG_AGO}'"))
        .await?;
    client.finished(&campaign).await?;
    Ok(())
}

#[tokio::test]
async fn receipts_of_the_simulation_outlive_a_kill() -> Result<()> {
    let mut app = with_senders("demo=demo:?delay=3s&failures=0&rate=100000")
        .start()
        .await?;
    let client = app.client().await?;
    let campaign = client.running("demo", &records("A", 20, "1")).await?;
    client
        .until(&campaign, |now| {
            count(now, "first", "accepted") + count(now, "first", "delivered") == 20
        })
        .await?;
    app.worker()?.kill()?;
    app.worker()?.start_again().await?;
    client.until_first(&campaign, "delivered", 20).await?;
    Ok(())
}

#[tokio::test]
async fn a_sender_in_error_degrades_and_messages_are_counted_by_sender() -> Result<()> {
    let (peer, address) = Peer::start().await?;
    peer.answer_with(401);
    let mut app = with_senders(&format!(
        "{} demo=demo:?delay=10ms&failures=0&rate=100000",
        sender_to(&address, "&receipts=off")
    ))
    .start()
    .await?;
    let client = app.client().await?;
    for sender in ["demo", "peer"] {
        let campaign = client.running(sender, &records("A", 7, "1")).await?;
        if sender == "demo" {
            client.until_first(&campaign, "delivered", 7).await?;
        }
    }
    degrades(&mut app, "peer http_401").await?;
    let worker = client.at(app.worker()?.base());
    eventually(LATER, async || {
        let metrics = worker.get("/metrics").await?.expect(200)?;
        let metrics = metrics.text()?;
        for line in [
            "feedback_messages_total{sender=\"demo\",status=\"accepted\"} 7",
            "feedback_message_lag_seconds_count{sender=\"demo\"} 7",
            "feedback_receipts_total{sender=\"demo\",status=\"delivered\"} 7",
            "feedback_sender_states_total{sender=\"peer\",state=\"error\"} 1",
        ] {
            ensure!(
                metrics.lines().any(|found| found == line),
                "{line}: {metrics}"
            );
        }
        Ok(())
    })
    .await
}

#[tokio::test]
async fn another_pepper_ends_the_start_and_a_new_one_comes_before_the_old() -> Result<()> {
    let mut app = with_demo().start().await?;
    let new = "07".repeat(32);
    app.worker()?.stop().await?;
    app.worker()?.set("FEEDBACK_PEPPER", &new);
    let refused = app.worker()?.start_again().await;
    let refused = format!(
        "{:#}",
        refused
            .err()
            .unwrap_or_else(|| anyhow::anyhow!("it started"))
    );
    ensure!(
        refused.contains("FEEDBACK_PEPPER: not the one"),
        "{refused}"
    );
    app.worker()?
        .set("FEEDBACK_PEPPER", &format!("{new} {PEPPER}"));
    app.worker()?.start_again().await
}
