//! The accept loop. `axum::serve` limits neither the time that a request's head may take nor the time that an answer may
//! wait for its reader, so a slow client could hold a connection for ever; nor does it limit how many there are.
//!
//! [`connections`]: who is let in; [`tls`]: the certificate; `answers`: answers that nobody reads, and connections that carry none; `refusal`: what is
//! refused before there is a route.

mod answers;
pub mod connections;
mod refusal;
pub mod tls;

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::header::ALLOW;
use axum::http::{Request, StatusCode, Version};
use axum::response::Response;
use futures::future::{self, BoxFuture};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_io_timeout::TimeoutStream;
use tokio_rustls::server::TlsStream;
use tokio_util::either::Either;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt;

use self::answers::OpenAnswers;
use self::connections::{ConnectionPlace, Connections, Limits};
use self::tls::Tls;
use crate::config::ConfigError;

/// How long a request's head may take, and before it the handshake of TLS; an idle connection is kept as long.
const HEAD: Duration = Duration::from_secs(10);
/// How long requests in flight may go on after `shutdown`.
const DRAIN: Duration = Duration::from_secs(20);
/// A peer that reads nothing of its answer for this long is disconnected.
const STALLED: Duration = Duration::from_secs(30);
/// How long a connection above the limits may take to ask, and then to be answered.
const SPARE: Duration = Duration::from_secs(2);
/// Requests at once on one connection: RFC 9113 advises against fewer, and each may hold an answer.
const STREAMS: u32 = 100;
/// Headers of a request, over HTTP/2 too: HTTP/1 has the same limit in the library.
const HEADERS: usize = 100;
/// What a stream holds of its answer until its reader takes it.
const SEND_BUFFER: usize = 64 << 10;
/// What a connection holds of a head, and of a body that is not read yet: nobody has memory for it before it is known whose it is.
const READ_BUFFER: usize = 32 << 10;
/// The same over HTTP/2, where it is the least that a connection can have (RFC 9113, 6.9.2).
const WINDOW: u32 = 65_535;
/// Pause after a failure to accept, such as too many open files.
const REST: Duration = Duration::from_millis(100);

/// A connection. That of TLS is in a box, because others are smaller.
type Stream = Either<TcpStream, Box<TlsStream<TcpStream>>>;

/// Takes a port, by the setting `variable`.
///
/// # Errors
/// The address is in use, or is none of this machine's.
pub async fn listen(
    variable: &'static str,
    address: SocketAddr,
) -> Result<TcpListener, ConfigError> {
    let listener = TcpListener::bind(address).await.map_err(|error| {
        ConfigError::new(variable, format!("cannot listen on {address}: {error}"))
    })?;
    tracing::info!(%address, "listening");
    Ok(listener)
}

/// Serves HTTP/1 and HTTP/2, over TLS where there is a certificate, until `shutdown`, then accepts nothing new, finishes what is in flight for at most 20 s,
/// and returns. Waits out failures to accept. Handlers find the peer as `ConnectInfo<SocketAddr>`. Connections above the
/// limits are only told health and metrics; those that come when enough of these are open are closed.
///
/// In a box, so that it is compiled here and not in each binary.
pub fn serve(
    listener: TcpListener,
    router: Router,
    limits: Limits,
    tls: Option<Tls>,
    shutdown: CancellationToken,
) -> BoxFuture<'static, ()> {
    Box::pin(async move {
        let streams = u32::try_from(limits.requests()).unwrap_or(STREAMS);
        let server = Arc::new(server(HEAD, streams.min(STREAMS)));
        let spare = Arc::new(spare_server());
        let open = Connections::new(limits);
        let in_flight = GracefulShutdown::new();
        // Dropped when this returns: what has not ended by then is cut.
        let mut connections = JoinSet::new();
        loop {
            let (stream, peer) = tokio::select! {
                biased;
                () = shutdown.cancelled() => break,
                Some(_ended) = connections.join_next() => continue,
                accepted = listener.accept() => match accepted {
                    Ok(accepted) => accepted,
                    Err(error) => {
                        use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
                        // An error of one connection, not of the listener.
                        if let ConnectionAborted | ConnectionRefused | ConnectionReset = error.kind() {
                            continue;
                        }
                        tracing::warn!(%error, "cannot accept connections");
                        tokio::select! {
                            () = shutdown.cancelled() => break,
                            () = tokio::time::sleep(REST) => continue,
                        }
                    }
                },
            };
            let Some(place) = open.admit(peer) else {
                continue;
            };
            let server = if place.is_spare() { &spare } else { &server };
            let (server, router, tls) = (Arc::clone(server), router.clone(), tls.clone());
            let (watcher, shutdown) = (in_flight.watcher(), shutdown.clone());
            connections.spawn(async move {
                // Its place is held from the first byte on.
                if let Some(stream) = greet(stream, tls, place.is_spare(), &shutdown).await {
                    serve_connection(&server, router, watcher, stream, peer, place).await;
                }
            });
        }
        // Frees the port: a successor may take over while this drains.
        drop(listener);
        if timeout(DRAIN, in_flight.shutdown()).await.is_err() {
            tracing::warn!("requests still in flight are cut");
        }
    })
}

