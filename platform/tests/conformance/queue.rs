//! The rules of a queue. Each gets a queue of its own, empty.

use std::collections::BTreeSet;

use domain::message::{Lane, Message};
use futures::future::join_all;
use platform::queue::{Consumer, DELIVERY_LIMIT, Delivery, Queue};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::{eventually, soon};

/// All rules, as tests run through `$with`, which hands each its queue.
macro_rules! queue_rules {
    ($with:path) => {
        rules! { queue, $with:
            a_message_arrives_as_it_was_sent,
            what_came_first_is_delivered_first,
            an_acknowledged_message_never_comes_again,
            a_dropped_delivery_comes_again_before_newer_ones_and_says_so,
            no_more_than_the_prefetch_is_held_at_once,
            a_rejected_message_is_a_dead_letter_at_once,
            a_message_that_comes_back_too_often_is_a_dead_letter,
            consumers_share_the_messages,
            a_wait_that_is_given_up_loses_nothing,
            after_shutdown_nothing_is_taken_and_what_is_in_hand_can_be_finished,
            what_a_dropped_consumer_fetched_ahead_goes_to_others,
            thousands_of_publishes_at_once_all_arrive,
        }
    };
}

fn message(number: u128) -> Message {
    Message::RollUpV1 {
        account_id: Uuid::from_u128(number),
        form_id: Uuid::nil(),
    }
}

fn number(delivery: &Delivery) -> u128 {
    match &delivery.message {
        Message::RollUpV1 { account_id, .. } => account_id.as_u128(),
        other @ Message::ImportV1 { .. } => panic!("never sent: {other:?}"),
    }
}

async fn publish(queue: &Queue, numbers: impl IntoIterator<Item = u128>) {
    for number in numbers {
        soon("publish", queue.publish(&message(number)))
            .await
            .unwrap();
    }
}

async fn next(consumer: &mut Consumer) -> Delivery {
    soon("a delivery", consumer.next()).await.unwrap()
}

fn consume(queue: &Queue, prefetch: u16) -> Consumer {
    queue.consume(prefetch, CancellationToken::new())
}

async fn dead_letters(queue: &Queue, wanted: u64) {
    eventually("dead letters", async || {
        queue.dead_letters().await.unwrap() == wanted
    })
    .await;
}

pub async fn a_message_arrives_as_it_was_sent(queue: Queue) {
    queue.ping().await.unwrap();
    let sent = Message::ImportV1 {
        account_id: Uuid::from_u128(1),
        lane: Lane::Small,
    };
    queue.publish(&sent).await.unwrap();
    let delivery = next(&mut consume(&queue, 1)).await;
    assert_eq!(delivery.message, sent);
    assert!(!delivery.redelivered);
    delivery.ack().await.unwrap();
}

pub async fn what_came_first_is_delivered_first(queue: Queue) {
    publish(&queue, 0..50).await;
    let mut consumer = consume(&queue, 8);
    for expected in 0..50 {
        let delivery = next(&mut consumer).await;
        assert_eq!(number(&delivery), expected);
        delivery.ack().await.unwrap();
    }
}

pub async fn an_acknowledged_message_never_comes_again(queue: Queue) {
    publish(&queue, [1, 2]).await;
    let mut consumer = consume(&queue, 2);
    let first = next(&mut consumer).await;
    let second = next(&mut consumer).await;
    first.ack().await.unwrap();
    drop(consumer);
    drop(second);
    let mut consumer = consume(&queue, 2);
    let again = next(&mut consumer).await;
    assert_eq!(number(&again), 2);
    again.ack().await.unwrap();
    publish(&queue, [3]).await;
    assert_eq!(number(&next(&mut consumer).await), 3);
}

pub async fn a_dropped_delivery_comes_again_before_newer_ones_and_says_so(queue: Queue) {
    publish(&queue, [1, 2]).await;
    let mut consumer = consume(&queue, 1);
    let delivery = next(&mut consumer).await;
    assert_eq!((number(&delivery), delivery.redelivered), (1, false));
    drop(delivery);
    for expected in [(1, true), (2, false)] {
        let delivery = next(&mut consumer).await;
        assert_eq!((number(&delivery), delivery.redelivered), expected);
        delivery.ack().await.unwrap();
    }
}

pub async fn no_more_than_the_prefetch_is_held_at_once(queue: Queue) {
    publish(&queue, [1, 2]).await;
    let mut full = consume(&queue, 2);
    let held = [next(&mut full).await, next(&mut full).await];
    publish(&queue, [3]).await;
    let mut other = consume(&queue, 1);
    // The full one cannot take it, though it came first.
    tokio::select! {
        _ = full.next() => panic!("a third one"),
        delivery = next(&mut other) => {
            assert_eq!(number(&delivery), 3);
            delivery.ack().await.unwrap();
        }
    }
    drop(other);
    publish(&queue, [4]).await;
    let [first, _second] = held;
    first.ack().await.unwrap();
    assert_eq!(number(&next(&mut full).await), 4);
}

