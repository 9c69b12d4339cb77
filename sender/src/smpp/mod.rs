//! SMPP 3.4: one or more connections, which hand over messages and bring receipts and texts from phones.
//!
//! - `config`: what the URL says. `session`, with `bind`: a connection; it is made again when it breaks.
//! - `submit`, `deliver`: what goes out for a message, and what a `deliver_sm` says.
//! - `references`: our own numbers of parts, which some centres echo; `ids`: the centre's own, as receipts write them; `join`: texts from phones that came in parts.
//! - `wire`: PDUs as octets.
//!
//! What tells "not sent" from "unknown": a part waits in a queue until a connection takes it to write it, and says so. A part
//! that nobody took was not sent. The queue outlives connections, so what waits in it goes by the next.

mod bind;
mod config;
mod deliver;
#[cfg(test)]
mod fuzz;
mod ids;
mod join;
mod references;
mod session;
mod submit;
#[cfg(test)]
mod tests;
mod wire;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::future::{BoxFuture, join_all};
use parking_lot::Mutex;
use rusmpp::pdus::SubmitSm;
use tokio::sync::{Semaphore, mpsc, oneshot, watch};
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;

use self::config::{BindConfig, Link};
use self::ids::Ids;
use self::join::PartialTexts;
use self::references::References;
use self::session::Submission;
use self::submit::PartOutcome;
use crate::message::Deadline;
use crate::provider_url::{Connect, SenderUrl, UrlError};
use crate::{Event, Handed, Outbound, Provider, SenderKind};

/// Events that wait to be taken. The centre keeps what is more.
const MAX_EVENTS: usize = 1_500;

pub(crate) const KIND: SenderKind = SenderKind {
    other_scheme: Some("smpps"),
    ..SenderKind::new("smpp", read)
};

fn read(url: &mut SenderUrl<'_>) -> Result<Connect, UrlError> {
    let config = BindConfig::read(url)?;
    Ok(Arc::new(move || {
        Arc::new(Smpp::new(config.clone(), TIMING))
    }))
}

#[derive(Clone, Copy)]
struct Timing {
    /// For connecting and binding.
    bind: Duration,
    /// For an answer, and for what is under way when it closes.
    response: Duration,
    /// Without a PDU for so long, the centre is asked whether it is there.
    idle: Duration,
    /// Between attempts to bind: at first, and at most.
    retry: (Duration, Duration),
}

const TIMING: Timing = Timing {
    bind: Duration::from_secs(10),
    response: Duration::from_secs(10),
    idle: Duration::from_secs(30),
    retry: (Duration::from_secs(1), Duration::from_secs(8)),
};

/// A sender by SMPP. It connects when it is first used.
struct Smpp {
    shared: Arc<Shared>,
    events: tokio::sync::Mutex<mpsc::Receiver<Event>>,
    sessions: Mutex<Vec<AbortOnDropHandle<()>>>,
}

/// What the connections and those who send have in common.
struct Shared {
    config: BindConfig,
    timing: Timing,
    state: watch::Sender<Binds>,
    /// Their parts may come by different connections.
    texts: Mutex<PartialTexts>,
    window: Semaphore,
    queue: mpsc::Sender<Submission>,
    /// Connections take turns at it.
    queued: tokio::sync::Mutex<mpsc::Receiver<Submission>>,
    /// Cancelled once nothing is under way any more: then connections unbind.
    ending: CancellationToken,
    references: References,
    ids: Ids,
    events: mpsc::Sender<Event>,
}

/// The states of the connections that send.
struct Binds {
    each: Vec<BindState>,
    is_closed: bool,
}

/// The state of a connection to the centre.
enum BindState {
    /// An attempt is under way, or comes as soon as the connection was lost.
    Connecting,
    Bound,
    /// Until the next attempt, with what a message gets meanwhile.
    Down(Handed),
}

