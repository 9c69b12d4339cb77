//! The connection to the centre: it binds, reads and writes, and begins anew when it breaks.

use std::collections::HashMap;
use std::sync::Arc;

use futures::SinkExt;
use futures::stream::FuturesUnordered;
use parking_lot::Mutex;
use rusmpp::pdus::SubmitSm;
use rusmpp::{Command, CommandStatus, Pdu};
use tokio::sync::{mpsc, oneshot};
use tokio::time::sleep;

use super::bind::{BindError, Commands, FIRST_SEQUENCE, Frames, connect};
use super::join::Texts;
use super::reader::Reader;
use super::submit;
use super::{Link, Shared};
use crate::Handed;
use crate::message::Deadline;

/// Answers that wait to be written. A centre that lets more wait does not read.
const MAX_ANSWERS: usize = 1_000;
const LAST_SEQUENCE: u32 = 0x7FFF_FFFF;

/// What waits to be written.
pub(super) enum Outgoing {
    Submit(Box<Submission>),
    Request(Pdu),
    Answer(Command),
    /// The connection ends behind it.
    Last(Command),
}

/// A part on its way.
pub(super) struct Submission {
    pub pdu: SubmitSm,
    /// It is not written once this is over.
    pub begin_by: Deadline,
    /// Told before the first byte is written. If nobody listens any more, none is.
    pub begun: oneshot::Sender<()>,
    pub answer: oneshot::Sender<Answer>,
}

/// What the centre answered to a part.
pub(super) struct Answer {
    pub status: u32,
    pub id: String,
}

/// Binds and reads and writes until it is closed.
pub(super) async fn run(shared: Arc<Shared>) {
    let (first, longest) = shared.timing.retry;
    let mut texts = Texts::default();
    let mut pause = first;
    while shared.set(Link::Connecting) {
        let link = match connect(&shared).await {
            Ok(connection) => {
                session(&shared, connection, &mut texts).await;
                tracing::info!("the SMPP session ended");
                pause = first;
                // Messages wait for the next attempt, as they do for the first.
                Link::Connecting
            }
            Err(BindError::Refused(status)) => {
                let code = submit::code(status.into());
                tracing::warn!(code, "the SMPP centre refused to bind");
                // The session of who was here before still stands, but not for long.
                let again = status == CommandStatus::EsmeRalybnd;
                pause = if again { first } else { pause };
                Link::Down(if again {
                    Handed::NotSent { code }
                } else {
                    bind_refused(status)
                })
            }
            Err(BindError::Unreachable(error)) => {
                tracing::warn!(%error, "the SMPP centre cannot be reached");
                Link::Down(Handed::not_sent("smpp-unbound"))
            }
        };
        if !shared.set(link) {
            return;
        }
        sleep(pause).await;
        pause = (pause * 2).min(longest);
    }
}

/// What a message gets while the centre refuses to bind for this.
fn bind_refused(status: CommandStatus) -> Handed {
    match submit::verdict(status.into()) {
        // There is no message that it could be about.
        Handed::Refused { code } => Handed::SenderFault { code },
        handed => handed,
    }
}

/// Runs a bound connection to its end. What was not begun by then is dropped, which tells those who wait for it.
async fn session(shared: &Shared, (frames, commands): (Frames, Commands), texts: &mut Texts) {
    let (queue, queued) = mpsc::channel(MAX_ANSWERS + shared.config.window);
    let waiting = Waiting::default();
    if !shared.set(Link::Bound(queue.clone())) {
        return;
    }
    tracing::info!("bound to the SMPP centre");
    let reader = Reader {
        shared,
        queue,
        waiting: &waiting,
        texts,
        stored: FuturesUnordered::new(),
    };
    tokio::select! {
        () = reader.read(frames) => {}
        () = write(commands, queued, &waiting) => {}
    }
}

/// Parts that wait for their answers, by sequence number.
#[derive(Default)]
pub(super) struct Waiting(Mutex<HashMap<u32, oneshot::Sender<Answer>>>);

impl Waiting {
    fn insert(&self, sequence: u32, answer: oneshot::Sender<Answer>) {
        let mut waiting = self.0.lock();
        if waiting.len() == waiting.capacity() {
            // Those whose time is over.
            waiting.retain(|_, answer| !answer.is_closed());
        }
        waiting.insert(sequence, answer);
    }

    pub fn remove(&self, sequence: u32) -> Option<oneshot::Sender<Answer>> {
        self.0.lock().remove(&sequence)
    }
}

async fn write(mut commands: Commands, mut queued: mpsc::Receiver<Outgoing>, waiting: &Waiting) {
    let mut sequence = FIRST_SEQUENCE;
    while let Some(outgoing) = queued.recv().await {
        sequence = sequence % LAST_SEQUENCE + 1;
        let request = |pdu| Command::new(CommandStatus::EsmeRok, sequence, pdu);
        let is_last = matches!(outgoing, Outgoing::Last(_));
        let command = match outgoing {
            Outgoing::Submit(submission) => {
                let Submission {
                    pdu,
                    begin_by,
                    begun,
                    answer,
                } = *submission;
                if begin_by.is_over() || begun.send(()).is_err() {
                    continue;
                }
                waiting.insert(sequence, answer);
                request(Pdu::SubmitSm(pdu))
            }
            Outgoing::Request(pdu) => request(pdu),
            Outgoing::Answer(command) | Outgoing::Last(command) => command,
        };
        if commands.send(command).await.is_err() || is_last {
            return;
        }
    }
}
