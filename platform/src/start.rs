//! What all commands have in common, and SIGTERM and SIGINT as cancellation tokens.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use crate::http::connections::raise_descriptors;
use crate::one_line;
use crate::telemetry::{self, Metrics, traces};

/// From the signal to the end of the process; orchestrators kill after 30 s.
const DRAIN: Duration = Duration::from_secs(24);

/// What a process gets from its start.
#[derive(Clone)]
pub struct Process {
    pub metrics: Metrics,
    /// Cancelled by SIGTERM or SIGINT: the process takes no new work and finishes what is in hand.
    pub shutdown: CancellationToken,
}

/// The body of a main: TLS provider, telemetry, runtime and signals, then `work` until it ends. An error ends the process
/// with one line on stderr and exit code 1. After a signal `work` has 24 s to end.
///
/// ```no_run
/// # struct Cli { settings: platform::config::Args }
/// # let cli = Cli { settings: platform::config::Args::default() };
/// use platform::config::ProcessRole;
///
/// platform::start::run(async |process| {
///     let config = cli.settings.config(ProcessRole::Worker)?;
///     let backends = platform::backends::Backends::open(&config, &process.shutdown).await?;
///     // … work until process.shutdown
///     Ok(())
/// });
/// ```
pub fn run(work: impl AsyncFnOnce(Process) -> anyhow::Result<()>) -> ExitCode {
    run_to_end(async |mut process| {
        raise_descriptors();
        process.shutdown = on_signal().context("signals cannot be received")?;
        tokio::spawn(telemetry::keep(process.metrics.clone()));
        let overdue = after(&process.shutdown, DRAIN);
        tokio::select! {
            result = work(process) => result,
            () = overdue.cancelled() => {
                tracing::warn!("what is still in hand is left to others");
                Ok(())
            }
        }
    })
}

/// As [`run`], for work that a signal just ends, as it ends any process: `shutdown` is never cancelled.
pub fn run_to_end(work: impl AsyncFnOnce(Process) -> anyhow::Result<()>) -> ExitCode {
    match try_run_to_end(work) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Not through the log: this line is for whoever started the process.
            eprintln!("{}", one_line(error.as_ref()));
            ExitCode::FAILURE
        }
    }
}

fn try_run_to_end(work: impl AsyncFnOnce(Process) -> anyhow::Result<()>) -> anyhow::Result<()> {
    // It must be there before the first TLS connection, because no library here brings its own. The error says that one is
    // installed already, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let process = Process {
        metrics: telemetry::init()?,
        shutdown: CancellationToken::new(),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("no runtime can be started")?;
    let exporter = traces::Exporter::start(runtime.handle())?;
    let result = runtime.block_on(work(process));
    if let Some(exporter) = exporter {
        exporter.flush();
    }
    // A blocking thread in mid-work may not hold the process.
    runtime.shutdown_timeout(Duration::from_millis(500));
    result
}

/// A token that is cancelled by the first SIGTERM or SIGINT. The second ends the process at once. Needs a runtime.
///
/// # Errors
/// The operating system refuses the handlers.
pub fn on_signal() -> std::io::Result<CancellationToken> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let token = CancellationToken::new();
    let shutdown = token.clone();
    tokio::spawn(async move {
        let mut either = async || {
            tokio::select! {
                _ = terminate.recv() => "SIGTERM",
                _ = interrupt.recv() => "SIGINT",
            }
        };
        let signal = either().await;
        tracing::info!(process.signal = signal, "shutting down");
        shutdown.cancel();
        either().await;
        tracing::warn!("asked twice: ending at once");
        std::process::exit(1);
    });
    Ok(token)
}

/// A token that is cancelled `delay` after `shutdown`. Needs a runtime.
pub fn after(shutdown: &CancellationToken, delay: Duration) -> CancellationToken {
    let later = CancellationToken::new();
    let (shutdown, token) = (shutdown.clone(), later.clone());
    tokio::spawn(async move {
        shutdown.cancelled().await;
        tokio::time::sleep(delay).await;
        token.cancel();
    });
    later
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::ConfigError;

    #[test]
    fn an_error_and_its_causes_are_one_line_without_repetition() {
        let error = ConfigError::new("AMQP_URL", "two\nlines");
        assert_eq!(one_line(&error), "AMQP_URL: two lines");
        let error = anyhow::anyhow!("disk full").context("not written");
        assert_eq!(one_line(error.as_ref()), "not written: disk full");
    }
}
