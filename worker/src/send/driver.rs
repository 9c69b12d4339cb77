//! Drives a sender: takes its lease, and then, step by step, records results and hands over what is due, as many messages at once
//! as the sender's window allows.
//!
//! A message is claimed by a commit before anything of it is written to the provider, and a claimed message is not claimed again.
//! Whoever takes a lease over from a process that is gone makes what that one had claimed `unknown`: at most a window of messages.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::mem::take;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant, SystemTime};

use chrono::Utc;
use domain::sms::SenderState;
use metrics::{counter, histogram};
use platform::one_line;
use platform::telemetry::traces::Span;
use platform::turns::Turn;
use sender::Handed;
use store::Error;
use store::send::drive::{Claimed, DriveOutcome, Driver, DueKey, Outcome, Wanted};
use store::send::lease::{Lease, Taker};
use store::send::state::{SenderNote, SenderResults, SenderWish};
use tokio::task::{self, JoinError, JoinHandle, JoinSet};
use tokio::time::{sleep, timeout_at};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;
use uuid::Uuid;

use super::driven_sender::DrivenSender;
use super::events;
use super::fair::DueCampaigns;
use super::hand_over::{HandOver, forgotten};
use super::pace::{Pauses, TokenBucket};
use super::renewal::Renewal;
use super::replies;
use super::spans::StepSpans;

/// The time between two looks for due messages while the sender has nothing to do.
const LOOK: Duration = Duration::from_millis(200);
/// How long a step waits for further results after the first, because each step costs a commit. (Measured over SMPP with a
/// window of ten: without it each step recorded one half of the window while the other waited.)
const GATHER: Duration = Duration::from_millis(2);
/// The pause before the lease is tried again, and after an error of the database.
const AGAIN: Duration = Duration::from_millis(500);
/// How often it is noted that the sender is driven, and looked up whether a person paused it.
const NOTE: Duration = Duration::from_secs(2);
/// How often a provider in error is asked how it stands.
const PROBE_AGAIN: Duration = Duration::from_secs(5);

/// How long calls under way may take after the shutdown began; the process must end within 25 s. The next holder of the
/// lease makes the rest `unknown`.
const DRAIN: Duration = Duration::from_secs(15);

impl DrivenSender {
    /// Takes the lease whenever it is free, and drives the sender, until `shutdown`. What was handed over by then is recorded
    /// before the lease is given back.
    pub(crate) async fn run(self: Arc<Self>, owner: Uuid, shutdown: CancellationToken) {
        let name = &self.setting.name;
        let mut taker = Taker::new(owner);
        while !shutdown.is_cancelled() {
            self.heartbeat.record();
            match self.store.take_lease(name, &mut taker).await {
                Ok(Some(lease)) => {
                    tracing::info!(sender.name = %name, lease.fence = lease.fence, "drives the sender");
                    // New each time: a connection that is left behind would take receipts that nobody stores.
                    let hand_over = Arc::new(HandOver::new(Arc::clone(&self)));
                    let provider = Arc::clone(&hand_over.provider);
                    if let Err(error) = self.drive(&lease, hand_over, &shutdown).await {
                        tracing::warn!(error = one_line(&error), sender.name = %name, "sender left");
                    }
                    provider.close().await;
                }
                Ok(None) => {}
                Err(error) => tracing::debug!(%error, sender.name = %name, "no lease"),
            }
            shutdown.run_until_cancelled(sleep(AGAIN)).await;
        }
    }

