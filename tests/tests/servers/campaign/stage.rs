//! The processes and servers of a campaign, and what was done to them.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use chrono::{Timelike, Utc};
use tests::app::{App, Backends, Service};
use tests::check;
use tests::client::Client;
use tests::servers::{Durability, Endpoints, Postgres, Rabbit, Redis};
use tests::wait::SOON;
use tests::webhook::SECRET;
use tokio::sync::Mutex;

use super::plan::{Dice, Fault, Kind};
use super::provider::{ERROR_TEXT, Provider};

pub const APIS: usize = 2;
pub const WORKERS: usize = 3;

/// Everything that runs. Whoever harms a thing holds its lock until it is whole again.
pub struct Stage {
    pub(super) apis: Vec<Mutex<Service>>,
    pub(super) workers: Vec<Mutex<Service>>,
    /// Without its processes: the settings, the database and the command line.
    app: App,
    pub(super) redis: Mutex<Redis>,
    pub(super) rabbit: Mutex<Rabbit>,
    pub(super) provider: Arc<Provider>,
    // The last to go: the app gives its database back.
    pub(super) postgres: Mutex<Postgres>,
    bases: Vec<String>,
    pub(super) began: Cell<Instant>,
    journal: RefCell<Vec<String>>,
    done: RefCell<BTreeMap<Kind, usize>>,
    pub(super) resumed: RefCell<Vec<Duration>>,
}

/// Waits for a moment of the plan: it says when faults come and how long they last, there is no condition to wait for.
pub async fn pause(length: Duration) {
    let _ = tokio::time::timeout(length, std::future::pending::<()>()).await;
}

impl Stage {
    /// Starts it all on servers of its own; the dice are the provider's.
    ///
    /// # Errors
    /// When something does not start.
    pub async fn start(dice: Dice) -> Result<Self> {
        let (postgres, rabbit, redis) = tokio::try_join!(
            Postgres::start(Durability::Fast),
            Rabbit::start(),
            Redis::start()
        )?;
        let endpoints = Endpoints {
            database: postgres.url("postgres"),
            nodes: Vec::new(),
            pooled: None,
            broker: rabbit.broker(),
            redis: redis.url(),
        };
        let backends = Backends::on_private_broker(&endpoints).await?;
        let provider = Provider::start(dice).await?;
        let setup = App::setup().apis(APIS).workers(WORKERS).on(backends);
        let setup = setup
            .setting("FEEDBACK_SENDERS", &provider.setting())
            .setting("FEEDBACK_PUBLIC_URL", "https://feedback.example");
        let mut app = setup.start().await?;
        let bases: Vec<String> = app.apis.iter().map(Service::base).collect();
        provider.report_to(&bases)?;
        Ok(Self {
            apis: app.apis.drain(..).map(Mutex::new).collect(),
            workers: app.workers.drain(..).map(Mutex::new).collect(),
            app,
            redis: Mutex::new(redis),
            rabbit: Mutex::new(rabbit),
            provider,
            postgres: Mutex::new(postgres),
            bases,
            began: Cell::new(Instant::now()),
            journal: RefCell::default(),
            done: RefCell::default(),
            resumed: RefCell::default(),
        })
    }

    /// A new account: its id, and a client of each api.
    ///
    /// # Errors
    /// When the key cannot be made.
    pub async fn account(&self, name: &str) -> Result<(String, Vec<Client>)> {
        // Far from midnight: a visit counts a view on each day on which it is seen or answered.
        let noonish = (6..18).contains(&Utc::now().hour());
        let zone = if noonish { "UTC" } else { "Etc/GMT+12" };
        let keys = self.app.create_key(name, &["--time-zone", zone]).await?;
        let clients: Result<Vec<Client>> = self
            .bases
            .iter()
            .map(|base| Ok(Client::new(base.clone())?.with_keys(&keys)))
            .collect();
        Ok((keys.account_id, clients?))
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
        self.app.succeeds(&["verify"]).await.map(drop)
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

    /// From here the plan counts.
    pub fn begin(&self) {
        self.began.set(Instant::now());
    }

    /// What was done so far, when, in words.
    pub fn journal(&self) -> String {
        self.journal.borrow().join("\n")
    }

    /// The faults done, by kind.
    pub fn done(&self) -> BTreeMap<Kind, usize> {
        self.done.borrow().clone()
    }

    /// For each killed worker that had chunks in hand: the time until all of them were in other hands or done.
    pub fn resumed(&self) -> Vec<Duration> {
        self.resumed.borrow().clone()
    }

    /// Writes a fault down as it is done.
    pub fn note(&self, fault: &Fault) {
        let at = self.began.get().elapsed().as_secs_f64();
        self.journal
            .borrow_mut()
            .push(format!("{at:7.1} s  {fault}"));
        *self.done.borrow_mut().entry(fault.kind).or_default() += 1;
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
