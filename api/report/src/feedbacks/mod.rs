//! Lists of feedbacks: a page in JSON, or all of them as lines.
//!
//! - `asked`: how a list is narrowed; `given`: stored answers, read and borrowed; `item`: a feedback in JSON.
//! - `page`: one page, read in one snapshot. `stream`: everything, in bounded memory; `lines`: as CSV or NDJSON.

mod asked;
mod given;
pub mod item;
mod lines;
mod page;
mod stream;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::{ACCEPT, VARY};
use axum::response::{IntoResponse, Response};
use store::form::FormKey;

use tokio::sync::{Semaphore, SemaphorePermit};

use self::asked::{Narrowed, TrackFieldQuery};
use self::lines::Lines;
use self::page::PageBody;
use crate::ReportState;
use crate::asked::{BusPropPath, Conditional, FormAsked, FormPath};
use crate::schema::ReportResponses;
use api_http::accept::{Kind, negotiate};
use api_http::error::Problem;
use api_http::list::ListQuery;

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
    path = "/feedbacks/{start_date}/{end_date}/{form_id}",
    tag = "report",
    params(FormPath, TrackFieldQuery, ListQuery, Conditional),
    responses(
        (status = 200, description = PAGE_OR_ALL,
            content((PageBody = "application/json"), (String = "text/csv"), (String = "application/x-ndjson")),
            headers(
                ("Link" = String, description = "The next page, `rel=\"next\"`"),
                ("ETag" = String, description = "Of a page: the same for the same bytes"),
                ("Cache-Status" = String, description = "RFC 9211: always read from the database"),
                ("Vary" = String, description = "`Accept`"),
            )),
        ReportResponses,
    ),
)]
pub async fn list_feedbacks(
    State(state): State<ReportState>,
    asked: Result<FormAsked, Problem>,
    narrowed: Result<Narrowed, Problem>,
    headers: HeaderMap,
) -> Response {
    list(&state, asked, narrowed, &headers, Which::All).await
}

/// List feedbacks of one business property, newest first.
///
/// `Accept: text/csv` or `application/x-ndjson` gives all of them in one stream, without `limit` and `cursor`.
#[utoipa::path(
    get,
    path = "/feedbacks/{start_date}/{end_date}/{form_id}/{bus_prop}",
    tag = "report",
    params(FormPath, BusPropPath, TrackFieldQuery, ListQuery, Conditional),
    responses(
        (status = 200, description = PAGE_OR_ALL,
            content((PageBody = "application/json"), (String = "text/csv"), (String = "application/x-ndjson")),
            headers(
                ("Link" = String, description = "The next page, `rel=\"next\"`"),
                ("ETag" = String, description = "Of a page: the same for the same bytes"),
                ("Cache-Status" = String, description = "RFC 9211: always read from the database"),
                ("Vary" = String, description = "`Accept`"),
            )),
        ReportResponses,
    ),
)]
pub async fn list_feedbacks_of(
    State(state): State<ReportState>,
    asked: Result<FormAsked, Problem>,
    narrowed: Result<Narrowed, Problem>,
    headers: HeaderMap,
) -> Response {
    list(&state, asked, narrowed, &headers, Which::All).await
}

/// List feedbacks with a comment, newest first.
///
/// `Accept: text/csv` or `application/x-ndjson` gives all of them in one stream, without `limit` and `cursor`.
#[utoipa::path(
    get,
    path = "/feedbacks/comment/{start_date}/{end_date}/{form_id}",
    tag = "report",
    params(FormPath, TrackFieldQuery, ListQuery, Conditional),
    responses(
        (status = 200, description = PAGE_OR_ALL,
            content((PageBody = "application/json"), (String = "text/csv"), (String = "application/x-ndjson")),
            headers(
                ("Link" = String, description = "The next page, `rel=\"next\"`"),
                ("ETag" = String, description = "Of a page: the same for the same bytes"),
                ("Cache-Status" = String, description = "RFC 9211: always read from the database"),
                ("Vary" = String, description = "`Accept`"),
            )),
        ReportResponses,
    ),
)]
pub async fn list_comments(
    State(state): State<ReportState>,
    asked: Result<FormAsked, Problem>,
    narrowed: Result<Narrowed, Problem>,
    headers: HeaderMap,
) -> Response {
    list(&state, asked, narrowed, &headers, Which::WithComment).await
}

/// List feedbacks with a comment of one business property, newest first.
///
/// `Accept: text/csv` or `application/x-ndjson` gives all of them in one stream, without `limit` and `cursor`.
#[utoipa::path(
    get,
    path = "/feedbacks/comment/{start_date}/{end_date}/{form_id}/{bus_prop}",
    tag = "report",
    params(FormPath, BusPropPath, TrackFieldQuery, ListQuery, Conditional),
    responses(
        (status = 200, description = PAGE_OR_ALL,
            content((PageBody = "application/json"), (String = "text/csv"), (String = "application/x-ndjson")),
            headers(
                ("Link" = String, description = "The next page, `rel=\"next\"`"),
                ("ETag" = String, description = "Of a page: the same for the same bytes"),
                ("Cache-Status" = String, description = "RFC 9211: always read from the database"),
                ("Vary" = String, description = "`Accept`"),
            )),
        ReportResponses,
    ),
)]
pub async fn list_comments_of(
    State(state): State<ReportState>,
    asked: Result<FormAsked, Problem>,
    narrowed: Result<Narrowed, Problem>,
    headers: HeaderMap,
) -> Response {
    list(&state, asked, narrowed, &headers, Which::WithComment).await
}

/// Lists that this process reads at once, of its connections: whoever stores answers needs some, too.
static READS: Semaphore = Semaphore::const_new(8);

/// Waits for a turn; over when it is dropped. Nobody closes the semaphore, so there always is one.
async fn turn() -> Option<SemaphorePermit<'static>> {
    READS.acquire().await.ok()
}

/// Which feedbacks of a form.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Which {
    All,
    WithComment,
}

async fn list(
    state: &ReportState,
    asked: Result<FormAsked, Problem>,
    narrowed: Result<Narrowed, Problem>,
    headers: &HeaderMap,
    which: Which,
) -> Response {
    let answer = find(state, asked, narrowed, headers, which).await;
    ([(VARY, ACCEPT.as_str())], answer).into_response()
}

async fn find(
    state: &ReportState,
    asked: Result<FormAsked, Problem>,
    narrowed: Result<Narrowed, Problem>,
    headers: &HeaderMap,
    which: Which,
) -> Result<Response, Problem> {
    let asked = asked?;
    let FormKey {
        account_id,
        form_id,
    } = asked.form;
    let form = state.app.store().form(account_id, form_id).await?;
    let form = form.ok_or_else(Problem::not_found)?.content;
    let narrowed = narrowed?;
    let comments_only = which == Which::WithComment;
    let query = asked.feedbacks(&form, comments_only, narrowed.pairs())?;
    let lines = match negotiate(headers, &[Kind::Csv, Kind::Ndjson]) {
        Kind::Json => {
            let path = asked.path(match which {
                Which::All => "feedbacks",
                Which::WithComment => "feedbacks/comment",
            });
            return page::page(state, &asked, &narrowed, (&form, &query, &path), headers).await;
        }
        Kind::Csv => Lines::Csv,
        Kind::Ndjson => Lines::Ndjson,
    };
    if narrowed.page.given {
        return Err(Problem::invalid_parameter(
            "a stream is the whole list: it has neither limit nor cursor",
        ));
    }
    stream::whole(state, query, lines).await
}
