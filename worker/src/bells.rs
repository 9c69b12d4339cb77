//! The lane on which other processes ring: for forms to fold, and for accounts whose numbers changed.

use domain::message::{Lane, Message};
use platform::queue::Queue;
use store::form::FormKey;
use tokio_util::sync::CancellationToken;

use crate::fold::Folder;
use crate::refresh::Refresher;

/// Rings fetched ahead: passing one on takes no time.
const PREFETCH: u16 = 16;

/// Passes rings on until `shutdown`. One that is lost costs a moment: the fold looks by itself, readers check versions.
pub(crate) async fn listen(
    queue: Queue,
    folder: Folder,
    refresher: Refresher,
    shutdown: CancellationToken,
) {
    let mut consumer = queue.consume(Lane::Refresh, PREFETCH, shutdown);
    while let Some(delivery) = consumer.next().await {
        match delivery.message {
            Message::FoldV1 {
                account_id,
                form_id,
            } => folder.ring(FormKey::new(account_id, form_id)),
            Message::RefreshV1 { account_id } => refresher.ring(account_id),
            Message::ImportChunkV1 { .. } => {}
        }
        if let Err(error) = delivery.ack().await {
            tracing::debug!(%error, "acknowledgement lost");
        }
    }
}
