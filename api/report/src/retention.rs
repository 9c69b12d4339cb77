//! The routes of how long an account keeps what it collected.

use axum::Json;
use axum::extract::Request;
use domain::retention::Retention;
use serde_json::Value;
use store::retention::{StoredRetention, WouldGo};

use crate::operations;
use crate::schema;
use api_http::body::Limit;
use api_http::{Caller, Problem, Result};

/// Four numbers.
const BODY: Limit = Limit {
    bytes: 4 << 10,
    values: 10,
};

/// Read how long answers, visits, messages and the audit log are kept.
#[utoipa::path(
    get,
    path = "/api_v1/account/retention",
    responses((status = 200, description = "The retention, and up to which days what was counted stands alone", body = schema::StoredRetention)),
)]
pub async fn read_retention(caller: Caller) -> Result<Json<StoredRetention>> {
    operations::read_retention(&caller).await.map(Json)
}

/// Set how long answers, visits, messages and the audit log are kept.
///
/// All of it: what is left out or `null` is kept for ever. Fewer days than before hold 24 hours later (`holds_from`), and can be taken back until
/// then. From then on older days are sealed: what was counted of them stays in every report, and what is stored of them is deleted for good. A
/// longer retention brings nothing back.
#[utoipa::path(
    put,
    path = "/api_v1/account/retention",
    request_body = schema::Retention,
    responses(
        (status = 200, description = "It is set", body = schema::StoredRetention),
        (status = 409, description = "`upgrade_unfinished`: programs of an older release would count anew what is deleted"),
    ),
)]
pub async fn set_retention(caller: Caller, request: Request) -> Result<Json<StoredRetention>> {
    let retention = parse(&caller, request).await?;
    operations::set_retention(&caller, &retention)
        .await
        .map(Json)
}

/// Count what a retention would delete once it holds; nothing is changed.
#[utoipa::path(
    post,
    path = "/api_v1/account/retention/preview",
    request_body = schema::Retention,
    responses((status = 200, description = "How much would go", body = schema::WouldGo)),
)]
pub async fn preview_retention(caller: Caller, request: Request) -> Result<Json<WouldGo>> {
    let retention = parse(&caller, request).await?;
    operations::preview_retention(&caller, &retention)
        .await
        .map(Json)
}

async fn parse(caller: &Caller, request: Request) -> Result<Retention> {
    let body = Value::Object(caller.json(request, BODY).await?);
    Retention::parse(&body).map_err(Problem::invalid)
}
