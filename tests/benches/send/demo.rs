//! Parts `demo` and `embedded`: messages through the simulated provider.

use anyhow::Result;
use tests::app::Backends;
use tests::bench::report::{Row, Target, Unit};
use tests::bench::settings::Settings;

use super::run::{Run, start};

/// What a gateway's batch call enqueues, in messages a second.
const GATEWAY: f64 = 4_053.0;

const SENDER: &str = "demo=demo:?rate=100000&window=200&delay=100ms&failures=0";

pub(super) async fn measure(
    settings: &Settings,
    backends: Backends,
    least: f64,
) -> Result<Vec<Row>> {
    let app = start(backends, SENDER).await?;
    let place = if app.embedded() {
        "SQLite"
    } else {
        "PostgreSQL"
    };
    let row = |what| {
        let measure = format!("messages {what}, {place}");
        let (unit, target) = (Unit::MessagesPerSecond, Target::AtLeast(least));
        Row::new(measure, unit, "a gateway's queue", target)
    };
    let (mut accepted, mut delivered) = (row("accepted"), row("delivered"));
    // The first warms up.
    for round in 0..=settings.rounds {
        let run = Run::begin(&app, "demo", settings.messages).await?;
        let rates = (run.accepted().await?, run.delivered().await?);
        eprintln!(
            "round {round}: {:.0} messages/s accepted, {:.0} delivered",
            rates.0, rates.1
        );
        if round > 0 {
            accepted.round(rates.0, GATEWAY);
            delivered.round(rates.1, GATEWAY);
        }
    }
    Ok(vec![accepted, delivered])
}
