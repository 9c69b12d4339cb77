//! Faults while messages are on their way: none is sent twice.

use anyhow::{Result, ensure};
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
    let done = client.handed_over(&campaign, MESSAGES).await?;
    let drifts = app.succeeds(&["verify"]).await?;
    ensure!(drifts.is_empty(), "{drifts}");
    peer.took_each_once(&done, MESSAGES, WINDOW * kills as u64)
}
