//! The route of who carries messages, and how they are.

use axum::Json;
use axum::extract::State;
use sender::setting::Setting;
use serde::Serialize;
use store::send::state::SenderState;
use utoipa::ToSchema;
use utoipa::openapi::{RefOr, Schema};

use crate::operations;
use crate::state::SendState;
use api_http::schema::{pattern, written};
use api_http::{Caller, Page, Result};

/// A sender that the account may use.
#[derive(Serialize, ToSchema)]
#[schema(as = Sender)]
pub struct SenderItem {
    #[schema(example = "demo")]
    pub name: String,
    #[schema(schema_with = kind)]
    kind: &'static str,
    /// A phone, a short code or a name; null where the provider decides.
    #[schema(required = true)]
    from: Option<String>,
    /// Parts a second.
    rate: u32,
    #[schema(example = "ok", pattern = "^(ok|paused|error)$")]
    state: String,
    /// Why it is not `ok`.
    #[schema(required = true)]
    reason: Option<String>,
    /// Messages of the account that are scheduled through it.
    waiting: i64,
}

impl SenderItem {
    pub(crate) fn new(sender: &Setting, known: Option<&SenderState>, waiting: i64) -> Self {
        Self {
            name: sender.name.clone(),
            kind: sender.kind.name,
            from: sender.from.clone(),
            rate: sender.rate.get(),
            state: known.map_or("ok", |known| &known.state).to_owned(),
            reason: known.and_then(|known| known.reason.clone()),
            waiting,
        }
    }
}

fn kind() -> RefOr<Schema> {
    let names: Vec<_> = sender::KINDS.iter().map(|kind| kind.name).collect();
    written(&pattern(&format!("^({})$", names.join("|"))))
}

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