impl Binds {
    fn is_bound(&self) -> bool {
        let mut each = self.each.iter();
        each.any(|state| matches!(state, BindState::Bound))
    }

    /// Whether a message is to wait: none is bound, and one may be soon.
    fn is_connecting(&self) -> bool {
        let mut each = self.each.iter();
        !self.is_bound() && each.any(|state| matches!(state, BindState::Connecting))
    }

    /// What a message gets that is not to wait. An error: it cannot be sent.
    fn check(&self) -> Result<(), Handed> {
        let mut downs = self.each.iter().filter_map(|state| match state {
            BindState::Down(handed) => Some(handed.clone()),
            BindState::Connecting | BindState::Bound => None,
        });
        match downs.next() {
            _ if self.is_closed => Err(Handed::not_sent("smpp-closed")),
            Some(handed) if !self.is_bound() => Err(handed),
            _ => Ok(()),
        }
    }
}

impl Smpp {
    fn new(config: BindConfig, timing: Timing) -> Self {
        let (events, received) = mpsc::channel(MAX_EVENTS);
        let (queue, queued) = mpsc::channel(config.window);
        let shared = Shared {
            window: Semaphore::new(config.window),
            ids: Ids::new(config.ids),
            queue,
            queued: tokio::sync::Mutex::new(queued),
            ending: CancellationToken::new(),
            texts: Mutex::new(PartialTexts::of(config.style.charset)),
            state: watch::Sender::new(Binds {
                each: (0..config.binds).map(|_| BindState::Connecting).collect(),
                is_closed: false,
            }),
            references: References::default(),
            events,
            config,
            timing,
        };
        Self {
            shared: Arc::new(shared),
            events: tokio::sync::Mutex::new(received),
            sessions: Mutex::default(),
        }
    }

    fn start(&self) {
        let mut sessions = self.sessions.lock();
        let ended = sessions.iter().all(AbortOnDropHandle::is_finished);
        if ended && !self.shared.is_closed() {
            let links = self.shared.config.links();
            let tasks = links.map(|link| {
                let task = tokio::spawn(session::run(Arc::clone(&self.shared), link));
                AbortOnDropHandle::new(task)
            });
            *sessions = tasks.collect();
        }
    }

    async fn hand_over(&self, message: &Outbound) -> Handed {
        self.start();
        let shared = &*self.shared;
        if let Err(handed) = shared.bound().await {
            return handed;
        }
        shared.references.begin(message);
        let handed = match submit::pdus(message, shared.config.style) {
            Ok(pdus) => shared.submit_all(&pdus, &message.deadline).await,
            Err(handed) => handed,
        };
        shared.references.end(message, &handed);
        handed
    }

    async fn unbind(&self) {
        self.shared
            .state
            .send_modify(|binds| binds.is_closed = true);
        // Whatever is not done in time ends with the tasks.
        let sessions = std::mem::take(&mut *self.sessions.lock());
        if sessions.is_empty() || !self.shared.state.borrow().is_bound() {
            return;
        }
        let longest = self.shared.timing.response;
        // At most MAX_WINDOW.
        let window = u32::try_from(self.shared.config.window).unwrap_or(u32::MAX);
        let _all = timeout(longest, self.shared.window.acquire_many(window)).await;
        self.shared.ending.cancel();
        timeout(longest, join_all(sessions)).await.ok();
    }
}

impl Shared {
    /// Says how a connection stands; false: all are to end.
    fn set(&self, link: Link, state: BindState) -> bool {
        let mut is_open = true;
        self.state.send_if_modified(|binds| {
            is_open = !binds.is_closed;
            let place = link.place.filter(|_| is_open);
            let own = place.and_then(|place| binds.each.get_mut(place));
            own.map(|own| *own = state).is_some()
        });
        is_open
    }

    fn is_closed(&self) -> bool {
        self.state.borrow().is_closed
    }

