//! The routes of messages, and what became of each: of a campaign or of a recipient.

use api_http::spreadsheet::Spreadsheet;
use api_language::{Text, of_request};
use axum::http::HeaderMap;
use axum::response::Response;
use chrono_tz::Tz;
use domain::campaign::{MessageKind, MessageStatus, SkipReason};
use store::send::CampaignKey;
use strum::VariantArray;

use crate::operations::{self, EXPORT_MESSAGES, MessageHistory, check_known, find_campaign};
use crate::{SCOPE, schema};
use api_http::accept::{Kind, negotiate};
use api_http::deadline::soon;
use api_http::extract::DocIdPath;
use api_http::{Caller, List, Page, Parameters, PathId, Problem, Result, lines};

const COLUMNS: &str = "message_id,campaign_id,docid,kind,status,skipped_reason,parts,encoding,sender,provider_ids,\
    provider_code,scheduled_at,accepted_at,delivered_at,viewed_at,answered_at";

/// The sheets of messages, before the rows.
pub(crate) fn message_sheet(t: &Text, time_zone: Tz) -> Spreadsheet {
    let mut members: Vec<_> = COLUMNS.split(',').collect();
    // Ids are for programs.
    members.sort_by_key(|member| *member == "message_id");
    let columns = members.into_iter().map(|member| match member {
        "kind" => t.sheet_column(member, words::<MessageKind>("kind")),
        "status" => t.sheet_column(member, words::<MessageStatus>("status")),
        "skipped_reason" => t.sheet_column(member, words::<SkipReason>("skip")),
        "encoding" => t.sheet_column(member, ["gsm7", "ucs2"].map(|name| ("encoding", name))),
        _ => t.sheet_column(member, []),
    });
    Spreadsheet {
        columns: columns.collect(),
        ..t.spreadsheet("messages", "messages", "", time_zone)
    }
}

/// The names of all values, with the kind of their texts.
fn words<V: VariantArray + Copy + Into<&'static str>>(
    kind: &'static str,
) -> impl Iterator<Item = (&'static str, &'static str)> {
    V::VARIANTS.iter().map(move |value| (kind, (*value).into()))
}

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
