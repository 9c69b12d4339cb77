//! `feedback sender …`: who carries messages, from the settings alone, so that a provider can be told its hooks before the service
//! runs.

use anyhow::Context;
use clap::Subcommand;
use domain::pepper::Pepper;
use platform::config::Config;
use serde::Serialize;

use crate::output::print;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// List the senders, each with the URLs to which its provider reports
    List,
}

/// One sender as it is listed.
#[derive(Serialize)]
struct Sender<'a> {
    name: &'a str,
    kind: &'static str,
    /// Where its provider sends receipts.
    status_url: String,
    /// Where its provider sends what people answer by SMS.
    inbound_url: String,
}

pub(crate) fn run(command: &Command, json: bool, config: &Config) -> anyhow::Result<()> {
    let Command::List = command;
    let pepper = config.pepper()?.context("no pepper")?;
    let public_url = config.public_url.as_str();
    let senders = config.senders.iter().map(|setting| {
        let kind = setting.kind.as_str();
        Sender::new(&setting.name, kind, public_url, &pepper)
    });
    let senders: Vec<_> = senders.collect();
    print(senders.as_slice(), json, show)
}

impl<'a> Sender<'a> {
    fn new(name: &'a str, kind: &'static str, public_url: &str, pepper: &Pepper) -> Self {
        let hook = |operation| format!("{public_url}{}", pepper.hook_path(name, operation));
        Self {
            name,
            kind,
            status_url: hook("status"),
            inbound_url: hook("inbound"),
        }
    }
}

fn show(senders: &[Sender]) -> String {
    let lines = |sender: &Sender| {
        format!(
            "{}  {}\n  status_url   {}\n  inbound_url  {}\n",
            sender.name, sender.kind, sender.status_url, sender.inbound_url
        )
    };
    senders.iter().map(lines).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_sender_is_listed_with_the_hooks_of_its_key() {
        let pepper = Pepper::parse(&"07".repeat(32)).unwrap();
        let sender = Sender::new("shop-1", "twilio", "https://x.example/sub", &pepper);
        let hooks = format!(
            "https://x.example/sub/hooks/shop-1/{}",
            pepper.hook_key("shop-1")
        );
        let listed = json!({
            "name": "shop-1", "kind": "twilio", "status_url": format!("{hooks}/status"),
            "inbound_url": format!("{hooks}/inbound")
        });
        assert_eq!(serde_json::to_value(&sender).unwrap(), listed);
        let text = show(&[sender]);
        assert_eq!(
            text,
            format!(
                "shop-1  twilio\n  status_url   {hooks}/status\n  inbound_url  {hooks}/inbound\n"
            )
        );
    }
}
