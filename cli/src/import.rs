//! `feedback import FILE`: a client like any other, with a progress bar for the file, one for the records and, for a campaign, one
//! for its messages. An upload that breaks off is repeated under its `Idempotency-Key`, so that nothing is imported twice.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use clap::error::ErrorKind;
use indicatif::ProgressBar;
use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE};
use reqwest::{Body, Method, RequestBuilder, StatusCode};
use serde_json::Value;
use tokio::fs::File;
use tokio::io::{AsyncRead, stdin};
use tokio_util::io::ReaderStream;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::campaign::{is_sent, watch};
use crate::output::{list, members, print, style, word};
use crate::service::{Connection, ServiceClient, may_go_on, read, repeat, text};

/// Where imports go.
const IMPORTS: &str = "/api_v1/sms/import";

/// The name of standard input.
const STDIN: &str = "-";

/// How often the worker's progress is asked for.
const POLL: Duration = Duration::from_millis(300);

/// How often the upload of a file is repeated: for two minutes, or for 16 s where the service asks for pauses of a second, as it
/// does for up to 10 s after the process died that had the first try.
const REPEATS: usize = 16;

/// What to import, and where.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// A file of records, which may be compressed (.gz, .zst); `-` for standard input
    file: PathBuf,
    /// What it holds [default: by its name]
    #[arg(long, value_parser = ["json", "ndjson", "jsonl", "csv"], required_if_eq("file", "-"))]
    format: Option<String>,
    /// Print the errors of all rejected records instead of the first 100
    #[arg(long)]
    all_errors: bool,
    /// A running campaign: the recipients get its message, and its progress is shown until none waits to be sent
    #[arg(long, value_name = "ID")]
    campaign: Option<String>,
    /// Go on with an import that broke off, by the key that it printed: nothing is imported twice
    #[arg(long, value_name = "KEY")]
    idempotency_key: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: Connection,
}

/// The media type of a kind of body.
fn media_type(format: &str) -> Option<&'static str> {
    match format {
        "json" => Some("application/json"),
        "ndjson" | "jsonl" => Some("application/x-ndjson"),
        "csv" => Some("text/csv"),
        _ => None,
    }
}

impl Arguments {
    /// The file's media type and encoding. One that is not known is a wrong use of the command line, as those that clap finds.
    fn kind(&self) -> (&'static str, &'static str) {
        let name = self.file.to_string_lossy();
        let (name, encoding) = match name.rsplit_once('.') {
            Some((name, "gz")) => (name, "gzip"),
            Some((name, "zst")) => (name, "zstd"),
            _ => (&*name, "identity"),
        };
        let extension = name.rsplit_once('.').map(|(_, extension)| extension);
        let format = self.format.as_deref().or(extension).and_then(media_type);
        let format = format.unwrap_or_else(|| {
            let message =
                format!("{name}: neither json, ndjson nor csv; --format says what it is\n");
            clap::Error::raw(ErrorKind::MissingRequiredArgument, message).exit()
        });
        (format, encoding)
    }
}

/// Imports the file, waits until its records are stored and, for a campaign, sent, and prints the errors of those that were
/// rejected.
///
/// # Errors
/// The file or the service cannot be reached, the body is refused, or records were rejected.
pub(crate) async fn run(arguments: Arguments, shutdown: CancellationToken) -> anyhow::Result<()> {
    let (format, encoding) = arguments.kind();
    let service = ServiceClient::new(&arguments.connection, arguments.json)?;
    let key = arguments.idempotency_key;
    let key = key.unwrap_or_else(|| Uuid::new_v4().to_string());
    let call = service
        .call(Method::POST, IMPORTS)
        .query(&[("campaign", &arguments.campaign)])
        .header("idempotency-key", &key)
        .header(CONTENT_TYPE, format)
        .header(CONTENT_ENCODING, encoding);
    let stored = async {
        let answer = send(&service, &call, &arguments.file).await?;
        let batch = format!("{IMPORTS}/{}", text(&answer, "batch_id")?);
        let status = stored_batch(&service, &batch).await?;
        anyhow::Ok((answer, batch, status))
    };
    let again =
        format!("the same command with --idempotency-key {key} goes on, and imports nothing twice");
    let (mut answer, batch, mut status) = match shutdown.run_until_cancelled(stored).await {
        None => bail!("ended before the end; what was accepted is stored without it, and {again}"),
        Some(Err(error)) if may_go_on(&error) => bail!("{error:#}; {again}"),
        Some(stored) => stored?,
    };
    let rejected = count(&answer, "rejected");
    status["errors"] = if arguments.all_errors {
        service.items(&format!("{batch}/errors")).await?.into()
    } else {
        hint(&answer, "; --all-errors prints all");
        answer["errors"].take()
    };
    print(&status, service.json, show)?;
    if let Some(campaign) = &arguments.campaign {
        watch(&service, campaign, is_sent, &shutdown).await?;
    }
    if rejected > 0 {
        bail!("{rejected} records were rejected");
    }
    match status["status"].as_str() {
        Some("completed") => Ok(()),
        other => bail!("the import is {}", other.unwrap_or("in an unknown state")),
    }
}

