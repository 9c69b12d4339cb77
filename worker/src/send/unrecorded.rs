//! The ids that a provider gave to messages whose results are not recorded yet. A receipt may come sooner than the step that records
//! its message; it waits for that here, which costs nothing, where the database would have to keep it, find it and forget it.

use std::collections::HashSet;

use parking_lot::Mutex;
use store::send::provider_id_key;
use tokio::sync::Notify;

/// Ids whose messages the next steps record.
#[derive(Default)]
pub(super) struct Unrecorded {
    ids: Mutex<HashSet<String>>,
    recorded: Notify,
}

impl Unrecorded {
    pub(super) fn add(&self, ids: &[String]) {
        let keys = ids.iter().map(|id| provider_id_key(id));
        self.ids.lock().extend(keys);
    }

    pub(super) fn have_any(&self, ids: &[String]) -> bool {
        let unrecorded = self.ids.lock();
        ids.iter()
            .any(|id| unrecorded.contains(&provider_id_key(id)))
    }

    /// These are recorded, or never will be.
    pub(super) fn remove(&self, ids: &[String]) {
        let mut unrecorded = self.ids.lock();
        for id in ids {
            unrecorded.remove(&provider_id_key(id));
        }
    }

    /// Tells whoever waits that a step recorded some.
    pub(super) fn tell(&self) {
        self.recorded.notify_one();
    }

    /// Waits for a step that recorded some since this was waited for last.
    pub(super) async fn recorded(&self) {
        self.recorded.notified().await;
    }
}
