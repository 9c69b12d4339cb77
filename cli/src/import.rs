//! `feedback import FILE`: a client like any other, over HTTP, with a progress bar for the file and one for the records.

use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use indicatif::{ProgressBar, ProgressStyle};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Body, Client, Response, StatusCode};
use serde_json::Value;
use tokio::fs::File;
use tokio_util::io::ReaderStream;

/// How often the worker's progress is asked for.
const POLL: Duration = Duration::from_millis(300);
/// Record errors asked for at once.
const PAGE: usize = 1_000;

/// Where the service is and who calls it.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// A file of records: .json, .ndjson or .csv
    file: PathBuf,
    /// The service, over plain HTTP
    #[arg(long, env = "FEEDBACK_URL", default_value = "http://127.0.0.1:8080")]
    url: String,
    /// The key
    #[arg(long, env = "FEEDBACK_API_KEY")]
    api_key: String,
    /// Its secret
    #[arg(long, env = "FEEDBACK_SECRET_KEY", hide_env_values = true)]
    secret_key: String,
}

/// Imports the file, waits until its records are stored and lists those that were rejected.
///
/// # Errors
/// The file or the service cannot be reached, the body is refused, or records were rejected.
pub(crate) async fn run(arguments: Arguments) -> anyhow::Result<()> {
    let service = Service::new(&arguments)?;
    let answer = service.post(&arguments.file).await?;
    let batch = text(&answer, "batch_id")?;
    let status = service.stored(&batch).await?;
    let mut out = stdout().lock();
    writeln!(out, "{}", serde_json::to_string_pretty(&status)?)?;
    drop(out);
    let rejected = answer["rejected"].as_u64().unwrap_or(0);
    if rejected > 0 {
        service.list_errors(&batch).await?;
        bail!("{rejected} records were rejected");
    }
    match status["status"].as_str() {
        Some("completed") => Ok(()),
        other => bail!("the import is {}", other.unwrap_or("in an unknown state")),
    }
}

struct Service {
    client: Client,
    imports: String,
}

impl Service {
    fn new(arguments: &Arguments) -> anyhow::Result<Self> {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("x-api-key", &arguments.api_key),
            ("x-secret-key", &arguments.secret_key),
        ] {
            let mut value = HeaderValue::from_str(value).context("a key is no header value")?;
            value.set_sensitive(true);
            headers.insert(name, value);
        }
        Ok(Self {
            client: Client::builder().default_headers(headers).build()?,
            imports: format!("{}/api_v1/sms/import", arguments.url.trim_end_matches('/')),
        })
    }

    async fn post(&self, path: &Path) -> anyhow::Result<Value> {
        let kind = media_type(path)?;
        let file = File::open(path)
            .await
            .with_context(|| path.display().to_string())?;
        let bar = ProgressBar::new(file.metadata().await?.len());
        bar.set_style(style("{msg:10} {bar:40} {bytes}/{total_bytes} {eta}"));
        bar.set_message("sending");
        let body = Body::wrap_stream(ReaderStream::with_capacity(
            bar.wrap_async_read(file),
            1 << 18,
        ));
        let response = self
            .client
            .post(&self.imports)
            .header(CONTENT_TYPE, kind)
            .body(body)
            .send()
            .await?;
        bar.finish_and_clear();
        if response.status() == StatusCode::UNPROCESSABLE_ENTITY {
            let problem: Value = response.json().await?;
            print_errors(problem["errors"].as_array())?;
            bail!("{}", text(&problem, "detail")?);
        }
        read(response).await
    }

    /// The batch once nothing of it is pending.
    async fn stored(&self, batch: &str) -> anyhow::Result<Value> {
        let mut bar: Option<ProgressBar> = None;
        loop {
            let url = format!("{}/{batch}", self.imports);
            let status = read(self.client.get(url).send().await?).await?;
            let (accepted, pending) = (count(&status, "accepted"), count(&status, "pending"));
            if pending == 0 {
                return Ok(status);
            }
            let bar = bar.get_or_insert_with(|| {
                let bar = ProgressBar::new(accepted).with_message("storing");
                bar.with_style(style("{msg:10} {bar:40} {human_pos}/{human_len} {eta}"))
            });
            bar.set_position(accepted - pending.min(accepted));
            tokio::time::sleep(POLL).await;
        }
    }

    async fn list_errors(&self, batch: &str) -> anyhow::Result<()> {
        let mut cursor: Option<String> = None;
        loop {
            let mut url = format!("{}/{batch}/errors?limit={PAGE}", self.imports);
            if let Some(cursor) = &cursor {
                url.push_str("&cursor=");
                url.push_str(cursor);
            }
            let page = read(self.client.get(url).send().await?).await?;
            print_errors(page["items"].as_array())?;
            match page["next_cursor"].as_str() {
                Some(next) => cursor = Some(next.to_owned()),
                None => return Ok(()),
            }
        }
    }
}

fn media_type(path: &Path) -> anyhow::Result<&'static str> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("json") => Ok("application/json"),
        Some("ndjson" | "jsonl") => Ok("application/x-ndjson"),
        Some("csv") => Ok("text/csv"),
        _ => bail!("{}: neither .json, .ndjson nor .csv", path.display()),
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// The body of an answer; a problem as an error.
async fn read(response: Response) -> anyhow::Result<Value> {
    let status = response.status();
    let body: Value = response
        .json()
        .await
        .with_context(|| format!("the service answered {status}"))?;
    if status.is_success() {
        Ok(body)
    } else {
        bail!("{}: {}", text(&body, "code")?, text(&body, "detail")?)
    }
}

fn text(body: &Value, member: &str) -> anyhow::Result<String> {
    let text = body[member].as_str().map(str::to_owned);
    text.with_context(|| format!("an answer without {member}"))
}

fn count(body: &Value, member: &str) -> u64 {
    body[member].as_u64().unwrap_or(0)
}

/// One line an error: index, docid, pointer, code, detail, with tabs between.
fn print_errors(errors: Option<&Vec<Value>>) -> anyhow::Result<()> {
    let mut out = stdout().lock();
    for error in errors.into_iter().flatten() {
        writeln!(
            out,
            "{}\t{}\t{}\t{}\t{}",
            error["index"],
            error["docid"],
            error["pointer"].as_str().unwrap_or_default(),
            error["code"].as_str().unwrap_or_default(),
            error["detail"].as_str().unwrap_or_default()
        )?;
    }
    Ok(())
}
