//! Receipts and texts that a provider brings without a hook. They are stored, many in one transaction, before the provider is
//! told so.

use std::collections::{BTreeSet, HashMap};
use std::mem::take as taken;
use std::sync::Arc;
use std::time::{Duration, Instant};

use domain::national;
use futures::FutureExt;
use metrics::counter;
use sender::{Event, EventKind, Inbound, Receipt, ReceiptStatus, Subject};
use store::Error;
use store::send::inbound::NewInbound;
use store::send::provider_receipt::ProviderReceipt;
use store::send::receipt::NewReceipt;
use tokio::task::coop::unconstrained;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::driven_sender::DrivenSender;
use super::hand_over::HandOver;

/// Events that are stored at once, at most.
const BATCH: usize = 500;

/// How often receipts that came before the result with their id are tried again.
const SETTLE: Duration = Duration::from_secs(1);

/// The least digits of a phone; what has fewer is a short code.
const LEAST_DIGITS: usize = 7;

/// How long a receipt of which it is not known yet how it writes its id waits for the result of its message, and how many do.
const GUESS: Duration = Duration::from_secs(5);
const MAX_GUESSED: usize = 1_000;

/// Takes events of a provider, as many at once as have come, until `stop`; what came before it is still stored.
pub(super) async fn take(hand_over: Arc<HandOver>, stop: CancellationToken) {
    let provider = &hand_over.provider;
    let by_id = provider.reports_by_id();
    let mut event_store = EventStore {
        sender: &hand_over.sender,
        accounts: HashMap::new(),
        guessed: Vec::new(),
    };
    let mut settle = tokio::time::interval(SETTLE);
    loop {
        let mut batch = Vec::new();
        tokio::select! {
            biased;
            () = stop.cancelled() => {}
            _ = settle.tick(), if by_id => {
                event_store.settle().await;
                continue;
            }
            event = provider.event() => batch.push(CameEvent::now(event)),
        }
        let is_last = stop.is_cancelled();
        // Outside of tokio's cooperative budget, which is smaller than a batch.
        while batch.len() < BATCH
            && let Some(event) = unconstrained(provider.event()).now_or_never()
        {
            batch.push(CameEvent::now(event));
        }
        event_store.store_all(batch).await;
        if is_last {
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
    sender: &'a DrivenSender,
    /// By number, as they become known.
    accounts: HashMap<u32, Option<Uuid>>,
    /// Receipts that fit no message so far, and may mean several.
    guessed: Vec<CameEvent>,
}

impl EventStore<'_> {
    /// Tries again what fitted no message.
    async fn settle(&mut self) {
        let (store, name) = (&self.sender.store, &self.sender.setting.name);
        match store.settle_strays(name).await {
            Ok(settled) => self.count(&settled).await,
            Err(error) => tracing::debug!(%error, "stray receipts wait"),
        }
        let guessed = taken(&mut self.guessed);
        if !guessed.is_empty() {
            self.store_all(guessed).await;
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
                    Some(Kept::Later) => self.guessed.push(came),
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
                        by_name.push(ProviderReceipt {
                            provider_ids: names.ids.clone(),
                            number: names.number,
                            phones: names.phones.clone(),
                            status: receipt.status,
                            code: receipt.code.clone(),
                            comes_again: self.may_wait(came, names.ids.len()),
                        });
                        places.push(place);
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
            for ((receipt, place), fitting) in by_name.iter().zip(places).zip(fitting) {
                statuses.extend(fitting.map(|_| receipt.status));
                if let Some(kept) = kept.get_mut(place) {
                    *kept = match fitting {
                        None if receipt.comes_again => Kept::Later,
                        fitting => Kept::Stored(fitting),
                    };
                }
            }
        }
        store.record_receipts(&receipts).await?;
        self.count(&statuses).await;
        Ok(kept)
    }

    /// Whether a receipt with so many ids waits for the result of its message if it fits none. One whose id is known is kept in the
    /// database until then.
    fn may_wait(&self, came: &CameEvent, ids: usize) -> bool {
        ids > 1 && came.at.elapsed() < GUESS && self.guessed.len() < MAX_GUESSED
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
