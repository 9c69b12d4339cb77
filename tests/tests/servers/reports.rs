//! Reports on servers whose Redis is full, frozen, killed or empty: right all the same, on every instance. And streams
//! whose database goes away: cut, never short.

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use tests::app::{App, Backends};
use tests::client::Client;
use tests::form::form;
use tests::report::{Of, overview};
use tests::servers::{Durability, Endpoints, Postgres, Redis};
use tests::visitor::Visitor;
use tests::wait::{LATER, SOON, eventually};

/// A service whose Redis is its own.
async fn on_private_cache() -> Result<(Redis, App)> {
    let redis = Redis::start().await?;
    let endpoints = Endpoints {
        redis: redis.url(),
        ..Endpoints::from_environment()?
    };
    let backends = Backends::on(&endpoints).await?;
    let app = App::setup().apis(2).workers(2).on(backends).start().await?;
    Ok((redis, app))
}

struct Crowd {
    readers: Vec<Client>,
    public: Client,
    form: Value,
    link: Value,
    count: i64,
}

impl Crowd {
    async fn of(app: &App) -> Result<Self> {
        let owner = app.client().await?;
        let form = owner.published(&form()).await?;
        let link = owner.link(&form, "1_3", &[]).await?;
        Ok(Self {
            readers: app.apis.iter().map(|api| owner.at(api.base())).collect(),
            public: app.anonymous()?,
            form,
            link,
            count: 0,
        })
    }

    /// Some more answer, and soon every reader sees all of them, in every report and over any range.
    async fn answer(&mut self, what: &str) -> Result<()> {
        for number in 0..5 {
            let visitor = Visitor::new(&self.public, &self.link)?;
            let given = json!({"recommend": 10, "mood": 1 + number, "more": what});
            visitor.stored(&given).await?;
        }
        self.count += 5;
        let today = chrono::Utc::now().date_naive();
        let day = |offset: i64| (today + chrono::TimeDelta::days(offset)).to_string();
        // One range that is asked for every time, and one that never was.
        let ranges = [(day(-40), day(1)), (day(-40 - self.count), day(1))];
        let count = self.count;
        for reader in &self.readers {
            for (from, to) in &ranges {
                let days = (from.as_str(), to.as_str());
                eventually(LATER, async || {
                    let all = reader.get(&overview(days)).await?.expect(200)?.json()?;
                    ensure!(all["metrics"]["responses"] == count, "not {count}: {all}");
                    for bus_prop in ["", "channel:sms"] {
                        for of in Of::ALL {
                            let report = reader.report(of, &self.form, days, bus_prop).await?;
                            let found = if report["total"].is_null() {
                                &report["metrics"]["comments"]
                            } else {
                                &report["total"]
                            };
                            ensure!(*found == count, "not {count}: {report}");
                        }
                    }
                    let nobody = reader
                        .report(Of::Summary, &self.form, days, "store:Hamburg")
                        .await?;
                    ensure!(nobody["metrics"]["views"] == 0, "somebody: {nobody}");
                    Ok(())
                })
                .await?;
            }
        }
        Ok(())
    }
}

#[tokio::test]
async fn reports_are_right_whatever_becomes_of_the_cache() -> Result<()> {
    let (mut redis, app) = on_private_cache().await?;
    let mut crowd = Crowd::of(&app).await?;
    crowd.answer("well").await?;
    redis.command("CONFIG SET maxmemory 1").await?;
    crowd.answer("full").await?;
    redis.command("CONFIG SET maxmemory 0").await?;
    crowd.answer("room again").await?;
    redis.process()?.freeze()?;
    crowd.answer("frozen").await?;
    redis.process()?.thaw()?;
    crowd.answer("thawed").await?;
    redis.delete_data().await?;
    crowd.answer("emptied").await?;
    redis.kill()?;
    crowd.answer("killed").await?;
    redis.start_again().await?;
    crowd.answer("back").await?;
    let output = app.cli(&["verify"]).await?;
    ensure!(output.status.success(), "{output:?}");
    Ok(())
}

