//! The rules of the queue, kept by RabbitMQ (`AMQP_URL`), those of Redis (`REDIS_URL`), and what only servers can do:
//! be away, lose what they had, hold what is not ours.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[macro_use]
mod conformance;

use std::time::{Duration, Instant};

use bytes::Bytes;
use conformance::queue::Listener;
use conformance::{eventually, soon};
use domain::message::Notification;
use lapin::options::{
    BasicPublishOptions, ExchangeDeleteOptions, QueueDeclareOptions, QueueDeleteOptions,
};
use lapin::types::FieldTable;
use lapin::{BasicProperties, Channel, Connection, ConnectionProperties};
use platform::cache::Cache;
use platform::config::{AmqpUrl, RedisUrl};
use platform::queue::{Queue, QueueError, Topology};
use uuid::Uuid;

queue_rules!(crate::with_queue);

async fn with_queue<F: Future<Output = ()>>(rule: impl FnOnce(Queue) -> F) {
    let broker = Broker::open().await;
    rule(broker.queue()).await;
    broker.clean().await;
}

/// Nothing is skipped in silence.
fn variable(name: &str, server: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| {
        panic!("{name} is not set: name {server}, or leave these tests out with -E 'not binary(servers)'")
    })
}

/// Queues of one test on a broker that others use too, and a channel to do to them what the service never does.
struct Broker {
    url: AmqpUrl,
    topology: Topology,
    _connection: Connection,
    channel: Channel,
}

impl Broker {
    async fn open() -> Self {
        let text = variable("AMQP_URL", "a RabbitMQ");
        let url = AmqpUrl::parse(&text).unwrap();
        let connecting = Connection::connect(&text, ConnectionProperties::default());
        let connection = soon("a connection", connecting).await.unwrap();
        Self {
            url,
            topology: Topology::prefixed(&format!("test.{}", Uuid::new_v4())),
            channel: connection.create_channel().await.unwrap(),
            _connection: connection,
        }
    }

    fn queue(&self) -> Queue {
        Queue::on_broker(&self.url, self.topology.clone())
    }

    async fn delete(&self, queue: &str) {
        self.channel
            .queue_delete(queue.into(), QueueDeleteOptions::default())
            .await
            .unwrap();
    }

    async fn dead_letters(&self) -> u32 {
        let passive = QueueDeclareOptions::default().passive();
        let name = self.topology.dead.as_str().into();
        let queue = self
            .channel
            .queue_declare(name, passive, FieldTable::default());
        queue.await.unwrap().message_count()
    }

    async fn clean(self) {
        self.delete(self.topology.queue.as_str()).await;
        let dead = self.topology.dead.as_str();
        self.delete(dead).await;
        self.channel
            .exchange_delete(dead.into(), ExchangeDeleteOptions::default())
            .await
            .unwrap();
    }
}

fn message() -> Notification {
    Notification::RollUpV1 {
        account_id: Uuid::new_v4(),
        form_id: Uuid::nil(),
    }
}

/// A port where nobody listens: it was just free.
fn nobody() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

#[tokio::test]
async fn an_unreadable_message_is_a_dead_letter_and_stops_nobody() {
    let broker = Broker::open().await;
    let queue = broker.queue();
    let mut listener = Listener::start(&queue);
    queue.ping().await.unwrap();
    for rubbish in [&b"\xff"[..], br#"{"type":"import.v9"}"#] {
        broker
            .channel
            .basic_publish(
                "".into(),
                broker.topology.queue.as_str().into(),
                BasicPublishOptions::default(),
                rubbish,
                BasicProperties::default(),
            )
            .await
            .unwrap();
    }
    eventually("dead letters", async || broker.dead_letters().await == 2).await;
    let sent = message();
    queue.publish(&sent).await.unwrap();
    assert_eq!(listener.next().await, sent);
    broker.clean().await;
}

#[tokio::test]
async fn a_deleted_queue_is_declared_again_by_listener_and_publisher() {
    let broker = Broker::open().await;
    let queue = broker.queue();
    let mut listener = Listener::start(&queue);
    for _ in 0..2 {
        let sent = message();
        queue.publish(&sent).await.unwrap();
        assert_eq!(listener.next().await, sent);
        broker.delete(broker.topology.queue.as_str()).await;
    }
    queue.publish(&message()).await.unwrap();
    broker.clean().await;
}

#[tokio::test]
async fn publishing_to_a_broker_that_is_away_fails_at_once() {
    let url = AmqpUrl::parse(&format!("amqp://127.0.0.1:{}", nobody())).unwrap();
    let queue = Queue::open(Some(&url));
    let started = Instant::now();
    for _ in 0..1_000 {
        queue.publish(&message()).await.unwrap_err();
    }
    assert!(
        started.elapsed() < Duration::from_secs(5),
        "{:?}",
        started.elapsed()
    );
    queue.ping().await.unwrap_err();
}

