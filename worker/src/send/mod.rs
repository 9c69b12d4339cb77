//! Sending: the jobs that plan messages, hand them over, and count them.
//!
//! - [`driver`]: one loop a sender (`driven_sender`), in one process at a time; `renewal`: its lease; `hand_over`: a message on its way to the provider;
//!   `handed_over`: those that the process handed over lately.
//! - `pace`: the rate of a sender, and its pauses. `fair`: whose messages are next.
//! - `spans`: the traces that messages are of.
//! - `events`: receipts and texts from providers that need no hook; `unrecorded`: what receipts wait for. `replies`: what texts are answered. [`plan`]: audiences, tallies, ends of campaigns.

mod driven_sender;
pub mod driver;
mod events;
mod fair;
mod hand_over;
mod handed_over;
mod pace;
pub mod plan;
mod renewal;
mod replies;
mod spans;
mod unrecorded;

use std::sync::Arc;

use domain::sms::SenderState;
use platform::backends::Backends;
use platform::config::Config;
use platform::health::{Check, Heartbeat};
use store::Store;
use store::send::state::ReceiptNote;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use uuid::Uuid;

use self::driven_sender::DrivenSender;
use self::handed_over::HandedOver;
use self::plan::PlanningJob;

/// The jobs of sending, not yet running.
pub(crate) struct SendingJob {
    planning: PlanningJob,
    loops: Vec<Arc<DrivenSender>>,
}

impl SendingJob {
    /// `None`: there is no pepper, so nothing is sent.
    pub(crate) fn new(config: &Config, backends: &Backends) -> Option<Self> {
        let pepper = backends.pepper.clone()?;
        let store = backends.store.clone();
        let public_url = config.public_url.as_str().trim_end_matches('/');
        let handed_over = Arc::<HandedOver>::default();
        let loops = config.senders.iter().map(|setting| {
            let status = pepper.hook_path(&setting.name, "status");
            Arc::new(DrivenSender {
                store: store.clone(),
                link_prefix: format!("{public_url}/f/"),
                heartbeat: Heartbeat::default(),
                received: ReceiptNote::default(),
                handed_over: Arc::clone(&handed_over),
                setting: setting.clone(),
                pepper: Arc::clone(&pepper),
                status_url: format!("{public_url}{status}"),
            })
        });
        Some(Self {
            loops: loops.collect(),
            planning: PlanningJob {
                store,
                pepper,
                heartbeat: Heartbeat::default(),
            },
        })
    }

    /// The names of the senders.
    pub(crate) fn senders(&self) -> impl Iterator<Item = String> {
        let senders = self.loops.iter();
        senders.map(|sender| sender.setting.name.clone())
    }

    pub(crate) fn heartbeats(&self) -> Vec<(&'static str, Heartbeat)> {
        let senders = self.loops.iter();
        let senders = senders.map(|sender| ("worker sender", sender.heartbeat.clone()));
        senders
            .chain([("worker campaigns", self.planning.heartbeat.clone())])
            .collect()
    }

    /// Whether no sender is in error. Not required for readiness, because other senders go on.
    pub(crate) fn check(&self) -> Check {
        let names: Arc<[String]> = self.senders().collect();
        let run = async |(store, names): (Store, Arc<[String]>)| {
            let senders = store.senders().await;
            let mut senders = senders.map_err(|error| error.to_string())?;
            senders.retain(|sender| {
                sender.state == SenderState::Error && names.contains(&sender.name)
            });
            let reasons = senders
                .into_iter()
                .map(|sender| format!("{} {}", sender.name, sender.reason.unwrap_or_default()));
            let reasons: Vec<String> = reasons.collect();
            reasons
                .is_empty()
                .then_some(())
                .ok_or_else(|| reasons.join(", "))
        };
        Check::new("worker senders", (self.planning.store.clone(), names), run).optional()
    }

    pub(crate) fn spawn(self, tasks: &TaskTracker, worker_id: Uuid, shutdown: &CancellationToken) {
        for sender in self.loops {
            tasks.spawn(sender.run(worker_id, shutdown.clone()));
        }
        tasks.spawn(self.planning.run(shutdown.clone()));
    }
}
