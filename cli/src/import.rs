//! `feedback import FILE`: a client like any other, with a progress bar for the file, one for the records and, for a campaign, one
//! for its messages.

use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use indicatif::{ProgressBar, ProgressStyle};
use reqwest::header::CONTENT_TYPE;
use reqwest::{Body, Method, StatusCode};
use serde_json::Value;
use tokio::fs::File;
use tokio::io::{AsyncRead, stdin};
use tokio_util::io::ReaderStream;
use tokio_util::sync::CancellationToken;

use crate::campaign::{is_sent, watch};
use crate::output::{list, word};
use crate::service::{Connection, Service, read, segment, text};

/// Where imports go.
const IMPORTS: &str = "/api_v1/sms/import";

/// How often the worker's progress is asked for.
const POLL: Duration = Duration::from_millis(300);

/// What to import, and where.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// A file of records, `-` for standard input
    file: PathBuf,
    /// What the file holds: json, ndjson or csv [default: by its name]
    #[arg(long)]
    format: Option<String>,
    /// Print the errors of all rejected records instead of the first 100
    #[arg(long)]
    all_errors: bool,
    /// A running campaign: the recipients get its message, and its progress is shown until none waits to be sent
    #[arg(long, value_name = "ID")]
    campaign: Option<String>,
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

/// Imports the file, waits until its records are stored and, for a campaign, sent, and prints the errors of those that were
/// rejected.
///
/// # Errors
/// The file or the service cannot be reached, the body is refused, or records were rejected.
pub(crate) async fn run(arguments: Arguments, shutdown: CancellationToken) -> anyhow::Result<()> {
    let format = arguments.format.as_deref();
    let format = format.or_else(|| arguments.file.extension()?.to_str());
    let format = format.and_then(media_type).with_context(|| {
        let shown = arguments.file.display();
        format!("{shown}: neither json, ndjson nor csv; --format says what it is")
    })?;
    let service = Service::new(&arguments.connection, true)?;
    let campaign = arguments.campaign.as_deref();
    let stored = async {
        let answer = post(&service, &arguments.file, format, campaign).await?;
        let batch = text(&answer, "batch_id")?;
        let status = stored_batch(&service, &batch).await?;
        anyhow::Ok((answer, batch, status))
    };
    let Some(stored) = shutdown.run_until_cancelled(stored).await else {
        bail!("ended before the end; what was accepted is stored without this command");
    };
    let (answer, batch, status) = stored?;
    let mut out = stdout().lock();
    writeln!(out, "{}", serde_json::to_string_pretty(&status)?)?;
    drop(out);
    let rejected = count(&answer, "rejected");
    if rejected > 0 {
        if arguments.all_errors {
            let path = format!("{IMPORTS}/{batch}/errors");
            service.pages(&path, print_errors).await?;
        } else {
            print_first(&answer, "; --all-errors prints all")?;
        }
    }
    if let Some(campaign) = campaign {
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

async fn post(
    service: &Service,
    path: &Path,
    format: &str,
    campaign: Option<&str>,
) -> anyhow::Result<Value> {
    let template = "{msg:10} {bar:40} {bytes}/{total_bytes} {eta}";
    let (bar, template, body): (_, _, Box<dyn AsyncRead + Send + Unpin>) =
        if path.as_os_str() == "-" {
            let spinner = ProgressBar::new_spinner();
            (spinner, "{msg:10} {spinner} {bytes}", Box::new(stdin()))
        } else {
            let file = File::open(path).await;
            let file = file.with_context(|| path.display().to_string())?;
            let bar = ProgressBar::new(file.metadata().await?.len());
            (bar, template, Box::new(file))
        };
    bar.set_style(style(template));
    bar.set_message("sending");
    let body = ReaderStream::with_capacity(bar.wrap_async_read(body), 1 << 18);
    let campaign = campaign.map(|campaign| format!("?campaign={}", segment(campaign)));
    let imports = format!("{IMPORTS}{}", campaign.unwrap_or_default());
    let call = service.call(Method::POST, &imports);
    let call = call.header(CONTENT_TYPE, format);
    let response = call.body(Body::wrap_stream(body)).send().await?;
    bar.finish_and_clear();
    if response.status() == StatusCode::UNPROCESSABLE_ENTITY {
        let problem: Value = response.json().await?;
        print_first(&problem, "")?;
        bail!("{}", text(&problem, "detail")?);
    }
    read(response).await
}

/// The batch once nothing of it is pending.
async fn stored_batch(service: &Service, batch: &str) -> anyhow::Result<Value> {
    let mut bar: Option<ProgressBar> = None;
    loop {
        let status = service.poll(&format!("{IMPORTS}/{batch}")).await?;
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

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

fn count(body: &Value, member: &str) -> u64 {
    body[member].as_u64().unwrap_or(0)
}

/// The errors of an answer, which holds no more than the first 100, and on stderr whether there may be more.
fn print_first(answer: &Value, advice: &str) -> anyhow::Result<()> {
    let errors = list(&answer["errors"]);
    print_errors(errors)?;
    let (printed, rejected) = (errors.len(), count(answer, "rejected"));
    if printed >= 100 {
        eprintln!("the first {printed} errors of {rejected} rejected records{advice}");
    }
    Ok(())
}

/// One line an error: index, docid, pointer, code, detail, with tabs between.
fn print_errors(errors: &[Value]) -> anyhow::Result<()> {
    let mut out = stdout().lock();
    for error in errors {
        let (index, docid) = (&error["index"], &error["docid"]);
        let [at, code, detail] = ["pointer", "code", "detail"].map(|part| word(&error[part]));
        writeln!(out, "{index}\t{docid}\t{at}\t{code}\t{detail}")?;
    }
    Ok(())
}
