//! The route of what was handed over, and what it cost.

use axum::http::HeaderMap;
use axum::response::Response;

use crate::operations::{EXPORT_USAGE, UsageDays};
use crate::{SCOPE, schema};
use api_http::accept::{Kind, negotiate};
use api_http::{Caller, List, Page, Parameters, Result, lines};
use api_language::of_request;

const COLUMNS: &str = "month,sender,country,parts,messages,cost.amount,cost.currency";

/// List what was handed over, and what it cost, by month, sender and country.
///
/// It counts on the day on which it was handed over, in the account's time zone; what was certainly not sent is taken back.
/// `Accept: text/csv` or `application/x-ndjson` gives all of it at once, without `limit` and `cursor`.
#[utoipa::path(
    get,
    path = "/api_v1/sms/usage",
    params(
        ("from" = Option<String>, Query, format = Date, description = "The first day; the first of this month"),
        ("to" = Option<String>, Query, format = Date, description = "The last day; today"),
        List,
    ),
    responses(
        (status = 200, description = "A page of usage, or all of it as lines",
            content((Page<schema::Usage> = "application/json"), (String = "text/csv"), (String = "application/x-ndjson"))),
    ),
)]
pub async fn list_usage(
    caller: Caller,
    list: List,
    parameters: Parameters,
    headers: HeaderMap,
) -> Result<Response> {
    let kinds = [Kind::Csv, Kind::Ndjson];
    let kind = negotiate(&headers, &kinds);
    let answer = async {
        let days = UsageDays {
            from: parameters.one("from")?,
            to: parameters.one("to")?,
        };
        let days = days.range(&caller)?;
        let (store, account_id) = (caller.app.store.clone(), caller.account_id());
        let read = move |after, (limit, _)| {
            let store = store.clone();
            async move {
                let page = store.usage(account_id, days, after, limit).await?;
                Ok(page.map(|usage| (usage.position(), usage)))
            }
        };
        let t = of_request(&headers);
        let sheet = || t.spreadsheet("usage", "usage", "", caller.time_zone());
        lines::answer(&caller.app, &headers, &kinds, &list, COLUMNS, sheet, read).await
    };
    caller.export((SCOPE, kind), EXPORT_USAGE, "", answer).await
}
