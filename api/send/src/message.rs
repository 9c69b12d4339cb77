//! Messages, and what became of each: of a campaign or of a recipient.

use axum::http::HeaderMap;
use axum::response::Response;
use domain::campaign::{Message, MessageStatus, Receipt};
use serde::Serialize;
use store::Store;
use store::send::CampaignKey;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::schema;
use api_http::accept::Kind;
use api_http::extract::DocIdPath;
use api_http::{Caller, List, Page, Parameters, PathId, Problem, Result, found, lines};

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
        List,
    ),
    responses(
        (status = 200, description = lines::page_or_all("messages", "a column a member, `provider_ids` as one JSON cell"),
            content((Page<schema::Message> = "application/json"), (String = "text/csv"), (String = "application/x-ndjson"))),
    ),
)]
pub async fn list_messages(
    caller: Caller,
    PathId(campaign_id): PathId,
    list: Result<List>,
    parameters: Result<Parameters>,
    headers: HeaderMap,
) -> Result<Response> {
    let store = caller.app.store.clone();
    let key = CampaignKey::new(caller.account_id(), campaign_id);
    found(store.campaign(key)).await?;
    let status: Option<MessageStatus> = parameters?
        .one("status")?
        .map(str::parse)
        .transpose()
        .map_err(|_| Problem::invalid_parameter("status is none of a message"))?;
    let read = move |before, (limit, _)| {
        let store = store.clone();
        async move {
            let page = store.campaign_messages(key, status, before, limit).await?;
            Ok(page.map(|message| (message.message_id, message)))
        }
    };
    let kinds = [Kind::Csv, Kind::Ndjson];
    lines::answer(&caller.app, &headers, &kinds, &list?, COLUMNS, read).await
}

/// A message, and what its provider reported of it.
#[derive(Serialize, ToSchema)]
pub struct MessageHistory {
    #[serde(flatten)]
    #[schema(value_type = schema::Message)]
    message: Message,
    /// In the order in which they came; kept for 90 days.
    #[schema(value_type = Vec<schema::Receipt>)]
    receipts: Vec<Receipt>,
}

/// List the messages of a recipient with their receipts, newest first.
///
/// With them docid, message, link, view and answer can be followed, until the recipient is erased.
#[utoipa::path(
    get,
    path = "/api_v1/sms/recipient/{docid}/message",
    params(
        ("docid" = String, Path, min_length = 1, max_length = 128,
            pattern = "^[^\\u0000-\\u001f\\u007f-\\u009f]+$", description = "At most 128 bytes in UTF-8"),
        List,
    ),
    responses((status = 200, description = "A page of messages", body = Page<MessageHistory>)),
)]
pub async fn list_recipient_messages(
    caller: Caller,
    DocIdPath(docid): DocIdPath,
    list: Result<List>,
) -> Result<Response> {
    let (store, account_id) = (&caller.app.store, caller.account_id());
    if !is_known(store, account_id, docid.as_str()).await? {
        return Err(Problem::not_found());
    }
    let (list, docid) = (list?, docid.as_str());
    let page = store.recipient_messages(account_id, docid, list.position()?, list.limit);
    let page = page.await?;
    let mut receipts = store.receipts(account_id, docid).await?;
    let items = page.rows.into_iter().map(|message| {
        let (id, receipts) = (message.message_id, receipts.remove(&message.message_id));
        let receipts = receipts.unwrap_or_default();
        (id, MessageHistory { message, receipts })
    });
    list.answer(items, page.next)
}

/// Whether an account has a recipient of a docid, or messages tell of one: tests may be of none.
async fn is_known(store: &Store, account_id: Uuid, docid: &str) -> Result<bool, store::Error> {
    if store.recipient(account_id, docid).await?.is_some() {
        return Ok(true);
    }
    let messages = store.recipient_messages(account_id, docid, None, 1).await?;
    Ok(!messages.rows.is_empty())
}
