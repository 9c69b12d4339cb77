//! Replies to texts that came from phones. They come on top of the sender's window and rate: one at a time.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use sender::{Deadline, Handed};
use store::send::lease::{Lease, TRUSTED_FOR};
use tokio_util::sync::CancellationToken;

use super::hand_over::HandOver;
use super::spans::StepSpans;

/// The time between two looks.
const LOOK: Duration = Duration::from_secs(1);

/// Hands over the replies of the sender that `lease` is of, until `stop`. Each is handed over once, whatever the result.
pub(super) async fn send(lease: Lease, hand_over: Arc<HandOver>, stop: CancellationToken) {
    let mut looks = tokio::time::interval(LOOK);
    while stop.run_until_cancelled(looks.tick()).await.is_some() {
        while !stop.is_cancelled() && !hand_over.rests.load(Ordering::Relaxed) {
            let deadline = Deadline::at(Instant::now() + TRUSTED_FOR);
            let mut reply = match hand_over.sender.store.take_reply(&lease).await {
                Ok(Some(reply)) => reply,
                Ok(None) => break,
                Err(error) => {
                    tracing::debug!(%error, sender.name = %lease.name, "replies wait");
                    break;
                }
            };
            if !hand_over.sender.handed_over.note(&reply, Instant::now()) {
                tracing::warn!(sender.name = %lease.name, "a reply came back after a failover and is not sent again");
                continue;
            }
            hand_over.number(&mut reply);
            // A receipt would fit no message.
            let span = StepSpans::default().call(&lease.name, &reply);
            let handed = Arc::clone(&hand_over)
                .run(reply, deadline, span, false)
                .await;
            if !matches!(handed, Some(Handed::Accepted { .. })) {
                tracing::warn!(sender.name = %lease.name, "a reply was not accepted");
            }
        }
    }
}
