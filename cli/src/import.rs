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
    #[arg(long, value_parser = ["json", "ndjson", "jsonl", "csv", "xlsx"], required_if_eq("file", "-"))]
    format: Option<String>,
    #[command(flatten)]
    columns: Columns,
    /// Say what the import would come to, and store nothing
    #[arg(long, conflicts_with_all = ["idempotency_key", "all_errors"])]
    preview: bool,
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

/// How to read a file that was not made for this service.
#[derive(clap::Args)]
struct Columns {
    /// Take CSV with any delimiter and encoding, as spreadsheets write it
    #[arg(long, value_parser = ["auto"])]
    dialect: Option<String>,
    /// Phones may be written as people of this country do (ISO 3166)
    #[arg(long, value_name = "CODE")]
    country: Option<String>,
    /// The column with the customer number [default: docid]
    #[arg(long, value_name = "NAME")]
    docid_column: Option<String>,
    /// The column with the phone, which may be the same [default: phone]
    #[arg(long, value_name = "NAME")]
    phone_column: Option<String>,
    /// A column that is not stored; may be repeated
    #[arg(long, value_name = "NAME")]
    skip_column: Vec<String>,
}

impl Columns {
    /// As parameters of an import.
    fn query(&self) -> Vec<(&'static str, &str)> {
        let given = [
            ("dialect", &self.dialect),
            ("country", &self.country),
            ("docid_column", &self.docid_column),
            ("phone_column", &self.phone_column),
        ];
        let given = (given.into_iter()).filter_map(|(name, value)| Some((name, value.as_deref()?)));
        let skipped = self.skip_column.iter().map(|name| ("skip_column", &**name));
        given.chain(skipped).collect()
    }
}

/// The media type of a kind of body.
fn media_type(format: &str) -> Option<&'static str> {
    match format {
        "json" => Some("application/json"),
        "ndjson" | "jsonl" => Some("application/x-ndjson"),
        "csv" => Some("text/csv"),
        "xlsx" => Some("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
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
                format!("{name}: neither json, ndjson, csv nor xlsx; --format says what it is\n");
            clap::Error::raw(ErrorKind::MissingRequiredArgument, message).exit()
        });
        (format, encoding)
    }
}

/// Imports the file, or says what that would come to; waits until its records are stored and, for a campaign, sent, and prints the errors of those that were
/// rejected.
///
/// # Errors
/// The file or the service cannot be reached, the body is refused, or records were rejected.
pub(crate) async fn run(arguments: Arguments, shutdown: CancellationToken) -> anyhow::Result<()> {
    let (format, encoding) = arguments.kind();
    let service = ServiceClient::new(&arguments.connection, arguments.json)?;
    let call = service
        .call(Method::POST, IMPORTS)
        .query(&[("campaign", &arguments.campaign)])
        .query(&arguments.columns.query())
        .header(CONTENT_TYPE, format)
        .header(CONTENT_ENCODING, encoding);
    if arguments.preview {
        let call = call.query(&[("preview", "true")]);
        let preview = send(&service, &call, &arguments.file).await?;
        print(&preview, service.json, show_preview)?;
        return all_accepted(&preview);
    }
    let key = arguments.idempotency_key;
    let key = key.unwrap_or_else(|| Uuid::new_v4().to_string());
    let name = arguments.file.file_name().filter(|name| *name != STDIN);
    let call = call
        .query(&[("name", name.map(|name| name.to_string_lossy()))])
        .header("idempotency-key", &key);
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
    status["errors"] = if arguments.all_errors {
        service.items(&format!("{batch}/errors")).await?.into()
    } else {
        hint(&answer, "; --all-errors prints all");
        answer["errors"].take()
    };
    status["bus_props_unknown"] = answer["bus_props_unknown"].take();
    print(&status, service.json, show)?;
    if let Some(campaign) = &arguments.campaign {
        watch(&service, campaign, is_sent, &shutdown).await?;
    }
    all_accepted(&answer)?;
    match status["status"].as_str() {
        Some("completed") => Ok(()),
        other => bail!("the import is {}", other.unwrap_or("in an unknown state")),
    }
}

/// # Errors
/// Records were rejected.
fn all_accepted(answer: &Value) -> anyhow::Result<()> {
    match count(answer, "rejected") {
        0 => Ok(()),
        1 => bail!("1 record was rejected"),
        rejected => bail!("{rejected} records were rejected"),
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
    let names = "batch_id name status received accepted rejected merged outcomes failed cancelled bus_props_unknown";
    let line = |error: &Value| {
        let (index, docid) = (&error["index"], &error["docid"]);
        let [at, code, detail] = ["pointer", "code", "detail"].map(|part| word(&error[part]));
        format!("{index}\t{docid}\t{at}\t{code}\t{detail}\n")
    };
    let errors: String = list(&batch["errors"]).iter().map(line).collect();
    members(batch, names) + &errors
}

/// What an import would come to; then a line for each of the first records and errors, with tabs between.
fn show_preview(preview: &Value) -> String {
    let names =
        "received accepted rejected merged existing columns dialect by_code bus_props_unknown";
    let record = |record: &Value| {
        let [docid, phone] = ["docid", "phone"].map(|part| word(&record[part]));
        format!("{docid}\t{phone}\t{}\n", record["fields"])
    };
    let error = |error: &Value| {
        let parts = ["row", "pointer", "code", "value", "detail"];
        let parts = parts.map(|part| match &error[part] {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            number => number.to_string(),
        });
        parts.join("\t") + "\n"
    };
    let sample: String = list(&preview["sample"]).iter().map(record).collect();
    let errors: String = list(&preview["errors"]).iter().map(error).collect();
    members(preview, names) + &sample + &errors
}
