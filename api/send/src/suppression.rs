//! The routes of whom an account may not send to.

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use domain::members::texts;
use utoipa::ToSchema;

use crate::operations;
use crate::schema;
use crate::state::{FEW, SendState};
use api_http::{Caller, List, Page, Problem, Result};

/// A phone.
#[expect(dead_code, reason = "only its schema is used")]
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PhoneRequest {
    #[schema(pattern = "^\\+[1-9][0-9]{6,14}$", example = "+491701234567")]
    phone: String,
}

/// List the phones that get no messages, newest first.
#[utoipa::path(
    get,
    path = "/api_v1/sms/suppression",
    params(List),
    responses((status = 200, description = "A page of phones", body = Page<schema::Suppressed>)),
)]
pub async fn list_suppressed(
    State(state): State<SendState>,
    caller: Caller,
    list: List,
) -> Result<Response> {
    let suppressed = operations::list_suppressed(&state, &caller, list.position()?, list.limit);
    let suppressed = suppressed.await?;
    let items = suppressed.rows.into_iter();
    let items = items.map(|row| ((row.since, row.phone_mac.clone()), row));
    list.answer(items, suppressed.next)
}

/// Put a phone on the list.
///
/// From the answer on the account sends nothing to it.
#[utoipa::path(
    put,
    path = "/api_v1/sms/suppression",
    request_body = PhoneRequest,
    responses((status = 204, description = "It is on the list, now or before")),
)]
pub async fn suppress(
    State(state): State<SendState>,
    caller: Caller,
    request: Request,
) -> Result<StatusCode> {
    let phone = phone_of(&caller, request).await?;
    operations::suppress(&state, &caller, &phone).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Take a phone off the list.
#[utoipa::path(
    delete,
    path = "/api_v1/sms/suppression",
    request_body = PhoneRequest,
    responses((status = 204, description = "It is not on the list")),
)]
pub async fn unsuppress(
    State(state): State<SendState>,
    caller: Caller,
    request: Request,
) -> Result<StatusCode> {
    let phone = phone_of(&caller, request).await?;
    operations::unsuppress(&state, &caller, &phone).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The phone that a body names, and nothing else.
async fn phone_of(caller: &Caller, request: Request) -> Result<String> {
    let body = caller.json(request, FEW).await?;
    let [phone] = texts(body, ["phone"]).map_err(Problem::invalid)?;
    Ok(phone)
}
