//! The binary `feedback`: the whole service in one process, and the commands of those who operate it.
//!
//! # Layout
//! - [`serve`]: api and worker together (the default command), with a first key on an empty store.
//! - [`key`]: keys of accounts: create, list, rotate, revoke.
//! - [`import`], [`form`], [`link`], [`campaign`], [`suppression`], [`report`]: clients of a running service, over HTTP
//!   ([`service`]).
//! - [`sender`]: who carries messages, from the settings.
//! - [`counts`]: the counts of reports, reconciled and rebuilt, straight on the store.
//! - [`output`]: what a command found, as JSON or as text.
//!
//! Results go to stdout, everything else to stderr.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use mimalloc::MiMalloc;
use platform::config::{Args, Role};
use platform::start;

mod campaign;
mod counts;
mod form;
mod import;
mod key;
mod link;
mod output;
mod report;
mod sender;
mod serve;
mod service;
mod suppression;

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// Collects feedback: bulk imports of recipients, workers that store them, reports.
#[derive(Parser)]
#[command(name = "feedback", version, args_conflicts_with_subcommands = true)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    /// Of the default command.
    #[command(flatten)]
    settings: Args,
}

#[derive(Subcommand)]
enum Command {
    /// Run the whole service in this process (the default)
    Serve(Args),
    /// Make and manage API keys; works beside a running service
    #[command(mut_args(|arg| arg.global(true)))]
    Key {
        #[command(subcommand)]
        command: key::Command,
        #[command(flatten)]
        settings: Args,
    },
    /// Import a file of records and wait until they are stored; exit 1 and their errors if some are rejected
    Import(import::Arguments),
    /// Make and replace forms from files, list, show, publish and delete them
    Form {
        #[command(subcommand)]
        command: form::Command,
    },
    /// Make trackable links to forms, show and delete them
    Link {
        #[command(subcommand)]
        command: link::Command,
    },
    /// Make campaigns from files, preview and try them, start, pause and end them, watch them send
    Campaign {
        #[command(subcommand)]
        command: campaign::Command,
    },
    /// Show who carries messages and where their providers report; needs neither a running service nor a key
    #[command(mut_args(|arg| arg.global(true)))]
    Sender {
        #[command(subcommand)]
        command: sender::Command,
        #[command(flatten)]
        settings: Args,
    },
    /// List the phones that get no messages, add and remove some
    Suppression {
        #[command(subcommand)]
        command: suppression::Command,
    },
    /// Show reports
    Report {
        #[command(subcommand)]
        command: report::Command,
    },
    /// Check every count of the reports against what is stored; print each that differs, exit 1
    Verify(Args),
    /// Make every count of the reports anew from what is stored
    Rebuild(Args),
}

fn main() -> ExitCode {
    let Cli { command, settings } = Cli::parse();
    let command = command.unwrap_or(Command::Serve(settings));
    let config = |settings: Args| settings.config(Role::Serve);
    start::run(async |process| match command {
        Command::Serve(settings) => serve::run(config(settings)?, process).await,
        Command::Key { command, settings } => key::run(command, config(settings)?).await,
        Command::Import(arguments) => import::run(arguments, process.shutdown).await,
        Command::Form { command } => form::run(command).await,
        Command::Link { command } => link::run(command).await,
        Command::Campaign { command } => campaign::run(command, process.shutdown).await,
        Command::Sender { command, settings } => sender::run(&command, &config(settings)?),
        Command::Suppression { command } => suppression::run(command).await,
        Command::Report { command } => report::run(command).await,
        Command::Verify(settings) => counts::verify(config(settings)?, process).await,
        Command::Rebuild(settings) => counts::rebuild(config(settings)?, process).await,
    })
}
