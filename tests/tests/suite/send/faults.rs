//! Faults while messages are on their way: none is sent twice.

use anyhow::{Result, ensure};
use serde_json::json;
use tests::campaign::count;
use tests::import::records;
use tests::wait::{LATER, eventually};

use super::budget::{euro, with_budget};
use super::peer::{Peer, sender_to};
use super::with_senders;

const MESSAGES: usize = 3_000;
const WINDOW: u64 = 20;

#[tokio::test]
async fn a_killed_worker_sends_nothing_twice_and_leaves_little_unknown() -> Result<()> {
    let (peer, address) = Peer::start().await?;
    let sender = sender_to(&address, &format!("&window={WINDOW}&receipts=off"));
    let mut app = with_senders(&sender).start().await?;
    let client = app.client().await?;
    let campaign = client.running("peer", &records("A", MESSAGES, "1")).await?;
    let kills = 3;
    for kill in 1..=kills {
        eventually(LATER, async || {
            let seen = peer.seen().len();
            ensure!(seen >= kill * 600, "{seen} messages");
            Ok(())
        })
        .await?;
        app.worker()?.kill()?;
        app.worker()?.start_again().await?;
    }
    let done = client.handed_over(&campaign, MESSAGES).await?;
    let drifts = app.succeeds(&["verify"]).await?;
    ensure!(drifts.is_empty(), "{drifts}");
    peer.took_each_once(&done, MESSAGES, WINDOW * kills as u64)
}

#[tokio::test]
async fn a_killed_worker_spends_no_more_than_the_budget_and_loses_nothing() -> Result<()> {
    let (peer, address) = Peer::start().await?;
    let parameters = format!("&window={WINDOW}&receipts=off&price=0.05EUR");
    let sender = sender_to(&address, &parameters);
    let mut app = with_senders(&sender).start().await?;
    let client = app.client().await?;
    // Money for 400 of 600.
    let campaign = with_budget(&client, "peer", 20.0, 600).await?;
    let taken = async |messages: usize| {
        eventually(LATER, async || {
            let seen = peer.seen().len();
            ensure!(seen >= messages, "{seen} messages");
            Ok(())
        })
        .await
    };
    // In the middle, and while the last that may go are under way.
    for messages in [150, 380] {
        taken(messages).await?;
        app.worker()?.kill()?;
        app.worker()?.start_again().await?;
    }
    let used_up = client
        .until(&campaign, |now| {
            now["cost"] == euro(20.0) && count(now, "first", "sending") == 0
        })
        .await?;
    ensure!(count(&used_up, "first", "scheduled") == 200, "{used_up}");
    ensure!(peer.seen().len() <= 400, "{} came", peer.seen().len());
    let none = json!({"budget": null});
    client.changed(&campaign, none).await?;
    let done = client.handed_over(&campaign, 600).await?;
    ensure!(done["cost"] == euro(30.0), "{done}");
    peer.took_each_once(&done, 600, 2 * WINDOW)
}
