//! `feedback form …`: forms from files, and their life from draft to deletion.

use std::path::PathBuf;

use clap::Subcommand;
use reqwest::Method;
use serde_json::Value;

use crate::output::{list, word};
use crate::service::{Output, ask, send_file, text};

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
        #[command(flatten)]
        output: Output,
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
        #[command(flatten)]
        output: Output,
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
    #[command(flatten)]
    output: Output,
}

pub(crate) async fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Create {
            file,
            publish,
            output,
        } => {
            let service = output.service()?;
            let mut form = send_file(service.call(Method::POST, FORMS), &file).await?;
            if publish {
                let path = format!("{FORMS}/{}/publish", text(&form, "form_id")?);
                form = ask(service.call(Method::POST, &path)).await?;
            }
            output.print(&form, show)
        }
        Command::Replace { one, file } => {
            let path = format!("{FORMS}/{}", one.form);
            let call = one.output.service()?.call(Method::PUT, &path);
            one.output.print(&send_file(call, &file).await?, show)
        }
        Command::List { status, output } => {
            let path = format!("{FORMS}/list/{}", status.to_uppercase());
            output.print(&output.service()?.all(&path).await?, show_list)
        }
        Command::Publish(one) => one.ask(Method::POST, "/publish").await,
        Command::Delete(one) => one.ask(Method::DELETE, "").await,
        Command::Show(one) => one.ask(Method::GET, "").await,
    }
}

impl One {
    /// Prints the form after this operation.
    async fn ask(self, method: Method, operation: &str) -> anyhow::Result<()> {
        let path = format!("{FORMS}/{}{operation}", self.form);
        let call = self.output.service()?.call(method, &path);
        self.output.print(&ask(call).await?, show)
    }
}

fn show_list(forms: &Value) -> String {
    let line = |form: &Value| {
        let words = ["form_id", "created_at", "title"].map(|member| word(&form[member]));
        words.join("  ") + "\n"
    };
    list(forms).iter().map(line).collect()
}

fn show(form: &Value) -> String {
    let retired = |part: &Value| {
        let is_retired = part["retired"] == true;
        if is_retired { " (retired)" } else { "" }
    };
    let mut lines = Vec::new();
    for member in ["form_id", "status", "title"] {
        lines.push(format!("{member:8}  {}\n", word(&form[member])));
    }
    for entry in list(&form["bus_props"]) {
        let (id, text) = (word(&entry["bus_prop_id"]), word(&entry["bus_prop"]));
        lines.push(format!("bus_prop  {id}  {text}{}\n", retired(entry)));
    }
    for field in list(&form["fields"]) {
        let [key, kind, label] = ["key", "type", "label"].map(|member| word(&field[member]));
        let retired = retired(field);
        lines.push(format!("field     {key}  {kind}  {label}{retired}\n"));
    }
    lines.concat()
}