    /// Waits for an attempt to bind that is under way, or follows a lost connection. An error says why parts cannot be queued.
    async fn bound(&self) -> Result<(), Handed> {
        let mut states = self.state.subscribe();
        let state = states
            .wait_for(|binds| binds.is_closed || !binds.is_connecting())
            .await;
        state.map_or_else(
            |_| Err(Handed::not_sent("smpp-closed")),
            |binds| binds.check(),
        )
    }

    /// The next part that is to be written.
    async fn next(&self) -> Option<Submission> {
        self.queued.lock().await.recv().await
    }

    /// Sends all parts. Those for which the centre had no time are tried again where it took others, for as long as an answer may
    /// take.
    async fn submit_all(&self, pdus: &[SubmitSm], begin_by: &Deadline) -> Handed {
        let mut parts: Vec<_> = pdus.iter().map(|_| PartOutcome::Unsent).collect();
        let end = Instant::now() + self.timing.response;
        loop {
            let failed = AtomicBool::new(false);
            let open = pdus.iter().zip(&mut parts);
            let open = open.filter(|(_, part)| part.is_open());
            let tries = open.map(async |(pdu, part)| {
                *part = self.submit(pdu.clone(), begin_by, &failed).await;
                failed.fetch_or(!matches!(part, PartOutcome::Accepted(_)), Ordering::Relaxed);
            });
            join_all(tries).await;
            let is_over = Instant::now() >= end || begin_by.is_over() || self.is_closed();
            if is_over || !submit::is_torn(&parts) {
                return submit::handed(parts);
            }
            sleep(self.timing.retry.0).await;
        }
    }

    /// Sends a part when the window has a place, unless another part has `failed` by then, or `begin_by` is over.
    async fn submit(&self, pdu: SubmitSm, begin_by: &Deadline, failed: &AtomicBool) -> PartOutcome {
        let Ok(_place) = self.window.acquire().await else {
            return PartOutcome::Unsent;
        };
        if failed.load(Ordering::Relaxed) || self.is_closed() {
            return PartOutcome::Unsent;
        }
        let (begun, mut start) = oneshot::channel();
        let (answer, answered) = oneshot::channel();
        let submission = Submission {
            pdu,
            begin_by: begin_by.clone(),
            begun,
            answer,
        };
        let started =
            async { self.queue.send(submission).await.is_ok() && (&mut start).await.is_ok() };
        match timeout(self.timing.response, started).await {
            Ok(true) => {}
            Ok(false) => return PartOutcome::Unsent,
            Err(_) => {
                // From here on it can no longer be begun, but it may have been.
                start.close();
                if start.try_recv().is_err() {
                    return PartOutcome::Unsent;
                }
            }
        }
        match timeout(self.timing.response, answered).await {
            Ok(Ok(part)) => part,
            Ok(Err(_)) => PartOutcome::Lost("smpp-lost"),
            Err(_) => PartOutcome::Lost("smpp-timeout"),
        }
    }
}

impl Provider for Smpp {
    fn reports_by_id(&self) -> bool {
        true
    }

    fn send<'a>(&'a self, message: &'a Outbound) -> BoxFuture<'a, Handed> {
        Box::pin(self.hand_over(message))
    }

    fn probe(&self) -> BoxFuture<'_, Option<Handed>> {
        self.start();
        let binds = self.shared.state.borrow();
        let known = (!binds.is_connecting()).then(|| match binds.check() {
            Ok(()) => Handed::Accepted {
                provider_ids: Vec::new(),
            },
            Err(handed) => handed,
        });
        Box::pin(std::future::ready(known))
    }

    /// It tells what it knows.
    fn probe_every(&self) -> Duration {
        Duration::from_secs(1)
    }

    fn event(&self) -> BoxFuture<'_, Event> {
        Box::pin(async {
            self.start();
            let event = self.events.lock().await.recv().await;
            match event {
                Some(event) => event,
                None => std::future::pending().await,
            }
        })
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.unbind())
    }
}
