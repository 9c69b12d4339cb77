//! How a worker learns that there is work: notifications from other processes, and scans of the ledger, so that a lost
//! notification, a dead broker or a retry that came due delays a chunk by half a second. (Roll-ups scan by themselves.)

use std::time::Duration;

use domain::message::{Lane, Notification};
use platform::queue::Queue;
use store::Store;
use store::form::FormKey;
use tokio_util::sync::CancellationToken;

use crate::lanes::ImportNotifier;
use crate::roll_up::RollupNotifier;

/// The time between two scans of the ledger.
const SCAN: Duration = Duration::from_millis(500);

/// Passes notifications on until `shutdown`. A lost one costs a moment: chunks and pending counts are scanned for.
pub(crate) async fn listen(
    queue: Queue,
    imports: ImportNotifier,
    rollup: Option<RollupNotifier>,
    shutdown: CancellationToken,
) {
    let listening = queue.listen(|message| match message {
        Notification::ImportV1 { account_id, lane } => imports.notify(account_id, lane),
        Notification::RollUpV1 {
            account_id,
            form_id,
        } => rollup
            .iter()
            .for_each(|rollup| rollup.notify(FormKey::new(account_id, form_id))),
    });
    shutdown.run_until_cancelled(listening).await;
}

/// Scans the ledger for accounts with chunks until `shutdown`.
pub(crate) async fn scan(store: Store, imports: ImportNotifier, shutdown: CancellationToken) {
    while !shutdown.is_cancelled() {
        for lane in Lane::ALL {
            match store.accounts_with_chunks(lane).await {
                Ok(accounts) => accounts.into_iter().for_each(|id| imports.notify(id, lane)),
                Err(error) => tracing::debug!(%error, "no scan of the ledger"),
            }
        }
        shutdown.run_until_cancelled(tokio::time::sleep(SCAN)).await;
    }
}
