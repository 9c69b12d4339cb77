//! Sending: the jobs that plan messages, hand them over, and count them.
//!
//! - [`driver`]: one loop a sender, in one process at a time; `hand_over`: a message on its way to the provider.
//! - `pace`: the rate of a sender, and its pauses. `fair`: whose messages are next.
//! - `events`: receipts and texts from providers that need no hook. [`plan`]: audiences, tallies, ends of campaigns.

pub mod driver;
mod events;
mod fair;
mod hand_over;
mod pace;
pub mod plan;

use std::sync::Arc;

use domain::pepper::Pepper;
use platform::config::Config;
use platform::health::Heartbeat;
use sender::setting::Setting;
use store::Store;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use uuid::Uuid;

use self::driver::SenderLoop;

/// What sending needs of the settings.
#[derive(Clone)]
pub struct Sending {
    pub senders: Arc<[Setting]>,
    /// Without it nothing is sent.
    pub pepper: Option<Arc<Pepper>>,
    /// What links and hooks begin with, without a slash at the end.
    pub public_url: Arc<str>,
}

impl Sending {
    pub fn new(config: &Config, pepper: Option<Arc<Pepper>>) -> Self {
        let public_url = config.public_url.as_str().trim_end_matches('/');
        Self {
            senders: Arc::clone(&config.senders),
            pepper,
            public_url: public_url.into(),
        }
    }
}

/// The jobs of sending, not yet running.
pub(crate) struct SendingJob {
    store: Store,
    pepper: Arc<Pepper>,
    planning: Heartbeat,
    loops: Vec<SenderLoop>,
}

impl SendingJob {
    /// `None`: there is no pepper, so nothing is sent.
    ///
    /// # Errors
    /// There is no TLS for senders.
    pub(crate) fn new(sending: Sending, store: &Store) -> Result<Option<Self>, rustls::Error> {
        let Some(pepper) = sending.pepper else {
            return Ok(None);
        };
        let tls = sender::tls_config()?;
        let loops = sending.senders.iter().map(|setting| {
            let countries = setting.countries.as_ref();
            SenderLoop {
                store: store.clone(),
                countries: countries
                    .map(|names| names.iter().filter_map(|name| name.parse().ok()).collect()),
                link_prefix: format!("{}/f/", sending.public_url),
                heartbeat: Heartbeat::default(),
                setting: setting.clone(),
                tls: Arc::clone(&tls),
                pepper: Arc::clone(&pepper),
                public_url: Arc::clone(&sending.public_url),
            }
        });
        Ok(Some(Self {
            store: store.clone(),
            loops: loops.collect(),
            planning: Heartbeat::default(),
            pepper,
        }))
    }

    pub(crate) fn heartbeats(&self) -> Vec<(&'static str, Heartbeat)> {
        let senders = self.loops.iter();
        let senders = senders.map(|sender| ("worker sender", sender.heartbeat.clone()));
        senders
            .chain([("worker campaigns", self.planning.clone())])
            .collect()
    }

    pub(crate) fn spawn(self, tasks: &TaskTracker, worker_id: Uuid, shutdown: &CancellationToken) {
        for sender in self.loops {
            tasks.spawn(sender.run(worker_id, shutdown.clone()));
        }
        tasks.spawn(plan::run(
            self.store,
            self.pepper,
            self.planning,
            shutdown.clone(),
        ));
    }
}
