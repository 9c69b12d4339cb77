//! The processes and servers of a campaign, and what was done to them.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use chrono::{NaiveDate, TimeDelta, Timelike, Utc};
use tokio::sync::Mutex;

use super::lost::Losses;
use super::plan::{Dice, Fault, Kind};
use super::provider::{ERROR_TEXT, PUBLIC, Provider};
use super::senders::Senders;
use super::times::Times;
use crate::app::{App, Backends, Service};
use crate::check;
use crate::client::Client;
use crate::person::{self, Person};
use crate::servers::{Broker, CommitProxy, Endpoints, Link, Postgres, Rabbit, Redis, SmallDisk};
use crate::tools::faketime;
use crate::wait::SOON;
use crate::webhook::SECRET;

/// Processes of each kind.
pub const APIS: usize = 2;
pub const WORKERS: usize = 3;
/// Of the disk that the database has to itself, in MiB.
const DISK: u64 = 768;

/// Everything that runs. Whoever harms a thing holds its lock until it is whole again.
pub struct Stage {
    pub(super) apis: Vec<Mutex<Service>>,
    pub(super) workers: Vec<Mutex<Service>>,
    /// Without its processes: the settings, the database and the command line.
    pub(super) app: App,
    pub(super) redis: Mutex<Redis>,
    pub(super) rabbit: Mutex<Rabbit>,
    pub(super) provider: Arc<Provider>,
    pub(super) senders: Senders,
    pub(super) wires: Wires,
    // The last to go: the app gives its database back.
    pub(super) postgres: Mutex<Postgres>,
    bases: Vec<String>,
    /// Whether it is far from midnight in UTC: a visit counts a view on each day on which it is seen or answered.
    is_noonish: bool,
    /// A client of each api, for questions.
    pub(super) asking: RefCell<Vec<Client>>,
    began: Cell<Instant>,
    /// How much of the plan was over before that.
    before: Cell<Duration>,
    /// The number of the last fault that was begun.
    pub(super) last: Cell<usize>,
    journal: RefCell<Vec<String>>,
    done: RefCell<BTreeMap<Kind, u64>>,
    pub(super) losses: Losses,
    pub(super) times: RefCell<Times>,
}

/// How the service reaches its servers.
pub(super) struct Wires {
    pub(super) commits: CommitProxy,
    pub(super) database: Link,
    pub(super) broker: Link,
    pub(super) cache: Link,
}

impl Stage {
    /// Starts it all on servers of its own; the dice are the provider's.
    ///
    /// # Errors
    /// When something does not start.
    pub async fn start(dice: Dice) -> Result<Self> {
        let disk = Arc::new(SmallDisk::new(DISK).await?);
        let (postgres, rabbit, redis) =
            tokio::try_join!(Postgres::on_disk(disk), Rabbit::start(), Redis::start())?;
        let database = Link::to(postgres.address().1).await?;
        let (broker, cache) = (rabbit.broker(), redis.url());
        let links = (
            Link::to(port(&broker.amqp)?).await?,
            Link::to(port(&cache)?).await?,
        );
        let there = format!("postgres://postgres@127.0.0.1:{}/postgres", database.port());
        let wires = Wires {
            commits: CommitProxy::before(&there).await?,
            database,
            broker: links.0,
            cache: links.1,
        };
        let endpoints = Endpoints {
            database: wires.commits.url().to_owned(),
            nodes: Vec::new(),
            pooled: None,
            broker: Broker {
                amqp: format!("amqp://guest:guest@127.0.0.1:{}", wires.broker.port()),
                ..broker
            },
            redis: format!("redis://127.0.0.1:{}", wires.cache.port()),
        };
        let backends = Backends::on_private_broker(&endpoints).await?;
        let provider = Provider::start(dice).await?;
        let senders = Senders::start().await?;
        let setup = App::setup().apis(APIS).workers(WORKERS - 1).on(backends);
        let setup = setup
            .setting(
                "FEEDBACK_SENDERS",
                &format!("{} {}", provider.setting(), senders.setting()),
            )
            .setting("FEEDBACK_LINK_RATE", "0")
            .setting("FEEDBACK_ADDRESS_ANSWERS", "0")
            .setting("FEEDBACK_PUBLIC_URL", PUBLIC);
        let mut app = setup.start().await?;
        start_with_a_clock(&mut app).await?;
        let bases: Vec<String> = app.apis.iter().map(Service::base).collect();
        provider.report_to(&bases)?;
        Ok(Self {
            apis: app.apis.drain(..).map(Mutex::new).collect(),
            workers: app.workers.drain(..).map(Mutex::new).collect(),
            app,
            redis: Mutex::new(redis),
            rabbit: Mutex::new(rabbit),
            provider,
            senders,
            wires,
            postgres: Mutex::new(postgres),
            bases,
            is_noonish: (6..18).contains(&Utc::now().hour()),
            asking: RefCell::default(),
            began: Cell::new(Instant::now()),
            before: Cell::default(),
            last: Cell::default(),
            journal: RefCell::default(),
            done: RefCell::default(),
            losses: Losses::default(),
            times: RefCell::default(),
        })
    }

