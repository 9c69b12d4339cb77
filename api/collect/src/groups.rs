//! Views and answers share commits with those that arrive meanwhile.

use api_http::commit::Group;
use store::collect::{NewAnswer, NewView, Recorded};
use store::form::FormKey;
use store::{Error, Store};

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
