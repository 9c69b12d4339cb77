//! Receipts on their way into the store.

use api_http::AppState;
use api_http::Result;
use api_http::commit::Group;
use store::send::receipt::NewReceipt;

/// Receipts share commits with those that arrive meanwhile.
pub struct Receipts;

impl Group for Receipts {
    type Item = NewReceipt;
    type Outcome = ();
    const NAME: &'static str = "receipts";

    async fn commit(app: &AppState, items: &[NewReceipt]) -> Result<Vec<()>, store::Error> {
        app.store.record_receipts(items).await?;
        Ok(vec![(); items.len()])
    }
}
