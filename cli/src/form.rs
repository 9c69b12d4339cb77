//! `feedback form …`: forms from files, and their life from draft to deletion.

use std::path::PathBuf;

use clap::Subcommand;
use reqwest::Method;
use serde_json::Value;

use crate::output::members;
use crate::service::{ServiceClient, ask, text, with_file};

/// Where forms are.
const FORMS: &str = "/api_v1/form";
/// Where a form may stand.
const STATUSES: [&str; 3] = ["draft", "published", "deleted"];

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Make a form from a JSON file, as a DRAFT
    Create {
        /// Title, business properties and fields, as `POST /api_v1/form` takes them; `-` for standard input
        file: PathBuf,
        /// Publish it at once
        #[arg(long)]
        publish: bool,
    },
    /// Replace a form by a JSON file, such as an edited `form show --json`
    Replace {
        #[command(flatten)]
        one: One,
        /// Title, business properties and fields, as `PUT /api_v1/form/{form_id}` takes them; `-` for standard input
        file: PathBuf,
    },
    /// List the forms of a status, newest first
    List {
        #[arg(value_parser = STATUSES, default_value = "published", ignore_case = true)]
        status: String,
    },
    /// Publish a form
    Publish(One),
    /// Delete a form; its links end, its reports stay
    Delete(One),
    /// Show a form
    Show(One),
}

/// Which form.
#[derive(clap::Args)]
pub(crate) struct One {
    /// Its id
    form: String,
}

pub(crate) async fn run(service: &ServiceClient, command: Command) -> anyhow::Result<()> {
    let one = |method, form: &str| service.call(method, &format!("{FORMS}/{form}"));
    let publish = |form: &str| one(Method::POST, &format!("{form}/publish"));
    let call = match command {
        Command::Create {
            file,
            publish: at_once,
        } => {
            let call = with_file(service.call(Method::POST, FORMS), &file).await?;
            if at_once {
                publish(&text(&ask(call).await?, "form_id")?)
            } else {
                call
            }
        }
        Command::Replace { one: of, file } => with_file(one(Method::PUT, &of.form), &file).await?,
        Command::List { status } => {
            let path = format!("{FORMS}/list/{}", status.to_uppercase());
            return service.list(&path, "form_id created_at title").await;
        }
        Command::Publish(of) => publish(&of.form),
        Command::Delete(of) => one(Method::DELETE, &of.form),
        Command::Show(of) => one(Method::GET, &of.form),
    };
    service.show(call, show).await
}

fn show(form: &Value) -> String {
    members(form, "form_id status title bus_props fields")
}
