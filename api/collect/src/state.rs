//! The state that the public routes share, made for peaks: a million links are sent, and thousands of people open theirs at
//! once.

use std::sync::Arc;

use api_http::commit::Committer;
use api_http::memory::MemoryPool;
use api_http::{AppState, body};
use axum::extract::FromRef;

use crate::groups::{Answers, Views};
use crate::links::Links;

/// The state of the public routes, once a process. Cheap to clone.
#[derive(Clone)]
pub struct CollectState {
    pub app: AppState,
    pub links: Arc<Links>,
    pub answers: Arc<Committer<Answers>>,
    pub views: Arc<Committer<Views>>,
    /// The memory for bodies that people send; programs with keys have another.
    pub memory: MemoryPool,
}

impl CollectState {
    /// Starts the tasks that commit; they end with the process.
    pub fn start(app: &AppState) -> Self {
        Self {
            app: app.clone(),
            links: Arc::new(Links::new()),
            answers: Arc::new(Committer::start(&app.store, &app.notifier)),
            views: Arc::new(Committer::start(&app.store, &app.notifier)),
            memory: MemoryPool::new(body::POOL),
        }
    }
}

impl FromRef<CollectState> for AppState {
    fn from_ref(state: &CollectState) -> Self {
        state.app.clone()
    }
}
