//! Replies to texts that came from phones. They come on top of the sender's window and rate: one at a time.

use std::sync::Arc;
use std::time::{Duration, Instant};

use sender::{Deadline, Handed};
use store::send::lease::{Lease, TRUSTED_FOR};
use tokio_util::sync::CancellationToken;

use super::hand_over::HandOver;

/// The time between two looks.
const LOOK: Duration = Duration::from_secs(1);

/// Hands over the replies of the sender that `lease` is of, until `stop`. Each is handed over once, whatever comes of it.
pub(super) async fn send(lease: Lease, hand_over: Arc<HandOver>, stop: CancellationToken) {
    let mut looks = tokio::time::interval(LOOK);
    while stop.run_until_cancelled(looks.tick()).await.is_some() {
        while let Some(handed) = next(&lease, &hand_over).await {
            if !matches!(handed, Some(Handed::Accepted { .. })) {
                tracing::info!(sender.name = %lease.name, "a reply was not accepted");
            }
            if stop.is_cancelled() {
                return;
            }
        }
    }
}

/// Hands over the next reply; `None`: none waits.
async fn next(lease: &Lease, hand_over: &Arc<HandOver>) -> Option<Option<Handed>> {
    let deadline = Deadline::at(Instant::now() + TRUSTED_FOR);
    match hand_over.sender.store.take_reply(lease).await {
        Ok(reply) => Some(Arc::clone(hand_over).run(reply?, deadline).await),
        Err(error) => {
            tracing::debug!(%error, sender.name = %lease.name, "replies wait");
            None
        }
    }
}
