//! The routes of an account's branding: the name, logo, colour and language of the pages behind its links.

use axum::Json;
use axum::extract::Request;
use domain::branding::Branding;
use serde_json::Value;

use crate::{operations, schema};
use api_http::body::Limit;
use api_http::{Caller, Result};

/// A logo in base64, and the rest.
const BODY: Limit = Limit {
    bytes: 160 << 10,
    values: 10,
};

/// Read how the pages behind your links look.
#[utoipa::path(
    get,
    path = "/api_v1/account",
    responses((status = 200, description = "What is `null` is as the service has it", body = schema::Branding)),
)]
pub async fn read_branding(caller: Caller) -> Result<Json<Branding>> {
    Ok(Json(operations::read_branding(&caller).await?))
}

/// Set how the pages behind your links look.
///
/// All of it: what is left out or `null` is as the service has it.
#[utoipa::path(
    put,
    path = "/api_v1/account",
    request_body = schema::Branding,
    responses((status = 200, description = "It is set", body = schema::Branding)),
)]
pub async fn set_branding(caller: Caller, request: Request) -> Result<Json<Branding>> {
    let body = Value::Object(caller.json(request, BODY).await?);
    let branding = operations::parse_branding(&body);
    let branding = operations::set_branding(&caller, branding).await?;
    Ok(Json(branding))
}
