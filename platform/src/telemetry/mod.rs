//! Logs to stderr, metrics for `/metrics`, and traces for a collector. stdout stays for results.
//!
//! Field names are dotted (`batch.id`, `queue.connection`). No secrets and no phone numbers, ever.
//!
//! - `descriptions`: what each metric means; [`gauges`]: figures of the process itself.
//! - `limit`: how many lines one cause may write.
//! - [`traces`]: spans and their export.

mod descriptions;
pub mod gauges;
mod limit;
pub mod traces;

use std::io::IsTerminal;
use std::time::Duration;

use anyhow::Context;
use metrics_exporter_prometheus::PrometheusBuilder;
/// The process's metrics. Cheap to clone.
pub use metrics_exporter_prometheus::PrometheusHandle as Metrics;
use tracing_subscriber::filter::{ParseError, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use self::limit::Limited;
use crate::config::ConfigError;

/// The libraries' lines repeat our own, or are many. `RUST_LOG` comes after this and can change it.
const QUIET: &str = "info,sqlx=warn,sqlx_core=error,sea_orm=warn,lapin=off,redis=warn,hyper=warn,h2=warn,rustls=warn,tower=warn";

/// It writes phone numbers. `RUST_LOG` cannot change it.
const SECRETIVE: &str = "rlibphonenumber=off";

/// Seconds, from a cached answer to a whole import.
const BUCKETS: [f64; 17] = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0,
    60.0, 120.0,
];

/// Logs or metrics are set up already, by someone else.
const REFUSED: &str = "telemetry cannot be set up";
/// How often histograms are drained.
const DRAIN: Duration = Duration::from_secs(5);

/// Drains histograms, for ever: otherwise they grow with every sample until somebody reads them. Records what memory is used.
pub(crate) async fn keep(metrics: Metrics) {
    let mut tick = tokio::time::interval(DRAIN);
    loop {
        tick.tick().await;
        metrics.run_upkeep();
        gauges::record_memory();
    }
}

/// Sets up logs and metrics for the whole process: lines for people on a terminal, JSON otherwise.
///
/// # Errors
/// A `RUST_LOG` that cannot be read, or telemetry that is set up already.
pub fn init() -> anyhow::Result<Metrics> {
    let wish = std::env::var("RUST_LOG").unwrap_or_default();
    let filter = filter(&wish)?;
    let registry = tracing_subscriber::registry().with(filter);
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    let set = if std::io::stderr().is_terminal() {
        registry
            .with(lines.map_event_format(Limited::new))
            .try_init()
    } else {
        registry
            .with(
                lines
                    .json()
                    .flatten_event(true)
                    .with_current_span(true)
                    .with_span_list(false)
                    .map_event_format(Limited::new),
            )
            .try_init()
    };
    set.context(REFUSED)?;
    let metrics = PrometheusBuilder::new()
        .set_buckets(&BUCKETS)
        .and_then(PrometheusBuilder::install_recorder)
        .context(REFUSED)?;
    descriptions::describe();
    Ok(metrics)
}

fn filter(wish: &str) -> Result<Targets, ConfigError> {
    // A later directive replaces an earlier one of the same target; an empty one would mean errors alone.
    let wishes = [QUIET, wish.trim_matches(','), SECRETIVE];
    let directives: Vec<_> = wishes.into_iter().filter(|wish| !wish.is_empty()).collect();
    directives
        .join(",")
        .parse()
        .map_err(|error: ParseError| ConfigError::new("RUST_LOG", error.to_string()))
}

#[cfg(test)]
mod tests {
    use tracing::Level;

    use super::*;

    #[test]
    fn a_wish_changes_the_level_and_leaves_the_libraries_quiet() {
        for (wish, own, sqlx) in [
            ("", Level::INFO, Level::WARN),
            ("debug", Level::DEBUG, Level::WARN),
            ("warn,store=debug", Level::DEBUG, Level::WARN),
            ("sqlx=trace", Level::INFO, Level::TRACE),
        ] {
            let filter = filter(wish).unwrap();
            for (target, most) in [("store::import", own), ("sqlx::query", sqlx)] {
                for level in [Level::WARN, Level::INFO, Level::DEBUG, Level::TRACE] {
                    let shown = filter.would_enable(target, &level);
                    assert_eq!(shown, level <= most, "{wish}: {target} {level}");
                }
            }
        }
    }

    #[test]
    fn a_bad_wish_names_its_variable() {
        let line = filter("store=loud").unwrap_err().to_string();
        assert!(line.starts_with("RUST_LOG: "), "{line}");
    }
}
