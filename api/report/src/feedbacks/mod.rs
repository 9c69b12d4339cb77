//! Lists of feedbacks: a page in JSON, or all of them as lines. And erasing one.
//!
//! - `item`: a feedback in JSON.
//! - `lines`: everything as CSV or NDJSON, in bounded memory.

pub mod item;
mod lines;
mod search;
#[cfg(test)]
mod tests;

use axum::extract::{MatchedPath, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use domain::form::FormContent;
use serde::Serialize;
use serde_json::value::RawValue;
use store::form::FormKey;
use store::report::FeedbackQuery;
use utoipa::ToSchema;

use self::item::Item;
use self::search::AnswerQuery;
use crate::ReportState;
use crate::figures::{FormReportHead, json};
use crate::rendered::{IfNoneMatch, MISS, answer, tag_of_body};
use crate::request::{Conditional, FormPath, FormReportRequest, no_bus_prop};
use api_http::accept::Kind;
use api_http::deadline::soon;
use api_http::lines::{page as read_page, page_or_all, page_permit, wanted};
use api_http::list::TrackFieldQuery;
use api_http::{Caller, List, PathId, Problem, Result};

/// Where the lists are: of all feedbacks, and of those with a comment.
pub const FEEDBACKS: &str = "/api_v1/report/feedbacks";
pub const COMMENTS: &str = "/api_v1/report/feedbacks/comment";

const CELLS: &str = "feedback_id, submitted_at, bus_props and track_fields (one JSON cell each), then a column a field key; \
    `choices` are one JSON cell";

/// List feedbacks, newest first.
///
/// `Accept: text/csv` or `application/x-ndjson` gives all of them in one stream, without `limit` and `cursor`.
#[utoipa::path(
    get,
    path = "/api_v1/report/feedbacks/{start_date}/{end_date}/{form_id}",
    params(FormPath, TrackFieldQuery, AnswerQuery, List, Conditional),
    responses(
        (status = 200, description = page_or_all("feedbacks", CELLS),
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
    answers: Result<AnswerQuery>,
    path: MatchedPath,
    headers: HeaderMap,
) -> Result<Response> {
    let FormKey {
        account_id,
        form_id,
    } = request.form;
    let answered = async {
        let form = state.app.form(account_id, form_id).await?;
        let form = form.content.for_reports();
        // What is wrong with these comes after a 404.
        let (list, narrowed, answers) = (list?, narrowed?, answers?);
        let bus_prop = request.bus_prop().map(|text| form.bus_prop_by_text(text));
        let bus_prop = bus_prop.map(|entry| entry.ok_or_else(no_bus_prop));
        let query = FeedbackQuery {
            form: request.form,
            range: request.range,
            time_zone: request.time_zone,
            bus_prop_id: bus_prop.transpose()?.map(|entry| entry.id),
            comments_only: path.as_str().starts_with(COMMENTS),
            track_fields: narrowed.track_field,
            answers: answers.filter(&form),
        };
        match wanted(&headers, &list, &[Kind::Csv, Kind::Ndjson])? {
            Kind::Json => page(&state, &request, &list, (&form, &query), &headers).await,
            kind => lines::whole(&state, query, kind).await,
        }
    };
    soon(Box::pin(answered)).await
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

/// A page of feedbacks, newest first.
#[derive(Serialize, ToSchema)]
#[schema(as = Feedbacks)]
pub struct PageBody<'a> {
    #[serde(flatten)]
    head: FormReportHead<'a>,
    /// How many there are on all pages.
    total: i64,
    #[schema(value_type = Vec<Item>)]
    items: Vec<Box<RawValue>>,
    /// Where the next page begins; null at the end.
    #[schema(required = true)]
    next_cursor: Option<String>,
}

/// Answers with a page.
async fn page(
    state: &ReportState,
    request: &FormReportRequest,
    list: &List,
    (form, query): (&FormContent, &FeedbackQuery),
    headers: &HeaderMap,
) -> Result<Response> {
    let (store, account_id) = (&state.app.store, query.form.account_id);
    let position = list.position()?;
    let permit = page_permit(&state.app, account_id).await?;
    let found = store.feedback_page(query, position, list.limit);
    let found = read_page(account_id, found).await?;
    let rows = &found.page.rows;
    let answers = rows.iter().map(|row| row.answers.len());
    let (app, bytes) = (&state.app, answers.sum());
    let read = async |form| {
        app.work_here(account_id, bytes, || item::items(form, rows))
            .await
    };
    let later;
    let (mut form, (mut items, has_more)) = (form, read(form).await?);
    if has_more {
        // Somebody answered a field that the form did not have a moment ago.
        let found = store.form(account_id, query.form.form_id).await?;
        later = found.map(|form| form.content.for_reports());
        if let Some(later) = &later {
            form = later;
            (items, _) = read(form).await?;
        }
    }
    let write = || {
        let positions = rows.iter().map(|row| row.feedback_id);
        let written = list.page(positions.zip(items), found.page.next)?;
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
    let (link, body, tag) = app.work_here(account_id, bytes, write).await?;
    let known = IfNoneMatch(headers);
    let answer = (link, answer(known, tag, MISS, body.into())).into_response();
    Ok(permit.hold(answer))
}
