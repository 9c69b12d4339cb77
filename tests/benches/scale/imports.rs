//! Part `imports`: until all records of a new account are stored.

use anyhow::Result;
use tests::app::App;
use tests::bench::million;
use tests::bench::report::{Row, Target, Unit};
use tests::bench::settings::Settings;
use tests::bench::timed;
use tests::servers::Endpoints;

use super::pair::Pair;

pub(super) async fn measure(settings: &Settings, endpoints: &Endpoints) -> Result<Vec<Row>> {
    let pair = Pair::start(endpoints).await?;
    let body = million::body(&million::at_random(settings.records));
    let mut row = Row::new(
        format!("{} records stored, Citus", settings.records),
        Unit::RecordsPerSecond,
        "plain PostgreSQL",
        Target::RatioAtLeast(0.8),
    );
    let rate = async |app: &App| {
        app.backends().sql("TRUNCATE recipient").await?;
        let client = app.client().await?;
        let timed = timed::import(&client, &body, settings.records, "created").await?;
        Ok(f64::from(settings.records) / timed.stored.as_secs_f64())
    };
    // Round 0 warms up.
    for round in 0..=settings.rounds {
        let [distributed, plain] = pair.round(round, rate).await?;
        eprintln!("round {round}: Citus {distributed:.0}/s, plain {plain:.0}/s");
        if round > 0 {
            row.round(distributed, plain);
        }
    }
    pair.stop().await?;
    Ok(vec![row])
}
