//! A client of the service, over HTTP or HTTPS with a key, for the commands that are clients like any other.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, bail};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use platform::client;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Client, Method, RequestBuilder, Response, StatusCode};
use serde_json::Value;
use tokio::io::{AsyncReadExt, stdin};

use crate::output::{list, print, rows, word};

/// Items asked for at once.
const PAGE: usize = 1_000;
/// After this time a service that could not be reached is asked again.
const PAUSE: Duration = Duration::from_millis(500);

/// Where the service is and who calls it.
#[derive(clap::Args)]
pub(crate) struct Connection {
    /// The service
    #[arg(long, env = "FEEDBACK_URL", default_value = "http://127.0.0.1:8080")]
    url: String,
    /// The key
    #[arg(long, env = "FEEDBACK_API_KEY")]
    api_key: Option<String>,
    /// Its secret
    #[arg(long, env = "FEEDBACK_SECRET_KEY", hide_env_values = true)]
    secret_key: Option<String>,
}

/// The service, as one who has a key calls it.
pub(crate) struct Service {
    client: Client,
    base: String,
    /// Whether answers are printed as JSON.
    json: bool,
}

/// Whether the connection failed, and not what came over it.
fn is_broken(error: &anyhow::Error) -> bool {
    let error = error.downcast_ref::<reqwest::Error>();
    error.is_some_and(|error| !error.is_decode() && !error.is_builder())
}

impl Service {
    pub(crate) fn new(connection: &Connection, json: bool) -> anyhow::Result<Self> {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("x-api-key", &connection.api_key),
            ("x-secret-key", &connection.secret_key),
        ] {
            let needed = "FEEDBACK_API_KEY and FEEDBACK_SECRET_KEY are needed";
            let value = value.as_ref().context(needed)?;
            let mut value = HeaderValue::from_str(value).context("a key is no header value")?;
            value.set_sensitive(true);
            headers.insert(name, value);
        }
        Ok(Self {
            client: client::builder()?.default_headers(headers).build()?,
            base: connection.url.trim_end_matches('/').to_owned(),
            json,
        })
    }

    /// A call to build on.
    pub(crate) fn call(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, format!("{}{path}", self.base))
    }

    pub(crate) async fn get(&self, path: &str) -> anyhow::Result<Value> {
        ask(self.call(Method::GET, path)).await
    }

    /// The same of what is followed: it is asked for again for as long as the connection breaks.
    pub(crate) async fn poll(&self, path: &str) -> anyhow::Result<Value> {
        let mut told = false;
        loop {
            match self.get(path).await {
                Err(error) if is_broken(&error) => {
                    if !told {
                        eprintln!("the connection broke, and is tried again: {error:#}");
                    }
                    told = true;
                    tokio::time::sleep(PAUSE).await;
                }
                answered => return answered,
            }
        }
    }

    /// Sends a call and prints its answer as JSON, or what `show` makes of it.
    pub(crate) async fn show(
        &self,
        call: RequestBuilder,
        show: impl FnOnce(&Value) -> String,
    ) -> anyhow::Result<()> {
        print(&ask(call).await?, self.json, show)
    }

    /// Hands over the items of a list, page by page.
    pub(crate) async fn pages(
        &self,
        path: &str,
        mut page: impl FnMut(&[Value]) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let mut cursor = String::new();
        loop {
            let body = self.get(&format!("{path}?limit={PAGE}{cursor}")).await?;
            page(list(&body["items"]))?;
            match body["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => return Ok(()),
            }
        }
    }

    /// Prints all items of a list as JSON, or a line each with these members of it.
    pub(crate) async fn list(&self, path: &str, names: &str) -> anyhow::Result<()> {
        let mut items = Vec::new();
        let page = |page: &[Value]| {
            items.extend_from_slice(page);
            Ok(())
        };
        self.pages(path, page).await?;
        print(items.as_slice(), self.json, |items| rows(items, names))
    }
}

/// Sends a call; its answer as [`read`].
pub(crate) async fn ask(call: RequestBuilder) -> anyhow::Result<Value> {
    read(call.send().await?).await
}

/// A call with a file of JSON as its body, `-` for standard input.
pub(crate) async fn with_file(call: RequestBuilder, file: &Path) -> anyhow::Result<RequestBuilder> {
    let mut body = Vec::new();
    let read = if file.as_os_str() == "-" {
        stdin().read_to_end(&mut body).await.map(drop)
    } else {
        tokio::fs::read(file).await.map(|bytes| body = bytes)
    };
    read.with_context(|| file.display().to_string())?;
    Ok(call.header(CONTENT_TYPE, "application/json").body(body))
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
    for error in list(&body["errors"]) {
        eprintln!("{}\t{}", word(&error["pointer"]), word(&error["detail"]));
    }
    bail!("{}: {}", text(&body, "code")?, text(&body, "detail")?)
}

pub(crate) fn text(body: &Value, member: &str) -> anyhow::Result<String> {
    let text = body[member].as_str().map(str::to_owned);
    text.with_context(|| format!("an answer without {member}"))
}

/// A text as one segment of a path, or one value of a query.
pub(crate) fn segment(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}
