//! The accept loop and the operators' pages, over real sockets.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{HeaderName, HeaderValue, Request};
use axum::routing::get;
use futures::future::join_all;
use futures::{StreamExt, stream};
use hyper::client::conn::http2::{Builder, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo};
use platform::config::TrustedProxies;
use platform::health::{Check, Health, Heartbeat};
use platform::http::connections::Limits;
use platform::{http, ops};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

struct Server {
    address: SocketAddr,
    shutdown: CancellationToken,
    ended: JoinHandle<()>,
}

async fn start(router: Router) -> Server {
    start_limited(router, 100).await
}

async fn start_limited(router: Router, connections: usize) -> Server {
    let limits = Limits::new(connections, connections, TrustedProxies::default());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let shutdown = CancellationToken::new();
    let ended = tokio::spawn(http::serve(
        listener,
        router,
        limits,
        None,
        shutdown.clone(),
    ));
    Server {
        address,
        shutdown,
        ended,
    }
}

async fn send(server: &Server, text: &str) -> TcpStream {
    let mut socket = TcpStream::connect(server.address).await.unwrap();
    socket.write_all(text.as_bytes()).await.unwrap();
    socket
}

async fn rest(mut socket: TcpStream) -> String {
    let mut answer = Vec::new();
    let reading = socket.read_to_end(&mut answer);
    tokio::time::timeout(Duration::from_mins(1), reading)
        .await
        .unwrap()
        .unwrap();
    String::from_utf8(answer).unwrap()
}

async fn ask(server: &Server, path: &str) -> String {
    let request = format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    rest(send(server, &request).await).await
}

#[tokio::test]
async fn a_handler_knows_its_peer() {
    let router = Router::new().route(
        "/",
        get(async |ConnectInfo(peer): ConnectInfo<SocketAddr>| peer.ip().to_string()),
    );
    let answer = ask(&start(router).await, "/").await;
    assert!(answer.ends_with("127.0.0.1"), "{answer}");
}

