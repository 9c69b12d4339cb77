//! Doing harm, and healing it.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use tests::app::Service;
use tests::wait::{LATER, SOON, eventually};
use tokio::sync::{Mutex, MutexGuard};

use super::plan::{Fault, Kind};
use super::stage::{Stage, pause, still_runs};

/// How long an aimed fault waits for its victim to be at work.
const AIMING: Duration = Duration::from_millis(1_500);

impl Stage {
    /// Waits for the fault's moment and its victim, does it, and heals what it broke.
    ///
    /// # Errors
    /// When the victim had ended by itself, or does not come back.
    pub async fn inject(&self, fault: &Fault) -> Result<()> {
        pause(fault.at.saturating_sub(self.began.get().elapsed())).await;
        self.harm(fault)
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
            Kind::KillWorker => {
                let mut worker = self.running(&self.workers, fault).await?;
                let worker_id = worker.worker_id()?;
                worker.process.hide_log();
                worker.kill()?;
                let (revived, ()) = tokio::join!(revive(&mut worker), self.resumption(&worker_id));
                revived
            }
            Kind::FreezeApi => self.freeze(&self.apis, fault).await,
            Kind::FreezeWorker => self.freeze(&self.workers, fault).await,
            Kind::KillDatabase => {
                let mut postgres = self.postgres.lock().await;
                self.aim(fault, "SELECT count(*) FROM import_start").await;
                self.note(fault);
                postgres.kill()?;
                postgres.start_again().await
            }
            Kind::KillBroker => {
                let mut rabbit = self.rabbit.lock().await;
                self.note(fault);
                rabbit.kill()?;
                rabbit.start_again().await
            }
            Kind::EmptyBroker => {
                let mut rabbit = self.rabbit.lock().await;
                self.note(fault);
                rabbit.delete_data().await?;
                rabbit.start_again().await
            }
            Kind::BlockBroker => {
                let rabbit = self.rabbit.lock().await;
                self.note(fault);
                rabbit.memory_alarm(true).await?;
                pause(fault.lasts).await;
                rabbit.memory_alarm(false).await
            }
            Kind::KillCache => {
                let mut redis = self.redis.lock().await;
                self.note(fault);
                redis.kill()?;
                redis.start_again().await
            }
            Kind::FillCache => {
                let redis = self.redis.lock().await;
                self.note(fault);
                redis.command("CONFIG SET maxmemory 1").await?;
                pause(fault.lasts).await;
                redis.command("CONFIG SET maxmemory 0").await.map(drop)
            }
            Kind::FreezeDatabase => {
                let postgres = self.postgres.lock().await;
                self.aim(fault, "SELECT count(*) FROM import_start").await;
                self.note(fault);
                postgres.freeze()?;
                pause(fault.lasts).await;
                postgres.thaw()
            }
            Kind::FreezeBroker => {
                let rabbit = self.rabbit.lock().await;
                self.note(fault);
                rabbit.process()?.freeze()?;
                pause(fault.lasts).await;
                rabbit.thaw().await
            }
            Kind::FreezeCache => {
                let redis = self.redis.lock().await;
                self.note(fault);
                redis.process()?.freeze()?;
                pause(fault.lasts).await;
                redis.process()?.thaw()
            }
            Kind::KillProvider => {
                self.note(fault);
                self.provider.be_away(fault.lasts).await
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
        let at_work = match fault.kind {
            Kind::KillWorker | Kind::FreezeWorker => at_work(&service.worker_id()?),
            _ => "SELECT count(*) FROM import_batch WHERE status = 'receiving'".to_owned(),
        };
        self.aim(fault, &at_work).await;
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

    async fn freeze(&self, services: &[Mutex<Service>], fault: &Fault) -> Result<()> {
        let service = self.running(services, fault).await?;
        service.process.freeze()?;
        pause(fault.lasts).await;
        service.process.thaw()
    }

    /// Measures how long what a killed worker had in hand stays with it. Other faults may stand in the way of asking,
    /// and of resuming: it is a figure, not a verdict.
    async fn resumption(&self, worker_id: &str) {
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
            self.resumed.borrow_mut().push(killed.elapsed());
        }
    }
}

/// Asks how many chunks a worker has in hand.
fn in_hand(worker_id: &str) -> String {
    format!(
        "SELECT count(*) FROM import_start JOIN import_chunk USING (account_id, batch_id, chunk_no) \
         WHERE worker_id = '{worker_id}'"
    )
}

/// Asks how many chunks and messages a worker has in hand.
fn at_work(worker_id: &str) -> String {
    let chunks = in_hand(worker_id);
    format!(
        "SELECT ({chunks}) + (SELECT count(*) FROM lease JOIN message_due USING (fence) \
         WHERE lease.name = sender AND owner = '{worker_id}')"
    )
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
