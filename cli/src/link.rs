//! `feedback link …`: trackable links to forms.

use std::io::{Write, stdout};

use clap::Subcommand;
use reqwest::Method;
use serde_json::Value;

use crate::service::{Connection, Service, read, text};

/// Where links are.
const LINKS: &str = "/api_v1/form/link";

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Make a link to a published form and print it
    Create {
        /// The form's id
        form: String,
        /// Business properties by their ids, joined by `_` such as `1_2` [default: none]
        ids: Option<String>,
        /// A tracking field, up to six times
        #[arg(long, value_name = "NAME=VALUE")]
        track: Vec<String>,
        /// When it ends, such as 2030-12-31T23:59:59Z
        #[arg(long, value_name = "TIME")]
        expires_at: Option<String>,
        /// After how many responses it ends
        #[arg(long, value_name = "NUMBER")]
        max_responses: Option<String>,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        connection: Connection,
    },
    /// Show a link with its views and responses
    Show {
        /// The last part of the link
        token: String,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        connection: Connection,
    },
    /// Delete a link; what came through it stays
    Delete {
        /// The last part of the link
        token: String,
        #[command(flatten)]
        connection: Connection,
    },
}

pub(crate) async fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Create {
            form,
            ids,
            track,
            expires_at,
            max_responses,
            json,
            connection,
        } => {
            let mut pairs: Vec<(&str, &str)> = track
                .iter()
                .map(|field| ("track_field", field.as_str()))
                .collect();
            pairs.extend(expires_at.as_deref().map(|time| ("expires_at", time)));
            pairs.extend(max_responses.as_deref().map(|max| ("max_responses", max)));
            let path = ids.map_or_else(
                || format!("{LINKS}/{form}"),
                |ids| format!("{LINKS}/{form}/{ids}"),
            );
            let service = Service::new(&connection)?;
            let call = service.call(Method::POST, &path).form(&pairs);
            let link = read(call.send().await?).await?;
            let mut out = stdout().lock();
            if json {
                writeln!(out, "{}", serde_json::to_string(&link)?)?;
            } else {
                writeln!(out, "{}", text(&link, "link")?)?;
            }
            Ok(())
        }
        Command::Show {
            token,
            json,
            connection,
        } => {
            let service = Service::new(&connection)?;
            let link = service.get(&format!("{LINKS}/{token}")).await?;
            show(&link, json)
        }
        Command::Delete { token, connection } => {
            let service = Service::new(&connection)?;
            let call = service.call(Method::DELETE, &format!("{LINKS}/{token}"));
            read(call.send().await?).await.map(drop)
        }
    }
}

fn show(link: &Value, json: bool) -> anyhow::Result<()> {
    let mut out = stdout().lock();
    if json {
        writeln!(out, "{}", serde_json::to_string(link)?)?;
        return Ok(());
    }
    for (name, value) in link.as_object().into_iter().flatten() {
        let value = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        writeln!(out, "{name:13}  {value}")?;
    }
    Ok(())
}
