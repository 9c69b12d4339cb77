//! One recipient: read, and erased for good.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use chrono::{DateTime, Utc};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

use api_http::AppState;
use api_http::auth::Caller;
use api_http::error::Problem;
use api_http::extract::DocIdPath;

/// A stored recipient.
#[derive(Serialize, ToSchema)]
pub struct RecipientBody {
    docid: String,
    #[schema(example = "+491701234567")]
    phone: String,
    /// Tracking fields.
    #[schema(value_type = std::collections::BTreeMap<String, String>)]
    fields: Value,
    /// The batch whose values stand.
    batch_id: Uuid,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
}

/// Read a recipient.
#[utoipa::path(
    get,
    path = "/api_v1/sms/recipient/{docid}",
    params(("docid" = String, Path, min_length = 1, max_length = 128,
        pattern = "^[^\\u0000-\\u001f\\u007f-\\u009f]+$", description = "At most 128 bytes in UTF-8")),
    responses(
        (status = 200, description = "The recipient", body = RecipientBody),
    ),
)]
pub async fn read_recipient(
    State(state): State<AppState>,
    caller: Caller,
    DocIdPath(docid): DocIdPath,
) -> Result<Json<RecipientBody>, Problem> {
    let (store, account_id) = (state.store(), caller.account_id());
    let recipient = store.recipient(account_id, docid.as_str()).await?;
    let recipient = recipient.ok_or_else(Problem::not_found)?;
    Ok(Json(RecipientBody {
        docid: recipient.docid,
        phone: recipient.phone,
        fields: recipient.fields,
        batch_id: recipient.batch_id,
        created_at: recipient.created_at,
        updated_at: recipient.updated_at,
    }))
}

/// Erase a person for good.
///
/// Known or not: records of batches accepted before are never stored. A later import may bring the person back.
#[utoipa::path(
    delete,
    path = "/api_v1/sms/recipient/{docid}",
    params(("docid" = String, Path, min_length = 1, max_length = 128,
        pattern = "^[^\\u0000-\\u001f\\u007f-\\u009f]+$", description = "At most 128 bytes in UTF-8")),
    responses(
        (status = 204, description = "Erased"),
        (status = 404, description = "`not_found`: no path"),
    ),
)]
pub async fn erase_recipient(
    State(state): State<AppState>,
    caller: Caller,
    DocIdPath(docid): DocIdPath,
) -> Result<StatusCode, Problem> {
    let (store, account_id) = (state.store(), caller.account_id());
    store.erase_recipient(account_id, docid.as_str()).await?;
    Ok(StatusCode::NO_CONTENT)
}
