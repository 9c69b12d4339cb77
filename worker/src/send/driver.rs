//! Drives a sender: takes its lease, and then, step by step, records results and hands over what is due, as many messages at once
//! as the sender's window allows.
//!
//! A message is claimed by a commit before anything of it is written to the provider, and a claimed message is not claimed again.
//! Whoever takes a lease over from a process that is gone makes what that one had claimed `unknown`: at most a window of messages.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use domain::pepper::Pepper;
use domain::sms::Country;
use futures::stream::FuturesUnordered;
use futures::{FutureExt, StreamExt};
use platform::health::Heartbeat;
use platform::start::one_line;
use rustls::ClientConfig;
use sender::setting::Setting;
use store::send::drive::{ClaimedKey, Driver, HandedResult, Outcome, Step};
use store::send::lease::{Lease, RENEW_EVERY, TRUSTED_FOR};
use store::{Error, Store};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};
use uuid::Uuid;

use super::events::{self, Keeper};
use super::fair::Waiting;
use super::hand_over::{Done, HandOver, result};
use super::pace::{Pauses, Rate};

/// The time between two looks for due messages while the sender has nothing to do.
const LOOK: Duration = Duration::from_millis(200);
/// The time before the lease is tried again, and before the database is after an error.
const AGAIN: Duration = Duration::from_millis(500);

/// How long calls that are under way may take once the process is to end, which it has to within 25 s. What takes longer is
/// unknown to whoever takes the lease then.
const DRAIN: Duration = Duration::from_secs(15);

/// The loop of one sender.
pub(crate) struct SenderLoop {
    pub(super) store: Store,
    pub(super) setting: Setting,
    pub(super) tls: Arc<ClientConfig>,
    pub(super) pepper: Arc<Pepper>,
    pub(super) public_url: Arc<str>,
    pub(super) countries: Option<Vec<Country>>,
    pub(super) link_prefix: String,
    pub(super) heartbeat: Heartbeat,
}

type Calls = FuturesUnordered<JoinHandle<Done>>;

impl SenderLoop {
    /// Takes the lease whenever it is free, and drives the sender, until `shutdown`. What was handed over by then is recorded
    /// before the lease is given back.
    pub(crate) async fn run(self, owner: Uuid, shutdown: CancellationToken) {
        let name = self.setting.name.clone();
        while !shutdown.is_cancelled() {
            self.heartbeat.record();
            match self.store.take_lease(&name, owner).await {
                Ok(Some(lease)) => {
                    tracing::info!(sender.name = %name, lease.fence = lease.fence, "drives the sender");
                    let drive = Drive {
                        sender: &self,
                        // New each time: a connection that is left behind would take receipts that nobody stores.
                        hand_over: self.hand_over(),
                    };
                    if let Err(error) = drive.run(&lease, &shutdown).await {
                        tracing::warn!(error = one_line(&error), sender.name = %name, "sender left");
                    }
                    drive.hand_over.provider.close().await;
                }
                Ok(None) => {}
                Err(error) => tracing::debug!(%error, sender.name = %name, "no lease"),
            }
            shutdown
                .run_until_cancelled(tokio::time::sleep(AGAIN))
                .await;
        }
    }

    fn hand_over(&self) -> HandOver {
        HandOver {
            provider: self.setting.connect(&self.tls),
            setting: self.setting.clone(),
            pepper: Arc::clone(&self.pepper),
            public_url: Arc::clone(&self.public_url),
        }
    }
}

/// A sender under a lease.
struct Drive<'a> {
    sender: &'a SenderLoop,
    hand_over: HandOver,
}

