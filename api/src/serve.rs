//! Answering on a port until told to stop.

use std::sync::Arc;
use std::time::Duration;

use api_http::{AppState, Problem, entry, error};
use axum::Router;
use axum::middleware::from_fn_with_state;
use domain::sms::SenderState;
use futures::future::BoxFuture;
use platform::backends::Backends;
use platform::config::Config;
use platform::health::{Check, Health};
use platform::http::connections::Limits;
use platform::http::tls::Tls;
use platform::start::{self, Process};
use platform::{http, ops};
use store::Store;
use tokio_util::sync::CancellationToken;

use crate::{FirstAdmin, router};

/// Work that outlives its request may go on for so long after the last request.
const SETTLE: Duration = Duration::from_secs(3);

/// Serves until the process is told to stop and proxies had time to notice, then finishes what is in hand. `checks` are
/// those of whatever else runs in the process, `first_admin` the link of whoever signs in first. In a box, so that it is compiled here and not in each binary.
///
/// # Errors
/// An address that cannot be listened on, or a certificate that cannot be used.
pub fn serve<'a>(
    config: &'a Config,
    backends: Backends,
    process: &'a Process,
    checks: Vec<Check>,
    first_admin: Option<FirstAdmin>,
) -> BoxFuture<'a, anyhow::Result<()>> {
    Box::pin(async move {
        let closing = start::after(&process.shutdown, config.drain);
        let senders = senders_check(config, &backends);
        let tls = match &config.tls {
            Some(files) => Some(Tls::open(files).await?),
            None => None,
        };
        let certificate = tls.iter().map(Tls::check).collect();
        let checks = [backends.checks(), vec![senders], certificate, checks].concat();
        let health = Health::new(checks, process.shutdown.clone());
        let state = AppState::new(config, &backends, closing.clone());
        let listener = http::listen("FEEDBACK_LISTEN", config.listen).await?;
        let api = router(&state, config, &backends, first_admin);
        let maintenance = tokio::spawn({
            let state = state.clone();
            async move { state.run_maintenance().await }
        });
        let limits = Limits::of(config);
        let bare = ops::bare(health.clone());
        let detailed = ops::detailed(health, process.metrics.clone());
        let (beside, apart) = match config.ops_listen {
            None => (bare, None),
            Some(same) if same == config.listen => (detailed, None),
            Some(address) => (bare, Some((address, detailed))),
        };
        let api = api.merge(with_layers(beside, &state));
        let serving = http::serve(listener, api, limits, tls, closing);
        match apart {
            None => serving.await,
            Some((address, detailed)) => {
                let ops_listener = http::listen("FEEDBACK_OPS_LISTEN", address).await?;
                // Operators can ask until the last request is answered.
                let done = CancellationToken::new();
                let serving = async {
                    serving.await;
                    done.cancel();
                };
                let detailed =
                    with_layers(detailed.fallback(async || Problem::not_found()), &state);
                tokio::join!(
                    serving,
                    http::serve(
                        ops_listener,
                        detailed,
                        Limits::operators(),
                        None,
                        done.clone()
                    )
                );
            }
        }
        // It has ended, or the shutdown was not the reason to stop.
        maintenance.abort();
        state.settle(SETTLE).await;
        Ok(())
    })
}

/// Whether workers have all senders, and the settings those that campaigns need. Not required for readiness, because messages wait.
fn senders_check(config: &Config, backends: &Backends) -> Check {
    let names: Arc<[String]> = config.senders.iter().map(|one| one.name.clone()).collect();
    let run = async |(store, known): (Store, Arc<[String]>)| {
        let stored = store.senders().await.map_err(|error| error.to_string())?;
        let attended = |name: &str| {
            let mut stored = stored.iter();
            stored.any(|one| one.name == name && one.state != SenderState::Unattended)
        };
        let names = known.iter().map(String::as_str);
        let unattended: Vec<&str> = names.filter(|name| !attended(name)).collect();
        let needed = store.needed_senders().await;
        let needed = needed.map_err(|error| error.to_string())?;
        let gone: Vec<String> = needed
            .into_iter()
            .filter(|name| !known.contains(name))
            .collect();
        let mut faults = Vec::new();
        if !unattended.is_empty() {
            faults.push(format!("no worker has {}", unattended.join(", ")));
        }
        if !gone.is_empty() {
            let gone = gone.join(", ");
            faults.push(format!(
                "campaigns need {gone}, which the settings do not have"
            ));
        }
        if faults.is_empty() {
            Ok(())
        } else {
            Err(faults.join("; "))
        }
    };
    Check::new("senders", (backends.store.clone(), names), run).optional()
}

/// The layers that health and metrics share with the rest.
fn with_layers(ops: Router, state: &AppState) -> Router {
    ops.method_not_allowed_fallback(error::method_not_allowed)
        .layer(from_fn_with_state(state.meters.clone(), entry::open))
}
