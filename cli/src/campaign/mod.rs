//! `feedback campaign …`: campaigns from files, what they would send, and their life. `show` says what a campaign is, `watch`
//! how far it is.

mod show;
mod watch;

use std::path::PathBuf;

use clap::Subcommand;
use reqwest::Method;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::service::{Output, ask, segment, send_file};

pub(crate) use self::watch::Watch;

/// Where campaigns are.
const CAMPAIGNS: &str = "/api_v1/sms/campaign";

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Make a campaign from a JSON file, as a DRAFT
    Create {
        /// What it sends to whom, as `POST /api_v1/sms/campaign` takes it; `-` for standard input
        file: PathBuf,
        #[command(flatten)]
        output: Output,
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
        /// The recipient whose tracking fields the text is filled with
        #[arg(long)]
        docid: String,
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
    /// Show a campaign with its counts
    Show {
        #[command(flatten)]
        one: One,
        /// Show its counts as they change, until it is FINISHED or CANCELLED
        #[arg(long)]
        watch: bool,
    },
    /// List the campaigns, newest first
    List(Output),
}

/// Which campaign.
#[derive(clap::Args)]
pub(crate) struct One {
    /// Its id
    campaign: String,
    #[command(flatten)]
    output: Output,
}

pub(crate) async fn run(command: Command, shutdown: CancellationToken) -> anyhow::Result<()> {
    match command {
        Command::Create { file, output } => {
            let call = output.service()?.call(Method::POST, CAMPAIGNS);
            output.print(&send_file(call, &file).await?, show::campaign)
        }
        Command::Preview(one) => one.act("preview", show::preview).await,
        Command::Test { one, phone, docid } => {
            let path = format!("{}/test", path_of(&one.campaign));
            let call = one.output.service()?.call(Method::POST, &path);
            let call = call.json(&json!({"phone": phone, "docid": docid}));
            one.output.print(&ask(call).await?, show::campaign)
        }
        Command::Start(one) => one.act("start", show::campaign).await,
        Command::Pause(one) => one.act("pause", show::campaign).await,
        Command::Resume(one) => one.act("resume", show::campaign).await,
        Command::Finish(one) => one.act("finish", show::campaign).await,
        Command::Cancel(one) => one.act("cancel", show::campaign).await,
        Command::Show { one, watch } => {
            let service = one.output.service()?;
            let campaign = if watch {
                Watch::Campaign
                    .follow(&service, &one.campaign, &shutdown)
                    .await?
            } else {
                Some(service.get(&path_of(&one.campaign)).await?)
            };
            match campaign {
                Some(campaign) => one.output.print(&campaign, show::campaign),
                None => Ok(()),
            }
        }
        Command::List(output) => {
            let campaigns = output.service()?.all(CAMPAIGNS).await?;
            output.print(&campaigns, show::campaigns)
        }
    }
}

impl One {
    /// Prints what the operation answers.
    async fn act(self, operation: &str, show: impl FnOnce(&Value) -> String) -> anyhow::Result<()> {
        let path = format!("{}/{operation}", path_of(&self.campaign));
        let call = self.output.service()?.call(Method::POST, &path);
        self.output.print(&ask(call).await?, show)
    }
}

fn path_of(campaign: &str) -> String {
    format!("{CAMPAIGNS}/{}", segment(campaign))
}
