//! What the model says: throughput that follows from costs of single things, on a simulated machine.
//!
//! Each function is a piece of the service: who waits for whom, how many at once, and what shares a commit. All numbers of work are
//! measured ([`Costs`]); those that are constants here are constants of the service.

use std::cell::Cell;
use std::rc::Rc;

use anyhow::Result;
use futures::channel::{mpsc, oneshot};
use futures::lock::Mutex;
use futures::{SinkExt, StreamExt};

use super::costs::Used;
use super::loads::CHUNK;
use super::simulation::Machine;

/// Answers that share a commit at most, and commits of answers that are under way at once.
const TOGETHER: usize = 256;
const COMMITTERS: usize = 2;
/// Records of a run, which an import hands over to be stored, and runs that are stored at once.
const RUN: u32 = 50_000;
const RUNS_AT_ONCE: usize = 2;
/// Chunks that a worker stores at once.
const SLOTS: usize = 2;
/// Messages that are handed over at once, the pause in which further results are gathered, receipts that are stored at once and how
/// long they take: of the sender, the driver, the events and again the sender.
const WINDOW: u32 = 200;
const GATHER: f64 = 0.002;
const RECEIPTS: u32 = 500;
const DELAY: f64 = 0.1;
/// Simulated seconds before anything is counted, and those that count.
const WARM: f64 = 1.0;
const TIME: f64 = 4.0;

/// What one thing takes of a core, and what is to be known of the machine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Costs {
    pub(super) cores: f64,
    /// Seconds in which a commit is on the disk.
    pub(super) flush: f64,
    pub(super) report: Used,
    /// An answer, but for what its commit takes whatever else it has.
    pub(super) answer: Used,
    /// A commit of answers, but for them.
    pub(super) answers_commit: Used,
    /// A record until its import is accepted, and from then on.
    pub(super) record_read: Used,
    pub(super) record_stored: Used,
    /// Seconds that a chunk takes beside work.
    pub(super) chunk_waits: f64,
    /// A message that is handed over, and its receipt.
    pub(super) sent: Used,
    pub(super) receipt: Used,
}

impl Used {
    /// Work that nobody waits for.
    fn beside(&self) -> f64 {
        self.api + self.workers + self.others
    }
}

/// Counts what is done in the time that counts, and gives how much of it there is in a second.
fn rate(costs: &Costs, begin: impl FnOnce(&Machine, &Rc<Cell<u32>>) -> Result<()>) -> Result<f64> {
    let done = Rc::new(Cell::new(0));
    let before = Cell::new(None);
    let counted = Rc::clone(&done);
    let machine = (costs.cores, costs.flush);
    let end = Machine::run(
        machine,
        |machine| begin(machine, &counted),
        |now| {
            if now >= WARM && before.get().is_none() {
                before.set(Some((now, done.get())));
            }
            now >= WARM + TIME
        },
    )?;
    let (since, before) = before.get().unwrap_or_default();
    Ok(f64::from(done.get() - before) / (end - since))
}

/// Reports a second over so many connections, each of which asks again once it has its answer.
pub(super) fn reports(costs: &Costs, connections: u32) -> Result<f64> {
    rate(costs, |machine, done| {
        for _ in 0..connections {
            let (machine, done, report) = (machine.clone(), Rc::clone(done), costs.report);
            machine.clone().spawn(async move {
                loop {
                    machine.work(report.others).await;
                    machine
                        .work(report.api + report.workers + report.database)
                        .await;
                    done.set(done.get() + 1);
                }
            })?;
        }
        Ok(())
    })
}

/// Answers a second over so many connections. They share commits: a committer takes all that wait, while the other is at work.
pub(super) fn answers(costs: &Costs, connections: u32) -> Result<f64> {
    rate(costs, |machine, done| {
        let (waiting, queue) = mpsc::unbounded::<oneshot::Sender<()>>();
        let queue = Rc::new(Mutex::new(queue));
        let (answer, commit) = (costs.answer, costs.answers_commit);
        for _ in 0..COMMITTERS {
            let (machine, queue) = (machine.clone(), Rc::clone(&queue));
            machine.clone().spawn(async move {
                loop {
                    let mut group = Vec::new();
                    {
                        let mut queue = queue.lock().await;
                        group.extend(queue.next().await);
                        while group.len() < TOGETHER
                            && let Ok(next) = queue.try_recv()
                        {
                            group.push(next);
                        }
                    }
                    let answers = f64::from(u32::try_from(group.len()).unwrap_or(u32::MAX));
                    machine
                        .work(commit.database + answer.database * answers)
                        .await;
                    machine.flush().await;
                    for one in group {
                        // Who asked is there until it is answered.
                        let _ = one.send(());
                    }
                    let beside = commit.beside() + answer.workers * answers;
                    let at_work = machine.clone();
                    // It ends with the machine.
                    let _ = machine.spawn(async move { at_work.work(beside).await });
                }
            })?;
        }
        for _ in 0..connections {
            let (machine, done, waiting) = (machine.clone(), Rc::clone(done), waiting.clone());
            machine.clone().spawn(async move {
                loop {
                    machine.work(answer.others).await;
                    machine.work(answer.api).await;
                    let (send, answered) = oneshot::channel();
                    // Both ends are there as long as the machine.
                    let _ = waiting.unbounded_send(send);
                    let _ = answered.await;
                    done.set(done.get() + 1);
                }
            })?;
        }
        Ok(())
    })
}

