//! The witness: an account that does little, and how that goes.

use std::time::Duration;

use anyhow::{Context, Result};
use chrono::{TimeDelta, Utc};
use serde_json::{Value, json};
use tests::app::App;
use tests::bench::frame::settle;
use tests::bench::lag::{Lag, p99};
use tests::bench::memory;
use tests::bench::million;
use tests::bench::report::{Row, Target, Unit};
use tests::bench::settings::Settings;
use tests::bench::timed;
use tests::client::Client;
use tests::form::short_form;
use tests::report::overview;

/// Answers of a round.
const ANSWERS: u32 = 100;
const WRITERS: u32 = 2;
const PAUSE: Duration = Duration::from_millis(50);
/// MiB that all pools of memory have together.
const MEMORY: f64 = 256.0;
/// The load has begun by then.
const BEGUN: Duration = Duration::from_secs(3);

pub(super) struct Witness<'a> {
    app: &'a App,
    client: Client,
    public: Client,
    link: Value,
    overview: String,
    rounds: u32,
}

impl<'a> Witness<'a> {
    pub(super) async fn new(app: &'a App, settings: &Settings) -> Result<Self> {
        let client = app.client().await?;
        let form = client.published(&short_form("witness")).await?;
        let link = client.link(&form, "", &[]).await?;
        let today = Utc::now().date_naive();
        let day = |offset: i64| (today + TimeDelta::days(offset)).to_string();
        Ok(Self {
            app,
            client,
            public: app.anonymous()?,
            link,
            overview: overview((&day(-30), &day(1))),
            rounds: settings.rounds,
        })
    }

    /// Rows of the witness's answers, of the api's memory, and of the witness's imports of so many records, beside a load and
    /// alone. A load goes on until
    /// it is dropped.
    pub(super) async fn beside<L, F>(
        &self,
        load: &str,
        records: Option<u32>,
        begin: L,
    ) -> Result<Vec<Row>>
    where
        L: Fn() -> F,
        F: Future<Output = Result<()>>,
    {
        let mut answer = Row::new(
            format!("answer, beside {load}"),
            Unit::Milliseconds,
            "alone",
            Target::AtMost(1_000.0),
        );
        let mut peak = Row::new(
            format!("memory over idle, beside {load}"),
            Unit::Mebibytes,
            "",
            Target::AtMost(MEMORY),
        );
        // What warms up is not counted.
        self.answers().await?;
        let api = &self.app.apis.first().context("no api runs")?.process;
        let idle = memory::resident(api)?;
        memory::forget_peak(api)?;
        for round in 1..=self.rounds {
            settle(self.app).await?;
            let alone = self.answers().await?;
            let beside = under(begin(), self.answers()).await?;
            answer.round(beside, alone);
            eprintln!("round {round}: p99 of an answer {beside:.1} ms, alone {alone:.1} ms");
        }
        peak.lone_round(memory::peak(api)? - idle);
        let Some(records) = records else {
            return Ok(vec![answer, peak]);
        };
        let mut import = Row::new(
            format!("{records} records, beside {load}"),
            Unit::Seconds,
            "alone",
            Target::RatioAtMost(3.0),
        );
        self.import(records).await?;
        for round in 1..=self.rounds {
            settle(self.app).await?;
            let alone = self.import(records).await?;
            let beside = under(begin(), self.import(records)).await?;
            import.round(beside, alone);
            eprintln!("round {round}: {records} records {beside:.2} s, alone {alone:.2} s");
        }
        Ok(vec![answer, peak, import])
    }

    async fn answers(&self) -> Result<f64> {
        let lag = Lag {
            public: &self.public,
            owner: &self.client,
            path: &self.overview,
            link: &self.link,
            answers: &json!({"mood": 4}),
            writers: WRITERS,
            pause: PAUSE,
        };
        p99(&lag.measure(ANSWERS).await?)
    }

    /// Into an account of its own, so that all are new.
    async fn import(&self, records: u32) -> Result<f64> {
        let body = million::body(&million::at_random(records));
        let client = self.app.client().await?;
        let took = timed::import(&client, &body, records, "created").await?;
        Ok(took.stored.as_secs_f64())
    }
}

/// What is measured once the load has begun. It ends with what is measured, or with its own failure.
async fn under<T>(
    load: impl Future<Output = Result<()>>,
    measured: impl Future<Output = Result<T>>,
) -> Result<T> {
    let measured = async {
        tokio::time::sleep(BEGUN).await;
        measured.await
    };
    tokio::pin!(load, measured);
    tokio::select! {
        biased;
        ended = &mut load => ended?,
        measured = &mut measured => return measured,
    }
    anyhow::bail!("the load ended first")
}
