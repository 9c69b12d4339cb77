//! The binary `feedback`: the whole service in one process, and the commands of those who operate it.
//!
//! # Layout
//! - [`serve`]: api and worker together (the default command), with a first key on an empty store.
//! - [`first_key`]: the key that the first start makes.
//! - [`key`]: keys of accounts: create, list, rotate, revoke.
//! - [`import`], [`form`], [`link`], [`report`]: clients of a running service, over HTTP ([`service`]).
//! - [`verify`], [`rebuild`]: the counts of reports, reconciled and rebuilt, straight on the store.
//!
//! Results go to stdout, everything else to stderr.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use mimalloc::MiMalloc;
use platform::config::{Args, Role};
use platform::start;

mod first_key;
mod form;
mod import;
mod key;
mod link;
mod rebuild;
mod report;
mod serve;
mod service;
mod verify;

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// Collects feedback: bulk imports of recipients, workers that store them, reports.
#[derive(Parser)]
#[command(name = "feedback", version)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    settings: Args,
}

#[derive(Subcommand)]
enum Command {
    /// Run the whole service in this process (the default)
    Serve,
    /// Make and manage API keys; works beside a running service
    Key {
        #[command(subcommand)]
        command: key::Command,
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
    /// Show reports
    Report {
        #[command(subcommand)]
        command: report::Command,
    },
    /// Check every count of the reports against what is stored; print each that differs, exit 1
    Verify,
    /// Make every count of the reports anew from what is stored; the last step of a restore
    Rebuild,
}

fn main() -> ExitCode {
    let Cli { command, settings } = Cli::parse();
    match command {
        None | Some(Command::Serve) => start::run(settings, Role::Serve, serve::run),
        Some(Command::Key { command }) => start::run(settings, Role::Serve, async |config, _| {
            key::run(command, config).await
        }),
        Some(Command::Import(arguments)) => start::run(settings, Role::Serve, async |_, _| {
            import::run(arguments).await
        }),
        Some(Command::Form { command }) => {
            start::run(settings, Role::Serve, async |_, _| form::run(command).await)
        }
        Some(Command::Link { command }) => {
            start::run(settings, Role::Serve, async |_, _| link::run(command).await)
        }
        Some(Command::Report { command }) => start::run(settings, Role::Serve, async |_, _| {
            report::run(command).await
        }),
        Some(Command::Verify) => start::run(settings, Role::Serve, verify::run),
        Some(Command::Rebuild) => start::run(settings, Role::Serve, rebuild::run),
    }
}
