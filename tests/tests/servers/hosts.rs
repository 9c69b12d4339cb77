//! A database on several hosts or behind pgbouncer, and a broker of several nodes: one is killed under load, and nothing accepted
//! is lost.

use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use reqwest::Method;
use serde_json::json;
use tests::app::{App, Backends, Setup};
use tests::campaign::{count, on_import};
use tests::check;
use tests::client::Client;
use tests::form::form;
use tests::import::{Accepted, records};
use tests::report::overview;
use tests::servers::{Durability, Endpoints, PgBouncer, Postgres, Rabbit};
use tests::visitor::Visitor;
use tests::wait::{LATER, eventually};

const IMPORTS: usize = 8;
const RECORDS: usize = 5_000;
const ANSWERS: usize = 200;

/// Imports and answers of one account. Whoever gets no answer asks again.
struct Load {
    client: Client,
    public: Client,
    link: serde_json::Value,
}

impl Load {
    async fn of(app: &App) -> Result<Self> {
        let client = app.client().await?;
        let form = client.published(&form()).await?;
        let link = client.link(&form, "1_3", &[]).await?;
        let public = app.anonymous()?;
        Ok(Self {
            client,
            public,
            link,
        })
    }

    /// Runs until all is accepted, while `harm` is done.
    async fn beside(&self, harm: impl Future<Output = Result<()>>) -> Result<Vec<Accepted>> {
        let importing = async {
            let mut batches = Vec::new();
            for round in 0..IMPORTS {
                let all = records("A", RECORDS, &format!("v{round}"));
                let key = format!("key-{round}");
                let accepted = eventually(LATER, async || {
                    Accepted::read(self.client.import_once(&key, &all).await?)
                });
                batches.push(accepted.await?);
            }
            Ok(batches)
        };
        let answering = async {
            for number in 0..ANSWERS {
                let visitor = Visitor::new(&self.public, &self.link)?;
                let answers = json!({"recommend": number % 11, "mood": 1 + number % 5});
                eventually(LATER, async || visitor.stored(&answers).await).await?;
            }
            Ok(())
        };
        let (batches, (), ()) = tokio::try_join!(importing, answering, harm)?;
        Ok(batches)
    }

    /// As many requests as it takes for the load to be somewhere in its middle.
    async fn begun(&self) -> Result<()> {
        for _ in 0..100 {
            self.client.get("/health/live").await?;
        }
        Ok(())
    }

    /// Everything accepted is stored, once.
    async fn is_stored(&self, app: &App, batches: &[Accepted]) -> Result<()> {
        let mut created = 0;
        for batch in batches {
            let batch = eventually(LATER, async || {
                self.client.completed(&batch.batch_id, Duration::ZERO).await
            });
            created += check::outcome(&batch.await?, "created")?;
        }
        ensure!(created == RECORDS as u64, "{created} were created");
        let newest = batches.last().context("no batch")?;
        let all = records("A", RECORDS, &format!("v{}", IMPORTS - 1));
        check::stored_sample(&self.client, &all, &newest.batch_id, 300).await?;
        let today = chrono::Utc::now().date_naive();
        let days = [-1, 1].map(|days| (today + chrono::TimeDelta::days(days)).to_string());
        let path = overview((&days[0], &days[1]));
        eventually(LATER, async || {
            let report = self.client.get(&path).await?.expect(200)?.json()?;
            ensure!(report["metrics"]["responses"] == ANSWERS, "{report}");
            Ok(())
        })
        .await?;
        let verified = app.cli(&["verify"]).await?;
        ensure!(verified.status.success(), "{verified:?}");
        Ok(())
    }
}

/// A service on a database of the primary, with the URL of that name.
pub async fn start(setup: Setup, primary: &Postgres, url: impl Fn(&str) -> String) -> Result<App> {
    let endpoints = Endpoints::from_environment()?.on(primary);
    let backends = Backends::on(&endpoints).await?;
    let Backends::Servers(lease) = &backends else {
        bail!("not on servers");
    };
    let (_, database) = lease.database.rsplit_once('/').context("no database")?;
    let url = url(database);
    setup
        .on(backends)
        .setting("DATABASE_URL", &url)
        .start()
        .await
}

