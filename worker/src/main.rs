//! The binary `worker`: one worker process of a production setup. As many as are wanted may run beside each other.

use std::process::ExitCode;

use clap::Parser;
use mimalloc::MiMalloc;
use platform::backends::Backends;
use platform::config::{Args, Config, ProcessRole};
use platform::health::Health;
use platform::http::connections::Limits;
use platform::start::{self, Process};
use platform::{http, ops};
use tokio_util::sync::CancellationToken;
use worker::Worker;

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// Stores imported recipients and keeps the reports' aggregates.
///
/// Health and metrics answer on `FEEDBACK_OPS_LISTEN`, if it is set.
#[derive(Parser)]
#[command(name = "worker", version)]
struct Cli {
    #[command(flatten)]
    settings: Args,
}

fn main() -> ExitCode {
    let settings = Cli::parse().settings;
    start::run(async |process| run(settings.config(ProcessRole::Worker)?, process).await)
}

async fn run(config: Config, process: Process) -> anyhow::Result<()> {
    let Some(backends) = Backends::open(&config, &process.shutdown).await? else {
        return Ok(());
    };
    let worker = Worker::new(backends.clone(), &config, process.shutdown.clone());
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
