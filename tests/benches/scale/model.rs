//! Part `model`: throughput as it follows from costs of single things, beside throughput that was measured.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::time::Instant;

use anyhow::{Context, Result};
use tests::bench::frame::settle;
use tests::bench::report::{Row, Target, Unit};
use tests::bench::settings::Settings;
use tests::bench::spread::Spread;
use tests::servers::{Account, Endpoints};

use super::costs::Used;
use super::loads::{CHUNK, Loads};
use super::predicted::{self, Costs};

const WITHIN: Target = Target::RatioBetween(0.85, 1.15);
/// Connections over which costs of answers are measured: few share a commit, and many.
const FEW: u32 = 8;
const MANY: u32 = 64;
/// Those over which throughput is measured.
const CONNECTIONS: [u32; 3] = [16, 64, 256];
const WORKERS: [usize; 3] = [1, 2, 4];
/// A commit's bytes, how many commits are tried, and the file that they are written to.
const COMMIT: usize = 8 << 10;
const COMMITS: u64 = 200;
const FILE: usize = 16 << 20;

pub(super) async fn measure(settings: &Settings, endpoints: &Endpoints) -> Result<Vec<Row>> {
    let costs = costs(settings, endpoints).await?;
    eprintln!("{costs:#.7?}");
    let row = |what: String, unit| Row::new(what + ", predicted", unit, "measured", WITHIN);
    let mut rows = Vec::new();

    let loads = Loads::start(settings, endpoints, 2).await?;
    let mut answers = CONNECTIONS.map(|connections| {
        let what = format!("answers, {connections} connections");
        row(what, Unit::AnswersPerSecond)
    });
    let mut reports = row("cached reports".to_owned(), Unit::AnswersPerSecond);
    let mut messages = row("messages".to_owned(), Unit::MessagesPerSecond);
    // Round 0 warms up.
    for round in 0..=settings.rounds {
        for (connections, row) in CONNECTIONS.into_iter().zip(&mut answers) {
            settle(&loads.app).await?;
            let (_, measured) = loads.answers(connections).await?;
            let predicted = predicted::answers(&costs, connections)?;
            add(row, round, predicted, measured);
        }
        let (_, measured) = loads.reports().await?;
        let predicted = predicted::reports(&costs, MANY)?;
        add(&mut reports, round, predicted, measured);
        let planned = loads.planned("demo").await?;
        settle(&loads.app).await?;
        let start = Instant::now();
        let sent = loads.sent(&planned, "delivered").await?;
        let measured = sent / start.elapsed().as_secs_f64();
        let predicted = predicted::messages(&costs, settings.messages)?;
        add(&mut messages, round, predicted, measured);
    }
    drop(loads);
    rows.extend(answers);
    rows.extend([reports, messages]);

    for workers in WORKERS {
        let loads = Loads::start(settings, endpoints, workers).await?;
        let what = format!("{} records, workers: {workers}", settings.records);
        let mut row = row(what, Unit::RecordsPerSecond);
        for round in 0..=settings.rounds {
            loads.empty().await?;
            let (_, measured) = loads.records().await?;
            let predicted = predicted::records(&costs, settings.records, workers)?;
            add(&mut row, round, predicted, measured);
        }
        rows.push(row);
    }
    Ok(rows)
}

fn add(row: &mut Row, round: u32, predicted: f64, measured: f64) {
    eprintln!("round {round}: predicted {predicted:.0}/s, measured {measured:.0}/s");
    if round > 0 {
        row.round(predicted, measured);
    }
}

/// What the rounds of a measurement gave.
#[derive(Default)]
struct Rounds(Vec<Used>);

impl Rounds {
    fn median(&self) -> Result<Used> {
        let of = |number: fn(&Used) -> f64| -> Result<f64> {
            let spread = Spread::of(self.0.iter().map(number));
            Ok(spread.context("nothing measured")?.median)
        };
        Ok(Used {
            api: of(|used| used.api)?,
            workers: of(|used| used.workers)?,
            database: of(|used| used.database)?,
            others: of(|used| used.others)?,
            log: of(|used| used.log)?,
            commits: of(|used| used.commits)?,
        })
    }
}

