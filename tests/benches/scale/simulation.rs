//! A machine in virtual time: cores that jobs share evenly, a disk that writes commits in groups, and waiting. What happens on it is
//! written as futures.

use std::cell::RefCell;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::rc::Rc;

use anyhow::{Context, Result};
use futures::channel::oneshot;
use futures::executor::{LocalPool, LocalSpawner};
use futures::task::LocalSpawnExt;

/// The machine. Cheap to clone.
#[derive(Clone)]
pub(super) struct Machine {
    state: Rc<RefCell<State>>,
    spawner: LocalSpawner,
}

struct State {
    now: f64,
    cores: f64,
    /// Core-seconds that each job has had that runs since the beginning.
    had: f64,
    /// Jobs, by what such a job has had at their end.
    jobs: BinaryHeap<Reverse<Sleeper>>,
    /// Those who wait for a moment.
    waiting: BinaryHeap<Reverse<Sleeper>>,
    /// Seconds of a flush.
    flush: f64,
    /// The last flush that anybody waits for.
    begins: f64,
    ends: f64,
    sleepers: u64,
    random: u64,
}

struct Sleeper {
    until: f64,
    /// Of two with the same end the first is woken first.
    number: u64,
    wake: oneshot::Sender<()>,
}

impl Ord for Sleeper {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_time = self.until.total_cmp(&other.until);
        by_time.then(self.number.cmp(&other.number))
    }
}

impl PartialOrd for Sleeper {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Sleeper {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Sleeper {}

impl Machine {
    /// Runs what `begin` spawns until `ends`, and gives the time then.
    ///
    /// # Errors
    /// When everybody waits for ever before that.
    pub(super) fn run(
        (cores, flush): (f64, f64),
        begin: impl FnOnce(&Self) -> Result<()>,
        ends: impl Fn(f64) -> bool,
    ) -> Result<f64> {
        let mut pool = LocalPool::new();
        let state = State {
            now: 0.0,
            cores,
            had: 0.0,
            jobs: BinaryHeap::new(),
            waiting: BinaryHeap::new(),
            flush,
            begins: f64::NEG_INFINITY,
            ends: f64::NEG_INFINITY,
            sleepers: 0,
            random: 0x1905_2021,
        };
        let machine = Self {
            state: Rc::new(RefCell::new(state)),
            spawner: pool.spawner(),
        };
        begin(&machine)?;
        loop {
            pool.run_until_stalled();
            let now = machine.state.borrow().now;
            if ends(now) {
                return Ok(now);
            }
            let woken = machine.state.borrow_mut().go_on();
            // Nobody may wait for it any more.
            let _ = woken.context("everybody waits for ever")?.wake.send(());
        }
    }

    /// Does something beside all else.
    pub(super) fn spawn(&self, what: impl Future<Output = ()> + 'static) -> Result<()> {
        Ok(self.spawner.spawn_local(what)?)
    }

    /// Works on one core for half to one and a half of so many seconds, or longer where others need the cores too.
    pub(super) async fn work(&self, mean: f64) {
        if mean <= 0.0 {
            return;
        }
        let receiver = {
            let state = &mut *self.state.borrow_mut();
            let until = state.had + mean * (0.5 + state.random());
            let (sleeper, receiver) = state.sleeper(until);
            state.jobs.push(Reverse(sleeper));
            receiver
        };
        let _ = receiver.await;
    }

    /// Waits without a core.
    pub(super) async fn wait(&self, seconds: f64) {
        let until = self.state.borrow().now + seconds;
        self.wait_until(until).await;
    }

    /// Waits until what was written is on the disk. One flush is under way at once: whoever comes meanwhile shares the next.
    pub(super) async fn flush(&self) {
        let until = {
            let state = &mut *self.state.borrow_mut();
            if state.now > state.begins {
                state.begins = state.ends.max(state.now);
                state.ends = state.begins + state.flush;
            }
            state.ends
        };
        self.wait_until(until).await;
    }

    async fn wait_until(&self, until: f64) {
        let receiver = {
            let state = &mut *self.state.borrow_mut();
            let (sleeper, receiver) = state.sleeper(until);
            state.waiting.push(Reverse(sleeper));
            receiver
        };
        let _ = receiver.await;
    }
}

impl State {
    fn sleeper(&mut self, until: f64) -> (Sleeper, oneshot::Receiver<()>) {
        let (wake, receiver) = oneshot::channel();
        self.sleepers += 1;
        let sleeper = Sleeper {
            until,
            number: self.sleepers,
            wake,
        };
        (sleeper, receiver)
    }

    /// Goes on to the next end of anything.
    fn go_on(&mut self) -> Option<Sleeper> {
        let jobs = u32::try_from(self.jobs.len()).unwrap_or(u32::MAX);
        let share = (self.cores / f64::from(jobs)).min(1.0);
        let job = self.jobs.peek().map(|Reverse(job)| job.until - self.had);
        let job = job.map(|left| self.now + left.max(0.0) / share);
        let waiting = self.waiting.peek().map(|Reverse(sleeper)| sleeper.until);
        let is_job = match (job, waiting) {
            (Some(job), Some(waiting)) => job <= waiting,
            (job, _) => job.is_some(),
        };
        let next = if is_job { job? } else { waiting? };
        if jobs > 0 {
            self.had += (next - self.now).max(0.0) * share;
        }
        self.now = self.now.max(next);
        let ended = if is_job {
            &mut self.jobs
        } else {
            &mut self.waiting
        };
        ended.pop().map(|Reverse(sleeper)| sleeper)
    }

    /// From 0 to 1, the same on every machine (`SplitMix64`).
    fn random(&mut self) -> f64 {
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.random;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^= mixed >> 31;
        f64::from(u32::try_from(mixed >> 32).unwrap_or(u32::MAX)) / f64::from(u32::MAX)
    }
}