    /// Drives the sender until the lease is lost, or until `shutdown`, when it is given back.
    async fn drive(
        &self,
        lease: &Lease,
        hand_over: Arc<HandOver>,
        shutdown: &CancellationToken,
    ) -> Result<(), Error> {
        let renewal = Renewal::start(self.store.clone(), lease.clone());
        let stop = CancellationToken::new();
        let mut waits = Some((Arc::clone(&hand_over), stop.clone()));
        let replying = Arc::clone(&hand_over);
        let replying = tokio::spawn(replies::send(lease.clone(), replying, stop.clone()));
        let mut beside = vec![replying];
        let _stop = stop.drop_guard();
        let mut driving = Driving {
            sender: self,
            lease,
            renewal,
            hand_over,
            waiting: DueCampaigns::default(),
            rate: TokenBucket::new(self.setting.rate.get(), Instant::now()),
            pauses: Pauses::default(),
            calls: JoinSet::new(),
            under_way: HashMap::new(),
            outcomes: Vec::new(),
            looked_at: None,
            noted: None,
            results: SenderResults::default(),
            wish: None,
            probe: None,
            probed_at: None,
            unsure: true,
            found_at: None,
        };
        driving.resume().await?;
        let mut ending = None;
        while !driving.renewal.is_lost() {
            self.heartbeat.record();
            if beside.iter().any(JoinHandle::is_finished) {
                tracing::error!(sender.name = %lease.name, "replies or receipts broke, so it begins anew");
                return Ok(());
            }
            if shutdown.is_cancelled() {
                let since = *ending.get_or_insert_with(Instant::now);
                let is_drained = driving.calls.is_empty() && driving.outcomes.is_empty();
                if is_drained || since.elapsed() > DRAIN {
                    return self.store.release_lease(lease).await;
                }
            }
            match driving.step(ending.is_some()).await {
                Ok(true) => {
                    // Receipts of what the process before handed over fit once it is recorded as unknown.
                    if let Some((hand_over, stop)) = waits.take() {
                        beside.push(tokio::spawn(events::take(hand_over, stop)));
                    }
                }
                Ok(false) => break,
                Err(error) => {
                    tracing::debug!(%error, sender.name = %lease.name, "the step did not happen");
                    driving.unsure = true;
                    sleep(AGAIN).await;
                }
            }
            driving.wait(shutdown).await;
        }
        tracing::warn!(sender.name = %lease.name, "another process has the lease");
        Ok(())
    }
}

/// A sender under a lease. Dropped, it ends all calls, wherever they are.
struct Driving<'a> {
    sender: &'a DrivenSender,
    lease: &'a Lease,
    renewal: Renewal,
    hand_over: Arc<HandOver>,
    waiting: DueCampaigns,
    rate: TokenBucket,
    pauses: Pauses,
    calls: JoinSet<Option<Handed>>,
    /// Claimed messages whose calls have not ended.
    under_way: HashMap<task::Id, DueKey>,
    /// Results that are not recorded yet.
    outcomes: Vec<Outcome>,
    looked_at: Option<Instant>,
    /// What was noted last, and when.
    noted: Option<(SenderNote, Instant)>,
    /// What came of messages since.
    results: SenderResults,
    /// What persons wanted of the sender when it was noted last.
    wish: Option<SenderWish>,
    /// The provider is being asked how it stands.
    probe: Option<AbortOnDropHandle<Option<Handed>>>,
    /// When it was asked last, or accepted a message.
    probed_at: Option<Instant>,
    /// There may be claimed messages that are not known here: at first, and after a step that came to an unknown end.
    unsure: bool,
    /// When such messages were looked for. Those on nodes that are away are looked for again.
    found_at: Option<Instant>,
}

/// What a step does in one transaction.
#[derive(Default)]
struct Share {
    wanted: Vec<(Turn, Wanted)>,
    outcomes: Vec<Outcome>,
}

impl Share {
    /// The account of its first message; on several nodes all are of that.
    fn account_id(&self) -> Option<Uuid> {
        let wanted = self.wanted.first().map(|(turn, _)| turn.account_id);
        let outcome = self.outcomes.first();
        wanted.or(outcome.map(|outcome| outcome.claimed.campaign.account_id))
    }

    fn is_empty(&self) -> bool {
        self.wanted.is_empty() && self.outcomes.is_empty()
    }
}

