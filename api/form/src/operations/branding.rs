//! An account's branding: read and set as a whole.

use api_http::{Caller, Change, Problem, QUICK, Result, within};
use axum::http::StatusCode;
use domain::branding::Branding;
use domain::changes::{Changes, Logged};
use domain::scope::Scope;
use serde_json::Value;

const SET: Change = Change::new(Scope::Form, "branding.set", StatusCode::OK);

/// Reads how the pages behind the account's links look.
///
/// # Errors
/// 503.
pub async fn read_branding(caller: &Caller) -> Result<Branding> {
    let branding = caller.app.store.branding(caller.account_id());
    let read = async { Ok(within(QUICK, branding).await?) };
    caller.read(Scope::Form, read).await
}

/// Branding as it is sent, in JSON.
///
/// # Errors
/// 422.
pub fn parse_branding(body: &Value) -> Result<Branding> {
    let languages: Vec<_> = api_language::codes().collect();
    Branding::parse(body, &languages).map_err(Problem::invalid)
}

/// Sets how the pages behind the account's links look: all of it.
///
/// # Errors
/// That of the branding; 503.
pub async fn set_branding(caller: &Caller, branding: Result<Branding>) -> Result<Branding> {
    let set = async {
        let (branding, account_id) = (branding?, caller.account_id());
        let store = &caller.app.store;
        let before = within(QUICK, store.set_branding(account_id, &branding)).await?;
        caller.app.recent_changes.record(account_id);
        let changes = Changes::between(&before.logged(), &branding.logged());
        Ok((branding, changes))
    };
    caller.change_content(SET, "", set).await
}
