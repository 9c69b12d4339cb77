//! The binary `worker`: one worker process of a production setup. As many as are wanted may run beside each other.

use std::io::ErrorKind;
use std::process::ExitCode;

use anyhow::Context;
use clap::Parser;
use mimalloc::MiMalloc;
use platform::backends::Backends;
use platform::config::{Args, Config, Role};
use platform::start::{self, Process};
use tokio::net::TcpListener;
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
    start::run(Cli::parse().settings, Role::Worker, run)
}

async fn run(config: Config, process: Process) -> anyhow::Result<()> {
    let backends = Backends::open(&config).await?;
    let worker = Worker::new(backends.clone(), process.shutdown.clone());
    // Never on the address of the API, which may be about to start here.
    let Some(address) = config.ops_listen else {
        worker.run().await;
        return Ok(());
    };
    let listener = match TcpListener::bind(address).await {
        Ok(listener) => listener,
        // Several workers on one machine need no page each: the work is what counts.
        Err(error) if error.kind() == ErrorKind::AddrInUse => {
            tracing::warn!(%address, "FEEDBACK_OPS_LISTEN: in use; this worker runs without health and metrics pages");
            worker.run().await;
            return Ok(());
        }
        Err(error) => return Err(error).context(format!("FEEDBACK_OPS_LISTEN: {address}")),
    };
    tracing::info!(%address, "listening");
    let checks = [backends.checks(), worker.checks()].concat();
    let ops = platform::ops::router(checks, process.metrics);
    let (served, ()) = tokio::join!(
        platform::http::serve(listener, ops, process.shutdown),
        worker.run()
    );
    Ok(served?)
}
