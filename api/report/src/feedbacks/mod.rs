//! Lists of feedbacks: a page in JSON, or all of them as lines. And erasing one.
//!
//! - `item`: a feedback in JSON.
//! - `page`: one page, read in one snapshot. `lines`: everything as CSV or NDJSON, in bounded memory.

pub mod item;
mod lines;
mod page;
#[cfg(test)]
mod tests;

use axum::extract::{MatchedPath, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use store::form::FormKey;
use store::report::FeedbackQuery;

use self::page::PageBody;
use crate::ReportState;
use crate::request::{Conditional, FormPath, FormReportRequest, no_bus_prop};
use api_http::accept::Kind;
use api_http::deadline::soon;
use api_http::lines::wanted;
use api_http::list::TrackFieldQuery;
use api_http::{Caller, List, PathId, Problem, Result};

/// Where the lists are: of all feedbacks, and of those with a comment.
pub const FEEDBACKS: &str = "/api_v1/report/feedbacks";
pub const COMMENTS: &str = "/api_v1/report/feedbacks/comment";

const PAGE_OR_ALL: &str = "A page of feedbacks, or all of them as lines. \
    CSV (RFC 4180): feedback_id, submitted_at, bus_props and track_fields (one JSON cell each), then a column a field key; \
    `choices` are one JSON cell. A text whose first character after any `'` is `=`, `+`, `-`, `@`, tab or CR has one `'` \
    before it, so that no spreadsheet runs it: to read such a cell take its first `'` away. \
    NDJSON: one of `items` a line. A stream that fails is cut without its last chunk.";

/// List feedbacks, newest first.
///
/// `Accept: text/csv` or `application/x-ndjson` gives all of them in one stream, without `limit` and `cursor`.
#[utoipa::path(
    get,
    path = "/api_v1/report/feedbacks/{start_date}/{end_date}/{form_id}",
    params(FormPath, TrackFieldQuery, List, Conditional),
    responses(
        (status = 200, description = PAGE_OR_ALL,
            content((PageBody = "application/json"), (String = "text/csv"), (String = "application/x-ndjson")),
            headers(
                ("ETag" = String, description = "Of a page: the same for the same bytes"),
                ("Cache-Status" = String, description = "RFC 9211: always read from the database"),
            )),
    ),
)]
pub async fn list_feedbacks(
    State(state): State<ReportState>,
    request: FormReportRequest,
    list: Result<List>,
    narrowed: Result<TrackFieldQuery>,
    path: MatchedPath,
    headers: HeaderMap,
) -> Result<Response> {
    let FormKey {
        account_id,
        form_id,
    } = request.form;
    let answer = async {
        let form = state.app.store.form(account_id, form_id).await?;
        let form = form.ok_or_else(Problem::not_found)?.content;
        // What is wrong with these comes after a 404.
        let (list, narrowed) = (list?, narrowed?);
        let bus_prop = request.bus_prop().map(|text| form.bus_prop_by_text(text));
        let bus_prop = bus_prop.map(|entry| entry.ok_or_else(no_bus_prop));
        let query = FeedbackQuery {
            form: request.form,
            range: request.range,
            time_zone: request.time_zone,
            bus_prop_id: bus_prop.transpose()?.map(|entry| entry.id),
            comments_only: path.as_str().starts_with(COMMENTS),
            track_fields: narrowed.track_field,
        };
        match wanted(&headers, &list, &[Kind::Csv, Kind::Ndjson])? {
            Kind::Json => page::page(&state, &request, &list, (&form, &query), &headers).await,
            kind => lines::whole(&state, query, kind).await,
        }
    };
    soon(Box::pin(answer)).await
}

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
pub async fn erase_feedback(caller: Caller, PathId(feedback_id): PathId) -> Result<StatusCode> {
    let account_id = caller.account_id();
    let form_id = caller.app.store.erase_feedback(account_id, feedback_id);
    let form_id = form_id.await?.ok_or_else(Problem::not_found)?;
    let form = FormKey::new(account_id, form_id);
    caller.app.notifier.forms_changed([form]);
    Ok(StatusCode::NO_CONTENT)
}
