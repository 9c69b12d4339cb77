//! Keeps a lease, in a task of its own.

use std::time::Instant;

use sender::Deadline;
use store::Store;
use store::send::lease::{Lease, RENEW_EVERY, TRUSTED_FOR};
use tokio::sync::watch;
use tokio_util::task::AbortOnDropHandle;

/// A lease that is renewed until this is dropped.
pub(super) struct Renewal {
    /// The moment until which no other process can have the lease. `None` once it is lost.
    trusted: watch::Receiver<Option<Instant>>,
    _task: AbortOnDropHandle<()>,
}

impl Renewal {
    pub(super) fn start(store: Store, lease: Lease) -> Self {
        let (sender, trusted) = watch::channel(Some(Instant::now() + TRUSTED_FOR));
        let task = tokio::spawn(async move {
            loop {
                tokio::time::sleep(RENEW_EVERY).await;
                let began = Instant::now();
                match store.renew_lease(&lease).await {
                    Ok(true) => sender.send_replace(Some(began + TRUSTED_FOR)),
                    Ok(false) => {
                        sender.send_replace(None);
                        return;
                    }
                    Err(error) => {
                        tracing::debug!(%error, sender.name = %lease.name, "lease not renewed");
                        continue;
                    }
                };
            }
        });
        Self {
            trusted,
            _task: AbortOnDropHandle::new(task),
        }
    }

    pub(super) fn is_lost(&self) -> bool {
        self.trusted.borrow().is_none()
    }

    /// The moment until which messages may be handed over.
    pub(super) fn deadline(&self) -> Deadline {
        Deadline::moving(self.trusted.clone())
    }
}