/// Records a second of an import, which is first read, on one core and stored in runs meanwhile, and then stored by so many workers.
pub(super) fn records(costs: &Costs, records: u32, workers: usize) -> Result<f64> {
    let read = reading(costs, records)?;
    let stored = storing(costs, records, workers)?;
    Ok(f64::from(records) / (read + stored))
}

fn reading(costs: &Costs, records: u32) -> Result<f64> {
    let left = Rc::new(Cell::new(records.div_ceil(RUN)));
    let ends = Rc::clone(&left);
    let begin = |machine: &Machine| {
        let record = costs.record_read;
        let (mut runs, queue) = mpsc::channel::<f64>(0);
        let queue = Rc::new(Mutex::new(queue));
        for _ in 0..RUNS_AT_ONCE {
            let (machine, queue, left) = (machine.clone(), Rc::clone(&queue), Rc::clone(&left));
            machine.clone().spawn(async move {
                loop {
                    let next = queue.lock().await.next().await;
                    let Some(run) = next else { return };
                    machine.work(record.database * run).await;
                    left.set(left.get() - 1);
                }
            })?;
        }
        let parser = machine.clone();
        machine.spawn(async move {
            for from in (0..records).step_by(RUN as usize) {
                let run = f64::from(RUN.min(records - from));
                let (sender, beside) = (parser.clone(), record.others + record.workers);
                // Whoever sends the body works beside who reads it.
                let _ = parser.spawn(async move { sender.work(beside * run).await });
                parser.work(record.api * run).await;
                // The queue is there until the last run.
                let _ = runs.send(run).await;
            }
        })
    };
    let machine = (costs.cores, costs.flush);
    let read = Machine::run(machine, begin, |_| ends.get() == 0)?;
    Ok(read + costs.flush)
}

fn storing(costs: &Costs, records: u32, workers: usize) -> Result<f64> {
    let chunks = records.div_ceil(CHUNK);
    let (next, left) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(chunks)));
    let ends = Rc::clone(&left);
    let begin = |machine: &Machine| {
        let (record, waits) = (costs.record_stored, costs.chunk_waits);
        // Of the import, from its counts until the commit.
        let batch = Rc::new(Mutex::new(()));
        for _ in 0..SLOTS * workers {
            let (machine, batch) = (machine.clone(), Rc::clone(&batch));
            let (next, left) = (Rc::clone(&next), Rc::clone(&left));
            machine.clone().spawn(async move {
                while next.get() < chunks {
                    let from = next.replace(next.get() + 1) * CHUNK;
                    let chunk = f64::from(CHUNK.min(records - from));
                    let (other, beside) = (machine.clone(), record.api + record.others);
                    // It ends with the machine.
                    let _ = machine.spawn(async move { other.work(beside * chunk).await });
                    machine
                        .work((record.workers + record.database) * chunk)
                        .await;
                    machine.wait(waits).await;
                    let _locked = batch.lock().await;
                    machine.flush().await;
                    left.set(left.get() - 1);
                }
            })?;
        }
        Ok(())
    };
    let machine = (costs.cores, costs.flush);
    Machine::run(machine, begin, |_| ends.get() == 0)
}

/// Messages a second that are sent and reported. One process hands over, a commit each step; another commit stores the receipts that
/// have come.
pub(super) fn messages(costs: &Costs, messages: u32) -> Result<f64> {
    let (come, left) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(messages)));
    let ends = Rc::clone(&left);
    let begin = |machine: &Machine| {
        let (sent, receipt) = (costs.sent, costs.receipt);
        let (told, mut news) = mpsc::unbounded::<()>();
        let (driver, arrived) = (machine.clone(), Rc::clone(&come));
        machine.spawn(async move {
            for from in (0..messages).step_by(WINDOW as usize) {
                let step = WINDOW.min(messages - from);
                step_of(&driver, sent, step).await;
                driver.wait(GATHER).await;
                let (provider, told) = (driver.clone(), told.clone());
                let arrived = Rc::clone(&arrived);
                // It ends with the machine.
                let _ = driver.spawn(async move {
                    provider.wait(DELAY).await;
                    arrived.set(arrived.get() + step);
                    let _ = told.unbounded_send(());
                });
            }
        })?;
        let events = machine.clone();
        machine.spawn(async move {
            while news.next().await.is_some() {
                while come.get() > 0 {
                    let step = come.get().min(RECEIPTS);
                    come.set(come.get() - step);
                    step_of(&events, receipt, step).await;
                    left.set(left.get() - step);
                }
            }
        })
    };
    let machine = (costs.cores, costs.flush);
    let took = Machine::run(machine, begin, |_| ends.get() == 0)?;
    Ok(f64::from(messages) / took)
}

/// So many messages or receipts in one commit.
async fn step_of(machine: &Machine, one: Used, step: u32) {
    let step = f64::from(step);
    let (other, beside) = (machine.clone(), (one.api + one.others) * step);
    // It ends with the machine.
    let _ = machine.spawn(async move { other.work(beside).await });
    machine.work((one.workers + one.database) * step).await;
    machine.flush().await;
}
