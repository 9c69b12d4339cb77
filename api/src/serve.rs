//! Answering on a port until told to stop.

use std::net::SocketAddr;
use std::time::Duration;

use api_http::{AppState, entry, error};
use axum::Router;
use axum::middleware::from_fn_with_state;
use platform::backends::Backends;
use platform::config::{Config, ConfigError};
use platform::ops::{self, Check};
use platform::start::Process;
use platform::{Error, http};
use tokio::net::TcpListener;

use crate::router;

/// Work that outlives its request may go on for so long after the last request.
const SETTLE: Duration = Duration::from_secs(3);

/// Serves until the process is told to stop, then finishes what is in hand. `checks` are those of whatever else runs in
/// the process.
///
/// # Errors
/// An address that cannot be listened on.
pub async fn serve(
    config: &Config,
    backends: Backends,
    process: &Process,
    checks: Vec<Check>,
) -> Result<(), Error> {
    let shutdown = process.shutdown.clone();
    let checks = [backends.checks(), checks].concat();
    let ops = ops::router(checks, process.metrics.clone())
        .method_not_allowed_fallback(error::method_not_allowed);
    let state = AppState::new(config, &backends, shutdown.clone());
    let listener = listen("FEEDBACK_LISTEN", config.listen).await?;
    let api = router(&state, config, &backends);
    let maintenance = tokio::spawn({
        let state = state.clone();
        async move { state.run_maintenance().await }
    });
    match config.ops_listen {
        None => {
            let routes = api.merge(with_layers(ops, &state));
            http::serve(listener, routes, shutdown).await?;
        }
        Some(address) => {
            let ops_listener = listen("FEEDBACK_OPS_LISTEN", address).await?;
            let ops = with_layers(ops.fallback(error::not_found), &state);
            tokio::try_join!(
                http::serve(listener, api, shutdown.clone()),
                http::serve(ops_listener, ops, shutdown),
            )?;
        }
    }
    // It has ended, or the shutdown was not the reason to stop.
    maintenance.abort();
    state.settle(SETTLE).await;
    Ok(())
}

async fn listen(variable: &'static str, address: SocketAddr) -> Result<TcpListener, Error> {
    let listener = TcpListener::bind(address)
        .await
        .map_err(|error| ConfigError {
            variable,
            reason: format!("cannot listen on {address}: {error}"),
        })?;
    tracing::info!(%address, "listening");
    Ok(listener)
}

/// The layers that health and metrics share with the rest.
fn with_layers(ops: Router, state: &AppState) -> Router {
    ops.layer(from_fn_with_state(state.meters().clone(), entry::open))
}
