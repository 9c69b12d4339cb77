//! What a sender's loop works with. The loop is in [`driver`](super::driver).

use std::sync::Arc;

use domain::pepper::Pepper;
use platform::health::Heartbeat;
use sender::setting::Setting;
use store::Store;
use store::send::state::ReceiptNote;

use super::handed_over::HandedOver;

/// A sender, and what its loop has of this process.
pub(crate) struct DrivenSender {
    pub(super) store: Store,
    pub(super) setting: Setting,
    pub(super) pepper: Arc<Pepper>,
    /// The URL to which its receipts are reported, up to the reference of the message.
    pub(super) status_url: String,
    pub(super) link_prefix: String,
    pub(super) heartbeat: Heartbeat,
    pub(super) received: ReceiptNote,
    /// Of all senders.
    pub(super) handed_over: Arc<HandedOver>,
}