pub async fn a_rejected_message_is_a_dead_letter_at_once(queue: Queue) {
    publish(&queue, [1, 2]).await;
    let mut consumer = consume(&queue, 1);
    next(&mut consumer).await.reject().await.unwrap();
    assert_eq!(number(&next(&mut consumer).await), 2);
    dead_letters(&queue, 1).await;
}

pub async fn a_message_that_comes_back_too_often_is_a_dead_letter(queue: Queue) {
    publish(&queue, [1, 2]).await;
    let mut consumer = consume(&queue, 1);
    for delivered in 0..=DELIVERY_LIMIT {
        let delivery = next(&mut consumer).await;
        assert_eq!(
            (number(&delivery), delivery.redelivered),
            (1, delivered > 0)
        );
        drop(delivery);
    }
    let delivery = next(&mut consumer).await;
    assert_eq!(number(&delivery), 2);
    dead_letters(&queue, 1).await;
}

pub async fn consumers_share_the_messages(queue: Queue) {
    const MESSAGES: u128 = 200;
    let shutdown = CancellationToken::new();
    let (sender, mut seen) = tokio::sync::mpsc::unbounded_channel();
    // Makes the queue: the broker may refuse a message while several make it at once.
    publish(&queue, 0..1).await;
    for _ in 0..4 {
        let mut consumer = queue.consume(2, shutdown.clone());
        let sender = sender.clone();
        tokio::spawn(async move {
            while let Some(delivery) = consumer.next().await {
                sender.send(number(&delivery)).unwrap();
                delivery.ack().await.unwrap();
            }
        });
    }
    drop(sender);
    publish(&queue, 1..MESSAGES).await;
    let mut numbers = Vec::new();
    for _ in 0..MESSAGES {
        numbers.push(soon("all messages", seen.recv()).await.unwrap());
    }
    shutdown.cancel();
    // The channel ends when all four consumers have.
    while let Some(number) = soon("the consumers' end", seen.recv()).await {
        numbers.push(number);
    }
    numbers.sort_unstable();
    assert!(numbers.iter().copied().eq(0..MESSAGES), "{numbers:?}");
}

pub async fn a_wait_that_is_given_up_loses_nothing(queue: Queue) {
    const MESSAGES: u128 = 100;
    let mut consumer = consume(&queue, 4);
    let publishing = publish(&queue, 0..MESSAGES);
    let consuming = async {
        let mut numbers = Vec::new();
        while numbers.len() < 100 {
            // One poll, and given up.
            let delivery = tokio::select! {
                biased;
                delivery = consumer.next() => delivery,
                () = tokio::task::yield_now() => continue,
            };
            let delivery = delivery.unwrap();
            numbers.push(number(&delivery));
            delivery.ack().await.unwrap();
        }
        numbers
    };
    let both = Box::pin(async { tokio::join!(publishing, consuming) });
    let ((), numbers) = soon("all messages", both).await;
    assert!(numbers.iter().copied().eq(0..MESSAGES), "{numbers:?}");
}

pub async fn after_shutdown_nothing_is_taken_and_what_is_in_hand_can_be_finished(queue: Queue) {
    publish(&queue, [1, 2, 3]).await;
    let shutdown = CancellationToken::new();
    let mut consumer = queue.consume(8, shutdown.clone());
    let in_hand = next(&mut consumer).await;
    shutdown.cancel();
    assert!(soon("the end", consumer.next()).await.is_none());
    assert!(soon("the end", consumer.next()).await.is_none());
    let mut successor = consume(&queue, 1);
    let mut rest = BTreeSet::new();
    for _ in 0..2 {
        let delivery = next(&mut successor).await;
        rest.insert(number(&delivery));
        delivery.ack().await.unwrap();
    }
    assert_eq!(rest, BTreeSet::from([2, 3]));
    in_hand.ack().await.unwrap();
    drop(consumer);
    publish(&queue, [4]).await;
    assert_eq!(number(&next(&mut successor).await), 4);
}

pub async fn what_a_dropped_consumer_fetched_ahead_goes_to_others(queue: Queue) {
    publish(&queue, 1..=5).await;
    let mut consumer = consume(&queue, 8);
    let first = next(&mut consumer).await;
    drop(consumer);
    first.ack().await.unwrap();
    let mut successor = consume(&queue, 8);
    let mut rest = BTreeSet::new();
    for _ in 2..=5 {
        let delivery = next(&mut successor).await;
        rest.insert(number(&delivery));
        delivery.ack().await.unwrap();
    }
    assert_eq!(rest, (2..=5).collect());
}

pub async fn thousands_of_publishes_at_once_all_arrive(queue: Queue) {
    const MESSAGES: u128 = 2_000;
    let messages: Vec<_> = (0..MESSAGES).map(message).collect();
    let publishing = join_all(messages.iter().map(|one| queue.publish(one)));
    for result in soon("all confirms", publishing).await {
        result.unwrap();
    }
    let mut consumer = consume(&queue, 100);
    let mut numbers = BTreeSet::new();
    for _ in 0..MESSAGES {
        let delivery = next(&mut consumer).await;
        numbers.insert(number(&delivery));
        delivery.ack().await.unwrap();
    }
    assert_eq!(numbers, (0..MESSAGES).collect());
}
