//! Doing harm, and healing it.

use std::collections::BTreeMap;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};
use chrono::{DateTime, Utc};
use tokio::sync::{Mutex, MutexGuard};

use super::plan::{Fault, Kind};
use super::stage::{Stage, still_runs};
use super::{ACCOUNTS, provider, senders};
use crate::app::Service;
use crate::client::Client;
use crate::process::Process;
use crate::servers::{Cut, Postgres, Rabbit, psql, run};
use crate::wait::{LATER, SOON, eventually, pause};

/// How long an aimed fault waits for its victim to be at work.
const AIMING: Duration = Duration::from_millis(1_500);
/// How long a slow wire takes for each piece.
const SLOW: Duration = Duration::from_millis(40);
/// By when the checkpointer knows that commits wait for a standby: until then one may be answered that the standby does not have.
const WAITED_FOR: Duration = Duration::from_secs(1);
/// What is lost at least. Workers notice the loss of a second.
const LOST: Duration = Duration::from_secs(2);
/// By when it is known of each message that comes back that it was handed over: a sender may rest meanwhile.
const KNOWN: Duration = Duration::from_mins(4);
/// Of the transactions whose COMMIT is cut: an import is accepted, answers or messages are stored, a chunk is done.
const COMMITS: [&str; 4] = [
    "SET status = 'queued'",
    "INSERT INTO feedback",
    "message_due",
    "DELETE FROM import_chunk",
];

impl Stage {
    /// Waits for the fault's moment and its victim, does it, and heals what it broke.
    ///
    /// # Errors
    /// When the victim had ended by itself, or does not come back.
    pub async fn inject(&self, fault: &Fault) -> Result<()> {
        pause(fault.at.saturating_sub(self.now())).await;
        Box::pin(self.harm(fault))
            .await
            .with_context(|| format!("{fault}, planned for {:.1} s", fault.at.as_secs_f64()))
    }

    async fn harm(&self, fault: &Fault) -> Result<()> {
        match fault.kind {
            Kind::KillApi => {
                let mut api = self.running(&self.apis, fault).await?;
                // What it said is in its next life's log, too.
                api.process.hide_log();
                api.kill()?;
                revive(&mut api).await
            }
            Kind::KillWorker if fault.alone => self.kill_worker_alone(fault).await,
            Kind::KillWorker => {
                let mut worker = self.running(&self.workers, fault).await?;
                self.kill_worker(&mut worker, false).await
            }
            Kind::FreezeApi => self.freeze(&self.apis, fault).await,
            Kind::FreezeWorker => self.freeze(&self.workers, fault).await,
            Kind::StopApi => self.restart(&self.apis, fault).await,
            Kind::StopWorker => self.restart(&self.workers, fault).await,
            Kind::StarveApi => self.starve(&self.apis, fault).await,
            Kind::StarveWorker => self.starve(&self.workers, fault).await,
            Kind::StepClock => {
                let worker = self.workers.last().context("no worker")?.lock().await;
                self.note(fault);
                let offset = ["+2h", "-2h"].get(fault.victim).context("no offset")?;
                std::fs::write(self.clock(), offset)?;
                pause(fault.lasts).await;
                std::fs::write(self.clock(), "+0s")?;
                drop(worker);
                Ok(())
            }
            Kind::KillDatabase
            | Kind::FreezeDatabase
            | Kind::FillDisk
            | Kind::CutCommit
            | Kind::CutDatabase
            | Kind::SlowDatabase
            | Kind::SilenceDatabase
            | Kind::FailOver => {
                let mut postgres = self.postgres.lock().await;
                self.aim(fault, "SELECT count(*) FROM import_start").await;
                self.note(fault);
                Box::pin(self.harm_database(&mut postgres, fault)).await
            }
            Kind::LoseCommits => Box::pin(self.lose_commits(fault)).await,
            Kind::KillBroker
            | Kind::EmptyBroker
            | Kind::BlockBroker
            | Kind::FillBroker
            | Kind::FreezeBroker
            | Kind::CutBroker => {
                let mut rabbit = self.rabbit.lock().await;
                self.note(fault);
                Box::pin(self.harm_broker(&mut rabbit, fault)).await
            }
            Kind::KillCache | Kind::FillCache | Kind::FreezeCache | Kind::CutCache => {
                self.harm_cache(fault).await
            }
            Kind::KillProvider => {
                self.note(fault);
                self.provider.be_away(fault.lasts).await
            }
            Kind::Migrate => {
                self.note(fault);
                self.command(&["migrate", "status"]).await?;
                self.command(&["migrate", "up"]).await
            }
            Kind::Rebuild => {
                self.note(fault);
                self.command(&["rebuild"]).await
            }
        }
    }

