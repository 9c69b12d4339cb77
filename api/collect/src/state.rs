//! The state that the public routes share, made for peaks: a million links are sent, and thousands of people open theirs at
//! once.

use std::sync::Arc;
use std::time::Duration;

use api_http::AppState;
use api_http::body;
use api_http::memory::MemoryPool;
use api_http::rate::Rate;
use axum::extract::FromRef;
use platform::config::Config;
use uuid::Uuid;

use crate::commit::{Answers, Committer, Views};
use crate::links::Links;

/// How often links that nobody asks for any more are forgotten.
const MAINTENANCE: Duration = Duration::from_secs(5);

/// The state of the public routes, once a process. Cheap to clone.
#[derive(Clone)]
pub struct CollectState {
    pub app: AppState,
    pub links: Arc<Links>,
    pub answers: Arc<Committer<Answers>>,
    pub views: Arc<Committer<Views>>,
    /// The memory for bodies that people send; programs with keys have another.
    pub memory: MemoryPool,
    /// Public requests of each link.
    pub link_rate: Arc<Rate<Uuid>>,
}

impl CollectState {
    /// Starts the tasks that commit; they end with the process.
    pub fn start(app: &AppState, config: &Config) -> Self {
        let state = Self {
            app: app.clone(),
            links: Arc::new(Links::new()),
            answers: Arc::new(Committer::start(app.store(), app.notifier())),
            views: Arc::new(Committer::start(app.store(), app.notifier())),
            memory: body::memory(),
            link_rate: Arc::new(Rate::new(config.link_rate, "this link may be asked for")),
        };
        tokio::spawn(state.clone().run_maintenance());
        state
    }

    async fn run_maintenance(self) {
        let mut tick = tokio::time::interval(MAINTENANCE);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let shutdown = self.app.shutdown();
        while shutdown.run_until_cancelled(tick.tick()).await.is_some() {
            self.link_rate.forget_idle();
        }
    }
}

impl FromRef<CollectState> for AppState {
    fn from_ref(state: &CollectState) -> Self {
        state.app.clone()
    }
}
