//! A client of the service, over HTTP or HTTPS with a key, for the commands that are clients like any other.

use anyhow::{Context, bail};
use platform::client;
use reqwest::header::{HeaderMap, HeaderValue};
use reqwest::{Client, Method, RequestBuilder, Response, StatusCode};
use serde_json::Value;

/// Where the service is and who calls it.
#[derive(clap::Args)]
pub(crate) struct Connection {
    /// The service
    #[arg(long, env = "FEEDBACK_URL", default_value = "http://127.0.0.1:8080")]
    url: String,
    /// The key
    #[arg(long, env = "FEEDBACK_API_KEY")]
    api_key: String,
    /// Its secret
    #[arg(long, env = "FEEDBACK_SECRET_KEY", hide_env_values = true)]
    secret_key: String,
}

pub(crate) struct Service {
    client: Client,
    base: String,
}

impl Service {
    pub(crate) fn new(connection: &Connection) -> anyhow::Result<Self> {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("x-api-key", &connection.api_key),
            ("x-secret-key", &connection.secret_key),
        ] {
            let mut value = HeaderValue::from_str(value).context("a key is no header value")?;
            value.set_sensitive(true);
            headers.insert(name, value);
        }
        Ok(Self {
            client: client::builder()?.default_headers(headers).build()?,
            base: connection.url.trim_end_matches('/').to_owned(),
        })
    }

    /// A call to build on.
    pub(crate) fn call(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, format!("{}{path}", self.base))
    }

    pub(crate) async fn get(&self, path: &str) -> anyhow::Result<Value> {
        read(self.call(Method::GET, path).send().await?).await
    }
}

/// The body of an answer, null if it has none. A problem is an error; each error of the input is printed before, on a line
/// of its own.
pub(crate) async fn read(response: Response) -> anyhow::Result<Value> {
    let status = response.status();
    if status == StatusCode::NO_CONTENT {
        return Ok(Value::Null);
    }
    let body: Value = response
        .json()
        .await
        .with_context(|| format!("the service answered {status}"))?;
    if status.is_success() {
        return Ok(body);
    }
    for error in body["errors"].as_array().into_iter().flatten() {
        let part = |member: &str| error[member].as_str().unwrap_or_default();
        eprintln!("{}\t{}", part("pointer"), part("detail"));
    }
    bail!("{}: {}", text(&body, "code")?, text(&body, "detail")?)
}

pub(crate) fn text(body: &Value, member: &str) -> anyhow::Result<String> {
    let text = body[member].as_str().map(str::to_owned);
    text.with_context(|| format!("an answer without {member}"))
}
