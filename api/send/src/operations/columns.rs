//! The columns of recipients that a campaign can use.

use api_http::deadline::soon;
use api_http::{Caller, Result};

use crate::SCOPE;

/// The names of columns that the account's recipients have; of many recipients some are looked at.
///
/// # Errors
/// 503.
pub async fn list_columns(caller: &Caller) -> Result<Vec<String>> {
    let columns = caller.app.store.recipient_columns(caller.account_id());
    caller.read(SCOPE, soon(async { Ok(columns.await?) })).await
}