impl Driving<'_> {
    /// Tells a provider that loses receipts with its process of which messages they are still to come.
    async fn resume(&self) -> Result<(), Error> {
        let (setting, provider) = (&self.sender.setting, &self.hand_over.provider);
        if provider.loses_receipts() && setting.receipts {
            let accepted = self.sender.store.accepted_messages(&setting.name).await?;
            let accepted = accepted.into_iter().map(|message| {
                let number = u32::try_from(message.account_number).unwrap_or_default();
                let id = message.message_id;
                (id, self.sender.pepper.reference(number, id))
            });
            provider.resume(accepted.collect());
        }
        Ok(())
    }

    /// One step; false: the lease is lost.
    async fn step(&mut self, is_ending: bool) -> Result<bool, Error> {
        let (store, setting) = (&self.sender.store, &self.sender.setting);
        let now = Instant::now();
        // On several nodes a part of them may have been missing.
        let is_time = !store.has_nodes() || self.found_at.is_none_or(|at| now >= at + AGAIN);
        if self.unsure && is_time {
            self.find_claimed().await?;
            self.found_at = Some(now);
        }
        if !is_ending && self.looked_at.is_none_or(|at| now >= at + LOOK) {
            self.waiting
                .add(store.campaigns_with_due(&setting.name).await?);
            self.looked_at = Some(now);
        }
        self.probe(now).await;
        self.note_state(now).await?;
        self.opt_out().await?;
        // How many messages may be handed over now.
        let places = if is_ending || self.is_paused() {
            0
        } else {
            let window = usize::try_from(setting.window.get()).unwrap_or(usize::MAX);
            let free = self
                .pauses
                .window(window, now)
                .saturating_sub(self.calls.len());
            free.min(self.rate.free(now))
        };
        let mut done = Ok(true);
        for share in self.shares(places) {
            let account_id = share.account_id();
            match self.drive_share(share).await {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                Err(error) => {
                    self.unsure = true;
                    let store = &self.sender.store;
                    // Of several nodes the others may be there.
                    if !account_id.is_some_and(|id| store.leave_out(id, &error)) {
                        done = Err(error);
                    }
                }
            }
        }
        done
    }

    /// What a step does in one transaction each: all of it, or on several nodes what is of one account, without those whose node is
    /// away.
    fn shares(&mut self, places: usize) -> Vec<Share> {
        let store = &self.sender.store;
        let (wanted, outcomes) = (self.waiting.share(places), take(&mut self.outcomes));
        if !store.has_nodes() {
            let share = Share { wanted, outcomes };
            return (!share.is_empty()).then_some(share).into_iter().collect();
        }
        let mut shares: BTreeMap<Uuid, Share> = BTreeMap::new();
        for (turn, wanted) in wanted {
            if store.is_away(turn.account_id) {
                self.waiting.remove(wanted.campaign);
                self.waiting.end(&[turn], &[]);
            } else {
                let share = shares.entry(turn.account_id).or_default();
                share.wanted.push((turn, wanted));
            }
        }
        for outcome in outcomes {
            let account_id = outcome.claimed.campaign.account_id;
            if store.is_away(account_id) {
                self.outcomes.push(outcome);
            } else {
                shares.entry(account_id).or_default().outcomes.push(outcome);
            }
        }
        shares.into_values().collect()
    }

    /// A share of a step; false: the lease is lost.
    async fn drive_share(&mut self, share: Share) -> Result<bool, Error> {
        let (store, setting) = (&self.sender.store, &self.sender.setting);
        let driver = Driver {
            lease: self.lease,
            pepper: &self.sender.pepper,
            countries: setting.countries.as_deref(),
            types: setting.types.as_deref(),
            link_prefix: &self.sender.link_prefix,
            keeps_ids: self.hand_over.provider.reports_by_id(),
            numbers: &self.hand_over.numbers,
            has_receipts: setting.receipts,
            parts_per_day: setting.parts_per_day,
            prices: setting.prices.as_deref(),
        };
        let began = SystemTime::now();
        let Share { wanted, outcomes } = share;
        let (turns, wanted): (Vec<_>, Vec<_>) = wanted.into_iter().unzip();
        let step = store.drive(&driver, &outcomes, &wanted).await;
        let claimed = match &step {
            Ok(DriveOutcome::Done { claimed, .. }) => &claimed[..],
            _ => &[],
        };
        self.waiting.end(&turns, claimed);
        if matches!(step, Ok(DriveOutcome::Done { .. })) {
            for outcome in &outcomes {
                self.hand_over.unrecorded.remove(&outcome.provider_ids);
            }
            self.hand_over.unrecorded.tell();
        } else {
            self.outcomes.extend(outcomes);
        }
        match step? {
            DriveOutcome::Done {
                claimed,
                recorded,
                drained,
            } => {
                for status in recorded {
                    let (name, status) = (self.lease.name.clone(), status.into_str());
                    counter!("feedback_messages_total", "sender" => name, "status" => status)
                        .increment(1);
                }
                for key in drained {
                    self.waiting.remove(key);
                }
                let name = &self.lease.name;
                let spans = StepSpans::begun(began, store, name, &claimed).await;
                for claimed in claimed {
                    let span = spans.call(name, &claimed);
                    self.call(claimed, span);
                }
                Ok(true)
            }
            DriveOutcome::LeaseLost => Ok(false),
            DriveOutcome::Unknown(error) => Err(error),
        }
    }

    /// Whether a person paused the sender.
    fn is_paused(&self) -> bool {
        self.wish.is_some_and(|wish| wish.paused_at.is_some())
    }

    /// Asks the provider how it stands, from time to time while nothing is sent, and notes what it answered.
    async fn probe(&mut self, now: Instant) {
        if let Some(probe) = self.probe.take_if(|probe| probe.is_finished())
            && let Ok(Some(probed)) = probe.await
        {
            self.pauses.note_probe(&probed, now);
        }
        let provider = &self.hand_over.provider;
        let every = if self.pauses.is_in_error() {
            PROBE_AGAIN.min(provider.probe_every())
        } else {
            provider.probe_every()
        };
        let is_time = self.probed_at.is_none_or(|at| now >= at + every);
        if is_time && self.probe.is_none() && self.calls.is_empty() {
            let provider = Arc::clone(provider);
            let asks = tokio::spawn(async move { provider.probe().await });
            self.probe = Some(AbortOnDropHandle::new(asks));
            self.probed_at = Some(now);
        }
    }

    /// Notes how the sender is, when that changed and from time to time.
    async fn note_state(&mut self, now: Instant) -> Result<(), Error> {
        let note = self.pauses.state(now);
        let before = self.noted.as_ref();
        let is_new = before.is_none_or(|(before, _)| *before != note);
        if !is_new && before.is_some_and(|(_, at)| now < *at + NOTE) {
            return Ok(());
        }
        let was_in_error = before.is_some_and(|(before, _)| before.state == SenderState::Error);
        let (store, name) = (&self.sender.store, &self.lease.name);
        let wish = store.note_sender(name, &note, &self.results).await?;
        let before = self.wish.replace(wish);
        // A program of before lets it go on without the time.
        let goes_on = |before: SenderWish| {
            before.resumed_at != wish.resumed_at
                || before.paused_at.is_some() && wish.paused_at.is_none()
        };
        if before.is_some_and(goes_on) {
            // Whoever lets it go on knows that it may. The provider is asked at once whether it is so.
            self.pauses.go_on();
            (self.probe, self.probed_at) = (None, None);
        }
        // The database may have lost that results were recorded.
        self.unsure |= before.is_some_and(|before| before.timeline != wish.timeline);
        let takes_none = self.is_paused() || self.pauses.is_in_error();
        self.hand_over.rests.store(takes_none, Ordering::Relaxed);
        self.results = SenderResults::default();
        if is_new {
            let code = note.reason.as_deref();
            if note.state == SenderState::Error {
                tracing::warn!(sender.name = %name, code, "the sender is in error");
            } else if was_in_error {
                tracing::info!(sender.name = %name, "the sender is no longer in error");
            }
            let state = note.state.into_str();
            counter!("feedback_sender_states_total", "sender" => name.clone(), "state" => state)
                .increment(1);
        }
        self.noted = Some((note, now));
        Ok(())
    }

    fn call(&mut self, claimed: Claimed, mut span: Span) {
        if !self.sender.handed_over.note(&claimed, Instant::now()) {
            span.fail("failover");
            self.forgotten(claimed.key);
            return;
        }
        self.rate.spend(claimed.parts.texts.len());
        let lag = Utc::now() - claimed.key.due_at;
        histogram!("feedback_message_lag_seconds", "sender" => self.lease.name.clone())
            .record(lag.as_seconds_f64());
        let (key, until) = (claimed.key, self.renewal.deadline());
        let wants_receipts = self.sender.setting.receipts;
        let call = Arc::clone(&self.hand_over).run(claimed, until, span, wants_receipts);
        self.under_way.insert(self.calls.spawn(call).id(), key);
    }

    /// Takes a message as unknown that was handed over before the database lost what it knew of that, whatever comes of it.
    fn forgotten(&mut self, claimed: DueKey) {
        tracing::warn!(sender.name = %self.lease.name, "a message came back after a failover and is not sent again");
        let is_other = |key: &DueKey| key.message_id != claimed.message_id;
        self.under_way.retain(|_, key| is_other(key));
        for outcome in self
            .outcomes
            .extract_if(.., |outcome| !is_other(&outcome.claimed))
        {
            self.hand_over.unrecorded.remove(&outcome.provider_ids);
        }
        self.outcomes.push(forgotten(claimed));
    }

    /// Adds phones to the suppression list that opted out by the provider's word.
    async fn opt_out(&self) -> Result<(), Error> {
        let provider = &self.hand_over.provider;
        for Outcome { claimed, code, .. } in &self.outcomes {
            let (account, message) = (claimed.campaign.account_id, claimed.message_id);
            let store = &self.sender.store;
            let is_opt_out = code.as_ref().is_some_and(|code| provider.is_opt_out(code));
            if is_opt_out && !store.is_away(account) {
                let done = store.opt_out_by_message(account, message, "provider");
                store.unless_away(account, done.await)?;
            }
        }
        Ok(())
    }

    /// Finds claimed messages that are not known here. Those of a step of this process whose commit got no answer were never
    /// handed over; those of earlier processes may have been.
    async fn find_claimed(&mut self) -> Result<(), Error> {
        let known = self.outcomes.iter().map(|outcome| outcome.claimed);
        let known: HashSet<DueKey> = known.chain(self.under_way.values().copied()).collect();
        let mut unknown = 0;
        let (claimed, are_all) = self.sender.store.claimed_under(self.lease).await?;
        for (claimed, fence) in claimed {
            if !known.contains(&claimed) {
                let is_taken_over = fence < self.lease.fence;
                unknown += usize::from(is_taken_over);
                let handed = is_taken_over.then(|| Handed::unknown("takeover"));
                self.outcomes.push(self.hand_over.outcome(claimed, handed));
            }
        }
        if unknown > 0 {
            tracing::warn!(sender.name = %self.lease.name, messages = unknown, "messages that the process before handed over are unknown");
        }
        self.unsure = !are_all;
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
            shutdown.run_until_cancelled(sleep(idle)).await;
            return;
        }
        let mut until = Instant::now() + idle;
        let mut is_first = true;
        while let Ok(Some(done)) = timeout_at(until.into(), self.calls.join_next_with_id()).await {
            self.note(done);
            if take(&mut is_first) {
                until = Instant::now() + GATHER;
            }
        }
    }

    fn note(&mut self, done: Result<(task::Id, Option<Handed>), JoinError>) {
        let (id, handed) = done.unwrap_or_else(|error| {
            tracing::error!(%error, sender.name = %self.lease.name, "a call of the provider broke");
            (error.id(), Some(Handed::unknown("panic")))
        });
        let Some(claimed) = self.under_way.remove(&id) else {
            if let Some(Handed::Accepted { provider_ids }) = &handed {
                self.hand_over.unrecorded.remove(provider_ids);
            }
            return;
        };
        if let Some(handed) = &handed {
            let now = Instant::now();
            self.pauses.note(handed, now);
            self.rate.note(handed);
            match handed {
                Handed::Accepted { .. } => {
                    self.results.accepted += 1;
                    self.results.unreported += i64::from(self.sender.setting.receipts);
                    self.probed_at = Some(now);
                }
                Handed::Refused { code } => {
                    self.results.refused += 1;
                    self.results.refused_code = Some(code.clone());
                }
                _ => {}
            }
        }
        self.outcomes.push(self.hand_over.outcome(claimed, handed));
    }
}