#[tokio::test]
async fn pgbouncer_is_killed_under_load_and_nothing_accepted_is_lost() -> Result<()> {
    let postgres = Postgres::start(Durability::Fast).await?;
    let mut pgbouncer = PgBouncer::before(&postgres).await?;
    let setup = App::setup().workers(2);
    let app = start(setup, &postgres, |database| pgbouncer.url(database)).await?;
    let load = Load::of(&app).await?;
    let loss = async {
        load.begun().await?;
        pgbouncer.kill()?;
        pgbouncer.start_again().await
    };
    let batches = load.beside(loss).await?;
    load.is_stored(&app, &batches).await
}

/// The URL of a database of both; the one that takes writes need not be the first.
pub fn both(standby: &Postgres, primary: &Postgres) -> impl Fn(&str) -> String {
    let hosts = [standby.address(), primary.address()];
    let hosts = hosts.map(|(host, port)| format!("{host}:{port}")).join(",");
    move |database| format!("postgres://postgres@{hosts}/{database}")
}

/// A standby takes over from a primary that something is done to under load.
async fn fail_over(harm: impl FnOnce(&mut Postgres) -> Result<()>) -> Result<()> {
    let mut primary = Postgres::start(Durability::Fast).await?;
    let standby = primary.standby().await?;
    let app = start(App::setup().workers(2), &primary, both(&standby, &primary)).await?;
    let load = Load::of(&app).await?;
    let failover = async {
        load.begun().await?;
        harm(&mut primary)?;
        standby.promote().await
    };
    let batches = load.beside(failover).await?;
    load.is_stored(&app, &batches).await?;
    // Sending goes on too.
    let campaign = load.client.campaign(|form| on_import(form, "demo")).await?;
    load.client.act(&campaign, "start").await?.expect(200)?;
    load.client
        .import_for(&campaign, &records("B", 3, "v"))
        .await?;
    load.client
        .until(&campaign, |now| {
            let reported = ["delivered", "undelivered", "expired"];
            let reported = reported.map(|status| count(now, "first", status));
            reported.iter().sum::<u64>() == 3
        })
        .await
        .map(drop)
}

#[tokio::test]
async fn a_standby_takes_over_under_load_and_nothing_accepted_is_lost() -> Result<()> {
    fail_over(Postgres::kill).await
}

/// It answers nobody, and ends no connection.
#[tokio::test]
async fn a_standby_takes_over_from_a_frozen_primary_and_nothing_accepted_is_lost() -> Result<()> {
    fail_over(|primary| primary.freeze()).await
}

#[tokio::test]
async fn a_node_of_the_brokers_cluster_is_killed_under_load_and_nothing_accepted_is_lost()
-> Result<()> {
    let mut nodes = Rabbit::cluster(3).await?;
    let [first, others @ ..] = &mut nodes[..] else {
        bail!("no nodes");
    };
    let mut url = String::new();
    let mut last = first.broker();
    for node in others {
        let (_, address) = last.amqp.split_once('@').context("no address")?;
        url = format!("{url}{address},");
        last = node.broker();
        let known = last.call(Method::GET, "/api/nodes", "").await?;
        let known: Vec<serde_json::Value> = serde_json::from_str(&known)?;
        ensure!(known.len() == 3, "it is no cluster: {known:?}");
    }
    let endpoints = Endpoints {
        broker: last,
        ..Endpoints::from_environment()?
    };
    let backends = Backends::on(&endpoints).await?;
    let Backends::Servers(lease) = &backends else {
        bail!("not on servers");
    };
    let url = lease.amqp.replacen('@', &format!("@{url}"), 1);
    let setup = App::setup().workers(2).on(backends);
    let app = setup.setting("AMQP_URL", &url).start().await?;
    let load = Load::of(&app).await?;
    let loss = async {
        load.begun().await?;
        first.kill()
    };
    let batches = load.beside(loss).await?;
    eventually(LATER, async || {
        let answer = load.client.get("/health/ready").await?.expect(200)?;
        ensure!(answer.text()?.contains("queue ok"), "{:?}", answer.text());
        Ok(())
    })
    .await?;
    load.is_stored(&app, &batches).await
}
