//! The routes of the audit log.

use axum::Json;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use domain::date_range::parse_date;
use domain::scope::Scope;

use crate::operations::{AuditQuery, audit_page, export_audit, read_access};
use crate::schema::{AccessOnDay, AuditItem};
use api_http::accept::Kind;
use api_http::lines::{page, page_permit, wanted};
use api_http::{Caller, List, Page, Parameters, Problem, Result};

/// List who changed, exported or saw what, newest first.
///
/// `Accept: application/x-ndjson` gives all of it at once, without `limit` and `cursor`, and is noted in the log.
#[utoipa::path(
    get,
    path = "/api_v1/audit",
    params(
        ("from" = Option<String>, Query, format = Date, description = "The first day, in the account's time zone"),
        ("to" = Option<String>, Query, format = Date, description = "The last day"),
        ("name" = Option<String>, Query, description = "What this person or key did; empty: the command line", pattern = "^[^\\u0000]*$"),
        ("kind" = Option<String>, Query, description = "What it is about", pattern =
            "^(sign_in|person|key|setting|form|campaign|recipient|export)$"),
        ("subject" = Option<String>, Query, description = "What was done to this, as the log has it", pattern = "^[^\\u0000]*$"),
        ("docid" = Option<String>, Query, description = "What was done to this recipient, stored or not, also by the erasure of an import; instead of `subject`",
            min_length = 1, max_length = 128, pattern = "^[^\\u0000-\\u001f\\u007f-\\u009f]+$"),
        List,
    ),
    responses((status = 200, description = "A page of the log, or all of it as lines of NDJSON: one of `items` a line. A stream that fails \
        is cut without its last chunk",
        content((Page<AuditItem> = "application/json"), (String = "application/x-ndjson")))),
)]
pub async fn list_audit(
    caller: Caller,
    list: List,
    parameters: Parameters,
    headers: HeaderMap,
) -> Result<Response> {
    let query = AuditQuery::read(|name| parameters.one(name))?;
    if wanted(&headers, &list, &[Kind::Ndjson])? == Kind::Ndjson {
        return export_audit(&caller, &query).await;
    }
    let answer = async {
        let (app, account_id) = (&caller.app, caller.account_id());
        let position = list.position()?;
        let permit = page_permit(app, account_id).await?;
        let filter = query.filter(&caller).await?;
        let read = audit_page(&app.store, account_id, &filter, position, list.limit);
        let found = page(account_id, read).await?;
        Ok(permit.hold(list.answer(found.rows, found.next)?))
    };
    caller.read(Scope::Audit, answer).await
}

/// Tell who had access on a day: people, keys, and pages that were shared.
///
/// It is put together from what is stored and from the log. Somebody counts who had access at any moment of the day. Not known is who
/// was gone before the log begins (`is_complete` is false for a day before that), who has the servers, the database or a backup, and to whom
/// somebody gave a secret or a link.
#[utoipa::path(
    get,
    path = "/api_v1/audit/access",
    params(
        ("day" = Option<String>, Query, format = Date, description = "In the account's time zone; today without it"),
    ),
    responses(
        (status = 200, description = "Who had access", body = AccessOnDay),
        (status = 413, description = "`too_many_records`: more than 10,000 people and pages"),
    ),
)]
pub async fn read_access_of_day(caller: Caller, parameters: Parameters) -> Result<Response> {
    let day = parameters.one("day")?;
    let wrong = || Problem::invalid_parameter("day is not a date (YYYY-MM-DD)");
    let day = day.map(|text| parse_date(text).ok_or_else(wrong));
    let (access, permit) = read_access(&caller, day.transpose()?).await?;
    Ok(permit.hold(Json(access).into_response()))
}
