//! The binary `feedback`: the whole service in one process, its parts as processes of their own, and the commands of those who operate
//! it. Called `api` or `worker`, it is that part.
//!
//! # Layout
//! - [`serve`]: api and worker together (the default command), with a first key on an empty store.
//! - [`processes`]: api or worker alone.
//! - `demo` (a feature): what `serve --demo` shows.
//! - [`key`]: keys of accounts: create, list, rotate, revoke.
//! - [`user`]: people who sign in to the dashboard.
//! - [`import`], [`form`], [`link`], [`campaign`], [`suppression`], [`report`]: clients of a running service, over HTTP
//!   ([`service`]).
//! - [`sender`]: who carries messages, from the settings.
//! - [`migrate`]: the schema of the database, brought to this release.
//! - [`backup`]: the embedded database to a file and back.
//! - [`doctor`]: what looks wrong.
//! - [`counts`]: the counts of reports, reconciled and rebuilt, straight on the store.
//! - [`output`]: what a command found, as JSON or as text.
//! - [`examples`]: what the help of each command ends with.
//!
//! Results go to stdout, everything else to stderr.

use std::env;
use std::ffi::OsString;
use std::io::{self, Write, stdout};
use std::path::Path;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use clap_complete::Shell;
use mimalloc::MiMalloc;
use platform::config::{Args, ProcessRole};
use platform::start::{self, Process};
use platform::telemetry::traces::{Span, SpanKind};

use crate::service::{Connection, ServiceClient};

mod account;
mod audit;
mod backup;
mod campaign;
mod copy;
mod counts;
#[cfg(feature = "demo")]
mod demo;
mod doctor;
mod examples;
mod form;
mod import;
mod key;
mod link;
mod migrate;
mod output;
mod processes;
mod report;
mod sender;
mod serve;
mod service;
mod suppression;
mod table;
mod textfile;
mod user;

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
    Serve {
        /// Fill an empty store with a company that never was, and print a link to its dashboard
        #[cfg(feature = "demo")]
        #[arg(long)]
        demo: bool,
        #[command(flatten)]
        settings: Args,
    },
    /// Answer HTTP alone; workers store what it accepts
    Api(Args),
    /// Store imports, keep the reports and send messages, beside an api
    Worker(processes::WorkerArguments),
    /// Make and manage API keys; works beside a running service
    Key(CommandGroup<key::Command, Args>),
    /// Import a file of records and wait until they are stored; exit 1 and their errors if some are rejected
    Import(import::Arguments),
    /// Make and replace forms from files, list, show, publish and delete them
    Form(CommandGroup<form::Command>),
    /// Make trackable links to forms, show and delete them
    Link(CommandGroup<link::Command>),
    /// Make campaigns from files, preview and try them, start, pause and end them, watch them send
    Campaign(CommandGroup<campaign::Command>),
    /// Show who carries messages and where their providers report; needs neither a running service nor a key
    Sender(CommandGroup<sender::Command, Args>),
    /// Add people who sign in to the dashboard, list and change them; works beside a running service
    User(CommandGroup<user::Command, Args>),
    /// Delete an account; works beside a running service
    Account(CommandGroup<account::Command, Args>),
    /// Verify the audit log, or print it; works beside a running service
    Audit(CommandGroup<audit::Command, Args>),
    /// List the phones that get no messages, add and remove some
    Suppression(CommandGroup<suppression::Command>),
    /// Bring a filled database to the schema of this release; older processes run on beside it until `finish`
    Migrate(migrate::Arguments),
    /// Copy everything from the embedded database, whose service is stopped, to an empty one on PostgreSQL
    Copy(copy::Arguments),
    /// Write everything in the embedded database, and its pepper, to a new file; works beside a running service
    Backup(backup::BackupArguments),
    /// Make an embedded database of what a backup holds, pause its campaigns and verify every count
    Restore(backup::RestoreArguments),
    /// Show reports
    Report(CommandGroup<report::Command>),
    /// Look whether a process would find what it needs, and say what is wrong and what to do; exit 1 if something is
    Doctor {
        /// Print JSON
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        settings: Args,
    },
    /// Check every count of the reports against what is stored; print each that differs, exit 1
    Verify {
        #[command(flatten)]
        output: counts::VerifyOutput,
        #[command(flatten)]
        settings: Args,
    },
    /// Make every count of the reports anew from what is stored
    Rebuild(Args),
    /// Print what a shell needs to complete these commands, such as `feedback completions bash`
    Completions {
        /// For which shell
        shell: Shell,
    },
}

impl Command {
    /// Whether it ends in its own way after a signal; others are just ended.
    fn finishes(&self) -> bool {
        match self {
            Self::Serve { .. }
            | Self::Api(_)
            | Self::Worker(_)
            | Self::Import(_)
            | Self::Backup(_)
            | Self::Restore(_)
            | Self::Verify { .. }
            | Self::Rebuild(_) => true,
            Self::Campaign(all) => {
                matches!(all.command, campaign::Command::Show { watch: true, .. })
            }
            _ => false,
        }
    }
}

