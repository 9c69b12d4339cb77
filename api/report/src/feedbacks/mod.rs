//! Lists of feedbacks: a page in JSON, or all of them as lines.
//!
//! - `answer`: stored answers, read and borrowed; `item`: a feedback in JSON.
//! - `page`: one page, read in one snapshot. `stream`: everything, in bounded memory; `lines`: as CSV or NDJSON.

mod answer;
pub mod item;
mod lines;
mod page;
mod stream;

use std::sync::LazyLock;

use axum::extract::{MatchedPath, State};
use axum::http::HeaderMap;
use axum::http::header::{ACCEPT, VARY};
use axum::response::{IntoResponse, Response};
use platform::places::Places;
use store::form::FormKey;
use store::report::FeedbackQuery;

use self::lines::Lines;
use self::page::PageBody;
use crate::ReportState;
use crate::request::{Conditional, FormPath, FormReportRequest, no_bus_prop};
use api_http::accept::{Kind, negotiate};
use api_http::deadline::soon;
use api_http::list::TrackFieldQuery;
use api_http::{List, ListQuery, Problem, Result};

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
    params(FormPath, TrackFieldQuery, ListQuery, Conditional),
    responses(
        (status = 200, description = PAGE_OR_ALL,
            content((PageBody = "application/json"), (String = "text/csv"), (String = "application/x-ndjson")),
            headers(
                ("ETag" = String, description = "Of a page: the same for the same bytes"),
                ("Cache-Status" = String, description = "RFC 9211: always read from the database"),
                ("Vary" = String, description = "`Accept`"),
            )),
    ),
)]
pub async fn list_feedbacks(
    State(state): State<ReportState>,
    request: Result<FormReportRequest>,
    page: Result<ListQuery>,
    narrowed: Result<TrackFieldQuery>,
    path: MatchedPath,
    headers: HeaderMap,
) -> Response {
    let comments_only = path.as_str().starts_with(COMMENTS);
    let answer = soon(find(
        &state,
        request,
        (page, narrowed),
        &headers,
        comments_only,
    ))
    .await;
    ([(VARY, ACCEPT.as_str())], answer).into_response()
}

/// Lists that this process reads at once, of its connections: whoever stores answers needs some, too.
static READS: LazyLock<Places> = LazyLock::new(|| Places::new(8));

/// The page that a list is requested, and how it is narrowed. What is wrong with them comes after a 404.
type Query = (Result<ListQuery>, Result<TrackFieldQuery>);

async fn find(
    state: &ReportState,
    request: Result<FormReportRequest>,
    (page, narrowed): Query,
    headers: &HeaderMap,
    comments_only: bool,
) -> Result<Response> {
    let request = request?;
    let FormKey {
        account_id,
        form_id,
    } = request.form;
    let form = state.app.store.form(account_id, form_id).await?;
    let form = form.ok_or_else(Problem::not_found)?.content;
    let (page, narrowed) = (page?, narrowed?);
    let bus_prop = request.bus_prop().map(|text| form.bus_prop_by_text(text));
    let bus_prop = bus_prop.map(|entry| entry.ok_or_else(no_bus_prop));
    let query = FeedbackQuery {
        form: request.form,
        range: request.range,
        time_zone: request.time_zone,
        bus_prop_id: bus_prop.transpose()?.map(|entry| entry.id),
        comments_only,
        track_fields: narrowed.track_field.clone(),
    };
    let lines = match negotiate(headers, &[Kind::Csv, Kind::Ndjson]) {
        Kind::Json => {
            let path = request.path(if comments_only { COMMENTS } else { FEEDBACKS });
            let list = List::new(account_id, narrowed.uri(&path));
            return page::page(state, &request, (&list, &page), (&form, &query), headers).await;
        }
        Kind::Csv => Lines::Csv,
        Kind::Ndjson => Lines::Ndjson,
    };
    if page.given {
        return Err(Problem::invalid_parameter(
            "a stream is the whole list: it has neither limit nor cursor",
        ));
    }
    stream::whole(state, query, lines).await
}
