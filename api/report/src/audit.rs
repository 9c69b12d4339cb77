//! The route of the audit log.

use axum::http::HeaderMap;
use axum::response::Response;
use domain::scope::Scope;

use crate::operations::{AuditQuery, audit_page, export_audit};
use crate::schema::AuditItem;
use api_http::accept::Kind;
use api_http::lines::{page, page_permit, wanted};
use api_http::{Caller, List, Page, Parameters, Result};

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
        ("docid" = Option<String>, Query, description = "What was done to this recipient, stored or not; instead of `subject`",
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
