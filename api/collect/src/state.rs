//! The state that the public routes share, made for peaks: a million links are sent, and thousands of people open theirs at
//! once.

use std::sync::Arc;

use axum::extract::FromRef;
use store::collect::{NewAnswer, NewView, Recorded};
use store::form::FormKey;
use store::{Error, Store};

use crate::links::Links;
use api_http::commit::{Committer, Group};
use api_http::memory::MemoryPool;
use api_http::{AppState, body};

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

pub struct Answers;
pub struct Views;

impl Group for Answers {
    type Item = NewAnswer;
    type Outcome = Recorded;
    const NAME: &'static str = "answers";

    fn size(item: &NewAnswer) -> usize {
        item.size()
    }

    async fn commit(
        store: &Store,
        items: &[NewAnswer],
    ) -> Result<(Vec<Recorded>, Vec<FormKey>), Error> {
        let recorded = store.record_answers(items).await?;
        let new = |recorded: &Recorded| matches!(recorded, Recorded::Stored(_));
        let counted = items.iter().zip(&recorded).filter(|(_, told)| new(told));
        let forms = counted.map(|(item, _)| item.form()).collect();
        Ok((recorded, forms))
    }
}

impl Group for Views {
    type Item = NewView;
    type Outcome = ();
    const NAME: &'static str = "views";

    fn size(_: &NewView) -> usize {
        size_of::<NewView>()
    }

    async fn commit(store: &Store, items: &[NewView]) -> Result<(Vec<()>, Vec<FormKey>), Error> {
        let new = store.record_views(items).await?;
        metrics::counter!("feedback_views_total").increment(new);
        let forms = if new > 0 { items } else { &[] };
        let forms = forms.iter().map(NewView::form).collect();
        Ok((vec![(); items.len()], forms))
    }
}
