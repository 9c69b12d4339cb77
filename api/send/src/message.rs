//! The routes of messages, and what became of each: of a campaign or of a recipient.

use api_language::of_request;
use axum::Json;
use axum::http::HeaderMap;
use axum::response::Response;
use domain::campaign::MessageStatus;
use store::send::CampaignKey;
use store::send::failure::Failures;

use crate::message_sheet::{COLUMNS, message_sheet};
use crate::operations::{self, EXPORT_MESSAGES, MessageHistory, check_known, find_campaign};
use crate::{SCOPE, schema};
use api_http::accept::{Kind, negotiate};
use api_http::deadline::soon;
use api_http::extract::DocIdPath;
use api_http::{Caller, List, Page, Parameters, PathId, Problem, Result, lines};

/// List the messages of a campaign, newest first.
///
/// `Accept: text/csv`, `application/x-ndjson` or that of XLSX gives all of them at once, without `limit` and `cursor`.
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
            content((Page<schema::Message> = "application/json"), (String = "text/csv"), (String = "application/x-ndjson"),
                (Vec<u8> = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"))),
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
    let kinds = [Kind::Csv, Kind::Ndjson, Kind::Xlsx];
    let kind = negotiate(&headers, &kinds);
    let answer = async {
        find_campaign(&caller, campaign_id).await?;
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
        let sheet = || message_sheet(of_request(&headers), caller.time_zone());
        lines::answer(&caller.app, &headers, &kinds, &list?, COLUMNS, sheet, read).await
    };
    caller
        .export((SCOPE, kind), EXPORT_MESSAGES, &campaign_id, answer)
        .await
}

/// Tell why messages of a campaign did not arrive.
///
/// By status, by the provider's code and by country, most messages first, tests excepted: of the newest 20,000 that did not arrive,
/// among the campaign's newest 100,000.
#[utoipa::path(
    get,
    path = "/api_v1/sms/campaign/{campaign_id}/failure",
    params(("campaign_id" = Uuid, Path)),
    responses((status = 200, description = "All reasons", body = schema::CampaignFailures)),
)]
pub async fn list_failures(caller: Caller, PathId(campaign_id): PathId) -> Result<Json<Failures>> {
    let failures = operations::list_failures(&caller, campaign_id);
    failures.await.map(Json)
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
    let request = list.and_then(|list| Ok((list.position()?, list)));
    if request.is_err() {
        // 404 comes first.
        let known = check_known(&caller, &docid);
        caller.read(SCOPE, soon(known)).await?;
    }
    let (before, list) = request?;
    let messages = operations::list_recipient_messages(&caller, &docid, before, list.limit);
    let messages = messages.await?;
    let items = messages.rows.into_iter();
    let items = items.map(|history| (history.message.message_id, history));
    list.answer(items, messages.next)
}
