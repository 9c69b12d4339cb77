//! `feedback api` and `feedback worker`: the parts of `feedback serve` as processes of their own. As many of each as are wanted run
//! beside each other.

use platform::backends::Backends;
use platform::config::{Args, ConfigError, ProcessRole};
use platform::health::Health;
use platform::http::connections::Limits;
use platform::start::Process;
use platform::{http, ops};
use tokio_util::sync::CancellationToken;
use worker::{Work, Worker};

const ONLY: &str = "FEEDBACK_ONLY";

#[derive(clap::Args)]
pub(crate) struct WorkerArguments {
    /// The kinds of work to do, with commas between: import, roll-up, send [default: all]
    #[arg(long, env = ONLY, value_name = "KINDS")]
    only: Option<String>,
    #[command(flatten)]
    settings: Args,
}

pub(crate) async fn run_api(settings: Args, process: Process) -> anyhow::Result<()> {
    let config = settings.config(ProcessRole::Api)?;
    match Backends::open(&config, &process.shutdown).await? {
        Some(backends) => Ok(api::serve(&config, backends, &process, Vec::new(), None).await?),
        None => Ok(()),
    }
}

/// Health and metrics answer on `FEEDBACK_OPS_LISTEN`, if it is set.
pub(crate) async fn run_worker(arguments: WorkerArguments, process: Process) -> anyhow::Result<()> {
    let WorkerArguments { only, settings } = arguments;
    let only = only.filter(|kinds| !kinds.trim().is_empty());
    let kinds = kinds(only.as_deref().unwrap_or_default())?;
    let config = settings.config(ProcessRole::Worker)?;
    let Some(backends) = Backends::open(&config, &process.shutdown).await? else {
        return Ok(());
    };
    if only.is_some() && kinds.contains(&Work::Send) {
        let reason = "unset, and without it nothing is sent";
        if config.senders.is_empty() {
            return Err(ConfigError::new("FEEDBACK_SENDERS", reason).into());
        }
        if backends.pepper.is_none() {
            return Err(ConfigError::new("FEEDBACK_PEPPER", reason).into());
        }
    }
    let worker = Worker::new(backends.clone(), &config, &kinds, process.shutdown.clone());
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
        http::serve(listener, pages, Limits::operators(), None, done.clone()),
        working
    );
    Ok(())
}

/// The kinds of work that a list names; an empty one names all.
fn kinds(only: &str) -> Result<Vec<Work>, ConfigError> {
    let named = only
        .split(',')
        .map(str::trim)
        .filter(|kind| !kind.is_empty());
    let kinds = named.map(|kind| {
        kind.parse().map_err(|_| {
            ConfigError::new(
                ONLY,
                format!("{kind:?} is not one of import, roll-up, send"),
            )
        })
    });
    let kinds = kinds.collect::<Result<Vec<Work>, _>>()?;
    Ok(if kinds.is_empty() {
        Work::ALL.to_vec()
    } else {
        kinds
    })
}
