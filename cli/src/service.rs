//! A client of the service, over HTTP or HTTPS with a key, for the commands that are clients like any other.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, ensure};
use backon::{ExponentialBuilder, Retryable};
use indicatif::ProgressBar;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use platform::client;
use platform::config::{of_file, variable};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER};
use reqwest::{Client, Method, RequestBuilder, Response, StatusCode};
use serde_json::Value;
use tokio::io::{AsyncReadExt, stdin};

use crate::output::{list, print, rows, word};

/// Items asked for at once.
const PAGE: usize = 1_000;
/// Pauses before a call that failed is repeated double from the first to the second, where the service names no other.
const PAUSES: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(10));

/// Where the service is and who calls it. The key has no flags, which everybody on the machine could see.
#[derive(clap::Args)]
pub(crate) struct Connection {
    /// The service
    #[arg(long, env = "FEEDBACK_URL", default_value = "http://127.0.0.1:8080")]
    pub(crate) url: String,
    /// The key
    #[arg(skip = variable("FEEDBACK_API_KEY"))]
    pub(crate) api_key: Option<String>,
    /// Its secret
    #[arg(skip = variable("FEEDBACK_SECRET_KEY"))]
    pub(crate) secret_key: Option<String>,
}

/// A client of the service with a key.
pub(crate) struct ServiceClient {
    client: Client,
    base: String,
    /// Whether answers are printed as JSON.
    pub(crate) json: bool,
}

/// What the service answered instead of what was asked for.
#[derive(Debug, thiserror::Error)]
#[error("{text}")]
struct Refused {
    status: StatusCode,
    retry_after: Option<Duration>,
    text: String,
}

/// Whether the same call may succeed later: its connection broke, or it was refused for the moment.
fn is_temporary(error: &anyhow::Error) -> bool {
    if let Some(refused) = error.downcast_ref::<Refused>() {
        return refused.retry_after.is_some() || matches!(refused.status.as_u16(), 502..=504);
    }
    let error = error.downcast_ref::<reqwest::Error>();
    error.is_some_and(|error| !error.is_builder())
}

/// Whether the service may have done it all the same, or would later: only a refusal is certain.
pub(crate) fn may_go_on(error: &anyhow::Error) -> bool {
    let refused = error.downcast_ref::<Refused>();
    is_temporary(error) || refused.is_some_and(|refused| refused.status.is_server_error())
}

impl ServiceClient {
    pub(crate) fn new(connection: &Connection, json: bool) -> anyhow::Result<Self> {
        let mut headers = HeaderMap::new();
        for (name, variable, value) in [
            ("x-api-key", "FEEDBACK_API_KEY", &connection.api_key),
            (
                "x-secret-key",
                "FEEDBACK_SECRET_KEY",
                &connection.secret_key,
            ),
        ] {
            let needed = "FEEDBACK_API_KEY and FEEDBACK_SECRET_KEY are needed";
            let value = value.as_ref().context(needed)?;
            let file = of_file(variable, value)?;
            let value = file.as_deref().unwrap_or(value).trim();
            let mut value = HeaderValue::from_str(value).context("a key is no header value")?;
            value.set_sensitive(true);
            headers.insert(name, value);
        }
        let file = of_file("FEEDBACK_URL", &connection.url)?;
        let url = file.as_ref().unwrap_or(&connection.url);
        let url = url.trim().trim_end_matches('/');
        let is_http = ["http://", "https://"]
            .iter()
            .any(|scheme| url.starts_with(scheme));
        ensure!(
            is_http,
            "FEEDBACK_URL: {url} must start with http:// or https://, such as http://{url}"
        );
        Ok(Self {
            client: client::builder()?.default_headers(headers).build()?,
            base: url.to_owned(),
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

    /// The same of what is followed: it is asked for until there is an answer.
    pub(crate) async fn poll(&self, path: &str, bar: &ProgressBar) -> anyhow::Result<Value> {
        repeat(usize::MAX, bar, || self.get(path)).await
    }

    /// Sends a call and prints its answer as JSON, or what `show` makes of it.
    pub(crate) async fn show(
        &self,
        call: RequestBuilder,
        show: impl FnOnce(&Value) -> String,
    ) -> anyhow::Result<()> {
        match ask(call).await? {
            Value::Null => Ok(()),
            body => print(&body, self.json, show),
        }
    }

    /// All items of a list, which are asked for page by page.
    pub(crate) async fn items(&self, path: &str) -> anyhow::Result<Vec<Value>> {
        let mut items = Vec::new();
        let mut cursor = None;
        loop {
            let call = self.call(Method::GET, path).query(&[("limit", PAGE)]);
            let body = ask(call.query(&[("cursor", &cursor)])).await?;
            items.extend_from_slice(list(&body["items"]));
            cursor = body["next_cursor"].as_str().map(str::to_owned);
            if cursor.is_none() {
                return Ok(items);
            }
        }
    }

    /// Prints all items of a list as JSON, or a line each with these members of it.
    pub(crate) async fn list(&self, path: &str, names: &str) -> anyhow::Result<()> {
        let items = self.items(path).await?;
        print(items.as_slice(), self.json, |items| rows(items, names))
    }
}

/// Repeats a call, at most so many times, while what it fails for is temporary, and says so above the bar.
pub(crate) async fn repeat<F>(
    times: usize,
    bar: &ProgressBar,
    call: impl FnMut() -> F,
) -> anyhow::Result<Value>
where
    F: Future<Output = anyhow::Result<Value>>,
{
    let pauses = ExponentialBuilder::new()
        .with_min_delay(PAUSES.0)
        .with_max_delay(PAUSES.1)
        .with_max_times(times);
    let asked_for = |error: &anyhow::Error| error.downcast_ref::<Refused>()?.retry_after;
    let say = |error: &anyhow::Error, pause: Duration| {
        bar.suspend(|| eprintln!("{error:#}; trying again in {pause:?}"));
    };
    call.retry(pauses)
        .when(is_temporary)
        .adjust(|error, pause| Some(asked_for(error).unwrap_or(pause?)))
        .notify(say)
        .await
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
    let retry_after = response.headers().get(RETRY_AFTER);
    let retry_after = retry_after.and_then(|seconds| seconds.to_str().ok()?.parse().ok());
    let answered = || format!("the service answered {status}");
    let body: serde_json::Result<Value> = serde_json::from_slice(&response.bytes().await?);
    if status.is_success() {
        return body.with_context(answered);
    }
    let problem: Value = body.unwrap_or_default();
    for error in list(&problem["errors"]) {
        eprintln!("{}\t{}", word(&error["pointer"]), word(&error["detail"]));
    }
    let code = problem["code"].as_str();
    let text = code.map(|code| format!("{code}: {}", word(&problem["detail"])));
    Err(Refused {
        status,
        retry_after: retry_after.map(Duration::from_secs),
        text: text.unwrap_or_else(answered),
    }
    .into())
}

pub(crate) fn text(body: &Value, member: &str) -> anyhow::Result<String> {
    let text = body[member].as_str().map(str::to_owned);
    text.with_context(|| format!("an answer without {member}"))
}

/// A text as one segment of a path, or one value of a query.
pub(crate) fn segment(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}
