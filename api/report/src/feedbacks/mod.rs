//! Lists of feedbacks: a page in JSON, or all of them as lines. And erasing one.
//!
//! - `item`: a feedback in JSON.
//! - `lines`: everything as CSV or NDJSON, in bounded memory. `sheet`: everything as a spreadsheet.

pub mod item;
pub mod lines;
pub mod search;
pub mod sheet;
#[cfg(test)]
mod tests;

use api_language::of_request;
use axum::extract::MatchedPath;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use self::item::FeedbackItem;
use self::search::AnswerQuery;
use crate::figures::{FormReportHead, json};
use crate::operations::{self, FeedbackSearch, Feedbacks};
use crate::rendered::{IfNoneMatch, MISS, answer, tag_of_body};
use crate::request::{Conditional, FormPath, FormReportRequest};
use api_http::accept::Kind;
use api_http::deadline::soon;
use api_http::lines::{page_or_all, wanted};
use api_http::list::TrackFieldQuery;
use api_http::{Caller, List, PathId, Problem, Result};

/// Where the lists are: of all feedbacks, and of those with a comment.
pub const FEEDBACKS: &str = "/api_v1/report/feedbacks";
pub const COMMENTS: &str = "/api_v1/report/feedbacks/comment";

const CELLS: &str = "feedback_id, submitted_at, bus_props and track_fields (one JSON cell each), then a column a field key; \
    `choices` are one JSON cell";

/// List feedbacks, newest first.
///
/// `Accept: text/csv`, `application/x-ndjson` or that of XLSX gives all of them at once, without `limit` and `cursor`.
#[utoipa::path(
    get,
    path = "/api_v1/report/feedbacks/{start_date}/{end_date}/{form_id}",
    params(FormPath, TrackFieldQuery, AnswerQuery, List, Conditional),
    responses(
        (status = 200, description = page_or_all("feedbacks", CELLS),
            content((PageBody = "application/json"), (String = "text/csv"), (String = "application/x-ndjson"),
                (Vec<u8> = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")),
            headers(
                ("ETag" = String, description = "Of a page: the same for the same bytes"),
                ("Cache-Status" = String, description = "RFC 9211: always read from the database"),
            )),
    ),
)]
pub async fn list_feedbacks(
    caller: Caller,
    request: FormReportRequest,
    list: Result<List>,
    narrowed: Result<TrackFieldQuery>,
    answers: Result<AnswerQuery>,
    path: MatchedPath,
    headers: HeaderMap,
) -> Result<Response> {
    let form_id = request.form.form_id;
    let wanted = async {
        let list = list?;
        let before = list.position()?;
        let kind = wanted(&headers, &list, &[Kind::Csv, Kind::Ndjson, Kind::Xlsx])?;
        let search = FeedbackSearch {
            form_id,
            range: request.range,
            bus_prop: request.bus_prop.clone(),
            comments_only: path.as_str().starts_with(COMMENTS),
            track_fields: narrowed?.track_field,
            answers: answers?,
            with_texts: false,
        };
        Ok((search, kind, before, list))
    };
    let wanted = caller.unless_missing(form_id, wanted.await);
    let (search, kind, before, list) = wanted.await?;
    if kind != Kind::Json {
        let t = of_request(&headers);
        return operations::export_feedbacks(&caller, search, kind, t).await;
    }
    let feedbacks = operations::list_feedbacks(&caller, search, before, list.limit).await?;
    page(&caller, &request, &list, feedbacks, &headers).await
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
    operations::erase_feedback(&caller, feedback_id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// A page of feedbacks, newest first.
#[derive(Serialize, ToSchema)]
#[schema(as = Feedbacks)]
pub struct PageBody<'a> {
    #[serde(flatten)]
    head: FormReportHead<'a>,
    /// How many there are on all pages.
    total: i64,
    #[schema(value_type = Vec<FeedbackItem>)]
    items: Vec<Box<RawValue>>,
    /// Where the next page begins; null at the end.
    #[schema(required = true)]
    next_cursor: Option<String>,
}

/// Answers with a page.
async fn page(
    caller: &Caller,
    request: &FormReportRequest,
    list: &List,
    feedbacks: Feedbacks,
    headers: &HeaderMap,
) -> Result<Response> {
    let Feedbacks {
        form,
        found,
        permit,
    } = feedbacks;
    let rows = &found.page.rows;
    let answers = rows.iter().map(|row| row.answers.len());
    let (account_id, bytes) = (caller.account_id(), answers.sum());
    let write = || {
        let positions = rows.iter().map(|row| row.feedback_id);
        let items = positions.zip(item::items(&form, rows)?);
        let written = list.page(items, found.page.next)?;
        let link = list.link_to_next(&written);
        let body = json(&PageBody {
            head: FormReportHead::new(request, &form.title, found.as_of),
            total: found.total,
            items: written.items,
            next_cursor: written.next_cursor,
        })?;
        let tag = tag_of_body(&body);
        Ok::<_, Problem>((link, body, tag))
    };
    let written = soon(caller.app.work_here(account_id, bytes, write));
    let (link, body, tag) = written.await?;
    let known = IfNoneMatch(headers);
    let answer = (link, answer(known, tag, MISS, body.into())).into_response();
    Ok(permit.hold(answer))
}
