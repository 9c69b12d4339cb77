//! The service over an embedded database in a folder of its own, and asking it.

use api_http::AppState;
use axum::Router;
use axum::body::Body;
use axum::http::request::Builder;
use axum::http::{HeaderMap, Request, StatusCode};
use axum::response::Response;
use bytes::Bytes;
use clap::Parser;
use domain::scope::Scopes;
use http_body_util::BodyExt;
use platform::backends::Backends;
use platform::config::{Args, ProcessRole};
use platform::http;
use serde_json::Value;
use store::account::IssuedKey;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    settings: Args,
}

/// A service with one key; gone with its data when dropped.
pub struct Service {
    router: Router,
    pub state: AppState,
    pub backends: Backends,
    pub key: IssuedKey,
    _data: TempDir,
}

/// What came back.
#[derive(Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub bytes: Bytes,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes).unwrap()
    }

    /// The status and, of a problem, its code.
    pub fn verdict(&self) -> (u16, String) {
        let code = self.json()["code"].as_str().unwrap_or_default().to_owned();
        (self.status.as_u16(), code)
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .map_or("", |value| value.to_str().unwrap())
    }
}

impl Service {
    /// With these settings besides a data directory.
    pub async fn start(settings: &[&str]) -> Self {
        Self::with_senders(settings, "demo=demo:").await
    }

    /// The same, with these senders.
    pub async fn with_senders(settings: &[&str], senders: &str) -> Self {
        let data = tempfile::tempdir().unwrap();
        let folder = data.path().to_str().unwrap();
        let arguments = ["api", "--data-dir", folder]
            .into_iter()
            .chain(settings.iter().copied());
        let mut config = Cli::parse_from(arguments)
            .settings
            .config(ProcessRole::Serve)
            .unwrap();
        config.senders = sender::setting::parse(senders).unwrap().into();
        let running = CancellationToken::new();
        let backends = Backends::open(&config, &running).await.unwrap().unwrap();
        let key = backends
            .store
            .create_key("one", None, Scopes::ALL)
            .await
            .unwrap();
        let state = AppState::new(&config, &backends, CancellationToken::new());
        Self {
            router: api::router(&state, &config, &backends, None),
            state,
            backends,
            key,
            _data: data,
        }
    }

    /// A request with the service's key.
    pub fn request(&self, method: &str, path: &str) -> Builder {
        Request::builder()
            .method(method)
            .uri(path)
            .header("x-api-key", &self.key.api_key)
            .header("x-secret-key", &self.key.secret_key)
    }

    /// What is answered to a request without a body, before its own body is read.
    pub async fn open(&self, request: Builder) -> Response {
        self.send(request, Body::empty()).await
    }

    async fn send(&self, request: Builder, body: Body) -> Response {
        let request = request.body(body).unwrap();
        http::answer(self.router.clone(), request).await.unwrap()
    }

    pub async fn ask(&self, request: Builder, body: impl Into<Body>) -> Answer {
        let (parts, body) = self.send(request, body.into()).await.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        Answer {
            status: parts.status,
            headers: parts.headers,
            bytes,
        }
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.ask(self.request("GET", path), Body::empty()).await
    }

    /// An import of JSON.
    pub fn import(&self) -> Builder {
        self.request("POST", "/api_v1/sms/import")
            .header("content-type", "application/json")
    }
}

/// A valid record.
pub fn record(docid: &str) -> String {
    format!(r#"{{"docid":"{docid}","phone":"+491701234567","area_code":"030"}}"#)
}

/// A JSON array of records.
pub fn array(records: &[String]) -> String {
    format!("[{}]", records.join(","))
}
