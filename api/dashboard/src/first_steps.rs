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

impl FirstStep {
    /// Whether the list waits for it. Providers are not connected here, and a trial needs none.
    pub fn is_counted(&self) -> bool {
        self.is_done || self.key != SENDER
    }
}

const SENDER: &str = "sender";

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
        (SENDER, "", f.reaches_phones),
        ("campaign", "/dashboard/campaigns", progress.has_campaign),
        ("answer", "", progress.has_answer),
    ];
    let steps = steps.map(|(key, path, is_done)| FirstStep { key, path, is_done });
    if steps.iter().all(|step| step.is_done || !step.is_counted()) {
        return Ok(Vec::new());
    }
    Ok(steps.into())
}
