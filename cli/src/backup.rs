//! `feedback backup` and `feedback restore`: the embedded store and its pepper in one file, and back. What is restored is verified.

use std::path::PathBuf;

use platform::backup::{backup, restore};
use platform::config::{Args, ProcessRole};
use platform::start::Process;

use crate::counts;

#[derive(clap::Args)]
pub(crate) struct BackupArguments {
    /// The file to make
    file: PathBuf,
    #[command(flatten)]
    settings: Args,
}

#[derive(clap::Args)]
pub(crate) struct RestoreArguments {
    /// A file that `feedback backup` made
    file: PathBuf,
    #[command(flatten)]
    settings: Args,
}

pub(crate) async fn run_backup(arguments: BackupArguments) -> anyhow::Result<()> {
    let config = arguments.settings.config(ProcessRole::Serve)?;
    backup(&config, arguments.file.clone()).await?;
    eprintln!("wrote {}", arguments.file.display());
    if config.pepper_file().is_none() {
        eprintln!("the pepper is in FEEDBACK_PEPPER and not in the file: keep it too");
    }
    Ok(())
}

pub(crate) async fn run_restore(
    arguments: RestoreArguments,
    process: Process,
) -> anyhow::Result<()> {
    let config = arguments.settings.config(ProcessRole::Serve)?;
    let restored = restore(&config, arguments.file).await?;
    if !restored.has_pepper {
        eprintln!("the file has no pepper: start with the FEEDBACK_PEPPER of before");
    }
    if restored.paused_campaigns > 0 {
        eprintln!(
            "paused {} campaigns: what they sent since the backup they would send again; resume or cancel each",
            restored.paused_campaigns
        );
    }
    counts::verify(config, &counts::VerifyOutput::default(), process).await
}
