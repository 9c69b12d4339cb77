//! Read-only pages of a report: which there are, shared, listed, withdrawn.

use api_http::{Caller, Change, Parameters, Problem, QUICK, Result, made, parse_uuid, within};
use axum::http::{StatusCode, Uri};
use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use domain::date_range::DateRange;
use domain::invalid::{Invalid, code};
use domain::period::{CalendarPeriod, Comparison};
use domain::scope::Scope;
use serde::Serialize;
use store::ListPage;
use store::account::Share;
use store::form::Form;
use utoipa::ToSchema;
use uuid::Uuid;

const CREATE: Change = Change::new(Scope::Report, "share.create", StatusCode::CREATED);
const WITHDRAW: Change = Change::new(Scope::Report, "share.withdraw", StatusCode::NO_CONTENT);
/// The longest life of a share.
pub(super) const LIFE: TimeDelta = TimeDelta::days(400);
/// Characters that the audit log has of a share behind its id; programs that left out the id had as many.
const WORDS: usize = 200;
/// Pages that an account shares at once, at most.
const MOST: u64 = 1_000;
/// The days of a page that counts until today.
const DAYS: std::ops::RangeInclusive<u16> = 1..=1_830;
/// The parameters of a page of a report.
const PARAMETERS: [&str; 6] = ["days", "range", "from", "to", "compare", "bus_prop"];

/// A page that is shared.
#[derive(Serialize, ToSchema)]
#[schema(as = Share)]
pub struct ShareItem {
    pub share_id: Uuid,
    #[schema(example = "/dashboard?days=30")]
    pub path: String,
    created_at: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
    /// What is given to readers: only where the page was just shared, and never again.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(
        nullable = false,
        example = "https://feedback.example/dashboard/shared/0f1e2d"
    )]
    pub url: Option<String>,
}

impl ShareItem {
    fn new(share: Share, url: Option<String>) -> Self {
        Self {
            share_id: share.share_id,
            path: share.path,
            created_at: share.created_at,
            expires_at: share.expires_at,
            url,
        }
    }
}

/// Shares a page of a report until a time; `None`: what was sent is no time.
///
/// # Errors
/// 422; 503.
pub async fn create_share(
    caller: &Caller,
    path: &str,
    expires_at: Option<DateTime<Utc>>,
) -> Result<ShareItem> {
    let is_page = has_page(caller, path).await?;
    let share_id = Uuid::now_v7();
    let create = async {
        let wrong = |name, code, detail: &str| {
            Problem::invalid(vec![Invalid::of_member(name, code, detail)])
        };
        if !is_page {
            let detail = "path is not that of a report's page, with its query";
            return Err(wrong("path", code::MALFORMED, detail));
        }
        let now = Utc::now();
        let time = expires_at.filter(|time| *time > now && *time <= now + LIFE);
        let detail = "expires_at is not a time to come, at most 400 days from now";
        let time = time.ok_or_else(|| wrong("expires_at", code::OUT_OF_RANGE, detail))?;
        let (app, account_id) = (&caller.app, caller.account_id());
        if within(QUICK, app.store.live_shares(account_id)).await? >= MOST {
            let detail = format!("{MOST} pages are shared, as many as may be; withdraw some");
            return Err(wrong("path", code::TOO_MANY, &detail));
        }
        let key = (account_id, share_id);
        let share = app.store.create_share(key, path.to_owned(), time);
        let (share, secret) = within(QUICK, share).await?;
        let url = format!("{}/dashboard/shared/{secret}", app.public_url);
        Ok(ShareItem::new(share, Some(url)))
    };
    // What is no page of a report may have anything, also a phone.
    let words = match (is_page, expires_at) {
        (false, _) => String::new(),
        (true, None) => path.to_owned(),
        (true, Some(end)) => words(path, end),
    };
    caller.change(CREATE, &made(share_id, &words), create).await
}

/// What the audit log has of it behind its id: its end and, with a blank between, its path; of what is long the beginning.
pub(super) fn words(path: &str, end: DateTime<Utc>) -> String {
    let end = end.to_rfc3339_opts(SecondsFormat::Secs, true);
    format!("{end} {path}").chars().take(WORDS).collect()
}

/// What the account shares, newest first, after a position.
///
/// # Errors
/// 503.
pub async fn list_shares(
    caller: &Caller,
    after: Option<Uuid>,
    limit: usize,
) -> Result<ListPage<ShareItem>> {
    let list = async {
        let page = caller.app.store.shares(caller.account_id(), after, limit);
        let page = within(QUICK, page).await?;
        let rows = page.rows.into_iter();
        Ok(ListPage {
            rows: rows.map(|share| ShareItem::new(share, None)).collect(),
            next: page.next,
        })
    };
    caller.read(Scope::Report, list).await
}