    async fn harm_database(&self, postgres: &mut Postgres, fault: &Fault) -> Result<()> {
        let wire = &self.wires.database;
        match fault.kind {
            Kind::KillDatabase => {
                postgres.kill()?;
                postgres.start_again().await?;
                self.service_is_back().await
            }
            Kind::FreezeDatabase => {
                postgres.freeze()?;
                pause(fault.lasts).await;
                postgres.thaw()
            }
            Kind::FillDisk => {
                let disk = postgres.disk().context("on no disk of its own")?;
                disk.fill()?;
                pause(fault.lasts).await;
                disk.free()
            }
            Kind::CutCommit => {
                let statement = COMMITS.get(fault.victim / 3).context("no statement")?;
                let cuts = [Cut::Before, Cut::After, Cut::Late];
                let cut = cuts.get(fault.victim % 3).context("no cut")?;
                let trap = self.wires.commits.cut(statement, *cut);
                pause(fault.lasts).await;
                self.wires.commits.spare();
                if *cut == Cut::Late {
                    // Nothing may have been caught, and the server may have ended that session.
                    let _ = tokio::time::timeout(fault.lasts, trap.release()).await;
                }
                Ok(())
            }
            Kind::CutDatabase => {
                wire.cut();
                self.service_is_back().await
            }
            Kind::SlowDatabase => {
                wire.slow_down(SLOW);
                pause(fault.lasts).await;
                wire.slow_down(Duration::ZERO);
                Ok(())
            }
            Kind::SilenceDatabase => {
                wire.silence(true);
                pause(fault.lasts).await;
                wire.silence(false);
                Ok(())
            }
            _ => {
                let standby = postgres.standby().await?;
                pause(WAITED_FOR).await;
                postgres.kill()?;
                // It has the setting of its primary by now or not, and waits for no other one.
                let admin = standby.url("postgres");
                standby.promote().await?;
                psql(&admin, "ALTER SYSTEM SET synchronous_standby_names = ''").await?;
                psql(&admin, "SELECT pg_reload_conf()").await?;
                wire.lay_to(standby.address().1);
                wire.cut();
                *postgres = standby;
                self.service_is_back().await
            }
        }
    }

    /// Fails over to a standby that gets nothing for a while. Where the claim of a message is lost, only the process that handed it
    /// over knows that: all workers live on, each with its senders, until what comes back is known.
    async fn lose_commits(&self, fault: &Fault) -> Result<()> {
        let mut workers = Vec::new();
        for worker in &self.workers {
            let mut worker = worker.lock().await;
            still_runs(&mut worker)?;
            workers.push(worker);
        }
        let mut postgres = self.postgres.lock().await;
        let standby = postgres.late_standby().await?;
        self.senders_are_driven(&workers).await?;
        self.note(fault);
        let before = self.arrivals()?;
        self.losses.begin();
        let (admin, follower) = (postgres.url("postgres"), standby.url("postgres"));
        let end = psql(&admin, "SELECT pg_current_wal_insert_lsn()").await?;
        let has_all = format!("SELECT pg_last_wal_receive_lsn() >= '{end}'");
        eventually(LATER, async || {
            let has_all = psql(&follower, &has_all).await?;
            ensure!(has_all == "t", "what was answered is not there");
            Ok(())
        })
        .await?;
        postgres.lose(&standby).await?;
        let from = Utc::now();
        pause(LOST + fault.lasts).await;
        self.aim(fault, "SELECT count(*) FROM import_start").await;
        let until = Utc::now();
        postgres.kill()?;
        standby.promote().await?;
        self.wires.database.lay_to(standby.address().1);
        self.wires.database.cut();
        let mut messages = self.arrivals()?;
        for (sender, count) in &mut messages {
            *count -= before.get(sender).copied().unwrap_or_default();
        }
        self.losses.end(messages);
        *postgres = standby;
        self.service_is_back().await?;
        eventually(SOON, async || {
            let mut told = Err(anyhow!("no worker"));
            for worker in &workers {
                told = told.or(loss_is_told(worker, from, until).await);
            }
            told
        })
        .await?;
        self.nothing_comes_back().await
    }