impl Drive<'_> {
    /// Drives the sender until the lease is lost, or until `shutdown`, when it is given back.
    async fn run(&self, lease: &Lease, shutdown: &CancellationToken) -> Result<(), Error> {
        let renewal = Renewal::start(self.sender.store.clone(), lease.clone());
        let _events = self.take_events();
        let mut driving = Driving {
            waiting: Waiting::default(),
            rate: Rate::new(self.hand_over.setting.rate.get(), Instant::now()),
            pauses: Pauses::default(),
            calls: Calls::new(),
            under_way: HashSet::new(),
            outcomes: self.abandoned(lease).await?,
            looked_at: None,
            told_state: None,
            is_idempotent: self.hand_over.provider.is_idempotent(),
            unsure: false,
        };
        let mut ending = None;
        while !renewal.is_lost() {
            self.sender.heartbeat.record();
            let is_ending = shutdown.is_cancelled();
            if is_ending {
                let since = *ending.get_or_insert_with(Instant::now);
                let is_drained = driving.calls.is_empty() && driving.outcomes.is_empty();
                if is_drained || since.elapsed() > DRAIN {
                    driving.abort();
                    return self.sender.store.release_lease(lease).await;
                }
            }
            match self.step(lease, &mut driving, &renewal, is_ending).await {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => {
                    tracing::debug!(%error, sender.name = %lease.name, "the step did not happen");
                    driving.unsure = true;
                    tokio::time::sleep(AGAIN).await;
                }
            }
            driving.wait(shutdown).await;
        }
        tracing::warn!(sender.name = %lease.name, "another process has the lease");
        driving.abort();
        Ok(())
    }

    /// What processes before this one had claimed.
    async fn abandoned(&self, lease: &Lease) -> Result<Vec<Outcome>, Error> {
        let claimed = self.sender.store.claimed_under(lease).await?;
        let provider = &self.hand_over.provider;
        let outcomes = claimed.into_iter().map(|(claimed, _)| Outcome {
            claimed,
            result: if provider.is_idempotent() {
                HandedResult::Unsent
            } else {
                HandedResult::Unknown {
                    code: "takeover".to_owned(),
                }
            },
        });
        Ok(outcomes.collect())
    }

    /// One step; false: the lease is lost.
    async fn step(
        &self,
        lease: &Lease,
        driving: &mut Driving,
        renewal: &Renewal,
        is_ending: bool,
    ) -> Result<bool, Error> {
        if driving.unsure {
            driving.find_unsent(&self.sender.store, lease).await?;
        }
        let now = Instant::now();
        if driving.looks(now) && !is_ending {
            let due = self.sender.store.campaigns_with_due(&lease.name).await?;
            driving.waiting.add(due);
            driving.looked_at = Some(now);
        }
        let state = driving.pauses.state(now);
        if driving.told_state.as_ref() != Some(&state) {
            let (name, reason) = (state.0, state.1.as_deref());
            self.sender
                .store
                .set_sender_state(&lease.name, name, reason)
                .await?;
            driving.told_state = Some(state);
        }
        let window = usize::try_from(self.hand_over.setting.window.get()).unwrap_or(usize::MAX);
        let window = driving.pauses.window(window, now);
        let places = window.saturating_sub(driving.calls.len());
        let places = if is_ending {
            0
        } else {
            places.min(driving.rate.free(now))
        };
        let (turns, wanted): (Vec<_>, Vec<_>) = driving.waiting.share(places).into_iter().unzip();
        if wanted.is_empty() && driving.outcomes.is_empty() {
            return Ok(true);
        }
        let driver = Driver {
            lease,
            pepper: &self.hand_over.pepper,
            countries: self.sender.countries.as_deref(),
            link_prefix: &self.sender.link_prefix,
            keeps_ids: self.hand_over.provider.reports_by_id(),
        };
        let step = self
            .sender
            .store
            .drive(&driver, &driving.outcomes, &wanted)
            .await;
        let claimed = match &step {
            Ok(Step::Done { claimed, .. }) => &claimed[..],
            _ => &[],
        };
        driving.waiting.end(&turns, claimed);
        match step? {
            Step::Done { claimed, drained } => {
                let recorded = std::mem::take(&mut driving.outcomes);
                for key in drained {
                    driving.waiting.remove(key);
                }
                for claimed in claimed {
                    driving.rate.spend(claimed.parts.texts.len());
                    driving.under_way.insert(claimed.key);
                    let call = self.hand_over.clone().run(claimed, renewal.trusted_until());
                    driving.calls.push(tokio::spawn(call));
                }
                self.opt_out(&recorded).await?;
                Ok(true)
            }
            Step::LeaseLost => Ok(false),
            Step::Unknown(error) => Err(error),
        }
    }

    /// Puts phones on the suppression list of which the provider said that they opted out.
    async fn opt_out(&self, outcomes: &[Outcome]) -> Result<(), Error> {
        for Outcome { claimed, result } in outcomes {
            if let HandedResult::Refused { code } = result
                && self.hand_over.provider.is_opt_out(code)
            {
                let (account, message) = (claimed.campaign.account_id, claimed.message_id);
                let store = &self.sender.store;
                store
                    .opt_out_by_message(account, message, "provider")
                    .await?;
            }
        }
        Ok(())
    }

    /// Stores what the provider brings by itself, until the guard is dropped.
    fn take_events(&self) -> DropGuard {
        let stop = CancellationToken::new();
        let keeper = Keeper::new(
            self.hand_over.setting.name.clone(),
            self.sender.store.clone(),
            Arc::clone(&self.hand_over.pepper),
        );
        let provider = Arc::clone(&self.hand_over.provider);
        tokio::spawn(events::take(provider, keeper, stop.clone()));
        stop.drop_guard()
    }
}

