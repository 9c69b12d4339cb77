//! `feedback backup` and `feedback restore`: the embedded store and its pepper in one file, and back. What is restored is verified.

use std::path::PathBuf;

use anyhow::Context;
use platform::backup::{backup, restore};
use platform::config::{Args, ProcessRole};
use platform::start::Process;

use crate::counts;
use crate::textfile::{self, Figure};

const ENDED: &str = "ended before the end: nothing was made";

#[derive(clap::Args)]
pub(crate) struct BackupArguments {
    /// The file to make
    file: PathBuf,
    /// Also write when that was to a file, for the textfile collector of Prometheus's node exporter
    #[arg(long, value_name = "FILE")]
    textfile: Option<PathBuf>,
    #[command(flatten)]
    settings: Args,
}

#[derive(clap::Args)]
pub(crate) struct RestoreArguments {
    /// A file that `feedback backup` made
    file: PathBuf,
    /// Also write when that was, once it is verified, to a file, for the textfile collector of Prometheus's node exporter
    #[arg(long, value_name = "FILE")]
    textfile: Option<PathBuf>,
    #[command(flatten)]
    settings: Args,
}

pub(crate) async fn run_backup(arguments: BackupArguments, process: Process) -> anyhow::Result<()> {
    let BackupArguments {
        file,
        textfile,
        settings,
    } = arguments;
    let config = settings.config(ProcessRole::Serve)?;
    let writing = backup(&config, file.clone());
    let written = process.shutdown.run_until_cancelled(writing).await;
    let has_pepper = written.context(ENDED)??;
    eprintln!("wrote {}", file.display());
    if let Some(textfile) = textfile {
        let made = Figure::now(
            "feedback_backup_timestamp_seconds",
            "Unix time at which feedback backup ended last",
        );
        textfile::write(&textfile, &[made])?;
    }
    if !has_pepper {
        eprintln!("the pepper is not in it: keep FEEDBACK_PEPPER too");
    }
    Ok(())
}

pub(crate) async fn run_restore(
    arguments: RestoreArguments,
    process: Process,
) -> anyhow::Result<()> {
    let RestoreArguments {
        file,
        textfile,
        settings,
    } = arguments;
    let config = settings.config(ProcessRole::Serve)?;
    let restoring = restore(&config, file);
    let restored = process.shutdown.run_until_cancelled(restoring).await;
    let restored = restored.context(ENDED)??;
    let made_at = restored.made_at.format("%Y-%m-%d %H:%M:%S UTC");
    eprintln!("restored what was stored at {made_at}");
    eprintln!(
        "who opted out, was erased or lost a key since is as before: repeat that before you resume a campaign"
    );
    if !restored.has_pepper {
        eprintln!("no pepper was restored: start with the FEEDBACK_PEPPER of before");
    }
    if restored.paused_campaigns > 0 {
        eprintln!(
            "paused {} campaigns: what they sent since they would send again; resume or cancel each",
            restored.paused_campaigns
        );
    }
    counts::verify(config, &counts::VerifyOutput::default(), process).await?;
    if let Some(textfile) = textfile {
        let tried = Figure::now(
            "feedback_restore_timestamp_seconds",
            "Unix time at which feedback restore last made a database that was verified",
        );
        let of = Figure {
            name: "feedback_restore_backup_timestamp_seconds",
            meaning: "Unix time as of which the data of that database is",
            value: restored.made_at.timestamp(),
        };
        textfile::write(&textfile, &[tried, of])?;
    }
    Ok(())
}
