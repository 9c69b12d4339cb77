//! Messages, and what became of each: of a campaign or of a recipient.

mod item;
mod stream;

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::{ACCEPT, VARY};
use axum::response::{IntoResponse, Response};
use domain::campaign::MessageStatus;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use store::Store;
use store::send::CampaignKey;
use uuid::Uuid;

use self::item::MessageItem;
use self::stream::{Lines, Messages};
use crate::PATH;
use crate::state::SendState;
use api_http::accept::{Kind, negotiate};
use api_http::auth::Caller;
use api_http::deadline::{QUICK, within};
use api_http::error::Problem;
use api_http::extract::{DocIdPath, Parameters, PathId};
use api_http::list::{List, ListQuery, Page};

const PAGE_OR_ALL: &str = "A page of messages, or all of them as lines. \
    CSV (RFC 4180): a column a member, `provider_ids` as one JSON cell. A text whose first character after any `'` is `=`, `+`, \
    `-`, `@`, tab or CR has one `'` before it, so that no spreadsheet runs it: to read such a cell take its first `'` away. \
    NDJSON: one of `items` a line. A stream that fails is cut without its last chunk.";

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
            content((Page<MessageItem> = "application/json"), (String = "text/csv"), (String = "application/x-ndjson")),
            headers(("Vary" = String, description = "`Accept`"))),
    ),
)]
pub async fn list_messages(
    State(state): State<SendState>,
    caller: Caller,
    campaign_id: Result<PathId, Problem>,
    parameters: Result<Parameters, Problem>,
    headers: HeaderMap,
) -> Response {
    let answer = async {
        let key = CampaignKey::new(caller.account_id(), campaign_id?.0);
        of_campaign(&state, key, parameters, &headers).await
    };
    ([(VARY, ACCEPT.as_str())], answer.await).into_response()
}

async fn of_campaign(
    state: &SendState,
    key: CampaignKey,
    parameters: Result<Parameters, Problem>,
    headers: &HeaderMap,
) -> Result<Response, Problem> {
    let store = state.app.store();
    let campaign = within(QUICK, store.campaign(key)).await?;
    let campaign = campaign.ok_or_else(Problem::not_found)?;
    let parameters = parameters?;
    let query = ListQuery::read(&parameters)?;
    let status = wanted_status(&parameters)?;
    let messages = Messages {
        store: store.clone(),
        key,
        campaign,
        status,
    };
    let lines = match negotiate(headers, &[Kind::Csv, Kind::Ndjson]) {
        Kind::Json => {
            let status = status.map_or(String::new(), |status| format!("?status={status}"));
            let path = format!("{PATH}/{}/message{status}", key.campaign_id);
            let list = List::new(key.account_id, path);
            let before = list.position(&query)?.map(Uuid::from_bytes);
            let page = messages.read(before, query.limit.into()).await?;
            let sender = &messages.campaign.content.sender;
            let items = page.rows.iter();
            let items =
                items.map(|row| (row.message_id.into_bytes(), MessageItem::new(row, sender)));
            return list.answer(&query, items, page.next.map(Uuid::into_bytes));
        }
        Kind::Csv => Lines::Csv,
        Kind::Ndjson => Lines::Ndjson,
    };
    if query.given {
        return Err(Problem::invalid_parameter(
            "a stream is the whole list: it has neither limit nor cursor",
        ));
    }
    stream::whole(messages, lines).await
}

fn wanted_status(parameters: &Parameters) -> Result<Option<MessageStatus>, Problem> {
    let status = parameters.one("status")?.map(str::parse);
    status
        .transpose()
        .map_err(|_| Problem::invalid_parameter("status is none of a message"))
}

/// List the messages of a recipient, newest first.
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
        (status = 200, description = "A page of messages", body = Page<MessageItem>),
    ),
)]
pub async fn list_recipient_messages(
    State(state): State<SendState>,
    caller: Caller,
    DocIdPath(docid): DocIdPath,
    query: Result<ListQuery, Problem>,
) -> Result<Response, Problem> {
    let (store, account_id) = (state.app.store(), caller.account_id());
    if !is_known(store, account_id, docid.as_str()).await? {
        return Err(Problem::not_found());
    }
    let query = query?;
    let encoded = utf8_percent_encode(docid.as_str(), NON_ALPHANUMERIC);
    let list = List::new(
        account_id,
        format!("/api_v1/sms/recipient/{encoded}/message"),
    );
    let before = list.position(&query)?.map(Uuid::from_bytes);
    let page = store
        .recipient_messages(account_id, docid.as_str(), before, query.limit.into())
        .await?;
    let mut senders: HashMap<Uuid, String> = HashMap::new();
    for row in &page.rows {
        if let Entry::Vacant(entry) = senders.entry(row.campaign_id) {
            let key = CampaignKey::new(account_id, row.campaign_id);
            let sender = store
                .campaign(key)
                .await?
                .map(|campaign| campaign.content.sender);
            entry.insert(sender.unwrap_or_default());
        }
    }
    let items = page.rows.iter().map(|row| {
        let sender = senders.get(&row.campaign_id).map_or("", String::as_str);
        (row.message_id.into_bytes(), MessageItem::new(row, sender))
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