/// What a driver knows while it has the lease.
struct Driving {
    waiting: Waiting,
    rate: Rate,
    pauses: Pauses,
    calls: Calls,
    /// Claimed messages whose calls have not ended.
    under_way: HashSet<ClaimedKey>,
    /// Results that are not recorded yet.
    outcomes: Vec<Outcome>,
    looked_at: Option<Instant>,
    /// As it was stored last.
    told_state: Option<(&'static str, Option<String>)>,
    is_idempotent: bool,
    /// A step came to an unknown end: there may be claimed messages that nobody hands over.
    unsure: bool,
}

impl Driving {
    /// Ends all calls, wherever they are.
    fn abort(&self) {
        for call in &self.calls {
            call.abort();
        }
    }

    fn looks(&self, now: Instant) -> bool {
        self.looked_at.is_none_or(|at| now >= at + LOOK)
    }

    /// Gives back what a step claimed whose end was not known.
    async fn find_unsent(&mut self, store: &Store, lease: &Lease) -> Result<(), Error> {
        let known: HashSet<ClaimedKey> = self
            .outcomes
            .iter()
            .map(|outcome| outcome.claimed)
            .chain(self.under_way.iter().copied())
            .collect();
        for (claimed, fence) in store.claimed_under(lease).await? {
            if fence == lease.fence && !known.contains(&claimed) {
                let result = HandedResult::Unsent;
                self.outcomes.push(Outcome { claimed, result });
            }
        }
        self.unsure = false;
        Ok(())
    }

    /// Waits for results, or a moment where there is nothing to do.
    async fn wait(&mut self, shutdown: &CancellationToken) {
        let idle = if self.waiting.is_empty() {
            LOOK
        } else {
            Duration::from_millis(5)
        };
        if self.calls.is_empty() {
            shutdown.run_until_cancelled(tokio::time::sleep(idle)).await;
            return;
        }
        let first = tokio::time::timeout(idle, self.calls.next()).await;
        let mut next = first.ok().flatten();
        while let Some(done) = next {
            if let Ok(done) = done {
                self.note(done);
            }
            next = self.calls.next().now_or_never().flatten();
        }
    }

    fn note(&mut self, done: Done) {
        self.under_way.remove(&done.key);
        if let Some(handed) = &done.handed {
            self.pauses.note(handed, Instant::now());
        }
        self.outcomes.push(Outcome {
            claimed: done.key,
            result: result(done.handed, self.is_idempotent),
        });
    }
}

/// A lease that is kept by a task of its own.
struct Renewal {
    /// Until when it is certain that nobody else has it; none once it is lost.
    trusted: watch::Receiver<Option<Instant>>,
    _stop: DropGuard,
}

impl Renewal {
    fn start(store: Store, lease: Lease) -> Self {
        let (sender, trusted) = watch::channel(Some(Instant::now() + TRUSTED_FOR));
        let stop = CancellationToken::new();
        let guard = stop.clone().drop_guard();
        tokio::spawn(async move {
            while stop
                .run_until_cancelled(tokio::time::sleep(RENEW_EVERY))
                .await
                .is_some()
            {
                let began = Instant::now();
                match store.renew_lease(&lease).await {
                    Ok(true) => sender.send_replace(Some(began + TRUSTED_FOR)),
                    Ok(false) => {
                        sender.send_replace(None);
                        return;
                    }
                    Err(error) => {
                        tracing::debug!(%error, sender.name = %lease.name, "lease not renewed");
                        continue;
                    }
                };
            }
        });
        Self {
            trusted,
            _stop: guard,
        }
    }

    fn is_lost(&self) -> bool {
        self.trusted.borrow().is_none()
    }

    fn trusted_until(&self) -> Instant {
        self.trusted.borrow().unwrap_or_else(Instant::now)
    }
}
