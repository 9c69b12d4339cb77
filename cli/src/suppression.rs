//! `feedback suppression …`: the phones that get no messages of the account.

use clap::Subcommand;
use reqwest::Method;
use serde_json::{Value, json};

use crate::output::{list, word};
use crate::service::{Connection, Output, Service, ask};

/// Where the list is.
const SUPPRESSIONS: &str = "/api_v1/sms/suppression";

#[derive(Subcommand)]
pub(crate) enum Command {
    /// List them: the phone masked, or `-` where no stored recipient has it
    List(Output),
    /// Send nothing more to a phone
    Add(Phone),
    /// Take a phone off the list
    Remove(Phone),
}

/// Which phone.
#[derive(clap::Args)]
pub(crate) struct Phone {
    /// Such as +4915112345678
    phone: String,
    #[command(flatten)]
    connection: Connection,
}

pub(crate) async fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::List(output) => {
            let suppressed = output.service()?.all(SUPPRESSIONS).await?;
            output.print(&suppressed, show)
        }
        Command::Add(phone) => phone.change(Method::PUT).await,
        Command::Remove(phone) => phone.change(Method::DELETE).await,
    }
}

impl Phone {
    async fn change(self, method: Method) -> anyhow::Result<()> {
        let call = Service::new(&self.connection)?.call(method, SUPPRESSIONS);
        ask(call.json(&json!({"phone": self.phone})))
            .await
            .map(drop)
    }
}

fn show(suppressed: &Value) -> String {
    let line = |entry: &Value| {
        let phone = entry["phone"].as_str().unwrap_or("-");
        let (source, since) = (word(&entry["source"]), word(&entry["since"]));
        format!("{phone}  {source}  {since}\n")
    };
    list(suppressed).iter().map(line).collect()
}