    /// The file from which the last worker has how far its clock is off.
    pub(super) fn clock(&self) -> PathBuf {
        self.app.folder().join(CLOCK)
    }

    /// A new account: its id, and a client of each api.
    ///
    /// # Errors
    /// When the key cannot be made.
    pub async fn account(&self, name: &str) -> Result<(String, Vec<Client>)> {
        let zone = if self.is_noonish { "UTC" } else { "Etc/GMT+12" };
        let keys = self.app.create_key(name, &["--time-zone", zone]).await?;
        let clients: Result<Vec<Client>> = self
            .bases
            .iter()
            .map(|base| Ok(Client::new(base.clone())?.with_keys(&keys)))
            .collect();
        let clients = clients?;
        self.asking.borrow_mut().clone_from(&clients);
        Ok((keys.account_id, clients))
    }

    /// The day of the accounts' zone.
    pub fn today(&self) -> NaiveDate {
        let zone = TimeDelta::hours(if self.is_noonish { 0 } else { -12 });
        (Utc::now() + zone).date_naive()
    }

    /// Somebody of an account, signed in to the dashboard.
    ///
    /// # Errors
    /// When that is refused.
    pub async fn person(&self, account: &str) -> Result<Person> {
        let name = format!("reader-{}", account.replace(' ', "-"));
        let command = [
            "user",
            "add",
            &name,
            "--account",
            account,
            "--role",
            "viewer",
            "--link",
        ];
        let link = self.app.succeeds(&command).await?;
        let base = self.bases.first().context("no api")?;
        let client = Client::new(base.clone())?;
        let path = person::path_of_link(&link);
        let answer = person::choose_password_from(&client, PUBLIC, &path).await?;
        Person::of_answer(&client, &answer.expect(303)?)
    }

    /// What the database itself says.
    ///
    /// # Errors
    /// When it is away or refuses.
    pub async fn sql(&self, statement: &str) -> Result<String> {
        self.app.backends().sql(statement).await
    }

    /// `feedback verify` finds no drift.
    ///
    /// # Errors
    /// What it finds.
    pub async fn verified(&self) -> Result<()> {
        let found = self.app.cli(&["verify"]).await?;
        let [numbers, why] =
            [&found.stdout, &found.stderr].map(|text| String::from_utf8_lossy(text));
        if found.status.success() {
            return Ok(());
        }
        // What reports count of messages, by what is stored of these.
        let messages = self
            .sql(
                "SELECT c.form_id, m.kind, m.status, m.code, m.accepted_day IS NOT NULL, m.accepted_at IS NOT NULL, l.link_id IS NOT NULL, \
                        d.fence, count(*), min(m.message_id::text), max(m.message_id::text) \
                   FROM campaign c JOIN message m USING (account_id, campaign_id) \
                   LEFT JOIN link l ON l.account_id = m.account_id AND l.link_id = m.link_id \
                   LEFT JOIN message_due d ON d.account_id = m.account_id AND d.message_id = m.message_id \
                  GROUP BY 1, 2, 3, 4, 5, 6, 7, 8 ORDER BY 1, 2, 3",
            )
            .await?;
        bail!("verify: {numbers}\n{why}\nmessages:\n{messages}");
    }

