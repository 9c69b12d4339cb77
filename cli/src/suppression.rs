//! `feedback suppression …`: the phones that get no messages of the account.

use clap::Subcommand;
use reqwest::Method;
use serde_json::json;

use crate::service::{ServiceClient, ask};

/// Where the list is.
const SUPPRESSIONS: &str = "/api_v1/sms/suppression";

#[derive(Subcommand)]
pub(crate) enum Command {
    /// List them: the phone masked, or `-` where no stored recipient has it
    List,
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
}

pub(crate) async fn run(service: &ServiceClient, command: Command) -> anyhow::Result<()> {
    let (method, Phone { phone }) = match command {
        Command::List => {
            return service.list(SUPPRESSIONS, "phone source since").await;
        }
        Command::Add(phone) => (Method::PUT, phone),
        Command::Remove(phone) => (Method::DELETE, phone),
    };
    let call = service.call(method, SUPPRESSIONS);
    ask(call.json(&json!({"phone": phone}))).await.map(drop)
}
