//! The HTTP client of senders: one request, one response, and whether anything was sent.
//!
//! Nothing is sent twice: requests are never repeated and redirects never followed.

use std::error::Error;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, LazyLock};
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use chrono::{DateTime, Utc};
use http_body_util::{BodyExt, Full, Limited};
use hyper::header::{HeaderValue, RETRY_AFTER, USER_AGENT};
use hyper::{Request, StatusCode, Uri, http};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::{HttpConnector, capture_connection};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::{ClientConfig, RootCertStore};
use rustls_native_certs::load_native_certs;
use tokio::time::{Instant, timeout, timeout_at};
use tower::Service;
use webpki_root_certs::TLS_SERVER_ROOT_CERTS;

use crate::message::{Deadline, Handed};

/// The content type of a form.
pub(crate) const FORM: &str = "application/x-www-form-urlencoded";
/// How long an answer may take, from looking up the name to the last byte.
pub const HTTP_TIMEOUT: Duration = Duration::from_secs(30);
/// The most bytes of a response.
const MAX_BODY: usize = 64 * 1024;
/// Shorter than servers usually keep a connection without requests (5 s is Node's default): a request that meets the
/// server's close is `unknown`.
const MAX_IDLE: Duration = Duration::from_secs(4);
/// The longest `Retry-After` that is heeded.
const MAX_RETRY_AFTER: Duration = Duration::from_hours(1);

/// TLS for all senders, by ring. It trusts the authorities of Mozilla and of the system, or of `SSL_CERT_FILE`.
#[expect(
    clippy::expect_used,
    reason = "ring has the protocol versions that rustls calls safe"
)]
pub(crate) static TLS: LazyLock<Arc<ClientConfig>> = LazyLock::new(|| {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(TLS_SERVER_ROOT_CERTS.iter().cloned());
    // An image without a store has none, and Mozilla's are enough for it.
    let system = load_native_certs();
    for error in &system.errors {
        tracing::warn!(%error, "authorities that the system trusts cannot be read");
    }
    roots.add_parsable_certificates(system.certs);
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions in common")
        .with_root_certificates(roots)
        .with_no_client_auth();
    Arc::new(config)
});

/// A client with a pool of connections of its own, which is shared with its clones.
pub(crate) struct HttpClient {
    client: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
    timeout: Duration,
}

/// Connects without TLS, to whichever address of a server answers first.
fn connector() -> HttpConnector {
    let mut http = HttpConnector::new();
    http.enforce_http(false);
    http.set_nodelay(true);
    http
}

/// The response of a server.
pub(crate) struct HttpResponse {
    pub status: StatusCode,
    pub retry_after: Option<Duration>,
    /// Empty where it was cut off or longer than 64 KiB: what the status alone tells still counts.
    pub body: Bytes,
}

impl HttpClient {
    pub(crate) fn new(timeout: Duration) -> Self {
        let connector = HttpsConnectorBuilder::new()
            .with_tls_config(ClientConfig::clone(&TLS))
            .https_or_http()
            .enable_http1()
            .wrap_connector(connector());
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(MAX_IDLE)
            .retry_canceled_requests(false)
            .build(connector);
        Self { client, timeout }
    }

    /// Sends a request once, as far as it could be built and if it has a connection before `begin_by` is over, and judges the answer.
    pub(crate) async fn hand_over<B: Into<Bytes>>(
        &self,
        request: Result<Request<B>, http::Error>,
        begin_by: &Deadline,
        judge: fn(&HttpResponse) -> Handed,
    ) -> Handed {
        let Ok(request) = request else {
            return Handed::not_sent("request");
        };
        let request = request.map(|body| Full::new(body.into()));
        match self.exchange(request, begin_by).await {
            Ok(answer) => judge(&answer),
            Err(handed) => handed,
        }
    }

    /// Asks how a provider stands, and judges the answer.
    pub(crate) async fn probe(
        &self,
        request: Result<Request<String>, http::Error>,
        judge: fn(&HttpResponse) -> Handed,
    ) -> Option<Handed> {
        let begin_by = Deadline::at(std::time::Instant::now() + self.timeout);
        Some(self.hand_over(request, &begin_by, judge).await)
    }

    /// Whether a server can be connected to.
    pub(crate) async fn connects(&self, url: &Uri) -> Handed {
        let connect = connector().call(url.clone());
        match timeout(self.timeout, connect).await {
            Ok(Ok(_)) => Handed::Accepted {
                provider_ids: Vec::new(),
            },
            Ok(Err(_)) => Handed::not_sent("connect"),
            Err(_) => Handed::not_sent("timeout"),
        }
    }

