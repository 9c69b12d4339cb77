//! A page of feedbacks.

use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use domain::form::FormContent;
use serde::Serialize;
use serde_json::value::RawValue;
use store::report::FeedbackQuery;
use utoipa::ToSchema;

use super::item::{self, Item};
use crate::ReportState;
use crate::figures::{FormHead, json};
use crate::rendered::{CACHE_STATUS, IfNoneMatch, MISS, NO_CACHE, tag_of_body};
use crate::request::FormReportRequest;
use api_http::{List, Result, lines};

/// A page of feedbacks, newest first.
#[derive(Serialize, ToSchema)]
#[schema(as = Feedbacks)]
pub struct PageBody<'a> {
    #[serde(flatten)]
    head: FormHead<'a>,
    /// How many there are on all pages.
    total: i64,
    #[schema(value_type = Vec<Item>)]
    items: Vec<Box<RawValue>>,
    /// Where the next page begins; null at the end.
    #[schema(required = true)]
    next_cursor: Option<String>,
}

/// Answers with a page.
pub async fn page(
    state: &ReportState,
    request: &FormReportRequest,
    list: &List,
    (form, query): (&FormContent, &FeedbackQuery),
    headers: &HeaderMap,
) -> Result<Response> {
    let (store, account_id) = (&state.app.store, query.form.account_id);
    let found = store.feedback_page(query, list.position()?, list.limit);
    let found = lines::page(account_id, found).await?;
    let rows = &found.page.rows;
    let later;
    let (mut form, (mut items, has_more)) = (form, item::items(form, rows)?);
    if has_more {
        // Somebody answered a field that the form did not have a moment ago.
        later = store.form(account_id, query.form.form_id).await?;
        if let Some(later) = &later {
            form = &later.content;
            (items, _) = item::items(form, rows)?;
        }
    }
    let positions = rows.iter().map(|row| row.feedback_id);
    let written = list.page(positions.zip(items), found.page.next)?;
    let mut answer = list.link_to_next(&written);
    let body = json(&PageBody {
        head: FormHead::new(request, &form.title, found.as_of),
        total: found.total,
        items: written.items,
        next_cursor: written.next_cursor,
    })?;
    let tag = tag_of_body(&body);
    answer.extend([
        (ETAG, tag.clone()),
        (CACHE_CONTROL, NO_CACHE),
        (CACHE_STATUS, MISS),
    ]);
    if IfNoneMatch::new(headers).has(&tag) {
        return Ok((StatusCode::NOT_MODIFIED, answer).into_response());
    }
    answer.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Ok((answer, body).into_response())
}