    /// Neither logs nor metrics nor the broker name anybody to whom something was sent, or quote the provider.
    ///
    /// # Errors
    /// When one does.
    pub async fn names_nobody(&self) -> Result<()> {
        let secrets = [SECRET, ERROR_TEXT];
        for service in self.apis.iter().chain(&self.workers) {
            service.lock().await.names_nobody(&secrets).await?;
        }
        for file in self.rabbit.lock().await.files()? {
            // One may be gone meanwhile.
            let bytes = std::fs::read(&file).unwrap_or_default();
            let leak = check::names_nobody(&String::from_utf8_lossy(&bytes), &secrets);
            leak.with_context(|| file.display().to_string())?;
        }
        Ok(())
    }

    /// `feedback audit verify` finds all as it was sealed.
    ///
    /// # Errors
    /// What it finds.
    pub async fn audit_is_sealed(&self) -> Result<()> {
        self.app.succeeds(&["audit", "verify"]).await.map(drop)
    }

    /// From here the plan counts on, of which so much is over.
    pub fn begin(&self, before: Duration) {
        self.before.set(before);
        self.began.set(Instant::now());
    }

    /// Where in the plan it is now.
    pub fn now(&self) -> Duration {
        self.before.get() + self.began.get().elapsed()
    }

    /// What was done so far, when, in words.
    pub fn journal(&self) -> Vec<String> {
        self.journal.borrow().clone()
    }

    /// The faults done, by kind.
    pub fn done(&self) -> BTreeMap<Kind, u64> {
        self.done.borrow().clone()
    }

    /// Writes a fault down as it is done, for whoever watches and for later.
    pub fn note(&self, fault: &Fault) {
        self.tell(&fault.to_string());
        self.last.set(self.last.get().max(fault.number));
        *self.done.borrow_mut().entry(fault.kind).or_default() += 1;
    }

    /// Writes down, with its moment, how far it is.
    pub fn tell(&self, what: &str) {
        let line = format!("{:7.1} s  {what}", self.now().as_secs_f64());
        println!("{line}");
        self.journal.borrow_mut().push(line);
    }

    /// Ends with nothing to look for in the logs.
    pub fn hide_logs(&mut self) {
        for service in self.apis.iter_mut().chain(&mut self.workers) {
            service.get_mut().process.hide_log();
        }
    }

    /// Every process still runs, and is ready.
    ///
    /// # Errors
    /// When one is not.
    pub async fn all_ready(&self) -> Result<()> {
        for service in self.apis.iter().chain(&self.workers) {
            let mut service = service.lock().await;
            still_runs(&mut service)?;
            service.ready(SOON).await?;
        }
        Ok(())
    }
}

/// Servers that go away are no reason to end.
pub fn still_runs(service: &mut Service) -> Result<()> {
    let ended = service.process.ended()?;
    let process = &service.process;
    ensure!(
        ended.is_none(),
        "{} ended by itself: {ended:?}\n{}",
        process.name(),
        process.log_tail()
    );
    Ok(())
}

/// The name of [`Stage::clock`].
const CLOCK: &str = "clock";

/// Starts the last worker, whose clock can be set.
async fn start_with_a_clock(app: &mut App) -> Result<()> {
    let clock = app.folder().join(CLOCK);
    std::fs::write(&clock, "+0s")?;
    let clock = clock.to_str().context("a path")?.to_owned();
    let own = [
        ("LD_PRELOAD", faketime()?),
        ("FAKETIME_TIMESTAMP_FILE", &clock),
        ("FAKETIME_CACHE_DURATION", "1"),
        // Timers go on as they are.
        ("FAKETIME_DONT_FAKE_MONOTONIC", "1"),
    ];
    app.start_worker_with(&own).await
}

fn port(url: &str) -> Result<u16> {
    url::Url::parse(url)?.port().context("no port")
}
