//! The connection to the centre: it binds, reads and writes, and begins anew when it breaks.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use futures::{SinkExt, StreamExt};
use rusmpp::pdus::{DeliverSmResp, SubmitSm};
use rusmpp::{Command, CommandId, CommandStatus, Pdu};
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep, sleep_until};
use uuid::Uuid;

use super::bind::{Commands, FIRST_SEQUENCE, Frames, connect};
use super::config::Link;
use super::deliver::{Deliver, DeliverKind};
use super::ids::IdForm;
use super::join::TextKey;
use super::submit::{self, PartOutcome};
use super::wire::{Fields, RawPdu};
use super::{BindState, Shared};
use crate::message::Deadline;
use crate::{Event, EventKind, Handed, Inbound, Receipt, Subject, value};

/// Octets that wait to be written. A centre that lets more wait does not read.
const MAX_UNREAD: usize = 64 * 1024;
/// Characters of a text that are told: it is looked at for a keyword alone.
const MAX_TEXT: usize = 1_000;
const LAST_SEQUENCE: u32 = 0x7FFF_FFFF;

/// What [`run`] keeps as told while the last attempt to bind did not fail.
const BOUND: &str = "bound";

/// A part on its way.
pub(super) struct Submission {
    pub pdu: SubmitSm,
    /// It is not written once this is over.
    pub begin_by: Deadline,
    /// Told before the first byte is written. If nobody listens any more, none is.
    pub begun: oneshot::Sender<()>,
    pub answer: oneshot::Sender<PartOutcome>,
}

/// Binds and reads and writes until it is closed.
pub(super) async fn run(shared: Arc<Shared>, link: Link) {
    let (first, longest) = shared.timing.retry;
    let mut pause = first;
    // What was logged last. A centre that ends each session at once is bound anew without a word.
    let mut told = String::new();
    while shared.set(link, BindState::Connecting) {
        let state = match connect(&shared, link.kind).await {
            Ok(Ok((frames, commands))) => {
                if !shared.set(link, BindState::Bound) {
                    return;
                }
                if told != BOUND {
                    tracing::info!("bound to the SMPP centre");
                    BOUND.clone_into(&mut told);
                }
                let session = SmppSession {
                    shared: &shared,
                    link,
                    commands,
                    sequence: FIRST_SEQUENCE,
                    waiting: HashMap::new(),
                    stored: FuturesUnordered::new(),
                    leaving: None,
                    is_over: false,
                };
                session.run(frames).await;
                if !shared.is_closed() {
                    tracing::warn!("the SMPP session ended");
                }
                pause = first;
                // Messages wait for the next attempt, as they do for the first.
                BindState::Connecting
            }
            Ok(Err(status)) => {
                let code = submit::code(status.into());
                if told != code {
                    tracing::warn!(code, "the SMPP centre refused to bind");
                    told.clone_from(&code);
                }
                // The session of who was here before still stands, but not for long.
                let again = status == CommandStatus::EsmeRalybnd;
                pause = if again { first } else { pause };
                BindState::Down(match submit::verdict(status.into()) {
                    _ if again => Handed::NotSent { code },
                    // There is no message that it could be about.
                    Handed::Refused { code } => Handed::SenderFault { code },
                    Handed::Busy => Handed::Throttled { retry_after: None },
                    handed => handed,
                })
            }
            Err(error) => {
                let error = error.to_string();
                if told != error {
                    tracing::warn!(error, "the SMPP centre cannot be reached");
                    told = error;
                }
                BindState::Down(Handed::not_sent("smpp-unbound"))
            }
        };
        if !shared.set(link, state) {
            return;
        }
        sleep(pause).await;
        pause = (pause * 2).min(longest);
    }
}

/// A bound connection. What was not begun when it is dropped, or has no answer, is dropped too, which tells those who wait
/// for it.
struct SmppSession<'a> {
    shared: &'a Shared,
    link: Link,
    commands: Commands,
    /// Of the last request.
    sequence: u32,
    /// Parts that wait for their answers, by sequence number.
    waiting: HashMap<u32, oneshot::Sender<PartOutcome>>,
    /// Events that are being stored: the number of the `deliver_sm`, what it was, and whether it is stored.
    stored: FuturesUnordered<BoxFuture<'static, (u32, Delivered, bool)>>,
    /// The centre unbinds: the number of its request, and until when what is under way keeps it from its answer.
    leaving: Option<(u32, Instant)>,
    /// What waits to be written is the last.
    is_over: bool,
}