    /// Each sender is with a worker that lives.
    async fn senders_are_driven(&self, workers: &[MutexGuard<'_, Service>]) -> Result<()> {
        let ids = workers.iter().map(|worker| worker.worker_id());
        let ids = ids.collect::<Result<Vec<_>>>()?.join("', '");
        let abandoned =
            format!("SELECT string_agg(name, ' ') FROM lease WHERE owner NOT IN ('{ids}')");
        eventually(LATER, async || {
            let abandoned = self.sql(&abandoned).await?;
            ensure!(abandoned.is_empty(), "nobody drives {abandoned}");
            Ok(())
        })
        .await
    }

    /// Waits until the accounts posted again what they had posted for their campaigns, and no message of before is due.
    async fn nothing_comes_back(&self) -> Result<()> {
        let accounts = ACCOUNTS + senders::NAMES.len();
        eventually(KNOWN, async || {
            let again = self.losses.posted_again.get();
            ensure!(again == accounts, "{again} of {accounts} posted again");
            Ok(())
        })
        .await?;
        for open in [
            "import_batch WHERE status IN ('queued', 'processing') AND campaign_id IS NOT NULL AND queued_at",
            "message_due WHERE due_at",
        ] {
            let now =
                eventually(LATER, async || self.sql("SELECT clock_timestamp()").await).await?;
            eventually(KNOWN, async || {
                let of_before = format!("SELECT count(*) FROM {open} <= '{now}'");
                let count = self.sql(&of_before).await?;
                ensure!(count == "0", "{count} of {open} before {now}");
                Ok(())
            })
            .await?;
        }
        self.losses.comes_back.set(false);
        Ok(())
    }

    /// How many messages came through each sender.
    fn arrivals(&self) -> Result<BTreeMap<&'static str, u64>> {
        let mut arrivals = BTreeMap::from([(provider::NAME, self.provider.arrivals())]);
        for name in senders::NAMES {
            arrivals.insert(name, self.senders.arrivals(name)?);
        }
        Ok(arrivals)
    }

    async fn harm_broker(&self, rabbit: &mut Rabbit, fault: &Fault) -> Result<()> {
        match fault.kind {
            Kind::KillBroker => {
                rabbit.kill()?;
                rabbit.start_again().await
            }
            Kind::EmptyBroker => {
                rabbit.delete_data().await?;
                rabbit.start_again().await
            }
            Kind::BlockBroker => {
                rabbit.memory_alarm(true).await?;
                pause(fault.lasts).await;
                rabbit.memory_alarm(false).await
            }
            Kind::FillBroker => {
                rabbit.disk_alarm(true).await?;
                pause(fault.lasts).await;
                rabbit.disk_alarm(false).await
            }
            Kind::FreezeBroker => {
                rabbit.process()?.freeze()?;
                pause(fault.lasts).await;
                rabbit.thaw().await
            }
            _ => {
                self.wires.broker.cut();
                Ok(())
            }
        }
    }

