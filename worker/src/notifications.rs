//! The lane of notifications from other processes: forms with pending counts, and accounts whose numbers changed.

use domain::message::{Lane, Message};
use platform::queue::Queue;
use store::form::FormKey;
use tokio_util::sync::CancellationToken;

use crate::refresh::RefreshNotifier;
use crate::roll_up::RollupNotifier;

/// Notifications fetched ahead: passing one on takes no time.
const PREFETCH: u16 = 16;

/// Passes notifications on until `shutdown`. A lost one costs a moment: the roll-up scans by itself, and readers check
/// versions.
pub(crate) async fn listen(
    queue: Queue,
    rollup: RollupNotifier,
    refresh: RefreshNotifier,
    shutdown: CancellationToken,
) {
    let mut consumer = queue.consume(Lane::Refresh, PREFETCH, shutdown);
    while let Some(delivery) = consumer.next().await {
        match delivery.message {
            Message::RollUpV1 {
                account_id,
                form_id,
            } => rollup.notify(FormKey::new(account_id, form_id)),
            Message::RefreshV1 { account_id } => refresh.notify(account_id),
            Message::ImportChunkV1 { .. } => {}
        }
        if let Err(error) = delivery.ack().await {
            tracing::debug!(%error, "acknowledgement lost");
        }
    }
}
