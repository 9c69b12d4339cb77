//! The routes of accepted batches: what became of them, their record errors, cancelling them, retrying what was parked.

use api_language::of_request;
use axum::Json;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;

use crate::operations::{self, BatchBody, EXPORT_ERRORS, error_parts, find_batch};
use crate::sheets::error_sheet;
use crate::{SCOPE, schema};
use api_http::accept::{Kind, negotiate};
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

/// Erase the recipients that a batch created.
///
/// For good, as each of them would be, and in the background: `erased` counts them, `erasing` says that more follow. Records that are not
/// stored yet are cancelled. Who was changed by a batch accepted later stays, and so does who comes with one accepted after this
/// request.
#[utoipa::path(
    post,
    path = "/api_v1/sms/import/{batch_id}/erase",
    params(("batch_id" = Uuid, Path)),
    responses((status = 202, description = "The batch, whose recipients are being erased", body = BatchBody)),
)]
pub async fn erase_created(
    caller: Caller,
    PathId(batch_id): PathId,
) -> Result<(StatusCode, Json<BatchBody>)> {
    let batch = operations::erase_created(&caller, batch_id).await?;
    Ok((StatusCode::ACCEPTED, Json(batch)))
}

/// List a batch's record errors.
///
/// In the order of the records. `Accept: text/csv` or that of XLSX gives all of them at once, without `limit` and `cursor`. The
/// spreadsheet is for people: the row of the file, what stood there (digits of phones masked), what is wrong and what to do, in the
/// language of `Accept-Language`.
#[utoipa::path(
    get,
    path = "/api_v1/sms/import/{batch_id}/errors",
    params(("batch_id" = Uuid, Path), List),
    responses(
        (status = 200, description = "A page of record errors, or all of them as CSV or XLSX",
            content((Page<schema::RecordError> = "application/json"), (String = "text/csv"),
                (Vec<u8> = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"))),
    ),
)]
pub async fn list_errors(
    caller: Caller,
    PathId(batch_id): PathId,
    list: Result<List>,
    headers: HeaderMap,
) -> Result<Response> {
    let t = of_request(&headers);
    let kinds = [Kind::Csv, Kind::Xlsx];
    let kind = negotiate(&headers, &kinds);
    let answer = async {
        find_batch(&caller, batch_id).await?;
        let list = list?;
        if lines::wanted(&headers, &list, &kinds)? == Kind::Xlsx {
            return operations::error_spreadsheet(&caller, batch_id, t).await;
        }
        let read = error_parts(&caller, batch_id, |kept| kept.error);
        let sheet = || error_sheet(t, caller.time_zone());
        lines::answer(&caller.app, &headers, &kinds, &list, COLUMNS, sheet, read).await
    };
    caller
        .export((SCOPE, kind), EXPORT_ERRORS, &batch_id, answer)
        .await
}