    async fn harm_cache(&self, fault: &Fault) -> Result<()> {
        let mut redis = self.redis.lock().await;
        self.note(fault);
        match fault.kind {
            Kind::KillCache => {
                redis.kill()?;
                redis.start_again().await
            }
            Kind::FillCache => {
                redis.command("CONFIG SET maxmemory 1").await?;
                pause(fault.lasts).await;
                redis.command("CONFIG SET maxmemory 0").await.map(drop)
            }
            Kind::FreezeCache => {
                redis.process()?.freeze()?;
                pause(fault.lasts).await;
                redis.process()?.thaw()
            }
            _ => {
                self.wires.cache.cut();
                Ok(())
            }
        }
    }

    /// The victim, once it is through with the fault before.
    async fn running<'a>(
        &self,
        services: &'a [Mutex<Service>],
        fault: &Fault,
    ) -> Result<MutexGuard<'a, Service>> {
        let service = services.get(fault.victim).context("no such process")?;
        let mut service = service.lock().await;
        still_runs(&mut service)?;
        self.aim(fault, &at_work(&service)).await;
        self.note(fault);
        Ok(service)
    }

    /// Waits until the victim is at work: until the count is not 0. Not for long, and not at all unless the fault is aimed.
    async fn aim(&self, fault: &Fault, at_work: &str) {
        if fault.aimed {
            let _ = eventually(AIMING, async || {
                ensure!(self.sql(at_work).await? != "0", "idle");
                Ok(())
            })
            .await;
        }
    }

    /// Kills a worker that has chunks in hand while the others and the database are well.
    async fn kill_worker_alone(&self, fault: &Fault) -> Result<()> {
        let mut workers = Vec::new();
        for worker in &self.workers {
            workers.push(worker.lock().await);
        }
        let _postgres = self.postgres.lock().await;
        let worker = workers.get_mut(fault.victim).context("no such process")?;
        still_runs(worker)?;
        let in_hand = in_hand(&worker.worker_id()?);
        let _ = eventually(2 * AIMING, async || {
            ensure!(self.sql(&in_hand).await? != "0", "idle");
            Ok(())
        })
        .await;
        self.note(fault);
        self.kill_worker(worker, true).await
    }

    async fn kill_worker(&self, worker: &mut Service, is_alone: bool) -> Result<()> {
        let worker_id = worker.worker_id()?;
        worker.process.hide_log();
        worker.kill()?;
        let (revived, ()) = tokio::join!(revive(worker), self.resumption(&worker_id, is_alone));
        revived
    }

    async fn freeze(&self, services: &[Mutex<Service>], fault: &Fault) -> Result<()> {
        let service = self.running(services, fault).await?;
        service.process.freeze()?;
        pause(fault.lasts).await;
        service.process.thaw()
    }

    /// As an update or an operator does it: whatever else is broken, the process ends in order.
    async fn restart(&self, services: &[Mutex<Service>], fault: &Fault) -> Result<()> {
        let mut service = self.running(services, fault).await?;
        let status = service.stop().await?;
        ensure!(status.success(), "it ended with {status}");
        revive(&mut service).await
    }

    /// Lets a process open nothing beyond what it has open.
    async fn starve(&self, services: &[Mutex<Service>], fault: &Fault) -> Result<()> {
        let service = self.running(services, fault).await?;
        let process = &service.process;
        let most = descriptors(process, "--output=SOFT").await?;
        let open = std::fs::read_dir(format!("/proc/{}/fd", process.pid()?))?.count();
        descriptors(process, &format!("--nofile={open}:")).await?;
        pause(fault.lasts).await;
        let most = most.trim();
        descriptors(process, &format!("--nofile={most}:"))
            .await
            .map(drop)
    }

    /// A command of the operator's, repeated until it succeeds: other faults may be in its way.
    async fn command(&self, arguments: &[&str]) -> Result<()> {
        eventually(LATER, async || self.app.succeeds(arguments).await.map(drop)).await
    }

    /// Measures how long what a killed worker had in hand stays with it. Other faults may stand in the way of asking,
    /// and of resuming: it is a figure, not a verdict.
    async fn resumption(&self, worker_id: &str, is_alone: bool) {
        let killed = Instant::now();
        let in_hand = in_hand(worker_id);
        if !matches!(self.sql(&in_hand).await.as_deref(), Ok(count) if count != "0") {
            return;
        }
        let resumed = eventually(LATER, async || {
            let count = self.sql(&in_hand).await?;
            ensure!(count == "0", "{count} chunks are still with {worker_id}");
            Ok(())
        })
        .await;
        if resumed.is_ok() {
            let mut times = self.times.borrow_mut();
            let of = if is_alone {
                &mut times.resumed_alone
            } else {
                &mut times.resumed
            };
            of.push(killed.elapsed());
        }
    }

    /// Measures until when each api answers again, now that its database does: of those that no other fault has in hand.
    async fn service_is_back(&self) -> Result<()> {
        let back = Instant::now();
        let clients = self.asking.borrow().clone();
        for (api, client) in self.apis.iter().zip(&clients) {
            let Ok(_whole) = api.try_lock() else {
                continue;
            };
            eventually(SOON, async || {
                client.get(crate::import::IMPORT).await?.expect(200)
            })
            .await?;
            self.times.borrow_mut().back.push(back.elapsed());
        }
        Ok(())
    }
}

