//! The service, and loads that keep it busy: for parts `costs` and `model`.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use bytes::Bytes;
use chrono::{DateTime, Utc};
use reqwest::Method;
use serde_json::Value;
use tempfile::TempDir;
use tests::app::{App, Backends};
use tests::bench::frame::{settle, unlimited};
use tests::bench::hot::{Hot, script};
use tests::bench::load::{self, CONNECTIONS, Load};
use tests::bench::million;
use tests::bench::settings::Settings;
use tests::bench::spread::Spread;
use tests::bench::timed;
use tests::bench::year::LONGEST;
use tests::campaign::{count, on_import};
use tests::client::Client;
use tests::import::{Accepted, IMPORT, JSON};
use tests::report::overview;
use tests::servers::{Account, Endpoints};

const TIME: Duration = Duration::from_secs(8);
/// Two senders that differ in receipts alone.
pub(super) const SENDERS: &str = "demo=demo:?rate=100000&window=200&delay=100ms&failures=0 \
     silent=demo:?rate=100000&window=200&failures=0&receipts=off";
/// Records of one chunk, and chunks that are stored alone.
pub(super) const CHUNK: u32 = 5_000;
const CHUNKS: u32 = 7;
/// How exact an end is seen.
const POLL: Duration = Duration::from_millis(20);

/// One api and some workers, and what is needed to keep them busy.
pub(super) struct Loads {
    pub(super) app: App,
    hot: Hot,
    report: String,
    answering: PathBuf,
    getting: PathBuf,
    records: u32,
    body: Bytes,
    messages: u32,
    all: Bytes,
    _folder: TempDir,
}

impl Loads {
    pub(super) async fn start(
        settings: &Settings,
        endpoints: &Endpoints,
        workers: usize,
    ) -> Result<Self> {
        let backends = Backends::on(endpoints).await?;
        let setup = App::setup().workers(workers).on(backends);
        let setup = setup.setting("FEEDBACK_LINK_RATE", "0");
        let app = unlimited(setup.setting("FEEDBACK_SENDERS", SENDERS)).await?;
        let folder = Account::folder(None, "loads")?;
        let owner = app.client().await?;
        let report = overview(("2026-01-01", "2026-01-31"));
        owner.get(&report).await?.expect(200)?;
        Ok(Self {
            hot: Hot::make(&app).await?,
            report: format!("{}{report}", owner.base()),
            answering: script(folder.path())?,
            getting: load::getter(folder.path(), &owner.key_headers()?, None)?,
            records: settings.records,
            body: million::body(&million::at_random(settings.records)),
            messages: settings.messages,
            all: million::body(&million::at_random(settings.messages)),
            app,
            _folder: folder,
        })
    }

    /// An import of a new account, until all is stored. How many records, and how many a second.
    pub(super) async fn records(&self) -> Result<(f64, f64)> {
        let client = self.app.client().await?;
        let timed = timed::import(&client, &self.body, self.records, "created").await?;
        let records = f64::from(self.records);
        Ok((records, records / timed.stored.as_secs_f64()))
    }

    /// How many pages of a link were sent, and how many a second.
    pub(super) async fn pages(&self) -> Result<(f64, f64)> {
        let load = load::wrk(&self.hot.url, CONNECTIONS, TIME, None).await?;
        Ok(both(load))
    }

    /// How many answers were stored, and how many a second.
    pub(super) async fn answers(&self, connections: u32) -> Result<(f64, f64)> {
        let script = Some(self.answering.as_path());
        let load = load::wrk(&self.hot.url, connections, TIME, script).await?;
        Ok(both(load))
    }

    /// How many cached reports were sent, and how many a second.
    pub(super) async fn reports(&self) -> Result<(f64, f64)> {
        let script = Some(self.getting.as_path());
        let load = load::wrk(&self.report, CONNECTIONS, TIME, script).await?;
        Ok(both(load))
    }

    /// Imports people for a campaign of a new account, until all have their message. How many.
    pub(super) async fn messages(&self) -> Result<f64> {
        let campaign = self.campaign("demo").await?;
        self.import_for(&campaign).await?;
        self.until(&campaign, "delivered").await
    }

