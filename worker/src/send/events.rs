//! Receipts and texts that a provider brings without a hook. They are stored, many in one transaction, before the provider is
//! told so.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use metrics::counter;
use sender::{Event, EventKind, Subject};
use store::Error;
use store::send::inbound::NewInbound;
use store::send::provider_id::ProviderReceipt;
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

/// Takes events of a provider, as many at once as have come, until `stop`; what came before it is still stored.
pub(super) async fn take(hand_over: Arc<HandOver>, stop: CancellationToken) {
    let provider = &hand_over.provider;
    let by_id = provider.reports_by_id();
    let mut event_store = EventStore {
        sender: &hand_over.sender,
        accounts: HashMap::new(),
    };
    let mut settle = tokio::time::interval(SETTLE);
    loop {
        let mut batch = Vec::new();
        tokio::select! {
            biased;
            () = stop.cancelled() => {}
            _ = settle.tick(), if by_id => {
                let sender = event_store.sender;
                if let Err(error) = sender.store.settle_strays(&sender.setting.name).await {
                    tracing::debug!(%error, "stray receipts wait");
                }
                continue;
            }
            event = provider.event() => batch.push(event),
        }
        let is_last = stop.is_cancelled();
        // Outside of tokio's cooperative budget, which is smaller than a batch.
        while batch.len() < BATCH
            && let Some(event) = unconstrained(provider.event()).now_or_never()
        {
            batch.push(event);
        }
        event_store.store_all(batch).await;
        if is_last {
            return;
        }
    }
}

/// Stores a provider's events.
struct EventStore<'a> {
    sender: &'a DrivenSender,
    /// By number, as they become known.
    accounts: HashMap<u32, Option<Uuid>>,
}

impl EventStore<'_> {
    /// Stores a batch, and tells the provider. Where one event is in the way of the others, or the node of its account is away,
    /// each is stored for itself.
    async fn store_all(&mut self, batch: Vec<Event>) {
        let has_nodes = self.sender.store.has_nodes();
        let goes_on =
            |error: &Error| !error.is_unavailable() || (has_nodes && error.is_of_a_node());
        let mut kept = self.store(&batch).await;
        let mut is_each = kept.as_ref().is_err_and(goes_on);
        for event in batch {
            if is_each {
                kept = self.store(std::slice::from_ref(&event)).await;
            }
            match &kept {
                // The provider may be gone by now.
                Ok(()) => drop(event.stored.send(())),
                Err(error) => {
                    is_each &= goes_on(error);
                    tracing::warn!(%error, "an event was not stored");
                }
            }
        }
    }

    async fn store(&mut self, batch: &[Event]) -> Result<(), Error> {
        let sender = self.sender;
        let (store, pepper, name) = (&sender.store, &sender.pepper, &sender.setting.name);
        let (mut receipts, mut by_id) = (Vec::new(), Vec::new());
        for event in batch {
            let receipt = match &event.kind {
                EventKind::Receipt(receipt) => receipt,
                EventKind::Inbound(inbound) => {
                    let new = NewInbound {
                        sender: name,
                        id: &inbound.id,
                        phone: &inbound.from,
                        text: &inbound.text,
                        opts_out: inbound.opts_out,
                        is_replied_to: true,
                    };
                    store.record_inbound(new, pepper).await?;
                    continue;
                }
            };
            counter!("feedback_receipts_total", "sender" => name.clone(), "status" => receipt.status.into_str())
                .increment(1);
            let reference = match &receipt.subject {
                Subject::Reference(reference) | Subject::Part { reference, .. } => reference,
                Subject::ProviderId(provider_id) => {
                    by_id.push(ProviderReceipt {
                        provider_id: provider_id.clone(),
                        status: receipt.status,
                        code: receipt.code.clone(),
                    });
                    continue;
                }
            };
            let Some((number, message_id)) = pepper.read_reference(reference) else {
                continue;
            };
            if let Some(account_id) = self.account(number).await? {
                receipts.push(NewReceipt {
                    account_id,
                    message_id,
                    part: None,
                    status: receipt.status,
                    code: receipt.code.clone(),
                });
            }
        }
        if !by_id.is_empty() {
            store.record_provider_receipts(name, &by_id).await?;
        }
        store.record_receipts(&receipts).await
    }

    async fn account(&mut self, number: u32) -> Result<Option<Uuid>, Error> {
        if let Some(known) = self.accounts.get(&number) {
            return Ok(*known);
        }
        let found = self.sender.store.account_of_number(number).await?;
        Ok(*self.accounts.entry(number).or_insert(found))
    }
}
