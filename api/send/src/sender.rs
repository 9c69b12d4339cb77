//! The route of who carries messages, and how they are.

use axum::Json;
use axum::extract::State;

use crate::operations::{self, SenderItem};
use crate::state::SendState;
use api_http::{Caller, Page, Result};

/// List the senders that the account may use.
#[utoipa::path(
    get,
    path = "/api_v1/sms/sender",
    responses((status = 200, description = "All of them, in the order of the settings", body = Page<SenderItem>)),
)]
pub async fn list_senders(
    State(state): State<SendState>,
    caller: Caller,
) -> Result<Json<Page<SenderItem>>> {
    Ok(Json(Page {
        items: operations::list_senders(&state, &caller).await?,
        next_cursor: None,
    }))
}