impl Command {
    /// The name of its span, of a command that works on the database for long.
    fn span_name(&self) -> Option<&'static str> {
        match self {
            Self::Migrate(_) => Some("feedback migrate"),
            Self::Copy(_) => Some("feedback copy"),
            Self::Backup(_) => Some("feedback backup"),
            Self::Restore(_) => Some("feedback restore"),
            Self::Verify { .. } => Some("feedback verify"),
            Self::Rebuild(_) => Some("feedback rebuild"),
            _ => None,
        }
    }
}

/// Commands that ask a running service, by its [`Connection`]; or that need its settings and nothing of it running.
#[derive(clap::Args)]
#[command(mut_args(|arg| arg.global(true)))]
struct CommandGroup<C: Subcommand, S: clap::Args = Connection> {
    #[command(subcommand)]
    command: C,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    settings: S,
}

impl<C: Subcommand> CommandGroup<C> {
    fn service(&self) -> anyhow::Result<ServiceClient> {
        ServiceClient::new(&self.settings, self.json)
    }
}

fn main() -> ExitCode {
    let arguments = examples::with_examples(Cli::command(), "feedback").get_matches_from(words());
    let Cli { command, settings } =
        Cli::from_arg_matches(&arguments).unwrap_or_else(|error| error.exit());
    let command = command.unwrap_or(Command::Serve {
        #[cfg(feature = "demo")]
        demo: false,
        settings,
    });
    let finishes = command.finishes();
    let span = command.span_name();
    let work = async |process| {
        let mut span = span.map_or_else(Span::default, |name| {
            Span::begin(name, SpanKind::Internal, None)
        });
        let done = run(command, process).await.or_else(unless_closed);
        if done.is_err() {
            span.fail("failed");
        }
        done
    };
    if finishes {
        start::run(work)
    } else {
        start::run_to_end(work)
    }
}

/// What was typed. The name under which the program is called may be the command.
fn words() -> Vec<OsString> {
    let mut words: Vec<OsString> = env::args_os().collect();
    let name = words
        .first()
        .and_then(|program| Path::new(program).file_name());
    if let Some(name) = name.filter(|name| ["api", "worker"].iter().any(|part| name == part)) {
        let name = name.to_owned();
        words.splice(..1, ["feedback".into(), name]);
    }
    words
}

async fn run(command: Command, process: Process) -> anyhow::Result<()> {
    let config = |settings: Args| settings.config(ProcessRole::Serve);
    match command {
        #[cfg(feature = "demo")]
        Command::Serve {
            demo: true,
            settings,
        } => serve::run(config(settings)?, demo::start, process).await,
        Command::Serve { settings, .. } => {
            serve::run(config(settings)?, serve::start, process).await
        }
        Command::Api(settings) => processes::run_api(settings, process).await,
        Command::Worker(arguments) => processes::run_worker(arguments, process).await,
        Command::Key(key) => Box::pin(key::run(key.command, key.json, config(key.settings)?)).await,
        Command::Import(arguments) => import::run(arguments, process.shutdown).await,
        Command::Form(form) => form::run(&form.service()?, form.command).await,
        Command::Link(link) => link::run(&link.service()?, link.command).await,
        Command::Campaign(campaign) => {
            campaign::run(&campaign.service()?, campaign.command, process.shutdown).await
        }
        Command::Sender(sender) => {
            let config = config(sender.settings)?;
            Box::pin(sender::run(&sender.command, sender.json, &config)).await
        }
        Command::User(user) => {
            Box::pin(user::run(user.command, user.json, config(user.settings)?)).await
        }
        Command::Account(account) => {
            let config = config(account.settings)?;
            Box::pin(account::run(account.command, account.json, config)).await
        }
        Command::Audit(audit) => {
            Box::pin(audit::run(
                audit.command,
                audit.json,
                config(audit.settings)?,
            ))
            .await
        }
        Command::Suppression(list) => suppression::run(&list.service()?, list.command).await,
        Command::Migrate(arguments) => migrate::run(arguments).await,
        Command::Copy(arguments) => copy::run(arguments, process).await,
        Command::Backup(arguments) => backup::run_backup(arguments, process).await,
        Command::Restore(arguments) => backup::run_restore(arguments, process).await,
        Command::Report(report) => report::run(&report.service()?, report.command).await,
        Command::Doctor { json, settings } => doctor::run(config(settings)?, json).await,
        Command::Verify { output, settings } => {
            counts::verify(config(settings)?, &output, process).await
        }
        Command::Rebuild(settings) => counts::rebuild(config(settings)?, process).await,
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "feedback", &mut script);
            Ok(stdout().write_all(&script)?)
        }
    }
}

/// No error once whoever read stdout has seen enough, such as `head`.
fn unless_closed(error: anyhow::Error) -> anyhow::Result<()> {
    match error.downcast_ref::<io::Error>() {
        Some(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        _ => Err(error),
    }
}