/// A worker says everywhere that commits were lost, and not of less than the time between two moments.
async fn loss_is_told(worker: &Service, from: DateTime<Utc>, until: DateTime<Utc>) -> Result<()> {
    let client = Client::new(worker.base())?;
    let ready = client.get("/health/ready").await?.expect(200)?;
    let ready = ready.text()?;
    let told = ready.split_once("worker history degraded: the database lost commits between ");
    let told = told.with_context(|| format!("no loss is told: {ready}"))?;
    let mut moments = told
        .1
        .split_whitespace()
        .step_by(2)
        .map(str::parse::<DateTime<Utc>>);
    let mut moment = || anyhow::Ok(moments.next().context("no moment")??);
    let (told_from, told_until) = (moment()?, moment()?);
    ensure!(
        told_from <= from && until <= told_until,
        "less is told than what was lost between {from} and {until}: {ready}"
    );
    let metrics = client.get("/metrics").await?.expect(200)?;
    let mut lines = metrics.text()?.lines();
    let seconds = lines.find_map(|line| line.strip_prefix("feedback_history_lost_seconds "));
    let seconds: f64 = seconds.context("no metric of the loss")?.parse()?;
    let lost = (until - from).as_seconds_f64();
    ensure!(seconds >= lost, "{seconds} s are told, of {lost}");
    let log = worker.process.log()?;
    ensure!(log.contains("the database lost commits"), "not in the log");
    Ok(())
}

/// Asks how many chunks a worker has in hand.
fn in_hand(worker_id: &str) -> String {
    format!(
        "SELECT count(*) FROM import_start JOIN import_chunk USING (account_id, batch_id, chunk_no) \
         WHERE worker_id = '{worker_id}'"
    )
}

/// Asks how much a process is at: of a worker chunks and messages, of an api imports.
fn at_work(service: &Service) -> String {
    let Ok(worker_id) = service.worker_id() else {
        return "SELECT count(*) FROM import_batch WHERE status = 'receiving'".to_owned();
    };
    let chunks = in_hand(&worker_id);
    format!(
        "SELECT ({chunks}) + (SELECT count(*) FROM lease JOIN message_due USING (fence) \
         WHERE lease.name = sender AND owner = '{worker_id}')"
    )
}

/// Asks or sets how many descriptors a process may have.
async fn descriptors(process: &Process, what: &str) -> Result<String> {
    let mut prlimit = Command::new("prlimit");
    prlimit.args(["--pid", &process.pid()?.to_string(), what]);
    if what.starts_with("--output") {
        prlimit.args(["--nofile", "--noheadings", "--raw"]);
    }
    run(prlimit).await
}

/// Starts a killed process again, as its supervisor does: a start that meets a dead database may fail.
async fn revive(service: &mut Service) -> Result<()> {
    eventually(LATER, async || {
        if service.process.ended()?.is_some() {
            service.start_again().await
        } else {
            service.ready(SOON).await
        }
    })
    .await
}
