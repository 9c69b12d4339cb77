//! SIGTERM and SIGINT as cancellation tokens.

use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

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