#[tokio::test]
async fn after_shutdown_a_request_in_flight_is_finished_and_no_other_begins() {
    let (entered, mut enters) = mpsc::channel(1);
    let go_on = CancellationToken::new();
    let handler = {
        let go_on = go_on.clone();
        async move || {
            entered.send(()).await.unwrap();
            go_on.cancelled().await;
            "finished"
        }
    };
    let server = start(Router::new().route("/", get(handler))).await;
    // One that asks, and one that only holds a connection open.
    let asking = send(&server, "GET / HTTP/1.1\r\nhost: x\r\n\r\n").await;
    let idle = send(&server, "").await;
    enters.recv().await.unwrap();
    server.shutdown.cancel();
    assert_eq!(rest(idle).await, "");
    // The port is free: connecting fails, at the latest when the backlog is gone.
    while TcpStream::connect(server.address).await.is_ok() {
        tokio::task::yield_now().await;
    }
    assert!(!server.ended.is_finished());
    go_on.cancel();
    assert!(rest(asking).await.ends_with("finished"));
    server.ended.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_request_that_never_ends_is_cut_after_20_s() {
    let (entered, mut enters) = mpsc::channel(1);
    let handler = async move || {
        entered.send(()).await.unwrap();
        std::future::pending::<()>().await;
    };
    let server = start(Router::new().route("/", get(handler))).await;
    let asking = send(&server, "GET / HTTP/1.1\r\nhost: x\r\n\r\n").await;
    enters.recv().await.unwrap();
    let asked = tokio::time::Instant::now();
    server.shutdown.cancel();
    server.ended.await.unwrap();
    assert_eq!(asked.elapsed().as_secs(), 20);
    assert_eq!(rest(asking).await, "");
}

#[tokio::test(start_paused = true)]
async fn a_head_that_is_not_there_within_10_s_ends_the_connection() {
    let server = start(Router::new()).await;
    // Nothing; what could still become HTTP/2; a head without an end; HTTP/2 without a request.
    for beginning in [
        "",
        "P",
        "GET / HTTP/1.1\r\nhost: x\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ] {
        let mut socket = send(&server, beginning).await;
        let begun = tokio::time::Instant::now();
        let mut answer = Vec::new();
        // Hyper may say why, or settings.
        let _ = socket.read_to_end(&mut answer).await;
        let held = begun.elapsed().as_secs_f64();
        assert!((9.9..10.5).contains(&held), "{beginning:?}: {held}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_reads_nothing_of_its_answer_is_cut_off() {
    let ended = CancellationToken::new();
    let endless = {
        let ended = ended.clone();
        async move || {
            let guard = ended.clone().drop_guard();
            Body::from_stream(stream::repeat_with(move || {
                let _held = &guard;
                Ok::<_, std::io::Error>(vec![0; 65_536])
            }))
        }
    };
    let server = start(Router::new().route("/", get(endless))).await;
    let socket = send(&server, "GET / HTTP/1.1\r\nhost: x\r\n\r\n").await;
    ended.cancelled().await;
    drop(socket);
}

/// A connection over HTTP/2 whose reader takes nothing of any answer.
async fn never_reads(server: &Server) -> (SendRequest<Body>, JoinHandle<hyper::Result<()>>) {
    let socket = TcpStream::connect(server.address).await.unwrap();
    let (reader, connection) = Builder::new(TokioExecutor::new())
        .initial_stream_window_size(0)
        .handshake(TokioIo::new(socket))
        .await
        .unwrap();
    (reader, tokio::spawn(connection))
}

#[tokio::test(start_paused = true)]
async fn a_connection_whose_answers_are_not_read_ends_after_60_s() {
    let dropped = CancellationToken::new();
    let answer = {
        let dropped = dropped.clone();
        async move || {
            let guard = dropped.drop_guard();
            let pieces = stream::iter([[0; 100]; 3]).map(move |piece| {
                let _held = &guard;
                Ok::<_, std::io::Error>(piece.to_vec())
            });
            Body::from_stream(pieces)
        }
    };
    let server = start(Router::new().route("/", get(answer))).await;
    let (mut reader, connection) = never_reads(&server).await;
    let url = format!("http://{}/", server.address);
    let request = Request::get(url).body(Body::empty()).unwrap();
    let asked = tokio::time::Instant::now();
    let response = reader.send_request(request).await.unwrap();
    assert_eq!(response.status(), 200);
    let _ended = connection.await;
    let stood = asked.elapsed().as_secs();
    assert!((60..=61).contains(&stood), "{stood} s");
    dropped.cancelled().await;
}

/// A connection over HTTP/2.
async fn multiplexed(server: &Server) -> (SendRequest<Body>, JoinHandle<hyper::Result<()>>) {
    let socket = TcpStream::connect(server.address).await.unwrap();
    let handshake = Builder::new(TokioExecutor::new()).handshake(TokioIo::new(socket));
    let (client, connection) = handshake.await.unwrap();
    (client, tokio::spawn(connection))
}

fn request(server: &Server, path: &str) -> Request<Body> {
    let url = format!("http://{}{path}", server.address);
    Request::get(url).body(Body::empty()).unwrap()
}

#[tokio::test]
async fn an_address_has_no_more_requests_at_once_than_it_may_have_connections() {
    let router = Router::new()
        .route("/", get(async || "in"))
        .route("/never", get(std::future::pending::<()>));
    let server = start_limited(router, 3).await;
    let (mut holder, _holding) = multiplexed(&server).await;
    let held: Vec<_> = (0..3)
        .map(|_| tokio::spawn(holder.send_request(request(&server, "/never"))))
        .collect();
    let (mut client, _connection) = multiplexed(&server).await;
    let mut until = async |status: u16| {
        while client
            .send_request(request(&server, "/"))
            .await
            .unwrap()
            .status()
            != status
        {}
    };
    until(503).await;
    for one in held {
        one.abort();
    }
    until(200).await;
    let mut many = request(&server, "/");
    for number in 0..101 {
        let name = HeaderName::try_from(format!("x-{number}")).unwrap();
        many.headers_mut()
            .insert(name, HeaderValue::from_static("1"));
    }
    assert_eq!(client.send_request(many).await.unwrap().status(), 431);
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_carries_no_request_ends_after_60_s() {
    let server = start(Router::new().route("/", get(async || "in"))).await;
    let (mut client, connection) = multiplexed(&server).await;
    let answer = client.send_request(request(&server, "/")).await.unwrap();
    assert_eq!(answer.status(), 200);
    drop(answer);
    let answered = tokio::time::Instant::now();
    let _ended = connection.await;
    let idle = answered.elapsed().as_secs();
    assert!((60..=61).contains(&idle), "{idle} s");
}

#[tokio::test]
async fn above_the_limits_health_and_metrics_answer_and_all_else_is_busy() {
    let health = Health::new(Vec::new(), CancellationToken::new());
    let metrics = platform::telemetry::init().unwrap();
    let router = ops::detailed(health, metrics).route("/", get(async || "in"));
    let server = start_limited(router, 2).await;
    let head = "GET / HTTP/1.1\r\nhost: x\r\n";
    let stalled = [send(&server, head).await, send(&server, head).await];
    for path in ["/health/live", "/health/ready", "/metrics"] {
        let answer = ask(&server, path).await;
        assert!(answer.starts_with("HTTP/1.1 200 "), "{path}: {answer}");
    }
    let refused = ask(&server, "/").await;
    assert!(refused.starts_with("HTTP/1.1 503 "), "{refused}");
    assert!(refused.contains("retry-after: 5\r\n"), "{refused}");
    drop(stalled);
    while !ask(&server, "/").await.ends_with("in") {
        tokio::task::yield_now().await;
    }
}

async fn operators(checks: Vec<Check>) -> Server {
    let metrics = platform::telemetry::init().unwrap();
    metrics::counter!("probe_total").increment(3);
    metrics::histogram!("probe_seconds").record(0.2);
    let health = Health::new(checks, CancellationToken::new());
    start(ops::detailed(health, metrics)).await
}

#[tokio::test]
async fn a_missing_helper_degrades_and_metrics_are_shown() {
    let server = operators(vec![
        Check::new("database", (), async |()| Ok(())),
        Check::new("queue", (), async |()| Err("no broker".to_owned())).optional(),
    ])
    .await;
    let live = ask(&server, "/health/live").await;
    assert!(
        live.starts_with("HTTP/1.1 200") && live.ends_with("\r\n\r\nok\n"),
        "{live}"
    );
    let ready = ask(&server, "/health/ready").await;
    assert!(ready.starts_with("HTTP/1.1 200"), "{ready}");
    assert!(
        ready.ends_with("\r\n\r\ndatabase ok\nqueue degraded: no broker\n"),
        "{ready}"
    );
    let metrics = ask(&server, "/metrics").await;
    assert!(metrics.contains("probe_total 3\n"), "{metrics}");
    assert!(
        metrics.contains("probe_seconds_bucket{le=\"0.25\"} 1\n"),
        "{metrics}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_silent_check_or_a_stopped_loop_is_not_ready() {
    let heartbeat = Heartbeat::default();
    let max_age = Duration::from_secs(5);
    let server = operators(vec![
        Check::new("database", (), |()| std::future::pending()),
        Check::heartbeat("worker", heartbeat.clone(), max_age),
    ])
    .await;
    let ready = ask(&server, "/health/ready").await;
    assert!(ready.starts_with("HTTP/1.1 503"), "{ready}");
    assert!(
        ready.ends_with("\r\n\r\ndatabase failed: no answer within 1 s\nworker ok\n"),
        "{ready}"
    );
    tokio::time::advance(Duration::from_secs(6)).await;
    let ready = ask(&server, "/health/ready").await;
    assert!(ready.contains("worker failed: no heartbeat for"), "{ready}");
    heartbeat.record();
    tokio::time::advance(Duration::from_secs(1)).await;
    let ready = ask(&server, "/health/ready").await;
    assert!(ready.contains("worker ok"), "{ready}");
}

#[tokio::test]
async fn callers_of_the_service_see_no_reasons_and_no_metrics() {
    let missing = Check::new("database", (), async |()| Err("at 10.0.0.1".to_owned()));
    let health = Health::new(vec![missing], CancellationToken::new());
    let server = start(ops::bare(health)).await;
    let ready = ask(&server, "/health/ready").await;
    assert!(
        ready.starts_with("HTTP/1.1 503") && ready.ends_with("\r\n\r\nnot ready\n"),
        "{ready}"
    );
    let live = ask(&server, "/health/live").await;
    assert!(live.starts_with("HTTP/1.1 200"), "{live}");
    let metrics = ask(&server, "/metrics").await;
    assert!(metrics.starts_with("HTTP/1.1 404"), "{metrics}");
}

#[tokio::test(start_paused = true)]
async fn however_many_ask_the_checks_run_once_a_second() {
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = Check::new("database", runs.clone(), async |runs: Arc<AtomicUsize>| {
        runs.fetch_add(1, Ordering::Relaxed);
        Ok(())
    });
    let health = Health::new(vec![counted], CancellationToken::new());
    for run in 1..=2 {
        let all = join_all((0..500).map(|_| health.readiness())).await;
        assert!(all.iter().all(|readiness| readiness.ready));
        assert_eq!(runs.load(Ordering::Relaxed), run);
        tokio::time::advance(Duration::from_secs(1)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_check_whose_caller_gives_up_is_not_run_again() {
    let runs = Arc::new(AtomicUsize::new(0));
    let slow = Check::new("database", runs.clone(), async |runs: Arc<AtomicUsize>| {
        runs.fetch_add(1, Ordering::Relaxed);
        tokio::time::sleep(Duration::from_millis(500)).await;
        Ok(())
    });
    let health = Health::new(vec![slow], CancellationToken::new());
    let given_up = tokio::time::timeout(Duration::from_millis(100), health.readiness()).await;
    assert!(given_up.is_err());
    assert!(health.readiness().await.ready);
    assert_eq!(runs.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_process_that_was_told_to_end_is_not_ready_at_once() {
    let shutdown = CancellationToken::new();
    let health = Health::new(Vec::new(), shutdown.clone());
    assert!(health.readiness().await.ready);
    shutdown.cancel();
    assert!(!health.readiness().await.ready);
}
