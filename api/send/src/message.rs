//! Messages, and what became of each: of a campaign or of a recipient.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::{ACCEPT, VARY};
use axum::response::{IntoResponse, Response};
use domain::campaign::{Message, MessageStatus, Receipt};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;
use store::Store;
use store::send::CampaignKey;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::PATH;
use crate::state::SendState;
use api_http::extract::DocIdPath;
use api_http::lines::{self, Lines};
use api_http::{Caller, List, ListQuery, Page, Parameters, PathId, Problem, QUICK, Result, within};

const PAGE_OR_ALL: &str = "A page of messages, or all of them as lines. \
    CSV (RFC 4180): a column a member, `provider_ids` as one JSON cell. A text whose first character after any `'` is `=`, `+`, \
    `-`, `@`, tab or CR has one `'` before it, so that no spreadsheet runs it: to read such a cell take its first `'` away. \
    NDJSON: one of `items` a line. A stream that fails is cut without its last chunk.";

const COLUMNS: &str = "message_id,campaign_id,docid,kind,status,skipped_reason,parts,encoding,sender,provider_ids,\
    provider_code,scheduled_at,accepted_at,delivered_at,viewed_at,answered_at";

/// List the messages of a campaign, newest first.
///
/// `Accept: text/csv` or `application/x-ndjson` gives all of them in one stream, without `limit` and `cursor`.
#[utoipa::path(
    get,
    path = "/api_v1/sms/campaign/{campaign_id}/message",
    params(
        ("campaign_id" = Uuid, Path),
        ("status" = Option<String>, Query, description = "Those of this status alone",
            pattern = "^(skipped|scheduled|sending|accepted|delivered|undelivered|expired|failed|unknown|cancelled)$"),
        ListQuery,
    ),
    responses(
        (status = 200, description = PAGE_OR_ALL,
            content((Page<Message> = "application/json"), (String = "text/csv"), (String = "application/x-ndjson")),
            headers(("Vary" = String, description = "`Accept`"))),
    ),
)]
pub async fn list_messages(
    State(state): State<SendState>,
    caller: Caller,
    campaign_id: Result<PathId>,
    parameters: Result<Parameters>,
    headers: HeaderMap,
) -> Response {
    let answer = async {
        let key = CampaignKey::new(caller.account_id(), campaign_id?.0);
        let campaign = within(QUICK, state.app.store.campaign(key)).await?;
        campaign.ok_or_else(Problem::not_found)?;
        of_campaign(&state, key, &parameters?, &headers).await
    };
    ([(VARY, ACCEPT.as_str())], answer.await).into_response()
}

async fn of_campaign(
    state: &SendState,
    key: CampaignKey,
    parameters: &Parameters,
    headers: &HeaderMap,
) -> Result<Response> {
    let query = ListQuery::read(parameters)?;
    let status: Option<MessageStatus> = parameters
        .one("status")?
        .map(str::parse)
        .transpose()
        .map_err(|_| Problem::invalid_parameter("status is none of a message"))?;
    let store = state.app.store.clone();
    if let Some(lines) = Lines::wanted(headers, &query)? {
        let read = move |before| {
            let store = store.clone();
            async move {
                store
                    .campaign_messages(key, status, before, lines::PAGE)
                    .await
            }
        };
        return lines.answer(key.account_id, COLUMNS, read).await;
    }
    let status_query = status.map_or(String::new(), |status| {
        format!("?status={}", status.as_str())
    });
    let path = format!("{PATH}/{}/message{status_query}", key.campaign_id);
    let list = List::new(key.account_id, path);
    let before = list.position(&query)?.map(Uuid::from_bytes);
    let page = store.campaign_messages(key, status, before, query.limit.into());
    let page = lines::page(key.account_id, page).await?;
    let items = page
        .rows
        .iter()
        .map(|message| (message.message_id.into_bytes(), message));
    list.answer(&query, items, page.next.map(Uuid::into_bytes))
}

/// A message, and what its provider reported of it.
#[derive(Serialize, ToSchema)]
pub struct MessageHistory {
    #[serde(flatten)]
    message: Message,
    /// In the order in which they came; kept for 90 days.
    receipts: Vec<Receipt>,
}

/// List the messages of a recipient with their receipts, newest first.
///
/// With them docid, message, link, view and answer can be followed, also of a recipient who was erased.
#[utoipa::path(
    get,
    path = "/api_v1/sms/recipient/{docid}/message",
    params(
        ("docid" = String, Path, min_length = 1, max_length = 128,
            pattern = "^[^\\u0000-\\u001f\\u007f-\\u009f]+$", description = "At most 128 bytes in UTF-8"),
        ListQuery,
    ),
    responses(
        (status = 200, description = "A page of messages", body = Page<MessageHistory>),
    ),
)]
pub async fn list_recipient_messages(
    State(state): State<SendState>,
    caller: Caller,
    DocIdPath(docid): DocIdPath,
    query: Result<ListQuery>,
) -> Result<Response> {
    let (store, account_id) = (&state.app.store, caller.account_id());
    if !is_known(store, account_id, docid.as_str()).await? {
        return Err(Problem::not_found());
    }
    let query = query?;
    let encoded = utf8_percent_encode(docid.as_str(), NON_ALPHANUMERIC);
    let path = format!("/api_v1/sms/recipient/{encoded}/message");
    let list = List::new(account_id, path);
    let before = list.position(&query)?.map(Uuid::from_bytes);
    let page = store.recipient_messages(account_id, docid.as_str(), before, query.limit.into());
    let page = page.await?;
    let mut receipts = store.receipts(account_id, docid.as_str()).await?;
    let items = page.rows.into_iter().map(|message| {
        let (id, receipts) = (message.message_id, receipts.remove(&message.message_id));
        let receipts = receipts.unwrap_or_default();
        (id.into_bytes(), MessageHistory { message, receipts })
    });
    list.answer(&query, items, page.next.map(Uuid::into_bytes))
}

/// Whether an account has or had a recipient of a docid, as far as messages tell.
async fn is_known(store: &Store, account_id: Uuid, docid: &str) -> Result<bool, store::Error> {
    if store.recipient(account_id, docid).await?.is_some() {
        return Ok(true);
    }
    let messages = store.recipient_messages(account_id, docid, None, 1).await?;
    Ok(!messages.rows.is_empty())
}
