//! The rules of a queue. Each gets a queue of its own, empty.

use std::collections::BTreeSet;

use domain::message::{Lane, Notification};
use futures::future::join_all;
use platform::queue::Queue;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use uuid::Uuid;

use super::soon;

/// All rules, as tests run through `$with`, which hands each its queue.
macro_rules! queue_rules {
    ($with:path) => {
        rules! { queue, $with:
            a_message_arrives_as_it_was_sent,
            what_came_first_is_handed_on_first,
            a_message_that_was_handed_on_never_comes_again,
            listeners_share_the_messages,
            what_a_dropped_listener_fetched_ahead_goes_to_others,
            thousands_of_publishes_at_once_all_arrive,
        }
    };
}

/// Listens in a task of its own. Dropped, it stops.
pub struct Listener {
    messages: mpsc::UnboundedReceiver<Notification>,
    task: JoinHandle<()>,
}

impl Listener {
    pub fn start(queue: &Queue) -> Self {
        let (sender, messages) = mpsc::unbounded_channel();
        let queue = queue.clone();
        let task = tokio::spawn(async move {
            // A test that ended needs no more.
            queue.listen(|message| drop(sender.send(message))).await;
        });
        Self { messages, task }
    }

    pub async fn next(&mut self) -> Notification {
        soon("a message", self.messages.recv()).await.unwrap()
    }

    /// Stops it: from then on it takes nothing.
    async fn stop(mut self) {
        self.task.abort();
        let _ = (&mut self.task).await;
    }

    async fn number(&mut self) -> u128 {
        number(&self.next().await)
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn message(number: u128) -> Notification {
    Notification::RollUpV1 {
        account_id: Uuid::from_u128(number),
        form_id: Uuid::nil(),
    }
}

fn number(message: &Notification) -> u128 {
    match message {
        Notification::RollUpV1 { account_id, .. } => account_id.as_u128(),
        other @ Notification::ImportV1 { .. } => panic!("never sent: {other:?}"),
    }
}

async fn publish(queue: &Queue, numbers: impl IntoIterator<Item = u128>) {
    for number in numbers {
        soon("publish", queue.publish(&message(number)))
            .await
            .unwrap();
    }
}

pub async fn a_message_arrives_as_it_was_sent(queue: Queue) {
    queue.ping().await.unwrap();
    let sent = Notification::ImportV1 {
        account_id: Uuid::from_u128(1),
        lane: Lane::Small,
    };
    queue.publish(&sent).await.unwrap();
    assert_eq!(Listener::start(&queue).next().await, sent);
}

pub async fn what_came_first_is_handed_on_first(queue: Queue) {
    publish(&queue, 0..50).await;
    let mut listener = Listener::start(&queue);
    for expected in 0..50 {
        assert_eq!(listener.number().await, expected);
    }
}

pub async fn a_message_that_was_handed_on_never_comes_again(queue: Queue) {
    publish(&queue, [1]).await;
    let mut listener = Listener::start(&queue);
    assert_eq!(listener.number().await, 1);
    // Once the second is there, the first is acknowledged: one goes after the other.
    publish(&queue, [2]).await;
    assert_eq!(listener.number().await, 2);
    listener.stop().await;
    publish(&queue, [3]).await;
    let mut successor = Listener::start(&queue);
    let mut again = successor.number().await;
    if again == 2 {
        again = successor.number().await;
    }
    assert_eq!(again, 3);
}

pub async fn listeners_share_the_messages(queue: Queue) {
    const MESSAGES: u128 = 200;
    // Makes the queue: the broker may refuse a message while several make it at once.
    publish(&queue, 0..1).await;
    let (sender, mut seen) = mpsc::unbounded_channel();
    let listeners = [0; 4].map(|_| {
        let (queue, sender) = (queue.clone(), sender.clone());
        tokio::spawn(async move {
            queue
                .listen(|message| sender.send(number(&message)).unwrap())
                .await;
        })
    });
    drop(sender);
    publish(&queue, 1..MESSAGES).await;
    let mut numbers = Vec::new();
    for _ in 0..MESSAGES {
        numbers.push(soon("all messages", seen.recv()).await.unwrap());
    }
    for listener in listeners {
        listener.abort();
    }
    // The channel ends when all four listeners have.
    while let Some(number) = soon("the listeners' end", seen.recv()).await {
        numbers.push(number);
    }
    numbers.sort_unstable();
    assert!(numbers.iter().copied().eq(0..MESSAGES), "{numbers:?}");
}

pub async fn what_a_dropped_listener_fetched_ahead_goes_to_others(queue: Queue) {
    publish(&queue, 1..=5).await;
    let (sender, mut seen) = mpsc::unbounded_channel();
    let dropped = queue.clone();
    let dropped = tokio::spawn(async move {
        dropped
            .listen(|message| sender.send(number(&message)).unwrap())
            .await;
    });
    let first = soon("a message", seen.recv()).await.unwrap();
    dropped.abort();
    let mut numbers = BTreeSet::from([first]);
    while let Some(number) = soon("the listener's end", seen.recv()).await {
        numbers.insert(number);
    }
    let mut successor = Listener::start(&queue);
    while numbers.len() < 5 {
        numbers.insert(successor.number().await);
    }
    assert_eq!(numbers, (1..=5).collect());
}

pub async fn thousands_of_publishes_at_once_all_arrive(queue: Queue) {
    const MESSAGES: u128 = 2_000;
    let messages: Vec<_> = (0..MESSAGES).map(message).collect();
    let publishing = join_all(messages.iter().map(|one| queue.publish(one)));
    for result in soon("all confirms", publishing).await {
        result.unwrap();
    }
    let mut listener = Listener::start(&queue);
    let mut numbers = BTreeSet::new();
    for _ in 0..MESSAGES {
        numbers.insert(listener.number().await);
    }
    assert_eq!(numbers, (0..MESSAGES).collect());
}
