//! Receipts and texts that a provider brings without a hook. They are stored, many in one transaction, before the provider is
//! told so.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

use domain::national;
use futures::FutureExt;
use metrics::counter;
use sender::{Event, EventKind, Inbound, Receipt, ReceiptStatus, Subject};
use store::Error;
use store::send::inbound::NewInbound;
use store::send::provider_receipt::{MAX_STRAYS, ProviderReceipt};
use store::send::receipt::NewReceipt;
use tokio::task::coop::unconstrained;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::driven_sender::DrivenSender;
use super::hand_over::HandOver;

/// Events that are stored at once, at most.
const BATCH: usize = 500;

/// How often receipts that wait in the database for the result with their id are tried again.
const SETTLE: Duration = Duration::from_secs(1);

/// The least digits of a phone; what has fewer is a short code.
const LEAST_DIGITS: usize = 7;

/// How long a receipt waits here for the result of its message, and how many do.
const WAIT: Duration = Duration::from_secs(5);
const MAX_WAITING: usize = 1_000;

/// Receipts of one sender that the database keeps within so long because they fit no message. They stay there as long.
const MAX_STRAYS_KEPT: usize = 1_000_000;
const STRAYS_KEPT: Duration = Duration::from_hours(1);

/// Takes events of a provider, as many at once as have come, until `stop`; what came before it is still stored.
pub(super) async fn take(hand_over: Arc<HandOver>, stop: CancellationToken) {
    let provider = &hand_over.provider;
    let by_id = provider.reports_by_id();
    let mut event_store = EventStore {
        hand_over: &hand_over,
        sender: &hand_over.sender,
        accounts: HashMap::new(),
        waiting: Vec::new(),
        strays: Strays::new(Instant::now()),
        is_last: false,
    };
    let mut settle = tokio::time::interval(SETTLE);
    loop {
        let mut batch = Vec::new();
        tokio::select! {
            biased;
            () = stop.cancelled() => {
                event_store.is_last = true;
                batch.append(&mut event_store.waiting);
            }
            _ = settle.tick(), if by_id => {
                if event_store.settle().await {
                    settle.reset_immediately();
                }
                batch.append(&mut event_store.waiting);
            }
            () = hand_over.unrecorded.recorded(), if !event_store.waiting.is_empty() => {
                batch = event_store.recorded();
            }
            event = provider.event() => batch.push(CameEvent::now(event)),
        }
        let most = batch.len() + BATCH;
        // Outside of tokio's cooperative budget, which is smaller than a batch.
        while batch.len() < most
            && let Some(event) = unconstrained(provider.event()).now_or_never()
        {
            batch.push(CameEvent::now(event));
        }
        if !batch.is_empty() {
            event_store.store_all(batch).await;
        }
        if event_store.is_last {
            return;
        }
    }
}

/// An event, and when it came.
struct CameEvent {
    event: Event,
    at: Instant,
}

impl CameEvent {
    fn now(event: Event) -> Self {
        let at = Instant::now();
        Self { event, at }
    }
}

/// What became of an event.
#[derive(Clone, Copy)]
enum Kept {
    /// It is stored; of several ids that its receipt may mean, the one in this place fitted.
    Stored(Option<usize>),
    /// It is tried again.
    Later,
}

/// Stores a provider's events.
struct EventStore<'a> {
    hand_over: &'a HandOver,
    sender: &'a DrivenSender,
    /// By number, as they become known.
    accounts: HashMap<u32, Option<Uuid>>,
    /// Receipts that fit no message so far, and may soon.
    waiting: Vec<CameEvent>,
    strays: Strays,
    /// Nothing waits any more.
    is_last: bool,
}

/// How many receipts that fit no message were kept lately, so that a provider that makes them up does not fill the disk.
struct Strays {
    since: Instant,
    kept: usize,
}

impl Strays {
    fn new(since: Instant) -> Self {
        Self { since, kept: 0 }
    }