#[tokio::test]
async fn instances_that_start_late_or_again_report_the_same() -> Result<()> {
    let (_redis, mut app) = on_private_cache().await?;
    let mut crowd = Crowd::of(&app).await?;
    crowd.answer("two").await?;
    for round in 0..3 {
        app.start_api().await?;
        let Some(newest) = app.apis.last() else {
            anyhow::bail!("no api");
        };
        let owner = crowd.readers[0].at(newest.base());
        crowd.readers.push(owner);
        crowd.answer("one more").await?;
        let first = app.api()?;
        first.kill()?;
        first.start_again().await?;
        crowd.answer(&format!("again {round}")).await?;
    }
    let today = chrono::Utc::now().date_naive();
    let (from, to) = (
        (today - chrono::TimeDelta::days(3)).to_string(),
        today.to_string(),
    );
    let path = Of::Form.path(&crowd.form, (&from, &to), "");
    let wanted = crowd.readers[0].get(&path).await?.expect(200)?;
    for reader in &crowd.readers {
        eventually(SOON, async || {
            let answer = reader.get(&path).await?.expect(200)?;
            ensure!(answer.body == wanted.body, "other bytes: {answer:?}");
            ensure!(
                answer.header("etag") == wanted.header("etag"),
                "another tag: {answer:?}"
            );
            Ok(())
        })
        .await?;
    }
    Ok(())
}

/// More than any socket's buffers hold.
const ROWS: u64 = 40_000;

#[tokio::test]
async fn a_stream_whose_database_dies_is_cut_and_not_short() -> Result<()> {
    let mut postgres = Postgres::start(Durability::Fast).await?;
    let endpoints = Endpoints::from_environment()?.on(&postgres);
    let backends = Backends::on(&endpoints).await?;
    let app = App::setup().on(backends).start().await?;
    let owner = app.client().await?;
    let form = owner.published(&form()).await?;
    let link = owner.link(&form, "1", &[]).await?;
    let token = link["token"].as_str().context("no token")?;
    let insert = format!(
        "INSERT INTO feedback (account_id, form_id, feedback_id, link_id, day, submitted_at, bus_prop_ids, track_fields,
                               answers, nps, happiness, has_comment)
         SELECT l.account_id, l.form_id, ('019cb94a9a00' || '7000' || '8000' || lpad(to_hex(n), 12, '0'))::uuid, l.link_id,
                '2026-03-04', '2026-03-04T14:40:00Z', '1', '{{}}',
                jsonb_build_object('recommend', 9, 'more', repeat('a comment ', 100)), 9, NULL, true
           FROM link l, generate_series(1, {ROWS}) n WHERE l.token = '{token}'"
    );
    app.sql(&insert).await?;
    app.succeeds(&["rebuild"]).await?;
    let days = ("2026-03-01", "2026-03-31");
    for (of, kind) in [
        (Of::Feedbacks, "text/csv"),
        (Of::Comments, "application/x-ndjson"),
    ] {
        let path = of.path(&form, days, "");
        let call = || owner.call(Method::GET, &path).header("accept", kind);
        let headers = u64::from(kind == "text/csv");
        let whole = call().pass().await?;
        ensure!(whole.lines == ROWS + headers, "{} lines", whole.lines);
        let mut stream = call().open().await?;
        let first = stream.chunk().await?.context("nothing")?;
        postgres.kill()?;
        let mut bytes = first.len();
        let cut = loop {
            match stream.chunk().await {
                Ok(Some(part)) => bytes += part.len(),
                Ok(None) => break None,
                Err(error) => break Some(error),
            }
        };
        ensure!(cut.is_some(), "{kind} ended in order after {bytes} bytes");
        ensure!((bytes as u64) < whole.bytes, "{kind}: it had been sent");
        postgres.start_again().await?;
        eventually(LATER, async || {
            let again = call().pass().await?;
            ensure!(again.lines == whole.lines, "{} lines", again.lines);
            Ok(())
        })
        .await?;
    }
    Ok(())
}