/// Uploads a file until that is answered; what comes through a pipe only once, because it cannot be read again.
async fn send(
    service: &ServiceClient,
    call: &RequestBuilder,
    file: &Path,
) -> anyhow::Result<Value> {
    let found = tokio::fs::metadata(file).await;
    let is_file = file != Path::new(STDIN) && found.is_ok_and(|found| found.is_file());
    let (bar, template, repeats) = if is_file {
        let template = "{msg:10} {bar:40} {bytes}/{total_bytes} {eta}";
        (ProgressBar::new(0), template, REPEATS)
    } else {
        (ProgressBar::new_spinner(), "{msg:10} {spinner} {bytes}", 0)
    };
    bar.set_style(style(template));
    bar.set_message("sending");
    let attempt = async || {
        let call = call
            .try_clone()
            .context("the idempotency key is no header value")?;
        let response = call.body(body(file, &bar).await?).send().await?;
        bar.finish_and_clear();
        if response.status() == StatusCode::UNPROCESSABLE_ENTITY {
            let problem: Value = response.json().await?;
            print(&problem, service.json, show)?;
            hint(&problem, "");
            bail!("{}", text(&problem, "detail")?);
        }
        read(response).await
    };
    repeat(repeats, &bar, attempt).await
}

/// What a file holds, from its beginning; the bar shows how much of it is sent.
async fn body(file: &Path, bar: &ProgressBar) -> anyhow::Result<Body> {
    bar.reset();
    let source: Box<dyn AsyncRead + Send + Unpin> = if file == Path::new(STDIN) {
        Box::new(stdin())
    } else {
        let opened = File::open(file).await;
        let opened = opened.with_context(|| file.display().to_string())?;
        bar.set_length(opened.metadata().await?.len());
        Box::new(opened)
    };
    let stream = ReaderStream::with_capacity(bar.wrap_async_read(source), 1 << 18);
    Ok(Body::wrap_stream(stream))
}

/// The batch once nothing of it is pending.
async fn stored_batch(service: &ServiceClient, path: &str) -> anyhow::Result<Value> {
    let bar = ProgressBar::new(0).with_message("storing");
    bar.set_style(style("{msg:10} {bar:40} {human_pos}/{human_len} {eta}"));
    loop {
        let status = service.poll(path, &bar).await?;
        let (accepted, pending) = (count(&status, "accepted"), count(&status, "pending"));
        if pending == 0 {
            return Ok(status);
        }
        bar.set_length(accepted);
        bar.set_position(accepted - pending.min(accepted));
        tokio::time::sleep(POLL).await;
    }
}

fn count(body: &Value, member: &str) -> u64 {
    body[member].as_u64().unwrap_or(0)
}

/// On stderr: whether an answer, which holds no more than the first 100 errors, may not have all.
fn hint(answer: &Value, advice: &str) {
    let (shown, rejected) = (list(&answer["errors"]).len(), count(answer, "rejected"));
    if shown >= 100 {
        eprintln!("the first {shown} errors of {rejected} rejected records{advice}");
    }
}

/// A batch, or why there is none; then a line an error: index, docid, pointer, code, detail, with tabs between.
fn show(batch: &Value) -> String {
    let names = "batch_id status received accepted rejected outcomes failed cancelled";
    let line = |error: &Value| {
        let (index, docid) = (&error["index"], &error["docid"]);
        let [at, code, detail] = ["pointer", "code", "detail"].map(|part| word(&error[part]));
        format!("{index}\t{docid}\t{at}\t{code}\t{detail}\n")
    };
    let errors: String = list(&batch["errors"]).iter().map(line).collect();
    members(batch, names) + &errors
}
