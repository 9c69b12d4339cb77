//! Part `plan`: the messages of a campaign over stored recipients are made; what another account feels of it.

use std::cell::Cell;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use chrono::{TimeDelta, Utc};
use serde_json::{Value, json};
use tests::app::{App, Backends};
use tests::bench::copy::CopyReference;
use tests::bench::frame::settle;
use tests::bench::lag::{Lag, p99};
use tests::bench::million;
use tests::bench::report::{Row, Target, Unit};
use tests::bench::settings::Settings;
use tests::bench::timed;
use tests::campaign::{count, on_import};
use tests::client::Client;
use tests::form::short_form;
use tests::report::overview;
use tests::servers::Account;

use super::run::start;

/// How exact an end is seen.
const POLL: Duration = Duration::from_millis(20);
/// Planning that takes this long hangs.
const LONGEST: Duration = Duration::from_mins(15);
/// Answers of a round.
const ANSWERS: u32 = 200;
const WRITERS: u32 = 2;
const PAUSE: Duration = Duration::from_millis(50);

pub(super) async fn measure(settings: &Settings, backends: Backends) -> Result<Vec<Row>> {
    let app = start(backends, "demo=demo:?rate=1000&window=100").await?;
    let large = Planner::new(&app, settings.records).await?;
    let mut planned = Row::new(
        "start → messages made",
        Unit::Seconds,
        r"\copy",
        Target::RatioAtMost(2.0),
    );
    // The round that warms up leaves the rows for the reference, which come in the order of their docids.
    large.plan().await?;
    let folder = Account::folder(None, "copy")?;
    let order = million::in_sequence(settings.records);
    let reference =
        CopyReference::prepare(app.backends(), "message", "docid", &order, folder.path()).await?;
    for round in 1..=settings.rounds {
        empty(&app, &reference).await?;
        let ours = large.plan().await?;
        empty(&app, &reference).await?;
        let copied = reference.load(app.backends()).await?.as_secs_f64();
        planned.round(ours, copied);
        eprintln!(r"round {round}: planned {ours:.2} s, \copy {copied:.2} s");
    }

    let mut begun = Row::new(
        "start → first accepted, beside planning",
        Unit::Seconds,
        "alone",
        Target::AtMost(2.0),
    );
    let mut answer = Row::new(
        "answer, beside planning",
        Unit::Milliseconds,
        "alone",
        Target::AtMost(1_000.0),
    );
    let witness = Witness::new(&app).await?;
    witness.felt().await?;
    for round in 1..=settings.rounds {
        empty(&app, &reference).await?;
        let alone = witness.felt().await?;
        let ended = Cell::new(false);
        let load = async {
            while !ended.get() {
                large.plan().await?;
            }
            anyhow::Ok(())
        };
        let felt = async {
            tokio::time::sleep(PAUSE).await;
            let felt = witness.felt().await;
            ended.set(true);
            felt
        };
        let ((), beside) = tokio::try_join!(load, felt)?;
        begun.round(beside.begun, alone.begun);
        answer.round(beside.answer, alone.answer);
        eprintln!(
            "round {round}: first accepted after {:.2} s, alone {:.2}; p99 of an answer {:.1} ms, alone {:.1}",
            beside.begun, alone.begun, beside.answer, alone.answer
        );
    }
    Ok(vec![planned, begun, answer])
}

/// No messages: neither has more of the server's memory.
async fn empty(app: &App, reference: &CopyReference) -> Result<()> {
    let truncate = "TRUNCATE message, message_due";
    app.backends().sql(truncate).await?;
    reference.empty(app.backends()).await?;
    settle(app).await
}

/// A campaign over all recipients of its account.
fn over_all(form: &Value, starts_in: TimeDelta) -> Value {
    let mut campaign = on_import(form, "demo");
    campaign["audience"] = json!({"fields": {}});
    campaign["starts_at"] = json!(Utc::now() + starts_in);
    campaign
}

/// An account with recipients.
struct Planner {
    client: Client,
    records: u32,
}

impl Planner {
    async fn new(app: &App, records: u32) -> Result<Self> {
        let client = app.client().await?;
        let body = million::body(&million::at_random(records));
        timed::import(&client, &body, records, "created").await?;
        Ok(Self { client, records })
    }

    /// The seconds until all messages of a new campaign are made.
    async fn plan(&self) -> Result<f64> {
        let of = |form: &Value| over_all(form, TimeDelta::days(1));
        self.started(of, "recipients", self.records).await
    }

    /// The seconds from the start of a new campaign until so many of its messages are counted under a name.
    async fn started(
        &self,
        of: impl FnOnce(&Value) -> Value,
        name: &str,
        least: u32,
    ) -> Result<f64> {
        let campaign = self.client.campaign(of).await?;
        let start = Instant::now();
        self.client.act(&campaign, "start").await?.expect(200)?;
        loop {
            let now = self.client.read_campaign(&campaign).await?;
            if count(&now, "first", name) >= least.into() {
                return Ok(start.elapsed().as_secs_f64());
            }
            ensure!(start.elapsed() < LONGEST, "it hangs: {now}");
            tokio::time::sleep(POLL).await;
        }
    }
}

/// What another account feels.
struct Felt {
    /// Seconds.
    begun: f64,
    /// Milliseconds.
    answer: f64,
}

/// Another account, which sends and gets little.
struct Witness {
    small: Planner,
    public: Client,
    link: Value,
    overview: String,
}

impl Witness {
    async fn new(app: &App) -> Result<Self> {
        let small = Planner::new(app, 10).await?;
        let form = small.client.published(&short_form("witness")).await?;
        let link = small.client.link(&form, "", &[]).await?;
        let today = Utc::now().date_naive();
        let day = |offset: i64| (today + TimeDelta::days(offset)).to_string();
        Ok(Self {
            small,
            public: app.anonymous()?,
            link,
            overview: overview((&day(-30), &day(1))),
        })
    }

    async fn felt(&self) -> Result<Felt> {
        let of = |form: &Value| over_all(form, TimeDelta::zero());
        let begun = self.small.started(of, "accepted", 1).await?;
        let lag = Lag {
            public: &self.public,
            owner: &self.small.client,
            path: &self.overview,
            link: &self.link,
            answers: &json!({"mood": 4}),
            writers: WRITERS,
            pause: PAUSE,
        };
        let answer = p99(&lag.measure(ANSWERS).await?)?;
        Ok(Felt { begun, answer })
    }
}
