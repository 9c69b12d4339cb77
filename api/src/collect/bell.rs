//! The doorbell of forms: rung after each commit, heard by the workers a few times a second at most. A ring that is lost
//! costs a moment: the workers look by themselves.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use domain::message::{Lane, Message};
use futures::{StreamExt, TryStreamExt, stream};
use platform::queue::Queue;
use tokio::sync::Notify;
use uuid::Uuid;

/// A form by its place: account and form.
pub type FormPlace = (Uuid, Uuid);

/// Rings of one form within this time are one.
const PAUSE: Duration = Duration::from_millis(25);
/// So many rings wait for the broker's confirmation at once.
const AT_ONCE: usize = 16;

/// The doorbell. Cheap to clone.
#[derive(Clone, Default)]
pub struct Bell(Arc<Rung>);

#[derive(Default)]
struct Rung {
    forms: Mutex<HashSet<FormPlace>>,
    wake: Notify,
}

impl Bell {
    /// Hangs it up: a task passes the rings on.
    pub fn hang(queue: Queue) -> Self {
        let bell = Self::default();
        tokio::spawn(bell.clone().pass_on(queue));
        bell
    }

    /// Rings for forms that have something in the inbox.
    pub fn ring(&self, forms: impl IntoIterator<Item = FormPlace>) {
        self.forms().extend(forms);
        self.0.wake.notify_one();
    }

    fn forms(&self) -> std::sync::MutexGuard<'_, HashSet<FormPlace>> {
        self.0.forms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whoever rings while a ring is passed on is heard after the pause: a worker that looked too early looks again.
    async fn pass_on(self, queue: Queue) {
        loop {
            self.0.wake.notified().await;
            let forms = std::mem::take(&mut *self.forms());
            let rung = stream::iter(forms)
                .map(Ok)
                .try_for_each_concurrent(AT_ONCE, async |(account_id, form_id)| {
                    let message = Message::FoldV1 {
                        account_id,
                        form_id,
                    };
                    queue.publish(Lane::Refresh, &message).await
                })
                .await;
            if let Err(error) = rung {
                tracing::debug!(%error, "forms were not rung for; the workers look by themselves");
            }
            tokio::time::sleep(PAUSE).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio_util::sync::CancellationToken;

    use super::*;

    #[tokio::test]
    async fn rings_of_one_form_are_one_and_none_is_lost() {
        let queue = Queue::open(None).unwrap();
        let mut consumer = queue.consume(Lane::Refresh, 64, CancellationToken::new());
        let bell = Bell::hang(queue);
        let account = Uuid::from_u128(1);
        let place = |form| (account, Uuid::from_u128(form));
        for _ in 0..100 {
            bell.ring([place(1), place(2)]);
        }
        let mut heard = HashSet::new();
        for _ in 0..2 {
            let delivery = consumer.next().await.unwrap();
            heard.insert(format!("{:?}", delivery.message));
            delivery.ack().await.unwrap();
        }
        assert_eq!(heard.len(), 2);
        bell.ring([place(1)]);
        let late = tokio::time::timeout(Duration::from_secs(5), consumer.next());
        assert!(late.await.is_ok());
    }
}
