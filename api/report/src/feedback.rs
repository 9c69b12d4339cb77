//! One feedback, erased.

use axum::extract::State;
use axum::http::StatusCode;
use store::form::FormKey;

use api_http::{AppState, Caller, PathId, Problem, Result};

/// Erase a feedback.
///
/// It leaves every report within a second. Its visit stays: a repeat of it is still answered, and counts nothing.
#[utoipa::path(
    delete,
    path = "/api_v1/feedback/{feedback_id}",
    params(("feedback_id" = Uuid, Path)),
    responses(
        (status = 204, description = "Erased"),
        (status = 404, description = "`not_found`, also once it is erased"),
    ),
)]
pub async fn erase_feedback(
    State(state): State<AppState>,
    caller: Caller,
    PathId(feedback_id): PathId,
) -> Result<StatusCode> {
    let account_id = caller.account_id();
    let form_id = state.store.erase_feedback(account_id, feedback_id);
    let form_id = form_id.await?.ok_or_else(Problem::not_found)?;
    let form = FormKey::new(account_id, form_id);
    state.notifier.forms_changed([form]);
    Ok(StatusCode::NO_CONTENT)
}