    /// A campaign of a new account, whose messages wait for [`Self::sent`].
    pub(super) async fn planned(&self, sender: &str) -> Result<Campaign> {
        let campaign = self.campaign(sender).await?;
        let Campaign { client, content } = &campaign;
        client.act(content, "pause").await?.expect(200)?;
        self.import_for(&campaign).await?;
        self.until(&campaign, "recipients").await?;
        Ok(campaign)
    }

    /// Sends a planned campaign until all messages are counted under this name. How many.
    pub(super) async fn sent(&self, campaign: &Campaign, name: &str) -> Result<f64> {
        let Campaign { client, content } = campaign;
        client.act(content, "resume").await?.expect(200)?;
        self.until(campaign, name).await
    }

    /// Nobody is stored, and nothing is left to be written.
    pub(super) async fn empty(&self) -> Result<()> {
        self.app.backends().sql("TRUNCATE recipient").await?;
        settle(&self.app).await
    }

    /// An import of a new account that was accepted, as [`Self::records`].
    pub(super) async fn accepted(&self) -> Result<(Client, Accepted)> {
        let client = self.app.client().await?;
        let answer = client.import_as(JSON, self.body.clone()).await?;
        Ok((client, Accepted::read(answer)?))
    }

    /// Waits until it is stored. How many records.
    pub(super) async fn stored(&self, (client, accepted): &(Client, Accepted)) -> Result<f64> {
        client.completed(&accepted.batch_id, LONGEST).await?;
        Ok(f64::from(self.records))
    }

    /// Commits of answers since the api started.
    pub(super) async fn answer_commits(&self) -> Result<f64> {
        let metrics = self.app.anonymous()?.get("/metrics").await?;
        let metrics = metrics.text()?.lines();
        let mut counts = metrics
            .filter_map(|line| line.strip_prefix(r#"feedback_commits_total{group="answers"} "#));
        Ok(counts.next().unwrap_or("0").parse()?)
    }

    /// Seconds that a chunk takes that is alone, from its claim until it is stored.
    pub(super) async fn chunk_alone(&self) -> Result<f64> {
        let body = million::body(&million::in_sequence(CHUNK));
        let mut times = Vec::new();
        for _ in 0..CHUNKS {
            let client = self.app.client().await?;
            settle(&self.app).await?;
            let accepted = Accepted::read(client.import_as(JSON, body.clone()).await?)?;
            let batch = client.completed(&accepted.batch_id, LONGEST).await?;
            let time = |member: &str| -> Result<DateTime<Utc>> {
                Ok(batch[member].as_str().context("no time")?.parse()?)
            };
            let took = (time("completed_at")? - time("started_at")?).to_std()?;
            times.push(took.as_secs_f64());
        }
        Ok(Spread::of(times).context("nothing measured")?.median)
    }

    async fn campaign(&self, sender: &str) -> Result<Campaign> {
        let client = self.app.client().await?;
        let content = client.started(|form| on_import(form, sender)).await?;
        Ok(Campaign { client, content })
    }

    async fn import_for(&self, campaign: &Campaign) -> Result<()> {
        let Campaign { client, content } = campaign;
        let id = content["campaign_id"].as_str().context("no id")?;
        let path = format!("{IMPORT}?campaign={id}");
        let import = client.call(Method::POST, &path);
        let import = import.body(JSON, self.all.clone()).send().await?;
        import.expect(202).map(drop)
    }

    /// Waits until all messages of a campaign are counted under this name. How many.
    async fn until(&self, campaign: &Campaign, name: &str) -> Result<f64> {
        let Campaign { client, content } = campaign;
        let start = Instant::now();
        loop {
            let now = client.read_campaign(content).await?;
            if count(&now, "first", name) == u64::from(self.messages) {
                return Ok(f64::from(self.messages));
            }
            ensure!(start.elapsed() < LONGEST, "not yet: {now}");
            tokio::time::sleep(POLL).await;
        }
    }
}

/// A campaign and the account that has it.
pub(super) struct Campaign {
    client: Client,
    content: Value,
}

#[expect(clippy::cast_precision_loss, reason = "a rounded figure is as good")]
fn both(load: Load) -> (f64, f64) {
    (load.answers as f64, load.rate)
}
