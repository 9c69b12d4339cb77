//! The binary `worker`: one worker process of a production setup. As many as are wanted may run beside each other.

use std::process::ExitCode;

use clap::Parser;
use mimalloc::MiMalloc;
use platform::backends::Backends;
use platform::config::{Args, Config, ConfigError, ProcessRole};
use platform::health::Health;
use platform::http::connections::Limits;
use platform::start::{self, Process};
use platform::{http, ops};
use tokio_util::sync::CancellationToken;
use worker::{Work, Worker};

const ONLY: &str = "FEEDBACK_ONLY";

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// Stores imported recipients and keeps the reports' aggregates.
///
/// Health and metrics answer on `FEEDBACK_OPS_LISTEN`, if it is set.
#[derive(Parser)]
#[command(name = "worker", version)]
struct Cli {
    /// The kinds of work to do, with commas between: import, roll-up, send [default: all]
    #[arg(long, env = "FEEDBACK_ONLY", value_name = "KINDS")]
    only: Option<String>,
    #[command(flatten)]
    settings: Args,
}

fn main() -> ExitCode {
    let Cli { only, settings } = Cli::parse();
    start::run(async |process| {
        let kinds = kinds(only.as_deref().unwrap_or_default())?;
        run(settings.config(ProcessRole::Worker)?, &kinds, process).await
    })
}

/// The kinds of work that a list names; an empty one names all.
fn kinds(only: &str) -> Result<Vec<Work>, ConfigError> {
    let named = only
        .split(',')
        .map(str::trim)
        .filter(|kind| !kind.is_empty());
    let kinds = named.map(|kind| {
        let unknown = |_| format!("{kind:?} is not one of import, roll-up, send");
        kind.parse()
            .map_err(|error| ConfigError::new(ONLY, unknown(error)))
    });
    let kinds = kinds.collect::<Result<Vec<Work>, _>>()?;
    Ok(if kinds.is_empty() {
        Work::ALL.to_vec()
    } else {
        kinds
    })
}

async fn run(config: Config, kinds: &[Work], process: Process) -> anyhow::Result<()> {
    let Some(backends) = Backends::open(&config, &process.shutdown).await? else {
        return Ok(());
    };
    if kinds == [Work::Send] && backends.pepper.is_none() {
        let reason = "unset, and without it nothing is sent";
        return Err(ConfigError::new("FEEDBACK_PEPPER", reason).into());
    }
    let worker = Worker::new(backends.clone(), &config, kinds, process.shutdown.clone());
    let checks = [backends.checks(), worker.checks()].concat();
    let health = Health::new(checks, process.shutdown);
    let Some(address) = config.ops_listen else {
        worker.run().await;
        return Ok(());
    };
    let listener = http::listen("FEEDBACK_OPS_LISTEN", address).await?;
    let pages = ops::detailed(health, process.metrics);
    // The pages answer until the last chunk is done.
    let done = CancellationToken::new();
    let working = async {
        worker.run().await;
        done.cancel();
    };
    tokio::join!(
        http::serve(listener, pages, Limits::operators(), done.clone()),
        working
    );
    Ok(())
}
