//! Messages on their way while a driver is frozen, a standby takes over, or clocks differ: none is sent twice.

use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::json;
use tests::app::{App, Setup};
use tests::campaign::count;
use tests::import::records;
use tests::peer::{Peer, sender_to};
use tests::servers::{Durability, Postgres, psql};
use tests::tools::faketime;
use tests::wait::{LATER, eventually, pause};

use super::hosts::{both, start};

const MESSAGES: usize = 3_000;
const WINDOW: u64 = 20;

fn with_peer(address: &str) -> Setup {
    let sender = sender_to(address, &format!("&window={WINDOW}&receipts=off"));
    App::setup()
        .setting("FEEDBACK_SENDERS", &sender)
        .setting("FEEDBACK_PUBLIC_URL", "https://feedback.example")
}

async fn took(peer: &Peer, messages: usize) -> Result<()> {
    eventually(LATER, async || {
        let seen = peer.seen().len();
        ensure!(seen >= messages, "{seen} messages");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_frozen_driver_is_overtaken_and_sends_nothing_twice_when_it_wakes() -> Result<()> {
    let (peer, address) = Peer::start().await?;
    let mut app = with_peer(&address).workers(1).start().await?;
    let client = app.client().await?;
    let campaign = client.running("peer", &records("A", MESSAGES, "1")).await?;
    took(&peer, 600).await?;
    app.start_worker().await?;
    // The one that drives, and then the one that took over.
    for (frozen, messages) in [(0, 1_200), (1, 1_800)] {
        let worker = app.workers.get(frozen).context("no worker")?;
        worker.process.freeze()?;
        took(&peer, messages).await?;
        worker.process.thaw()?;
    }
    let done = client.handed_over(&campaign, MESSAGES).await?;
    peer.took_each_once(&done, MESSAGES, 2 * WINDOW)
}

#[tokio::test]
async fn a_standby_takes_over_in_the_middle_of_a_campaign_and_nothing_is_sent_twice() -> Result<()>
{
    let (peer, address) = Peer::start().await?;
    let mut primary = Postgres::start(Durability::Fast).await?;
    let standby = primary.standby().await?;
    let setup = with_peer(&address).workers(2);
    let app = start(setup, &primary, both(&standby, &primary)).await?;
    let client = app.client().await?;
    let campaign = client.running("peer", &records("A", MESSAGES, "1")).await?;
    took(&peer, 600).await?;
    primary.kill()?;
    standby.promote().await?;
    let done = eventually(LATER, async || {
        client.handed_over(&campaign, MESSAGES).await
    });
    peer.took_each_once(&done.await?, MESSAGES, 2 * WINDOW)
}

/// What the standby lacks was accepted, stored and sent: it is told, and an import that is done again sends nothing again.
#[tokio::test]
async fn a_standby_that_lacks_the_last_commits_takes_over_and_nobody_gets_a_message_twice()
-> Result<()> {
    let (peer, address) = Peer::start().await?;
    let mut primary = Postgres::start(Durability::Fast).await?;
    let standby = primary.late_standby().await?;
    let setup = with_peer(&address).workers(2);
    let app = start(setup, &primary, both(&standby, &primary)).await?;
    let client = app.client().await?;
    let all = records("A", MESSAGES, "1");
    let (kept, lost) = all.split_at(MESSAGES / 2);
    let campaign = client.running("peer", kept).await?;
    let url = app.database();
    let (_, database) = url.rsplit_once('/').context("no database")?;
    let accepted = "SELECT count(*) FROM message WHERE status = 'accepted'";
    eventually(LATER, async || {
        let accepted = psql(&standby.url(database), accepted).await?;
        ensure!(accepted.parse::<usize>()? >= 300, "{accepted} are accepted");
        Ok(())
    })
    .await?;
    primary.lose(&standby).await?;
    client.imported_for(&campaign, lost).await?;
    client.handed_over(&campaign, MESSAGES).await?;
    // By then the standby takes the driver for dead.
    pause(Duration::from_secs(9)).await;
    primary.kill()?;
    standby.promote().await?;
    eventually(LATER, async || client.imported_for(&campaign, lost).await).await?;
    let done = eventually(LATER, async || {
        client.handed_over(&campaign, MESSAGES).await
    });
    let done = done.await?;
    ensure!(
        count(&done, "first", "unknown") >= lost.len() as u64,
        "{done}"
    );
    let came = peer.messages();
    let phones: BTreeSet<_> = came.iter().map(|message| message["to"].as_str()).collect();
    ensure!(came.len() == MESSAGES, "{} messages came", came.len());
    ensure!(phones.len() == MESSAGES, "to {} phones", phones.len());
    let worker = app.workers.first().context("no worker")?;
    let worker = app.anonymous()?.at(worker.base());
    eventually(LATER, async || {
        let ready = worker.get("/health/ready").await?.expect(200)?;
        let ready = ready.text()?;
        let told = "worker history degraded: the database lost commits between";
        ensure!(ready.contains(told), "{ready}");
        Ok(())
    })
    .await?;
    app.succeeds(&["verify"]).await.map(drop)
}

#[tokio::test]
async fn a_worker_s_clock_hours_off_sends_nothing_early_late_or_twice() -> Result<()> {
    let (peer, address) = Peer::start().await?;
    let mut app = with_peer(&address).workers(0).start().await?;
    let library = faketime()?;
    for offset in ["+2h", "-2h"] {
        let wrong = [
            ("LD_PRELOAD", library),
            ("FAKETIME", offset),
            // Timers go on as they are.
            ("FAKETIME_DONT_FAKE_MONOTONIC", "1"),
        ];
        app.start_worker_with(&wrong).await?;
    }
    let client = app.client().await?;
    let later = json!({"delay_minutes": 60});
    let later = client
        .running_with("peer", later, &records("L", 20, "1"))
        .await?;
    // What the receiver did not take is tried again by the same clock as the rest.
    peer.answer_with(503);
    let campaign = client.running("peer", &records("A", 200, "1")).await?;
    took(&peer, 1).await?;
    peer.answer_with(201);
    let done = client.handed_over(&campaign, 200).await?;
    ensure!(count(&done, "first", "accepted") == 200, "{done}");
    let later = client.read_campaign(&later).await?;
    ensure!(count(&later, "first", "scheduled") == 20, "{later}");
    Ok(())
}