    /// Whether more are kept.
    fn are_kept(&mut self, now: Instant) -> bool {
        if now.duration_since(self.since) >= STRAYS_KEPT {
            *self = Self::new(now);
        }
        self.kept < MAX_STRAYS_KEPT
    }
}

impl EventStore<'_> {
    /// Tries again what waits in the database. Whether there may be more that fits by now.
    async fn settle(&self) -> bool {
        let (store, name) = (&self.sender.store, &self.sender.setting.name);
        match store.settle_strays(name).await {
            Ok(settled) => {
                self.count(&settled).await;
                settled.len() >= MAX_STRAYS
            }
            Err(error) => {
                tracing::debug!(%error, "stray receipts wait");
                false
            }
        }
    }

    /// Stores a batch, and tells the provider. Where one event is in the way of the others, or the node of its account is away,
    /// each is stored for itself.
    async fn store_all(&mut self, batch: Vec<CameEvent>) {
        let has_nodes = self.sender.store.has_nodes();
        let goes_on =
            |error: &Error| !error.is_unavailable() || (has_nodes && error.is_of_a_node());
        let mut kept = self.store(&batch).await;
        let mut is_each = kept.as_ref().is_err_and(goes_on);
        for (place, came) in batch.into_iter().enumerate() {
            let of_it = if is_each {
                kept = self.store(std::slice::from_ref(&came)).await;
                0
            } else {
                place
            };
            match &kept {
                Ok(kept) => match kept.get(of_it) {
                    Some(Kept::Later) => self.waiting.push(came),
                    // The provider may be gone by now.
                    Some(Kept::Stored(fitting)) => drop(came.event.stored.send(*fitting)),
                    None => {}
                },
                Err(error) => {
                    is_each &= goes_on(error);
                    tracing::warn!(%error, "an event was not stored");
                }
            }
        }
    }

    /// What became of each event.
    async fn store(&mut self, batch: &[CameEvent]) -> Result<Vec<Kept>, Error> {
        let mut kept = vec![Kept::Stored(None); batch.len()];
        let (mut receipts, mut by_name) = (Vec::new(), Vec::new());
        let (mut places, mut statuses) = (Vec::new(), Vec::new());
        let are_kept = self.strays.are_kept(Instant::now());
        for (place, came) in batch.iter().enumerate() {
            match &came.event.kind {
                EventKind::Inbound(inbound) => self.store_text(inbound).await?,
                EventKind::Receipt(receipt) => match &receipt.subject {
                    Subject::Reference(reference) | Subject::Part { reference, .. } => {
                        let of_message = self.of_message(receipt, reference).await?;
                        statuses.extend(of_message.iter().map(|receipt| receipt.status));
                        receipts.extend(of_message);
                    }
                    Subject::Named(names) => {
                        let waits = self.may_wait(came, &names.ids);
                        by_name.push(ProviderReceipt {
                            provider_ids: names.ids.clone(),
                            number: names.number,
                            phones: names.phones.clone(),
                            status: receipt.status,
                            code: receipt.code.clone(),
                            comes_again: waits || !are_kept,
                        });
                        places.push((place, waits));
                    }
                },
            }
        }
        let (store, pepper) = (&self.sender.store, &self.sender.pepper);
        if !by_name.is_empty() {
            let name = &self.sender.setting.name;
            let fitting = store
                .record_provider_receipts(name, &by_name, pepper)
                .await?;
            for ((receipt, (place, waits)), fitting) in by_name.iter().zip(places).zip(fitting) {
                statuses.extend(fitting.map(|_| receipt.status));
                self.strays.kept += usize::from(fitting.is_none() && !receipt.comes_again);
                if let Some(kept) = kept.get_mut(place) {
                    *kept = match fitting {
                        None if waits => Kept::Later,
                        fitting => Kept::Stored(fitting),
                    };
                }
            }
            if are_kept && !self.strays.are_kept(Instant::now()) {
                tracing::warn!(sender.name = %name, "more reports fit no message than are kept");
            }
        }
        store.record_receipts(&receipts).await?;
        self.count(&statuses).await;
        Ok(kept)
    }

    /// Those that wait and whose messages are recorded by now, as far as that can be told here.
    fn recorded(&mut self) -> Vec<CameEvent> {
        let unrecorded = &self.hand_over.unrecorded;
        let is_recorded = |came: &mut CameEvent| match &came.event.kind {
            EventKind::Receipt(Receipt {
                subject: Subject::Named(names),
                ..
            }) => !unrecorded.have_any(&names.ids),
            _ => true,
        };
        self.waiting.extract_if(.., is_recorded).collect()
    }

    /// Whether a receipt with such ids waits for the result of its message if it fits none: the next step records it, or it is not
    /// known yet how the provider writes ids. The database keeps others. Of the last the provider is told nothing, so they come again.
    fn may_wait(&self, came: &CameEvent, ids: &[String]) -> bool {
        let is_likely = ids.len() > 1 || self.hand_over.unrecorded.have_any(ids);
        let has_place = self.waiting.len() < MAX_WAITING && came.at.elapsed() < WAIT;
        is_likely && (has_place || self.is_last)
    }

    async fn store_text(&self, inbound: &Inbound) -> Result<(), Error> {
        let sender = self.sender;
        // Without a hook texts come by SMPP, where a number may lack what its country does not dial.
        let digits = inbound.from.trim_start_matches('+');
        let others = match digits.len() {
            LEAST_DIGITS.. => national::readings(digits, sender.setting.countries.as_deref()),
            _ => BTreeSet::new(),
        };
        let new = NewInbound {
            sender: &sender.setting.name,
            id: &inbound.id,
            phone: &inbound.from,
            others: &others,
            text: &inbound.text,
            opts_out: inbound.opts_out,
            is_replied_to: true,
        };
        sender.store.record_inbound(new, &sender.pepper).await?;
        Ok(())
    }

    /// A receipt that carries our reference; `None`: of no message of ours.
    async fn of_message(
        &mut self,
        receipt: &Receipt,
        reference: &str,
    ) -> Result<Option<NewReceipt>, Error> {
        let Some((number, message_id)) = self.sender.pepper.read_reference(reference) else {
            return Ok(None);
        };
        let account_id = self.account(number).await?;
        Ok(account_id.map(|account_id| NewReceipt {
            account_id,
            message_id,
            sender: self.sender.setting.name.clone(),
            attempt: None,
            part: None,
            status: receipt.status,
            code: receipt.code.clone(),
        }))
    }

    /// Counts receipts of messages.
    async fn count(&self, statuses: &[ReceiptStatus]) {
        let (name, received) = (&self.sender.setting.name, &self.sender.received);
        for status in statuses {
            let (name, status) = (name.clone(), status.into_str());
            counter!("feedback_receipts_total", "sender" => name, "status" => status).increment(1);
        }
        if !statuses.is_empty() {
            self.sender.store.note_receipt(name, received).await;
        }
    }

    async fn account(&mut self, number: u32) -> Result<Option<Uuid>, Error> {
        if let Some(known) = self.accounts.get(&number) {
            return Ok(*known);
        }
        let found = self.sender.store.account_of_number(number).await?;
        Ok(*self.accounts.entry(number).or_insert(found))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn receipts_that_fit_no_message_are_kept_up_to_a_million_an_hour() {
        let now = Instant::now();
        let mut strays = Strays::new(now);
        strays.kept = MAX_STRAYS_KEPT - 1;
        assert!(strays.are_kept(now));
        strays.kept += 1;
        assert!(!strays.are_kept(now + STRAYS_KEPT.saturating_sub(Duration::from_secs(1))));
        assert!(strays.are_kept(now + STRAYS_KEPT));
        assert_eq!(strays.kept, 0);
    }
}
