//! `feedback import FILE`: a client like any other, over HTTP, with a progress bar for the file and one for the records.

use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use indicatif::{ProgressBar, ProgressStyle};
use reqwest::header::CONTENT_TYPE;
use reqwest::{Body, Method, StatusCode};
use serde_json::Value;
use tokio::fs::File;
use tokio_util::io::ReaderStream;

use crate::service::{Connection, Service, read, text};

/// Where imports go.
const IMPORTS: &str = "/api_v1/sms/import";

/// How often the worker's progress is asked for.
const POLL: Duration = Duration::from_millis(300);
/// Record errors asked for at once.
const PAGE: usize = 1_000;

/// What to import, and where.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// A file of records: .json, .ndjson or .csv
    file: PathBuf,
    #[command(flatten)]
    connection: Connection,
}

/// Imports the file, waits until its records are stored and lists those that were rejected.
///
/// # Errors
/// The file or the service cannot be reached, the body is refused, or records were rejected.
pub(crate) async fn run(arguments: Arguments) -> anyhow::Result<()> {
    let import = Import(Service::new(&arguments.connection)?);
    let answer = import.post(&arguments.file).await?;
    let batch = text(&answer, "batch_id")?;
    let status = import.stored(&batch).await?;
    let mut out = stdout().lock();
    writeln!(out, "{}", serde_json::to_string_pretty(&status)?)?;
    drop(out);
    let rejected = answer["rejected"].as_u64().unwrap_or(0);
    if rejected > 0 {
        import.list_errors(&batch).await?;
        bail!("{rejected} records were rejected");
    }
    match status["status"].as_str() {
        Some("completed") => Ok(()),
        other => bail!("the import is {}", other.unwrap_or("in an unknown state")),
    }
}

struct Import(Service);

impl Import {
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
        let call = self.0.call(Method::POST, IMPORTS);
        let response = call.header(CONTENT_TYPE, kind).body(body).send().await?;
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
            let status = self.0.get(&format!("{IMPORTS}/{batch}")).await?;
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
            let mut path = format!("{IMPORTS}/{batch}/errors?limit={PAGE}");
            if let Some(cursor) = &cursor {
                path.push_str("&cursor=");
                path.push_str(cursor);
            }
            let page = self.0.get(&path).await?;
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
