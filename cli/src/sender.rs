//! `feedback sender …`: who carries messages, from the settings alone, so that a provider can be told its hooks before the service
//! runs; and pausing one for everybody, straight on the store.

use anyhow::{Context, ensure};
use clap::Subcommand;
use domain::pepper::Pepper;
use domain::sms::SenderState;
use platform::backends::open_existing_store;
use platform::config::Config;
use serde_json::{Value, json};
use store::Workload;

use crate::output::{print, rows};
use crate::user::note_done;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// List the senders, each with the URLs to which its provider reports
    List,
    /// Let a sender take nothing until it is resumed: its messages wait
    Pause {
        /// Its name in the settings
        name: String,
    },
    /// Let a sender that was paused go on, or one that is in error try again at once
    Resume {
        /// Its name in the settings
        name: String,
    },
}

pub(crate) async fn run(command: &Command, json: bool, config: &Config) -> anyhow::Result<()> {
    let (Command::Pause { name } | Command::Resume { name }) = command else {
        return list(json, config);
    };
    let mut settings = config.senders.iter();
    let setting = settings.find(|setting| setting.name == *name);
    let is_pause = matches!(command, Command::Pause { .. });
    let store = open_existing_store(config, Workload::Maintenance(1)).await?;
    // One that was paused and then taken out of the settings stays paused until it is resumed.
    let is_resumed = !is_pause && store.resume_sender(name).await?;
    ensure!(
        setting.is_some() || is_resumed,
        "FEEDBACK_SENDERS has no sender {name}"
    );
    if is_pause {
        store.pause_sender(name).await?;
    }
    let action = if is_pause {
        "sender.pause"
    } else {
        "sender.resume"
    };
    // The people of accounts that may use it read this.
    for (account_id, account) in store.accounts().await? {
        if setting.is_some_and(|setting| setting.allows(&account)) {
            note_done(&store, account_id, action, name).await?;
        }
    }
    let senders = store.senders().await?;
    let state = senders.iter().find(|sender| sender.name == *name);
    let state = state.map_or(SenderState::Unattended, |sender| sender.state);
    let told = json!({"name": name, "state": state});
    print(&told, json, |_| words(name, is_pause, state))
}

/// What came of a pause, or of a sender that was let go on.
fn words(name: &str, is_pause: bool, state: SenderState) -> String {
    match state {
        _ if is_pause => {
            format!("{name} takes nothing; its messages wait for `feedback sender resume {name}`\n")
        }
        SenderState::Unattended => {
            format!("{name} is not paused; no worker has it, so its messages wait\n")
        }
        _ => format!("{name} is tried again now\n"),
    }
}

fn list(json: bool, config: &Config) -> anyhow::Result<()> {
    let pepper = config.pepper()?.context("no pepper")?;
    let public_url = config.public_url.as_str();
    let senders = config.senders.iter().map(|setting| {
        let kind = setting.kind.name;
        listed(&setting.name, kind, public_url, &pepper)
    });
    let senders: Vec<_> = senders.collect();
    print(senders.as_slice(), json, |senders| {
        rows(senders, "name kind status_url inbound_url")
    })
}

/// A sender, and where its provider sends receipts and what people answer by SMS.
fn listed(name: &str, kind: &str, public_url: &str, pepper: &Pepper) -> Value {
    let hook = |operation| format!("{public_url}{}", pepper.hook_path(name, operation));
    json!({"name": name, "kind": kind, "status_url": hook("status"), "inbound_url": hook("inbound")})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sender_is_listed_with_the_hooks_of_its_key() {
        let pepper = Pepper::parse(&"07".repeat(32)).unwrap();
        let hooks = format!(
            "https://x.example/sub/hooks/shop-1/{}",
            pepper.hook_key("shop-1")
        );
        assert_eq!(
            listed("shop-1", "twilio", "https://x.example/sub", &pepper),
            json!({
                "name": "shop-1", "kind": "twilio", "status_url": format!("{hooks}/status"),
                "inbound_url": format!("{hooks}/inbound")
            })
        );
    }
}
