//! Faults while messages are on their way: none is sent twice.

use std::collections::HashMap;

use anyhow::{Result, ensure};
use serde_json::Value;
use tests::campaign::count;
use tests::import::records;
use tests::wait::{LATER, eventually};

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
    let is_done = |now: &Value| {
        let open = count(now, "first", "scheduled") + count(now, "first", "sending");
        count(now, "first", "recipients") == MESSAGES as u64 && open == 0
    };
    let done = client.until(&campaign, is_done).await?;
    let drifts = app.succeeds(&["verify"]).await?;
    ensure!(drifts.is_empty(), "{drifts}");
    check(&done, &peer.seen(), kills as u64)
}

/// Each message came once at most, all that counts as accepted came, and few are unknown.
fn check(campaign: &Value, seen: &HashMap<String, usize>, kills: u64) -> Result<()> {
    let twice: Vec<_> = seen.iter().filter(|(_, times)| **times > 1).collect();
    ensure!(twice.is_empty(), "sent twice: {twice:?}");
    let (accepted, unknown) = (
        count(campaign, "first", "accepted"),
        count(campaign, "first", "unknown"),
    );
    ensure!(unknown <= WINDOW * kills, "{campaign}");
    ensure!(accepted + unknown == MESSAGES as u64, "{campaign}");
    let seen = seen.len() as u64;
    ensure!(
        accepted <= seen && seen <= accepted + unknown,
        "{seen} came: {campaign}"
    );
    Ok(())
}
