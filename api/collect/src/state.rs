//! The state that the public routes share, made for peaks: a million links are sent, and thousands of people open theirs at
//! once.

use std::sync::Arc;

use store::Error;
use store::collect::{NewAnswer, NewView, Recorded};

use crate::address_answers::AddressAnswers;
use crate::links::Links;
use api_http::AppState;
use api_http::commit::{Committer, Group};
use api_http::memory::MemoryPool;

/// The state of the public routes, once a process. Cheap to clone.
#[derive(Clone)]
pub struct CollectState {
    pub app: AppState,
    pub links: Arc<Links>,
    pub answers: Arc<Committer<AnswerGroup>>,
    pub views: Arc<Committer<ViewGroup>>,
    pub address_answers: Arc<AddressAnswers>,
    pub address_views: Arc<AddressAnswers>,
    /// The memory for bodies that people send and for large pages. Programs with keys have a pool of their own.
    pub memory: MemoryPool,
}

impl CollectState {
    /// Starts the tasks that commit; they end with the process.
    pub fn start(app: &AppState) -> Self {
        let memory = MemoryPool::new(app.parts.public_bodies);
        Self {
            app: app.clone(),
            links: Arc::new(Links::new(&app.parts, memory.clone())),
            answers: Arc::new(Committer::start(app, app.parts.answers)),
            views: Arc::new(Committer::start(app, app.parts.views)),
            address_answers: Arc::new(AddressAnswers::new(app)),
            address_views: Arc::new(AddressAnswers::of_views(app)),
            memory,
        }
    }
}

pub struct AnswerGroup;
pub struct ViewGroup;

impl Group for AnswerGroup {
    type Item = NewAnswer;
    type Outcome = Recorded;
    const NAME: &'static str = "answers";

    async fn commit(app: &AppState, items: &[NewAnswer]) -> Result<Vec<Recorded>, Error> {
        let recorded = app.store.record_answers(items).await?;
        let new = |recorded: &Recorded| matches!(recorded, Recorded::Stored(_));
        let counted = items.iter().zip(&recorded).filter(|(_, told)| new(told));
        app.notifier
            .forms_changed(counted.map(|(item, _)| item.form()));
        Ok(recorded)
    }
}

impl Group for ViewGroup {
    type Item = NewView;
    type Outcome = ();
    const NAME: &'static str = "views";

    async fn commit(app: &AppState, items: &[NewView]) -> Result<Vec<()>, Error> {
        let new = app.store.record_views(items).await?;
        metrics::counter!("feedback_views_total").increment(new);
        if new > 0 {
            app.notifier.forms_changed(items.iter().map(NewView::form));
        }
        Ok(vec![(); items.len()])
    }
}
