//! `feedback migrate`: brings a filled database to the schema of this release, beside running processes. Results go to stdout,
//! what is done meanwhile to stderr.

use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use anyhow::bail;
use clap::Subcommand;
use indicatif::ProgressBar;
use platform::config::{Args, ProcessRole};
use platform::migrate::Migration;
use store::migration::{Plan, Watch};

use crate::output::{print, style};

#[derive(clap::Args)]
#[command(mut_args(|arg| arg.global(true)))]
pub(crate) struct Arguments {
    /// `up` if none is named
    #[command(subcommand)]
    command: Option<Command>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    settings: Args,
}

#[derive(Clone, Copy, Subcommand)]
enum Command {
    /// Apply what the database lacks; processes of the older release run on, and may be started still
    Up,
    /// Admit no older release any more, and do what only then may be done; there is no way back
    Finish,
    /// Show what was applied, which releases may run, and what is left to do
    Status,
    /// Show what is left to do; exit 1 if something is
    Check,
    /// Put the accounts of a PostgreSQL with Citus on its nodes; all other processes must have ended; there is no way back
    Distribute {
        /// Show what would be done
        #[arg(long)]
        dry_run: bool,
    },
}

pub(crate) async fn run(arguments: Arguments) -> anyhow::Result<()> {
    let config = arguments.settings.config(ProcessRole::Serve)?;
    let migration = Migration::open(&config)?;
    let command = arguments.command.unwrap_or(Command::Up);
    match command {
        Command::Up => migration.up(&watch()).await?,
        Command::Finish => migration.finish(&watch()).await?,
        Command::Distribute { dry_run } => {
            return distribute(migration, dry_run, arguments.json).await;
        }
        Command::Status | Command::Check => {}
    }
    let plan = migration.plan().await?;
    migration.close().await;
    print(&plan, arguments.json, |plan| show(plan, command))?;
    if matches!(command, Command::Check) && !plan.is_empty() {
        bail!("something is left to do");
    }
    Ok(())
}

async fn distribute(migration: Migration, dry_run: bool, json: bool) -> anyhow::Result<()> {
    if !dry_run {
        migration.distribute(&watch()).await?;
    }
    let left = migration.distribution_plan().await?;
    migration.close().await;
    print(&left, json, |left| {
        let lines = left.iter().map(|table| format!("distribute  {table}\n"));
        lines.collect()
    })
}

fn show(plan: &Plan, command: Command) -> String {
    let mut text = String::new();
    if let (Command::Status, Some(newest), Some(lowest)) = (command, plan.newest, plan.lowest) {
        let program = plan.program;
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "schema   {newest}\nadmits   {lowest} and newer\nprogram  {program}"
        );
    }
    let steps = [("up", &plan.up), ("finish", &plan.finish)];
    for (command, steps) in steps {
        for step in steps {
            let _ = writeln!(text, "{command:6}   {step}");
        }
    }
    text
}

/// Shows what is done on stderr: bars on a terminal, otherwise a line a step.
pub(crate) fn watch() -> Arc<dyn Watch> {
    Arc::new(ProgressBars {
        bar: ProgressBar::new_spinner(),
    })
}

/// How often the bar moves while nothing is told.
const TICK: Duration = Duration::from_millis(200);

struct ProgressBars {
    bar: ProgressBar,
}

impl Watch for ProgressBars {
    fn step(&self, migration: &str, step: &str) {
        let line = format!("{migration} {step}");
        if self.bar.is_hidden() {
            eprintln!("{line}");
        }
        self.bar.set_style(style("{spinner} {msg} {elapsed}"));
        self.bar.set_message(line);
        self.bar.enable_steady_tick(TICK);
    }

    fn rows(&self, done: u64, of: u64) {
        let rows = "{spinner} {msg} {bar:20} {human_pos} of {human_len} rows, {eta} left";
        self.bar.set_style(style(rows));
        self.bar.set_length(of.max(done));
        self.bar.set_position(done);
    }

    fn waiting(&self, reason: &str) {
        self.bar.set_message(format!("waiting: {reason}"));
    }
}
