//! What a bound centre sends, and what it gets for it.

use std::ops::ControlFlow;
use std::time::Duration;

use futures::StreamExt;
use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use rusmpp::pdus::DeliverSmResp;
use rusmpp::{Command, CommandId, CommandStatus, Pdu};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, sleep_until};
use uuid::Uuid;

use super::Shared;
use super::bind::Frames;
use super::deliver::{Deliver, Kind};
use super::join::{TextKey, Texts};
use super::session::{Answer, Outgoing, Waiting};
use super::wire::{Fields, Frame};
use crate::{Event, EventKind, Inbound, value};

pub(super) struct Reader<'a> {
    pub shared: &'a Shared,
    pub queue: mpsc::Sender<Outgoing>,
    pub waiting: &'a Waiting,
    pub texts: &'a mut Texts,
    /// Events that are being stored.
    pub stored: FuturesUnordered<BoxFuture<'static, Stored>>,
}

/// A `deliver_sm` whose event is stored or not.
pub(super) struct Stored {
    sequence: u32,
    /// The text that it was the last part of.
    text: Option<TextKey>,
    ok: bool,
}

impl Reader<'_> {
    /// Reads until the connection is of no more use.
    pub async fn read(mut self, mut frames: Frames) {
        let after = |time: Duration| Instant::now() + time;
        let timing = self.shared.timing;
        let (mut deadline, mut asked) = (after(timing.idle), false);
        loop {
            // What came is read before its absence counts.
            let flow = tokio::select! {
                biased;
                Some(stored) = self.stored.next() => self.confirm(&stored),
                octets = frames.next() => {
                    let frame = octets.and_then(Result::ok).and_then(Frame::read);
                    let Some(frame) = frame else { return };
                    (deadline, asked) = (after(timing.idle), false);
                    self.take(&frame)
                }
                () = sleep_until(deadline) => {
                    if asked {
                        return;
                    }
                    (deadline, asked) = (after(timing.response), true);
                    self.put(Outgoing::Request(Pdu::EnquireLink))
                }
            };
            if flow.is_break() {
                return;
            }
        }
    }

    fn take(&mut self, frame: &Frame) -> ControlFlow<()> {
        let sequence = frame.sequence;
        let ok = |pdu| Command::new(CommandStatus::EsmeRok, sequence, pdu);
        match frame.id {
            CommandId::SubmitSmResp | CommandId::GenericNack => {
                let answer = self.waiting.remove(sequence);
                // A nack without a status says nothing, and what waits is unknown.
                let says_nothing = frame.id == CommandId::GenericNack && frame.status == 0;
                if let Some(answer) = answer.filter(|_| !says_nothing) {
                    let id = Fields(&frame.body).string();
                    let id = id.and_then(|id| value::id(&id)).unwrap_or_default();
                    let status = frame.status;
                    answer.send(Answer { status, id }).ok();
                }
                ControlFlow::Continue(())
            }
            CommandId::DeliverSm => self.deliver(frame),
            CommandId::EnquireLink => self.put(Outgoing::Answer(ok(Pdu::EnquireLinkResp))),
            CommandId::Unbind => self.put(Outgoing::Last(ok(Pdu::UnbindResp))),
            CommandId::UnbindResp => ControlFlow::Break(()),
            CommandId::Outbind | CommandId::AlertNotification => ControlFlow::Continue(()),
            id if id.is_operation() => {
                let status = CommandStatus::EsmeRinvcmdid;
                let nack = Command::new(status, sequence, Pdu::GenericNack);
                self.put(Outgoing::Answer(nack))
            }
            _ => ControlFlow::Continue(()),
        }
    }

    fn deliver(&mut self, frame: &Frame) -> ControlFlow<()> {
        let sequence = frame.sequence;
        let Some(deliver) = Deliver::read(&frame.body) else {
            tracing::warn!("a deliver_sm cannot be read");
            return self.answer(sequence, CommandStatus::EsmeRxRAppn);
        };
        match deliver.kind() {
            Kind::Other => self.answer(sequence, CommandStatus::EsmeRok),
            Kind::Receipt => {
                let references = &self.shared.references;
                let receipt = deliver.receipt(|number, digits| references.find(number, digits));
                let Some(receipt) = receipt else {
                    tracing::warn!("a receipt by SMPP names no message or no state");
                    return self.answer(sequence, CommandStatus::EsmeRok);
                };
                self.emit(sequence, EventKind::Receipt(receipt), None)
            }
            Kind::Text => {
                let part = deliver.text();
                let now = std::time::Instant::now();
                // A part is held in memory alone: most centres send the next only when this one is answered.
                let Some(text) = self.texts.add(&part.key, part.number, part.octets, now) else {
                    return self.answer(sequence, CommandStatus::EsmeRok);
                };
                let inbound = Inbound {
                    // The protocol has none. A text that comes twice is better than one that counts for an earlier one.
                    id: Uuid::new_v4().to_string(),
                    from: part.key.from.clone(),
                    to: part.key.to.clone(),
                    text,
                    opts_out: None,
                };
                self.emit(sequence, EventKind::Inbound(inbound), Some(part.key))
            }
        }
    }

    fn emit(&self, sequence: u32, kind: EventKind, text: Option<TextKey>) -> ControlFlow<()> {
        let (stored, told) = oneshot::channel();
        if self.shared.events.try_send(Event { kind, stored }).is_err() {
            return self.answer(sequence, CommandStatus::EsmeRmsgqful);
        }
        self.stored.push(Box::pin(async move {
            Stored {
                sequence,
                text,
                ok: told.await.is_ok(),
            }
        }));
        ControlFlow::Continue(())
    }

    fn confirm(&mut self, stored: &Stored) -> ControlFlow<()> {
        if !stored.ok {
            return self.answer(stored.sequence, CommandStatus::EsmeRxTAppn);
        }
        if let Some(key) = &stored.text {
            self.texts.forget(key);
        }
        self.answer(stored.sequence, CommandStatus::EsmeRok)
    }

    /// Answers a `deliver_sm`.
    fn answer(&self, sequence: u32, status: CommandStatus) -> ControlFlow<()> {
        let command = Command::new(status, sequence, DeliverSmResp::default());
        self.put(Outgoing::Answer(command))
    }

    fn put(&self, outgoing: Outgoing) -> ControlFlow<()> {
        if self.queue.try_send(outgoing).is_ok() {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }
}
