//! A page of feedbacks.

use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use domain::form::FormContent;
use serde::Serialize;
use serde_json::value::RawValue;
use store::report::FeedbackQuery;
use utoipa::ToSchema;
use uuid::Uuid;

use super::item::{Item, items};
use crate::ReportState;
use crate::answer::json;
use crate::figures::FormHead;
use crate::rendered::{CACHE_STATUS, IfNoneMatch, MISS, NO_CACHE, tag_of_body};
use crate::request::FormReportRequest;
use api_http::{List, ListQuery, Problem, Result};

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
    (list, page): (&List, &ListQuery),
    (form, query): (&FormContent, &FeedbackQuery),
    headers: &HeaderMap,
) -> Result<Response> {
    let before = list.position(page)?.map(Uuid::from_bytes);
    let found = {
        let _place = super::READS.take(query.form.account_id).await;
        let store = &state.app.store;
        store
            .feedback_page(query, before, page.limit.into())
            .await?
    };
    let rows = &found.page.rows;
    let later;
    let (mut form, (mut items, has_more)) = (form, items(form, rows)?);
    if has_more {
        // Somebody answered a field that the form did not have a moment ago.
        let (store, form_key) = (&state.app.store, request.form);
        later = store.form(form_key.account_id, form_key.form_id).await?;
        if let Some(later) = &later {
            form = &later.content;
            (items, _) = super::item::items(form, rows)?;
        }
    }
    let positions = rows.iter().map(|row| row.feedback_id.into_bytes());
    let next = found.page.next.map(Uuid::into_bytes);
    let written = list.page(positions.zip(items), next)?;
    let mut answer = list.link_to_next(page, &written);
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
