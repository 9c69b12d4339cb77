//! Part `freshness`: from the 201 of an answer until the cached report has it, while reports are asked for and records
//! imported.

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use futures::future::try_join_all;
use serde_json::{Value, json};
use tests::bench::load::{self, CONNECTIONS};
use tests::bench::million;
use tests::bench::report::{Row, Target, Unit};
use tests::bench::settings::Settings;
use tests::bench::timed;
use tests::client::Client;
use tests::report::Of;
use tests::visitor::Visitor;

use super::beside::PAUSE;
use super::cached::month;
use super::data::Data;

/// Who answers at once.
const WRITERS: u32 = 8;
/// How long a load of reports lasts before the next one begins.
const LOAD: Duration = Duration::from_secs(2);

pub(super) async fn measure(settings: &Settings, data: &Data) -> Result<Vec<Row>> {
    let body = million::body(&million::at_random(settings.records));
    let client = &data.large.client;
    let url = format!("{}{}", client.base(), month(&data.large)?);
    let script = load::getter(data.folder.path(), &client.key_headers()?, Some(PAUSE))?;
    let mut fresh = Row::new(
        format!(
            "p99 of {} answers until the cached report has them",
            settings.commits
        ),
        Unit::Milliseconds,
        "",
        Target::AtMost(1_000.0),
    );
    for round in 1..=settings.rounds {
        let reports = async {
            loop {
                load::wrk(&url, CONNECTIONS, LOAD, Some(&script)).await?;
            }
        };
        let imports = async {
            loop {
                let importer = data.app.client().await?;
                timed::import(&importer, &body, settings.records, "created").await?;
            }
        };
        // The load ends with what is measured, or with its own failure.
        let lags = tokio::select! {
            lags = lags(data, settings.commits) => lags?,
            failed = reports => return failed,
            failed = imports => return failed,
        };
        let place = lags.len() * 99 / 100;
        let p99 = lags.get(place).context("no answers")?.as_secs_f64() * 1_000.0;
        fresh.lone_round(p99);
        let middle = lags.get(lags.len() / 2).context("no answers")?;
        let last = lags.last().context("no answers")?;
        eprintln!("round {round}: p50 {middle:.1?}, p99 {p99:.1} ms, most {last:.1?}");
    }
    Ok(vec![fresh])
}

/// How long each answer took from its 201 into the report, in order of length.
async fn lags(data: &Data, commits: u32) -> Result<Vec<Duration>> {
    let owner = &data.large.client;
    let form = data.large.forms.last().context("no form")?;
    let link = owner.link(form, "1", &[]).await?;
    let (from, to) = (data.large.day(335), data.large.day(366));
    let path = Of::Form.path(form, (&from, &to), "");
    let before = responses(owner, &path).await?;
    let committed = RefCell::new(Vec::new());
    let all = Cell::new(false);
    let public = data.app.anonymous()?;
    let write = async {
        let writers = (0..WRITERS).map(|writer| {
            let mine = commits / WRITERS + u32::from(writer < commits % WRITERS);
            answer(&public, &link, mine, &committed)
        });
        try_join_all(writers).await?;
        all.set(true);
        anyhow::Ok(())
    };
    let read = async {
        // So many were counted at this moment.
        let mut seen: Vec<(u64, Instant)> = Vec::new();
        loop {
            let counted = responses(owner, &path).await? - before;
            let now = Instant::now();
            if seen.last().is_none_or(|(last, _)| *last < counted) {
                seen.push((counted, now));
            }
            if all.get() && counted >= u64::from(commits) {
                return anyhow::Ok(seen);
            }
        }
    };
    let (seen, ()) = tokio::try_join!(read, write)?;
    let mut lags = Vec::new();
    let mut seen = seen.into_iter().peekable();
    for (number, at) in committed.into_inner().into_iter().enumerate() {
        while seen
            .next_if(|(counted, _)| *counted <= number as u64)
            .is_some()
        {}
        let (_, shown) = seen.peek().context("an answer is not shown")?;
        lags.push(shown.saturating_duration_since(at));
    }
    lags.sort_unstable();
    ensure!(
        lags.len() == usize::try_from(commits)?,
        "{} answers",
        lags.len()
    );
    Ok(lags)
}

async fn answer(
    public: &Client,
    link: &Value,
    count: u32,
    committed: &RefCell<Vec<Instant>>,
) -> Result<()> {
    for number in 0..count {
        let visitor = Visitor::new(public, link)?;
        visitor.stored(&json!({"recommend": number % 11})).await?;
        committed.borrow_mut().push(Instant::now());
    }
    Ok(())
}

async fn responses(owner: &Client, path: &str) -> Result<u64> {
    let report = owner.get(path).await?.expect(200)?.json()?;
    let responses = report["metrics"]["responses"].as_u64();
    responses.context("no responses")
}
