//! The routes of accepted batches: what became of them, their record errors, cancelling them, retrying what was parked.

use axum::Json;
use axum::http::HeaderMap;
use axum::response::Response;

use crate::operations::{self, BatchBody, find_batch};
use crate::{SCOPE, schema};
use api_http::accept::Kind;
use api_http::deadline::soon;
use api_http::{Caller, List, Page, PathId, Result, lines};

/// Members of record errors as CSV.
const COLUMNS: &str = "index,docid,pointer,code,detail";

/// List batches, newest first.
#[utoipa::path(
    get,
    path = "/api_v1/sms/import",
    params(List),
    responses((status = 200, description = "A page of batches", body = Page<BatchBody>)),
)]
pub async fn list_batches(caller: Caller, list: List) -> Result<Response> {
    let batches = operations::list_batches(&caller, list.position()?, list.limit).await?;
    let items = batches.rows.into_iter();
    let items = items.map(|body| (body.batch.batch_id, body));
    list.answer(items, batches.next)
}

/// Read a batch.
#[utoipa::path(
    get,
    path = "/api_v1/sms/import/{batch_id}",
    params(("batch_id" = Uuid, Path)),
    responses((status = 200, description = "The batch", body = BatchBody)),
)]
pub async fn read_batch(caller: Caller, PathId(batch_id): PathId) -> Result<Json<BatchBody>> {
    operations::read_batch(&caller, batch_id).await.map(Json)
}

/// Cancel what is not stored yet.
///
/// The counts are final from this answer on. Cancelling a cancelled batch changes nothing.
#[utoipa::path(
    post,
    path = "/api_v1/sms/import/{batch_id}/cancel",
    params(("batch_id" = Uuid, Path)),
    responses(
        (status = 200, description = "The batch as it stays", body = BatchBody),
        (status = 409, description = "`batch_finished`: it is completed"),
    ),
)]
pub async fn cancel_batch(caller: Caller, PathId(batch_id): PathId) -> Result<Json<BatchBody>> {
    operations::cancel_batch(&caller, batch_id).await.map(Json)
}

/// Try parked records again.
#[utoipa::path(
    post,
    path = "/api_v1/sms/import/{batch_id}/retry",
    params(("batch_id" = Uuid, Path)),
    responses(
        (status = 200, description = "The batch with its parked records pending again", body = BatchBody),
        (status = 409, description = "`batch_finished`: nothing is parked"),
    ),
)]
pub async fn retry_batch(caller: Caller, PathId(batch_id): PathId) -> Result<Json<BatchBody>> {
    operations::retry_batch(&caller, batch_id).await.map(Json)
}

/// List a batch's record errors.
///
/// In the order of the records. `Accept: text/csv` gives all of them at once, without `limit` and `cursor`.
#[utoipa::path(
    get,
    path = "/api_v1/sms/import/{batch_id}/errors",
    params(("batch_id" = Uuid, Path), List),
    responses(
        (status = 200, description = "A page of record errors, or all of them as CSV",
            content((Page<schema::RecordError> = "application/json"), (String = "text/csv"))),
    ),
)]
pub async fn list_errors(
    caller: Caller,
    PathId(batch_id): PathId,
    list: Result<List>,
    headers: HeaderMap,
) -> Result<Response> {
    let (store, account_id) = (caller.app.store.clone(), caller.account_id());
    let read = move |from: Option<i64>, (limit, _)| {
        let (store, mut at) = (store.clone(), from.unwrap_or_default());
        async move {
            let errors = store.errors(account_id, batch_id, at, limit).await?;
            Ok(errors.map(|error| {
                at += 1;
                (at, error)
            }))
        }
    };
    let answer = async {
        find_batch(&caller, batch_id).await?;
        lines::answer(&caller.app, &headers, &[Kind::Csv], &list?, COLUMNS, read).await
    };
    caller.read(SCOPE, soon(answer)).await
}