#[tokio::test]
async fn a_broker_that_accepts_and_says_nothing_is_given_up_within_5_s() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let url = AmqpUrl::parse(&format!("amqp://{address}")).unwrap();
    let queue = Queue::open(Some(&url));
    let started = Instant::now();
    let error = queue.publish(&message()).await.unwrap_err();
    assert!(matches!(error, QueueError::TimedOut), "{error:?}");
    assert!(
        started.elapsed() < Duration::from_secs(5),
        "{:?}",
        started.elapsed()
    );
    // Given up means hung up: the library's thread must not wait on.
    let (mut socket, _) = listener.accept().unwrap();
    let read = tokio::task::spawn_blocking(move || {
        std::io::Read::read_to_end(&mut socket, &mut Vec::new())
    });
    soon("the end of the connection", read)
        .await
        .unwrap()
        .unwrap();
}

fn cache() -> Cache {
    let url = RedisUrl::parse(&variable("REDIS_URL", "a Redis")).unwrap();
    Cache::open(Some(&url)).unwrap()
}

fn key() -> String {
    format!("rules:{}", Uuid::new_v4())
}

const LONG: Duration = Duration::from_hours(1);

/// A busy machine may be slower than the 50 ms that a cache is given.
async fn get(cache: &Cache, keys: &[String]) -> Vec<Option<Bytes>> {
    let mut found = None;
    eventually("an answer", async || {
        found = cache.get_many(keys).await.ok();
        found.is_some()
    })
    .await;
    found.unwrap()
}

async fn set(cache: &Cache, entries: &[(String, Bytes)], ttl: Duration) {
    eventually("an answer", async || {
        cache.set_many(entries, ttl).await.is_ok()
    })
    .await;
}

#[tokio::test]
async fn entries_come_back_as_they_were_set_in_the_order_asked_for() {
    const MANY: usize = 300;
    let cache = cache();
    assert_eq!(get(&cache, &[]).await, []);
    let begin = key();
    let key = |n: usize| format!("{begin}:{n}");
    let bytes = |n: usize| Bytes::from(vec![n.to_le_bytes()[0]; n * 10]);
    let there = (0..MANY).filter(|n| n % 3 > 0);
    let entries: Vec<_> = there.map(|n| (key(n), bytes(n))).collect();
    set(&cache, &entries, LONG).await;
    let keys: Vec<_> = (0..MANY).rev().map(key).collect();
    let expected = (0..MANY).rev().map(|n| (n % 3 > 0).then(|| bytes(n)));
    assert_eq!(get(&cache, &keys).await, expected.collect::<Vec<_>>());
}

#[tokio::test]
async fn the_entry_that_was_set_last_stands() {
    let (cache, key) = (cache(), key());
    for bytes in [&b"one"[..], b"two", b""] {
        let bytes = Bytes::from_static(bytes);
        set(&cache, &[(key.clone(), bytes.clone())], LONG).await;
        assert_eq!(get(&cache, std::slice::from_ref(&key)).await, [Some(bytes)]);
    }
}

#[tokio::test]
async fn an_entry_expires() {
    let (cache, keys) = (cache(), [key(), key()]);
    let entry = |key: &String| [(key.clone(), Bytes::from_static(b"x"))];
    set(&cache, &entry(&keys[0]), Duration::from_secs(1)).await;
    set(&cache, &entry(&keys[1]), LONG).await;
    eventually("expiry", async || {
        get(&cache, &keys).await == [None, Some(Bytes::from_static(b"x"))]
    })
    .await;
}

#[tokio::test]
async fn without_a_server_nothing_is_kept() {
    let cache = Cache::open(None).unwrap();
    let entry = (key(), Bytes::from_static(b"x"));
    cache
        .set_many(std::slice::from_ref(&entry), LONG)
        .await
        .unwrap();
    assert_eq!(cache.get_many(&[entry.0]).await.unwrap(), [None]);
}

#[tokio::test]
async fn a_cache_that_is_away_or_silent_costs_no_one_more_than_50_ms_a_question() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    for port in [nobody(), silent.local_addr().unwrap().port()] {
        let url = RedisUrl::parse(&format!("redis://127.0.0.1:{port}")).unwrap();
        let cache = Cache::open(Some(&url)).unwrap();
        let started = Instant::now();
        for _ in 0..10 {
            cache.get_many(&[key()]).await.unwrap_err();
        }
        // A fifth of a second for a busy machine.
        assert!(
            started.elapsed() < Duration::from_millis(700),
            "{:?}",
            started.elapsed()
        );
    }
}