/// The router's answer, with `Allow` in a 405 alone: the router also names a path's methods where a layer refused before it
/// looked at the method, which would tell strangers what there is. It does so after its layers, so no layer can mend it.
pub async fn answer(router: Router, request: Request<Body>) -> Result<Response, Infallible> {
    let mut response = router.oneshot(request).await?;
    if response.status() != StatusCode::METHOD_NOT_ALLOWED {
        response.headers_mut().remove(ALLOW);
    }
    Ok(response)
}

/// For connections above the limits: one request each.
fn spare_server() -> Builder<TokioExecutor> {
    let mut server = server(SPARE, 1);
    server.http1().keep_alive(false);
    server
}

fn server(head: Duration, streams: u32) -> Builder<TokioExecutor> {
    let mut server = Builder::new(TokioExecutor::new());
    server
        .http1()
        .timer(TokioTimer::new())
        .max_buf_size(READ_BUFFER)
        .header_read_timeout(head);
    // A peer that vanished is found by a ping that it does not answer.
    server
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(streams)
        .max_send_buf_size(SEND_BUFFER)
        .initial_connection_window_size(WINDOW)
        .initial_stream_window_size(WINDOW)
        .keep_alive_interval(Some(HEAD))
        .keep_alive_timeout(HEAD);
    server
}

/// The connection as requests come over it; `None`: its peer did not get through the handshake of TLS in time, or before the shutdown.
async fn greet(
    stream: TcpStream,
    tls: Option<Tls>,
    is_spare: bool,
    shutdown: &CancellationToken,
) -> Option<Stream> {
    // Small answers go out at once. A failure means a dead connection, found soon enough.
    let _ = stream.set_nodelay(true);
    let Some(tls) = tls else {
        return Some(Either::Left(stream));
    };
    let time = if is_spare { SPARE } else { HEAD };
    let handshake = timeout(time, tls.accept(stream));
    match shutdown.run_until_cancelled(handshake).await? {
        Ok(Ok(stream)) => Some(Either::Right(Box::new(stream))),
        Ok(Err(error)) => {
            tracing::debug!(%error, "no handshake");
            None
        }
        Err(_) => None,
    }
}

async fn serve_connection(
    server: &Builder<TokioExecutor>,
    router: Router,
    watcher: Watcher,
    stream: Stream,
    peer: SocketAddr,
    place: ConnectionPlace,
) {
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(STALLED));
    let asked = Arc::new(AtomicBool::new(false));
    let answers = Arc::new(OpenAnswers::default());
    let is_spare = place.is_spare();
    let place = Arc::new(place);
    let service = {
        let (asked, answers, place) = (asked.clone(), answers.clone(), place.clone());
        service_fn(move |mut request: Request<Incoming>| {
            asked.store(true, Ordering::Relaxed);
            request.extensions_mut().insert(ConnectInfo(peer));
            let is_multiplexed = request.version() == Version::HTTP_2;
            let (router, answers) = (router.clone(), answers.clone());
            // The others are one at a time, and block the socket, which has its own time-out.
            let open = is_multiplexed.then(|| answers.open(place.request()));
            async move {
                let request = request.map(Body::new);
                let Some(open) = open else {
                    return judge(router, request, is_spare).await;
                };
                let response = if open.has_place() || is_for_operators(&request) {
                    judge(router, request, is_spare).await?
                } else {
                    refusal::busy(&request, "too many requests are under way")
                };
                Ok::<_, Infallible>(response.map(|body| answers.watch(open, body)))
            }
        })
    };
    let serving = server.serve_connection(TokioIo::new(Box::pin(stream)), service);
    let serving = std::pin::pin!(watcher.watch(serving.into_owned()));
    // The library's own limit begins once it knows the protocol, for which it waits without one.
    let asks_nothing = async {
        tokio::time::sleep(if is_spare { SPARE } else { HEAD }).await;
        if !asked.load(Ordering::Relaxed) {
            return;
        }
        if !is_spare {
            return future::pending().await;
        }
        tokio::time::sleep(SPARE).await;
    };
    tokio::select! {
        // In order, because this is polled for every request.
        biased;
        // Errors are the peer's: resets, broken heads, time-outs.
        result = serving => if let Err(error) = result {
            tracing::debug!(%error, "connection ended");
        },
        () = asks_nothing => {}
        () = answers.idle() => {}
        // The library cannot end a stream whose window is shut.
        () = answers.stalled() => tracing::debug!("an answer stood still"),
    }
}

/// Whether the request is for health or metrics, which are answered above the limits too.
fn is_for_operators(request: &Request<Body>) -> bool {
    let path = request.uri().path();
    path.starts_with("/health") || path == "/metrics"
}

/// The router's answer, unless the request is refused before.
async fn judge(
    router: Router,
    request: Request<Body>,
    is_spare: bool,
) -> Result<Response, Infallible> {
    if request.headers().len() > HEADERS {
        return Ok(refusal::too_many_headers(&request));
    }
    if let Some(detail) = refusal::wrong_host(&request) {
        return Ok(refusal::invalid(&request, detail));
    }
    if is_spare && !is_for_operators(&request) {
        return Ok(refusal::busy(&request, "too many connections are open"));
    }
    answer(router, request).await
}
