//! The list on the overview that ticks itself off: what leads from an empty account to its first answer.

use api_http::Result;

use crate::page::Frame;
use crate::state::DashboardState;
use uuid::Uuid;

/// A step of the list.
pub struct FirstStep {
    /// Of its text.
    pub key: &'static str,
    /// The page on which it is done; empty: on none.
    pub path: &'static str,
    pub is_done: bool,
}

/// The steps, for whoever can do them; none once all are done.
///
/// # Errors
/// 503.
pub async fn first_steps(
    state: &DashboardState,
    account_id: Uuid,
    f: &Frame,
) -> Result<Vec<FirstStep>> {
    if f.is_shared() || !f.may_edit() {
        return Ok(Vec::new());
    }
    let progress = state.app.store.progress(account_id).await?;
    let steps = [
        ("form", "/dashboard/forms", progress.has_form),
        ("people", "/dashboard/imports", progress.has_recipients),
        ("sender", "", f.reaches_phones),
        ("campaign", "/dashboard/campaigns", progress.has_campaign),
        ("answer", "", progress.has_answer),
    ];
    if steps.iter().all(|(_, _, is_done)| *is_done) {
        return Ok(Vec::new());
    }
    let step = |(key, path, is_done)| FirstStep { key, path, is_done };
    Ok(steps.map(step).into())
}
