//! `feedback form …`: forms from files, and their life from draft to deletion.

use std::io::{Write, stdout};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Subcommand, ValueEnum};
use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use serde_json::Value;

use crate::service::{Connection, Service, read, text};

/// Where forms are.
const FORMS: &str = "/api_v1/form";
/// Forms asked for at once.
const PAGE: usize = 1_000;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Make a form from a JSON file, as a DRAFT
    Create {
        /// Title, business properties and fields, as `POST /api_v1/form` takes them
        file: PathBuf,
        /// Publish it at once
        #[arg(long)]
        publish: bool,
        #[command(flatten)]
        output: Output,
    },
    /// Replace a form by a JSON file, such as an edited `form show --json`
    Replace {
        /// Its id
        form: String,
        /// Title, business properties and fields, as `PUT /api_v1/form/{form_id}` takes them
        file: PathBuf,
        #[command(flatten)]
        output: Output,
    },
    /// List the forms of a status, newest first
    List {
        #[arg(value_enum, default_value = "published", ignore_case = true)]
        status: Status,
        #[command(flatten)]
        output: Output,
    },
    /// Publish a form
    Publish {
        /// Its id
        form: String,
        #[command(flatten)]
        output: Output,
    },
    /// Delete a form; its links end, its reports stay
    Delete {
        /// Its id
        form: String,
        #[command(flatten)]
        output: Output,
    },
    /// Show a form
    Show {
        /// Its id
        form: String,
        #[command(flatten)]
        output: Output,
    },
}

/// Where to ask, and how to say it.
#[derive(clap::Args)]
pub(crate) struct Output {
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    connection: Connection,
}

/// Where a form stands.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Status {
    Draft,
    Published,
    Deleted,
}

impl Status {
    fn as_str(self) -> &'static str {
        match self {
            Self::Draft => "DRAFT",
            Self::Published => "PUBLISHED",
            Self::Deleted => "DELETED",
        }
    }
}

pub(crate) async fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Create {
            file,
            publish,
            output,
        } => {
            let service = Service::new(&output.connection)?;
            let mut form = send(&service, Method::POST, FORMS, &file).await?;
            if publish {
                form = self::publish(&service, &text(&form, "form_id")?).await?;
            }
            print(&form, output.json)
        }
        Command::Replace { form, file, output } => {
            let service = Service::new(&output.connection)?;
            let path = format!("{FORMS}/{form}");
            let form = send(&service, Method::PUT, &path, &file).await?;
            print(&form, output.json)
        }
        Command::List { status, output } => {
            let forms = list(&Service::new(&output.connection)?, status).await?;
            print_list(&forms, output.json)
        }
        Command::Publish { form, output } => {
            let form = publish(&Service::new(&output.connection)?, &form).await?;
            print(&form, output.json)
        }
        Command::Delete { form, output } => {
            let service = Service::new(&output.connection)?;
            let call = service.call(Method::DELETE, &format!("{FORMS}/{form}"));
            print(&read(call.send().await?).await?, output.json)
        }
        Command::Show { form, output } => {
            let service = Service::new(&output.connection)?;
            let form = service.get(&format!("{FORMS}/{form}")).await?;
            print(&form, output.json)
        }
    }
}

async fn send(service: &Service, method: Method, path: &str, file: &Path) -> anyhow::Result<Value> {
    let body = tokio::fs::read(file)
        .await
        .with_context(|| file.display().to_string())?;
    let call = service.call(method, path);
    let call = call.header(CONTENT_TYPE, "application/json").body(body);
    read(call.send().await?).await
}

async fn publish(service: &Service, form: &str) -> anyhow::Result<Value> {
    let call = service.call(Method::POST, &format!("{FORMS}/{form}/publish"));
    read(call.send().await?).await
}

async fn list(service: &Service, status: Status) -> anyhow::Result<Vec<Value>> {
    let mut forms = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let mut path = format!("{FORMS}/list/{}?limit={PAGE}", status.as_str());
        if let Some(cursor) = &cursor {
            path.push_str("&cursor=");
            path.push_str(cursor);
        }
        let page = service.get(&path).await?;
        forms.extend(page["items"].as_array().cloned().unwrap_or_default());
        match page["next_cursor"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => return Ok(forms),
        }
    }
}

fn print_list(forms: &[Value], json: bool) -> anyhow::Result<()> {
    let mut out = stdout().lock();
    if json {
        writeln!(out, "{}", serde_json::to_string(forms)?)?;
        return Ok(());
    }
    for form in forms {
        writeln!(
            out,
            "{}  {}  {}",
            word(form, "form_id"),
            word(form, "created_at"),
            word(form, "title")
        )?;
    }
    Ok(())
}

fn print(form: &Value, json: bool) -> anyhow::Result<()> {
    let mut out = stdout().lock();
    if json {
        writeln!(out, "{}", serde_json::to_string(form)?)?;
        return Ok(());
    }
    for member in ["form_id", "status", "title"] {
        writeln!(out, "{member:8}  {}", word(form, member))?;
    }
    for entry in form["bus_props"].as_array().into_iter().flatten() {
        let (id, retired) = (word(entry, "bus_prop_id"), retired(entry));
        writeln!(out, "bus_prop  {id}  {}{retired}", word(entry, "bus_prop"))?;
    }
    for field in form["fields"].as_array().into_iter().flatten() {
        let (key, kind) = (word(field, "key"), word(field, "type"));
        let (label, retired) = (word(field, "label"), retired(field));
        writeln!(out, "field     {key}  {kind}  {label}{retired}")?;
    }
    Ok(())
}

fn retired(part: &Value) -> &'static str {
    if part["retired"] == true {
        " (retired)"
    } else {
        ""
    }
}

/// A member that is text, on one line.
fn word<'a>(body: &'a Value, member: &str) -> &'a str {
    body[member].as_str().unwrap_or_default()
}