async fn costs(settings: &Settings, endpoints: &Endpoints) -> Result<Costs> {
    let loads = Loads::start(settings, endpoints, 2).await?;
    let app = &loads.app;
    let mut rounds: [Rounds; 7] = Default::default();
    let (mut of_few, mut of_many) = (Vec::new(), Vec::new());
    // Round 0 warms up.
    for round in 0..=settings.rounds {
        let mut measured = Vec::new();
        for (connections, groups) in [(FEW, &mut of_few), (MANY, &mut of_many)] {
            settle(app).await?;
            let (before, commits) = (Used::read(app).await?, loads.answer_commits().await?);
            let (answers, _) = loads.answers(connections).await?;
            let after = Used::read(app).await?;
            groups.push(answers / (loads.answer_commits().await? - commits));
            measured.push(after.of_each(before, answers));
        }
        let before = Used::read(app).await?;
        let (reports, _) = loads.reports().await?;
        measured.push(Used::read(app).await?.of_each(before, reports));

        loads.empty().await?;
        let before = Used::read(app).await?;
        let accepted = loads.accepted().await?;
        let read = Used::read(app).await?;
        let records = loads.stored(&accepted).await?;
        measured.push(read.of_each(before, records));
        measured.push(Used::read(app).await?.of_each(read, records));

        for (sender, ends) in [("silent", "accepted"), ("demo", "delivered")] {
            let planned = loads.planned(sender).await?;
            settle(app).await?;
            let before = Used::read(app).await?;
            let messages = loads.sent(&planned, ends).await?;
            measured.push(Used::read(app).await?.of_each(before, messages));
        }
        if round > 0 {
            for (rounds, measured) in rounds.iter_mut().zip(measured) {
                rounds.0.push(measured);
            }
        } else {
            of_few.clear();
            of_many.clear();
        }
    }
    let [few, many, report, read, stored, sent, reported] = rounds.each_ref().map(Rounds::median);
    let (few, many, stored, sent) = (few?, many?, stored?, sent?);
    let group = |groups| Some(Spread::of(groups)?.median);
    let of_few = group(of_few).context("nothing measured")?;
    let of_many = group(of_many).context("nothing measured")?;
    // An answer takes a part of its commit's costs and its own.
    let parts = 1.0 / of_few - 1.0 / of_many;
    let commit = few.with(many, |few, many| ((few - many) / parts).max(0.0));
    let answer = many.with(commit, |many, commit| (many - commit / of_many).max(0.0));
    let alone = loads.chunk_alone().await?;
    let works = (stored.workers + stored.database) * f64::from(CHUNK);
    Ok(Costs {
        cores: f64::from(u32::try_from(std::thread::available_parallelism()?.get())?),
        flush: flush()?,
        report: report?,
        answer,
        answers_commit: commit,
        record_read: read?,
        record_stored: stored,
        chunk_waits: (alone - works).max(0.0),
        sent,
        receipt: reported?.with(sent, |both, sent| (both - sent).max(0.0)),
    })
}

/// Seconds in which a commit is on the disk, as PostgreSQL writes it.
fn flush() -> Result<f64> {
    let folder = Account::folder(None, "flush")?;
    let file = File::create(folder.path().join("log"))?;
    file.write_all_at(&vec![0; FILE], 0)?;
    file.sync_all()?;
    let mut times = Vec::new();
    for commit in 0..COMMITS {
        let start = Instant::now();
        file.write_all_at(&[1; COMMIT], commit * COMMIT as u64)?;
        file.sync_data()?;
        times.push(start.elapsed().as_secs_f64());
    }
    Ok(Spread::of(times).context("nothing measured")?.median)
}
