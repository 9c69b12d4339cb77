//! Readers of two instances, racing with writers: on one instance a report never goes back, and whoever has seen a
//! version and says so is not given an older one, wherever it was seen. Counts are rebuilt in the middle of it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result, ensure};
use bytes::Bytes;
use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use tests::app::App;
use tests::client::Client;
use tests::report::{Of, etag, overview};
use tests::visitor::Visitor;
use tokio::task::JoinSet;

use super::stage::{Stage, moment, small_form};

const WRITERS: i64 = 4;
const EACH: i64 = 50;
const READERS: usize = 3;

/// When a report was so, and how many it had counted by then.
type Reading = (DateTime<Utc>, i64);

/// What anybody has seen.
#[derive(Default)]
struct Memory {
    /// The newest by instance and path.
    floors: HashMap<(usize, String), Reading>,
    /// The newest of any instance by path, with its tag.
    newest: HashMap<String, (Reading, String)>,
    /// What a tag stands for.
    bodies: HashMap<(String, String), Bytes>,
    /// What a report of metrics counted as of a moment: never one thing here and another there.
    counted: HashMap<(String, DateTime<Utc>), Value>,
}

fn seen(report: &Value) -> Result<Reading> {
    let as_of = report["as_of"].as_str().context("no as_of")?;
    let responses = report["metrics"]["responses"].as_i64();
    let count = responses.or_else(|| report["total"].as_i64());
    Ok((moment(as_of)?, count.context("no count")?))
}

struct Reader {
    client: Client,
    instance: usize,
    /// Whether it says what it has seen.
    telling: bool,
    memory: Arc<Mutex<Memory>>,
}

impl Reader {
    async fn read(&self, path: &str) -> Result<()> {
        let lock = || self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        let place = (self.instance, path.to_owned());
        let floor = lock().floors.get(&place).copied();
        let known = lock().newest.get(path).filter(|_| self.telling).cloned();
        let answer = match &known {
            Some((_, tag)) => self.client.get_unless(path, tag).await?,
            None => self.client.get(path).await?,
        };
        if answer.status == 304 {
            let (_, tag) = known.context("a 304 that nobody asked for")?;
            ensure!(etag(&answer)? == tag, "another tag in a 304: {answer:?}");
            return Ok(());
        }
        let answer = answer.expect(200)?;
        let (tag, report) = (etag(&answer)?, answer.json()?);
        let now = seen(&report)?;
        if let Some(floor) = floor {
            ensure!(
                floor.0 <= now.0,
                "{path} of instance {}: as_of went back from {} to {}",
                self.instance,
                floor.0,
                now.0
            );
            ensure!(
                floor.1 <= now.1,
                "{path}: {} answers, then {}",
                floor.1,
                now.1
            );
        }
        if let Some((known, _)) = known {
            ensure!(
                known.0 <= now.0 && known.1 <= now.1,
                "{path} of instance {}: {known:?} was known, {now:?} answered",
                self.instance
            );
        }
        let mut memory = lock();
        let body = memory.bodies.entry((path.to_owned(), tag.clone()));
        let body = body.or_insert_with(|| answer.body.clone());
        ensure!(*body == answer.body, "{path}: one tag, two bodies");
        if report["metrics"].is_object() {
            let counted = memory.counted.entry((path.to_owned(), now.0));
            let counted = counted.or_insert_with(|| report["metrics"].clone());
            ensure!(
                *counted == report["metrics"],
                "{path} as of {}: {counted} and {}",
                now.0,
                report["metrics"]
            );
        }
        let floor = memory.floors.entry(place).or_insert(now);
        *floor = (*floor).max(now);
        let newest = memory.newest.entry(path.to_owned());
        let newest = newest.or_insert_with(|| (now, tag.clone()));
        if newest.0 < now {
            *newest = (now, tag);
        }
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_reader_is_ever_led_back() -> Result<()> {
    let app = App::setup().apis(2).workers(2).start().await?;
    let stage = Stage::of(app, "UTC").await?;
    let owner = &stage.owner;
    let form = owner.published(&small_form("Racing")).await?;
    let today = Utc::now().date_naive();
    let [from, to] = [today.pred_opt(), today.succ_opt()].map(Option::unwrap_or_default);
    let (from, to) = (from.to_string(), to.to_string());
    let days = (from.as_str(), to.as_str());
    let mut paths = vec![overview(days)];
    for bus_prop in ["", "store:A"] {
        for of in [Of::Form, Of::Summary, Of::Feedbacks] {
            paths.push(of.path(&form, days, bus_prop));
        }
    }

    let mut writers = JoinSet::new();
    let bases: Vec<String> = stage
        .app
        .apis
        .iter()
        .map(tests::app::Service::base)
        .collect();
    for writer in 0..WRITERS {
        let base = bases[usize::try_from(writer)? % bases.len()].clone();
        let (link, public) = (
            owner.link(&form, "1", &[]).await?,
            stage.app.anonymous()?.at(base),
        );
        writers.spawn(async move {
            for number in 0..EACH {
                let visitor = Visitor::new(&public, &link)?;
                visitor.stored(&json!({"score": number % 11})).await?;
            }
            anyhow::Ok(())
        });
    }
    let memory = Arc::new(Mutex::new(Memory::default()));
    let (ended, end) = tokio::sync::watch::channel(false);
    let mut readers = JoinSet::new();
    for (instance, base) in bases.iter().enumerate() {
        for number in 0..READERS {
            let reader = Reader {
                client: owner.at(base.clone()),
                instance,
                telling: number > 0,
                memory: memory.clone(),
            };
            let (paths, end) = (paths.clone(), end.clone());
            readers.spawn(async move {
                let mut turn = number;
                while !*end.borrow() {
                    reader.read(&paths[turn % paths.len()]).await?;
                    turn += 1;
                }
                anyhow::Ok(turn)
            });
        }
    }
    // All months get another version in the middle of it, and again.
    for _ in 0..2 {
        stage.app.succeeds(&["rebuild"]).await?;
    }
    while let Some(written) = writers.join_next().await {
        written??;
    }
    let count = WRITERS * EACH;
    for bus_prop in ["", "store:A"] {
        stage
            .report(Of::Form, &form, days, bus_prop, (count, count))
            .await?;
    }
    ended.send_replace(true);
    while let Some(read) = readers.join_next().await {
        ensure!(read?? > paths.len(), "a reader that hardly read");
    }
    stage.verified().await
}
