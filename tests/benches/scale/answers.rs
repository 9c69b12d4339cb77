//! Part `answers`: one hot form, answered over many connections.

use std::time::Duration;

use anyhow::Result;
use tests::app::App;
use tests::bench::hot::{Hot, script};
use tests::bench::load;
use tests::bench::report::{Row, Target, Unit};
use tests::bench::settings::Settings;
use tests::servers::{Account, Endpoints};

use super::pair::Pair;

const TIME: Duration = Duration::from_secs(8);
const CONNECTIONS: u32 = 256;

pub(super) async fn measure(settings: &Settings, endpoints: &Endpoints) -> Result<Vec<Row>> {
    let pair = Pair::start(endpoints).await?;
    let folder = Account::folder(None, "answers")?;
    let lua = script(folder.path())?;
    let mut row = Row::new(
        format!("answers, one hot form, {CONNECTIONS} connections, Citus"),
        Unit::AnswersPerSecond,
        "plain PostgreSQL",
        Target::RatioAtLeast(0.5),
    );
    let load = async |app: &App| {
        let hot = Hot::make(app).await?;
        load::wrk(&hot.url, CONNECTIONS, TIME, Some(&lua)).await
    };
    // Round 0 warms up.
    for round in 0..=settings.rounds {
        let [distributed, plain] = pair.round(round, load).await?;
        eprintln!(
            "round {round}: Citus {:.0}/s, p50 {:.1} ms, p99 {:.1} ms; plain {:.0}/s, p50 {:.1} ms, p99 {:.1} ms",
            distributed.rate, distributed.p50, distributed.p99, plain.rate, plain.p50, plain.p99
        );
        if round > 0 {
            row.round(distributed.rate, plain.rate);
        }
    }
    pair.stop().await?;
    Ok(vec![row])
}