/// What a `deliver_sm` was.
enum Delivered {
    /// A receipt, and the form of its id if that is learned by it.
    Receipt(Option<IdForm>),
    /// The last part of a text.
    Text(TextKey),
}

impl SmppSession<'_> {
    /// Reads and writes until the connection is of no more use.
    async fn run(mut self, mut frames: Frames) {
        let after = |time: Duration| Instant::now() + time;
        let (shared, timing) = (self.shared, self.shared.timing);
        let (mut deadline, mut asked, mut unbinds) = (after(timing.idle), false, false);
        // Of what was put some may still be in TLS, which has a buffer of its own.
        let mut is_written = true;
        while self.commands.write_buffer().len() <= MAX_UNREAD {
            self.leave_when_done();
            is_written &= self.commands.write_buffer().is_empty();
            if self.is_over && is_written {
                return;
            }
            // What came is read before its absence counts. While the centre does not read, it is still read from.
            tokio::select! {
                biased;
                written = SinkExt::<Command>::flush(&mut self.commands), if !is_written => {
                    if written.is_err() {
                        return;
                    }
                    is_written = true;
                }
                Some((sequence, delivered, is_stored)) = self.stored.next() => {
                    self.confirm(sequence, &delivered, is_stored);
                }
                octets = frames.next() => {
                    let frame = octets.and_then(Result::ok).and_then(RawPdu::read);
                    let Some(frame) = frame else { return };
                    (deadline, asked) = (after(timing.idle), false);
                    self.take(&frame);
                }
                () = shared.ending.cancelled(), if !unbinds => {
                    unbinds = true;
                    self.request(Pdu::Unbind);
                }
                Some(submission) = shared.next(), if is_written && !unbinds && self.leaving.is_none() && self.link.place.is_some() => {
                    self.begin(submission);
                }
                () = sleep_until(self.leaving.map_or(deadline, |(_, until)| until)), if self.leaving.is_some() => {}
                () = sleep_until(deadline) => {
                    if asked {
                        return;
                    }
                    (deadline, asked) = (after(timing.response), true);
                    self.request(Pdu::EnquireLink);
                }
            }
        }
    }

    /// Answers the centre's wish to unbind once nothing is under way, or nothing of it can be answered in time any more.
    fn leave_when_done(&mut self) {
        let Some((sequence, until)) = self.leaving else {
            return;
        };
        self.waiting.retain(|_, answer| !answer.is_closed());
        let is_done = self.waiting.is_empty() && self.stored.is_empty();
        if is_done || Instant::now() >= until {
            self.leaving = None;
            let answer = Command::new(CommandStatus::EsmeRok, sequence, Pdu::UnbindResp);
            self.put(answer);
            self.is_over = true;
        }
    }

    fn begin(&mut self, submission: Submission) {
        if submission.begin_by.is_over() || submission.begun.send(()).is_err() {
            return;
        }
        self.request(Pdu::SubmitSm(submission.pdu));
        if self.waiting.len() == self.waiting.capacity() {
            // Those whose time is over.
            self.waiting.retain(|_, answer| !answer.is_closed());
        }
        self.waiting.insert(self.sequence, submission.answer);
    }

    fn take(&mut self, frame: &RawPdu) {
        let sequence = frame.sequence;
        let ok = |pdu| Command::new(CommandStatus::EsmeRok, sequence, pdu);
        match frame.id {
            CommandId::SubmitSmResp | CommandId::GenericNack => {
                let answer = self.waiting.remove(&sequence);
                // A nack without a status says nothing, and what waits is unknown.
                let says_nothing = frame.id == CommandId::GenericNack && frame.status == 0;
                if let Some(answer) = answer.filter(|_| !says_nothing) {
                    let id = Fields(&frame.body).string();
                    let id = id.and_then(|id| value::id(&id)).unwrap_or_default();
                    let part = match frame.status {
                        0 => PartOutcome::Accepted(id),
                        status => PartOutcome::Refused(status),
                    };
                    answer.send(part).ok();
                }
            }
            CommandId::DeliverSm => self.deliver(frame),
            CommandId::EnquireLink => self.put(ok(Pdu::EnquireLinkResp)),
            CommandId::Unbind => {
                // Many centres close once it is answered, and answer what they took before it. What is not begun waits for the
                // next connection.
                self.leaving = Some((sequence, Instant::now() + self.shared.timing.response));
                self.shared.set(self.link, BindState::Connecting);
            }
            CommandId::UnbindResp => self.is_over = true,
            CommandId::Outbind | CommandId::AlertNotification => {}
            id if id.is_operation() => {
                let status = CommandStatus::EsmeRinvcmdid;
                self.put(Command::new(status, sequence, Pdu::GenericNack));
            }
            _ => {}
        }
    }

    fn deliver(&mut self, frame: &RawPdu) {
        let sequence = frame.sequence;
        let Some(deliver) = Deliver::read(&frame.body) else {
            tracing::warn!("a deliver_sm cannot be read");
            return self.answer(sequence, CommandStatus::EsmeRxRAppn);
        };
        match deliver.kind() {
            DeliverKind::Other => self.answer(sequence, CommandStatus::EsmeRok),
            DeliverKind::Receipt => {
                let references = &self.shared.references;
                let receipt = deliver.receipt(|number, digits| references.find(number, digits));
                let Some(receipt) = receipt else {
                    tracing::warn!("a receipt by SMPP names no message or no state");
                    return self.answer(sequence, CommandStatus::EsmeRok);
                };
                self.report(sequence, receipt);
            }
            DeliverKind::Text => {
                let part = deliver.text();
                let now = std::time::Instant::now();
                // A part is held in memory alone: most centres send the next only when this one is answered.
                let Some(text) =
                    self.shared
                        .texts
                        .lock()
                        .add(&part.key, part.number, part.octets, now)
                else {
                    return self.answer(sequence, CommandStatus::EsmeRok);
                };
                let inbound = Inbound {
                    // The protocol has none. A text that comes twice is better than one that counts for an earlier one.
                    id: Uuid::new_v4().to_string(),
                    from: part.key.from.clone(),
                    to: part.key.to.clone(),
                    text: text.chars().take(MAX_TEXT).collect(),
                    opts_out: None,
                };
                self.emit(sequence, EventKind::Inbound(inbound), |_| {
                    Delivered::Text(part.key)
                });
            }
        }
    }

    /// Tells of a receipt, with what the id of the answer may be.
    fn report(&mut self, sequence: u32, mut receipt: Receipt) {
        let mut forms = Vec::new();
        if let Subject::Named(named) = &mut receipt.subject
            && let Some(receipted) = named.ids.pop()
        {
            (forms, named.ids) = self.shared.ids.of_answer(&receipted).into_iter().unzip();
        }
        let learned = move |fitting: Option<usize>| {
            let form = fitting.and_then(|place| forms.get(place).copied());
            Delivered::Receipt(form)
        };
        self.emit(sequence, EventKind::Receipt(receipt), learned);
    }

    fn emit(
        &mut self,
        sequence: u32,
        kind: EventKind,
        delivered: impl FnOnce(Option<usize>) -> Delivered + Send + 'static,
    ) {
        let (stored, told) = oneshot::channel();
        if self.shared.events.try_send(Event { kind, stored }).is_err() {
            return self.answer(sequence, CommandStatus::EsmeRmsgqful);
        }
        let stored = async move {
            let told = told.await;
            let is_stored = told.is_ok();
            (sequence, delivered(told.ok().flatten()), is_stored)
        };
        self.stored.push(Box::pin(stored));
    }

    fn confirm(&mut self, sequence: u32, delivered: &Delivered, is_stored: bool) {
        if !is_stored {
            return self.answer(sequence, CommandStatus::EsmeRxTAppn);
        }
        match delivered {
            Delivered::Text(key) => self.shared.texts.lock().forget(key),
            Delivered::Receipt(Some(form)) => self.shared.ids.learn(*form),
            Delivered::Receipt(None) => {}
        }
        self.answer(sequence, CommandStatus::EsmeRok);
    }

    /// Answers a `deliver_sm`.
    fn answer(&mut self, sequence: u32, status: CommandStatus) {
        self.put(Command::new(status, sequence, DeliverSmResp::default()));
    }

    fn request(&mut self, pdu: Pdu) {
        self.sequence = self.sequence % LAST_SEQUENCE + 1;
        self.put(Command::new(CommandStatus::EsmeRok, self.sequence, pdu));
    }

    /// Writes a PDU behind those that wait to be written.
    fn put(&mut self, command: Command) {
        self.is_over |= self.commands.start_send_unpin(command).is_err();
    }
}