/// Withdraws a share.
///
/// # Errors
/// 404, also once it is withdrawn; 503.
pub async fn withdraw_share(caller: &Caller, share_id: Uuid) -> Result<()> {
    let (store, account_id) = (&caller.app.store, caller.account_id());
    let find = async { Ok(within(QUICK, store.share(account_id, share_id)).await?) };
    let share = caller.read(Scope::Report, find).await?;
    let words = share.map(|share| words(&share.path, share.expires_at));
    let subject = made(share_id, &words.unwrap_or_default());
    let withdraw = async {
        let is_withdrawn = within(QUICK, store.withdraw_share(account_id, share_id)).await?;
        is_withdrawn.then_some(()).ok_or_else(Problem::not_found)
    };
    caller.change(WITHDRAW, &subject, withdraw).await
}

/// Whether the account has such a page of a report.
async fn has_page(caller: &Caller, path: &str) -> Result<bool> {
    let Some((form_id, bus_prop)) = read_path(path) else {
        return Ok(false);
    };
    let Some(form_id) = form_id else {
        return Ok(bus_prop.is_none());
    };
    let form = caller.app.store.form(caller.account_id(), form_id);
    let form = within(QUICK, form).await?;
    let has =
        |form: Form| bus_prop.is_none_or(|text| form.content.bus_prop_by_text(&text).is_some());
    Ok(form.is_some_and(has))
}

/// The form and the business property that a page of a report is about; `None`: there is no such page.
fn read_path(path: &str) -> Option<(Option<Uuid>, Option<String>)> {
    let uri: Uri = path.parse().ok()?;
    let form_id = match uri.path().strip_prefix("/dashboard")? {
        "" => None,
        rest => Some(parse_uuid(rest.strip_prefix("/form/")?)?),
    };
    let parameters = Parameters::of(&uri).ok()?;
    let [days, period, from, to, compare, bus_prop] =
        PARAMETERS.map(|name| parameters.one(name).ok());
    let is_range = match (days?, period?, from?, to?) {
        (None, None, None, None) => true,
        (Some(days), None, None, None) => days.parse().is_ok_and(|days| DAYS.contains(&days)),
        (None, Some(period), None, None) => period.parse::<CalendarPeriod>().is_ok(),
        (None, None, Some(from), Some(to)) => DateRange::parse(from, to).is_ok(),
        _ => false,
    };
    let is_range = is_range && compare?.is_none_or(|text| text.parse::<Comparison>().is_ok());
    let are_known = parameters
        .pairs()
        .all(|(name, _)| PARAMETERS.contains(&name));
    let bus_prop = bus_prop?.filter(|text| !text.is_empty());
    // Neither a host nor a fragment.
    let is_whole = uri
        .path_and_query()
        .is_some_and(|whole| whole.as_str() == path);
    (is_range && are_known && is_whole).then(|| (form_id, bus_prop.map(ToOwned::to_owned)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pages_of_reports_are_shared() {
        let form_id = Uuid::from_u128(7);
        let of_form = format!("/dashboard/form/{form_id}");
        let all = (None, None);
        for path in [
            "/dashboard",
            "/dashboard?days=1830",
            "/dashboard?range=last-month&compare=year",
            "/dashboard?from=2026-01-01&to=2026-01-31&bus_prop=",
        ] {
            assert_eq!(read_path(path), Some(all.clone()), "{path}");
        }
        let of_store = format!("{of_form}?bus_prop=store%3ABerlin+Mitte&days=7");
        let store = "store:Berlin Mitte".to_owned();
        assert_eq!(read_path(&of_form), Some((Some(form_id), None)));
        assert_eq!(read_path(&of_store), Some((Some(form_id), Some(store))));
        for path in [
            "",
            "dashboard",
            "/dashboard/",
            "/dashboards",
            "/dashboard/form",
            "/dashboard/form/7",
            "/dashboard/answers",
            "/dashboard/recipients?days=7",
            "//dashboard",
            "https://evil.example/dashboard",
            "/dashboard#x",
            "/dashboard?days=0",
            "/dashboard?days=1831",
            "/dashboard?range=next-month",
            "/dashboard?days=7&days=8",
            "/dashboard?days=7&from=2026-01-01&to=2026-01-31",
            "/dashboard?from=2026-01-01",
            "/dashboard?from=2026-01-31&to=2026-01-01",
            "/dashboard?token=x",
            "/dashboard?bus_prop=%FF",
            "/dashboard?\u{0}",
            &format!("{of_form}/edit"),
        ] {
            assert_eq!(read_path(path), None, "{path}");
        }
    }
}
