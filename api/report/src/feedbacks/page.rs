//! A page of feedbacks.

use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, LINK};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, Utc};
use domain::form::FormContent;
use serde::Serialize;
use store::form::FormKey;
use store::report::{FeedbackQuery, FeedbackRow};
use utoipa::ToSchema;
use uuid::Uuid;

use super::asked::Narrowed;
use super::item::{Item, items};
use crate::ReportState;
use crate::answer::json;
use crate::asked::FormAsked;
use crate::figures::FormHead;
use crate::rendered::{CACHE_STATUS, MISS, NO_CACHE, Seen, plain_tag_of};
use api_http::cursor::List;
use api_http::error::Problem;
use api_http::list::Page;

/// A page of feedbacks, newest first.
#[derive(Serialize, ToSchema)]
#[schema(as = Feedbacks)]
pub struct PageBody<'a> {
    #[serde(flatten)]
    head: FormHead<'a>,
    /// How many there are on all pages.
    total: i64,
    items: Vec<Item<'a>>,
    /// Where the next page begins; null at the end.
    #[schema(required = true)]
    next_cursor: Option<String>,
}

/// What a page is made of.
struct Found {
    as_of: DateTime<Utc>,
    total: i64,
    page: Page<FeedbackRow>,
}

/// Answers with a page; `path` is the list's.
pub async fn page(
    state: &ReportState,
    asked: &FormAsked,
    narrowed: &Narrowed,
    (form, query, path): (&FormContent, &FeedbackQuery, &str),
    headers: &HeaderMap,
) -> Result<Response, Problem> {
    let place = narrowed.place(path);
    let found = find(state, asked, narrowed, query, &place).await?;
    let rows = &found.page.items;
    let later;
    let (mut form, (mut items, has_more)) = (form, items(form, rows)?);
    if has_more {
        // Somebody answered a field that the form did not have a moment ago.
        let FormKey {
            account_id,
            form_id,
        } = asked.form;
        later = state.app.store().form(account_id, form_id).await?;
        if let Some(later) = &later {
            form = &later.content;
            (items, _) = super::item::items(form, rows)?;
        }
    }
    let body = PageBody {
        head: FormHead::new(asked, &form.title, found.as_of),
        total: found.total,
        items,
        next_cursor: found.page.next_cursor.clone(),
    };
    let body = json(&body)?;
    let tag = plain_tag_of(&body);
    let mut answer: HeaderMap = [
        (ETAG, tag.clone()),
        (CACHE_CONTROL, NO_CACHE),
        (CACHE_STATUS, MISS),
    ]
    .into_iter()
    .collect();
    if Seen::new(headers).has(tag.as_bytes()) {
        return Ok((StatusCode::NOT_MODIFIED, answer).into_response());
    }
    answer.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if let Some(cursor) = &found.page.next_cursor {
        let limit = narrowed.page.limit;
        let link = format!("<{place}limit={limit}&cursor={cursor}>; rel=\"next\"");
        // Percent-encoded: always a header's value.
        answer.extend(HeaderValue::from_str(&link).ok().map(|link| (LINK, link)));
    }
    Ok((answer, body).into_response())
}

async fn find(
    state: &ReportState,
    asked: &FormAsked,
    narrowed: &Narrowed,
    query: &FeedbackQuery,
    place: &str,
) -> Result<Found, Problem> {
    let list = List {
        account_id: asked.form.account_id,
        operation: "feedbacks",
        query: place.as_bytes(),
    };
    let cursor = narrowed.page.cursor.as_deref();
    let before = cursor.map(|cursor| list.open(cursor)).transpose()?;
    let _turn = super::turn().await;
    let found = state
        .app
        .store()
        .feedback_page(
            query,
            before.map(Uuid::from_bytes),
            narrowed.page.look_ahead(),
        )
        .await?;
    let seal = |row: &FeedbackRow| list.seal(row.feedback_id.into_bytes());
    let page = if found.is_cut {
        Page {
            next_cursor: found.rows.last().map(seal),
            items: found.rows,
        }
    } else {
        Page::new(found.rows, &narrowed.page, seal)
    };
    Ok(Found {
        as_of: found.as_of,
        total: found.total,
        page,
    })
}
