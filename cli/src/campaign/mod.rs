//! `feedback campaign …`: campaigns from files, what they would send, and their life. `watch` says how far a campaign is.

mod watch;

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::Subcommand;
use reqwest::Method;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

pub(crate) use self::watch::{is_sent, watch};
use crate::output::{list, members, word};
use crate::service::{ServiceClient, segment, with_file};
use crate::table::Table;

/// Where campaigns are.
const CAMPAIGNS: &str = "/api_v1/sms/campaign";

/// Where senders are.
const SENDERS: &str = "/api_v1/sms/sender";

/// What is counted, in the order of what happens to a message.
const COUNTS: [&str; 12] = [
    "recipients",
    "scheduled",
    "sending",
    "accepted",
    "delivered",
    "undelivered",
    "expired",
    "failed",
    "unknown",
    "cancelled",
    "viewed",
    "answered",
];

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Make a campaign from a JSON file, as a DRAFT
    Create {
        /// What it sends to whom, as `POST /api_v1/sms/campaign` takes it; `-` for standard input
        file: PathBuf,
    },
    /// Replace a campaign by a JSON file: a DRAFT, or what may still change of one that runs
    Replace {
        #[command(flatten)]
        one: One,
        /// What it sends to whom, as `PUT /api_v1/sms/campaign/{campaign_id}` takes it; `-` for standard input
        file: PathBuf,
    },
    /// Show whom a campaign would reach today and what they would get; nothing is stored or sent
    Preview(One),
    /// Send one message to any number, with a link whose answers are not stored
    Test {
        #[command(flatten)]
        one: One,
        /// Who gets the message, such as +4915112345678
        #[arg(long)]
        phone: String,
        /// The recipient whose tracking fields the text is filled with; without one it shows the names of its fields
        #[arg(long)]
        docid: Option<String>,
    },
    /// Start a DRAFT
    Start(One),
    /// Send nothing more until it is resumed
    Pause(One),
    /// Go on with a paused campaign
    Resume(One),
    /// Take no more imports; it ends once nothing is left to send
    Finish(One),
    /// End it for good; what has not been sent is not sent any more
    Cancel(One),
    /// Send messages again: a new attempt of each, with its link
    Resend {
        #[command(flatten)]
        one: One,
        /// Which: unknown, failed, undelivered or expired
        #[arg(long)]
        status: String,
    },
    /// Show a campaign with its counts
    Show {
        #[command(flatten)]
        one: One,
        /// Show its counts as they change, until it is FINISHED or CANCELLED
        #[arg(long)]
        watch: bool,
    },
    /// List the campaigns, newest first
    List,
}

/// Which campaign.
#[derive(clap::Args)]
pub(crate) struct One {
    /// Its id
    campaign: String,
}

pub(crate) async fn run(
    service: &ServiceClient,
    command: Command,
    shutdown: CancellationToken,
) -> anyhow::Result<()> {
    let act = |one: &One, operation: &str| {
        let path = format!("{}/{operation}", path_of(&one.campaign));
        service.call(Method::POST, &path)
    };
    let call = match command {
        Command::Create { file } => with_file(service.call(Method::POST, CAMPAIGNS), &file).await?,
        Command::Replace { one, file } => {
            with_file(service.call(Method::PUT, &path_of(&one.campaign)), &file).await?
        }
        Command::Preview(one) => return service.show(act(&one, "preview"), preview).await,
        Command::Test { one, phone, docid } => {
            let test = act(&one, "test").json(&json!({"phone": phone, "docid": docid}));
            return service.show(test, message).await;
        }
        Command::Start(one) => act(&one, "start"),
        Command::Pause(one) => act(&one, "pause"),
        Command::Resume(one) => act(&one, "resume"),
        Command::Finish(one) => act(&one, "finish"),
        Command::Cancel(one) => act(&one, "cancel"),
        Command::Resend { one, status } => act(&one, "resend").json(&json!({"status": status})),
        Command::Show {
            one,
            watch: is_watched,
        } => {
            if is_watched {
                watch(service, &one.campaign, is_over, &shutdown).await?;
            }
            let senders = service.get(SENDERS).await?;
            let campaign = service.call(Method::GET, &path_of(&one.campaign));
            let with_sender =
                |campaign: &Value| show(campaign) + &trouble(campaign, list(&senders["items"]));
            return service.show(campaign, with_sender).await;
        }
        Command::List => {
            let names = "campaign_id created_at status name";
            return service.list(CAMPAIGNS, names).await;
        }
    };
    service.show(call, show).await
}

fn path_of(campaign: &str) -> String {
    format!("{CAMPAIGNS}/{}", segment(campaign))
}

/// Whether nothing of the campaign is left to do.
fn is_over(campaign: &Value) -> bool {
    ["FINISHED", "CANCELLED"].contains(&word(&campaign["status"]))
}

fn show(campaign: &Value) -> String {
    let names = "campaign_id status name form_id sender text created_at starts_at started_at finished_at waiting cost budget bus_props_unknown";
    members(campaign, names) + &show_counts(&campaign["counts"])
}

/// Why senders of a campaign take nothing, where messages wait for that.
fn trouble(campaign: &Value, senders: &[Value]) -> String {
    let waiting = list(&campaign["waiting"]).iter();
    let waited_for = waiting.map(|waiting| &waiting["sender"]);
    let waited_for = waited_for.filter_map(|name| {
        let mut senders = senders.iter();
        senders.find(|sender| name.is_string() && sender["name"] == *name)
    });
    let lines = waited_for.map(|sender| {
        let [name, state, reason, since] =
            ["name", "state", "reason", "since"].map(|member| word(&sender[member]));
        format!("\nwaits: sender {name}: {state} {reason} since {since}\n")
    });
    lines.collect()
}

/// What is counted of its messages and of its reminders, each on a line of its own; what occurs in neither is left out.
fn show_counts(counts: &Value) -> String {
    let kinds = ["first", "reminder"].map(|kind| &counts[kind]);
    let mut table = Table::new(["counts", "messages#", "reminders#"]);
    let mut push = |name: String, counts: [&Value; 2]| {
        if name == COUNTS[0] || counts.iter().any(|count| count.as_i64() > Some(0)) {
            let [first, reminder] = counts.map(|count| count.as_i64().unwrap_or(0).to_string());
            table.push([name, first, reminder]);
        }
    };
    for name in COUNTS {
        push(name.to_owned(), kinds.map(|counts| &counts[name]));
    }
    let skipped = kinds.map(|counts| counts["skipped"].as_object());
    let reasons = skipped
        .into_iter()
        .flatten()
        .flat_map(|reasons| reasons.keys());
    for reason in reasons.collect::<BTreeSet<_>>() {
        let counts = kinds.map(|counts| &counts["skipped"][reason]);
        push(format!("skipped: {reason}"), counts);
    }
    let mut text = String::from("\n");
    table.write(&mut text);
    text
}

fn message(message: &Value) -> String {
    members(
        message,
        "message_id campaign_id docid kind status scheduled_at",
    )
}

fn preview(preview: &Value) -> String {
    let names = "recipients eligible skipped parts encodings countries cost bus_props_unknown fields_missing samples";
    members(preview, names)
}
