//! Notifies the workers of imports, and of forms that have counts to roll up. A lost notification costs a moment: the
//! workers look by themselves.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use domain::message::{Lane, Notification};
use futures::{StreamExt, TryStreamExt, stream};
use parking_lot::Mutex;
use platform::queue::Queue;
use platform::request_id::RequestId;
use platform::telemetry::traces::SpanContext;
use store::form::FormKey;
use tokio::sync::Notify;
use uuid::Uuid;

/// Notifications of one form or import within this time are one.
const PAUSE: Duration = Duration::from_millis(25);
/// The messages that wait for the broker's confirmation at once, at most.
const CONCURRENCY: usize = 16;
/// The notifications of a large import. Messages go to the workers in turn, and each worker should begin at once.
const WORKERS: u8 = 8;

/// Passes on what has changed. Cheap to clone.
#[derive(Clone, Default)]
pub struct Notifier(Arc<Shared>);

#[derive(Default)]
struct Shared {
    /// Messages to publish, as many of one as there are numbers, with the spans of the requests that they are of.
    changed: Mutex<HashMap<(Notification, u8), Vec<SpanContext>>>,
    wake: Notify,
}

impl Notifier {
    /// Starts the task that publishes; it ends with the process.
    pub fn start(queue: Queue) -> Self {
        let notifier = Self::default();
        tokio::spawn(notifier.clone().publish(queue));
        notifier
    }

    /// Notifies of forms that have counts to roll up.
    pub fn forms_changed(&self, forms: impl IntoIterator<Item = FormKey>) {
        let message = |form: FormKey| Notification::RollUpV1 {
            account_id: form.account_id,
            form_id: form.form_id,
        };
        self.add(forms.into_iter().map(|form| (message(form), 0)), None);
    }

    /// Notifies of an account's import that a request had accepted.
    pub fn import_accepted(&self, account_id: Uuid, lane: Lane, request_id: &RequestId) {
        let times = match lane {
            Lane::Small => 1,
            Lane::Bulk => WORKERS,
        };
        let message = Notification::ImportV1 { account_id, lane };
        let messages = (0..times).map(|number| (message.clone(), number));
        self.add(messages, request_id.trace());
    }

    fn add(
        &self,
        messages: impl IntoIterator<Item = (Notification, u8)>,
        trace: Option<&SpanContext>,
    ) {
        let mut changed = self.0.changed.lock();
        for message in messages {
            changed.entry(message).or_default().extend(trace.cloned());
        }
        drop(changed);
        self.0.wake.notify_one();
    }

    /// What changes while messages are published is notified of after the pause: a worker that looked too early looks
    /// again.
    async fn publish(self, queue: Queue) {
        loop {
            self.0.wake.notified().await;
            let changed = std::mem::take(&mut *self.0.changed.lock());
            let published = stream::iter(changed)
                .map(Ok)
                .try_for_each_concurrent(CONCURRENCY, async |((message, _), causes)| {
                    queue.publish_in(&causes, &message).await
                })
                .await;
            if let Err(error) = published {
                tracing::debug!(%error, "no notification of changes; the workers look by themselves");
            }
            tokio::time::sleep(PAUSE).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use tokio::sync::mpsc;

    use super::*;

    #[tokio::test]
    async fn notifications_of_one_form_are_one_and_none_is_lost() {
        let queue = Queue::open(None);
        let (sender, mut messages) = mpsc::unbounded_channel();
        let listening = queue.clone();
        tokio::spawn(async move {
            listening
                .listen(|message| sender.send(message).unwrap())
                .await;
        });
        let notifier = Notifier::start(queue);
        let account = Uuid::from_u128(1);
        let form = |form| FormKey::new(account, Uuid::from_u128(form));
        for _ in 0..100 {
            notifier.forms_changed([form(1), form(2)]);
        }
        let mut received = HashSet::new();
        for _ in 0..2 {
            received.insert(format!("{:?}", messages.recv().await.unwrap()));
        }
        assert_eq!(received.len(), 2);
        notifier.forms_changed([form(1)]);
        let late = tokio::time::timeout(Duration::from_secs(5), messages.recv());
        assert!(late.await.unwrap().is_some());
    }
}