    async fn exchange(
        &self,
        mut request: Request<Full<Bytes>>,
        begin_by: &Deadline,
    ) -> Result<HttpResponse, Handed> {
        let agent = HeaderValue::from_static("feedback");
        request.headers_mut().insert(USER_AGENT, agent);
        let deadline = Instant::now() + self.timeout;
        // Known once the request has a connection, and before anything is written to it. The request belongs to the
        // future below, so that without a connection it is dropped unsent.
        let connection = capture_connection(&mut request);
        let mut call = pin!(self.client.request(request));
        let has_connection = || connection.connection_metadata().is_some();
        let begun = poll_fn(|context| {
            // Checked before each step, so that a process that was frozen meanwhile writes nothing when it goes on.
            if begin_by.is_over() && !has_connection() {
                return Poll::Ready(None);
            }
            call.as_mut().poll(context).map(Some)
        });
        let outcome = timeout_at(deadline, begun).await;
        let has_connection = has_connection();
        let response = match outcome {
            Ok(Some(Ok(response))) => response,
            Ok(None) => return Err(Handed::not_sent("lease")),
            Ok(Some(Err(error))) if !has_connection || was_never_started(&error) => {
                return Err(Handed::not_sent("connect"));
            }
            Ok(Some(Err(_))) => return Err(Handed::unknown("connection_lost")),
            Err(_) if has_connection => return Err(Handed::unknown("timeout")),
            Err(_) => return Err(Handed::not_sent("timeout")),
        };
        let (head, body) = response.into_parts();
        let body = timeout_at(deadline, Limited::new(body, MAX_BODY).collect()).await;
        let retry_after = head.headers.get(RETRY_AFTER);
        let retry_after = retry_after.and_then(|value| value.to_str().ok());
        Ok(HttpResponse {
            status: head.status,
            retry_after: retry_after.and_then(|text| read_retry_after(text, Utc::now())),
            body: match body {
                Ok(Ok(whole)) => whole.to_bytes(),
                Ok(Err(_)) | Err(_) => Bytes::new(),
            },
        })
    }
}

/// Whether hyper gave the request back: its connection was closed before the request was taken from the queue.
fn was_never_started(error: &hyper_util::client::legacy::Error) -> bool {
    let cause = error.source().and_then(<dyn Error>::downcast_ref);
    cause.is_some_and(hyper::Error::is_canceled)
}

/// Seconds or a date.
fn read_retry_after(text: &str, now: DateTime<Utc>) -> Option<Duration> {
    let wait = if let Ok(seconds) = text.parse() {
        Duration::from_secs(seconds)
    } else {
        let date = DateTime::parse_from_rfc2822(text).ok()?;
        date.signed_duration_since(now).to_std().unwrap_or_default()
    };
    Some(wait.min(MAX_RETRY_AFTER))
}

impl HttpResponse {
    /// The code of an answer that has none of the provider's own.
    pub(crate) fn code(&self) -> String {
        format!("http_{}", self.status.as_u16())
    }

    pub(crate) fn throttled(&self) -> Handed {
        Handed::Throttled {
            retry_after: self.retry_after,
        }
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeZone;

    use super::*;

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now = Utc.with_ymd_and_hms(2026, 11, 22, 12, 0, 0).unwrap();
        for (text, seconds) in [
            ("0", Some(0)),
            ("120", Some(120)),
            ("18446744073709551615", Some(3_600)),
            ("Sun, 22 Nov 2026 12:00:30 GMT", Some(30)),
            ("Sun, 22 Nov 2026 11:00:00 GMT", Some(0)),
            ("Mon, 23 Nov 2026 12:00:00 GMT", Some(3_600)),
            ("soon", None),
            ("-1", None),
            ("", None),
        ] {
            let wait = read_retry_after(text, now);
            assert_eq!(wait, seconds.map(Duration::from_secs), "{text}");
        }
    }

    async fn post(client: &HttpClient, url: &str) -> Handed {
        let request = Request::post(url).body("body");
        let begin_by = Deadline::at(std::time::Instant::now() + HTTP_TIMEOUT);
        let answered = |_: &HttpResponse| panic!("an answer");
        client.hand_over(request, &begin_by, answered).await
    }

    #[tokio::test]
    async fn without_a_connection_nothing_is_sent() {
        let client = HttpClient::new(HTTP_TIMEOUT);
        // Taken and given back: nobody listens there.
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = free.local_addr().unwrap();
        drop(free);
        for url in [
            format!("http://{address}/"),
            format!("https://{address}/"),
            "http://nowhere.invalid/".to_owned(),
        ] {
            assert_eq!(post(&client, &url).await, Handed::not_sent("connect"));
        }
    }

    #[tokio::test]
    async fn a_failed_handshake_sends_nothing() {
        let server = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("https://{}/", server.local_addr().unwrap());
        let client = HttpClient::new(Duration::from_millis(200));
        assert_eq!(post(&client, &url).await, Handed::not_sent("timeout"));

        let closing = tokio::spawn(async move {
            loop {
                drop(server.accept().await);
            }
        });
        assert_eq!(post(&client, &url).await, Handed::not_sent("connect"));
        closing.abort();
    }

    #[tokio::test]
    async fn what_has_no_connection_in_time_is_not_sent() {
        let server = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", server.local_addr().unwrap());
        let client = HttpClient::new(HTTP_TIMEOUT);
        let request = Request::post(&url).body("body");
        let begin_by = Deadline::at(std::time::Instant::now());
        let handed = client.hand_over(request, &begin_by, |_| panic!("an answer"));
        assert_eq!(handed.await, Handed::not_sent("lease"));
    }
}
