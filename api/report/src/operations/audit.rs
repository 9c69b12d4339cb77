//! Reading the audit log, which is noted in it where all of it is taken at once.

use api_http::accept::Kind;
use api_http::{Caller, Problem, Result, lines};
use axum::response::Response;
use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;
use domain::date_range::{parse_date, start_of};
use domain::scope::Scope;
use store::account::AuditRow;
use store::{ListPage, Store};
use uuid::Uuid;

/// Days of the log, in the account's time zone; without one it begins, or ends, where the log does.
#[derive(Clone, Copy, Debug, Default)]
pub struct AuditDays {
    from: Option<NaiveDate>,
    to: Option<NaiveDate>,
}

impl AuditDays {
    /// # Errors
    /// 400 `invalid_parameter`: no days, or in the wrong order.
    pub fn read(from: Option<&str>, to: Option<&str>) -> Result<Self> {
        let day = |name: &str, text: Option<&str>| {
            let wrong = || Problem::invalid_parameter(format!("{name} is not a date (YYYY-MM-DD)"));
            let day = text.map(|text| parse_date(text).ok_or_else(wrong));
            day.transpose()
        };
        let (from, to) = (day("from", from)?, day("to", to)?);
        if from.zip(to).is_some_and(|(from, to)| from > to) {
            return Err(Problem::invalid_parameter("from is after to"));
        }
        Ok(Self { from, to })
    }

    /// From when, and until when.
    pub(crate) fn moments(self, zone: Tz) -> (Option<DateTime<Utc>>, Option<DateTime<Utc>>) {
        let end = self.to.and_then(|day| day.succ_opt());
        let start_of = |day| start_of(day, zone);
        (self.from.map(start_of), end.map(start_of))
    }

    /// As the log has them.
    fn subject(self) -> String {
        let days = [self.from, self.to].map(|day| day.map(|day| day.to_string()));
        match days {
            [None, None] => String::new(),
            days => days.map(Option::unwrap_or_default).join(" – "),
        }
    }
}

/// A part of the log between these moments, newest first, each row with its position.
pub(crate) async fn audit_page(
    store: &Store,
    account_id: Uuid,
    moments: (Option<DateTime<Utc>>, Option<DateTime<Utc>>),
    after: Option<Uuid>,
    limit: usize,
) -> Result<ListPage<(Uuid, AuditRow)>, store::Error> {
    let page = store.audit(account_id, moments, after, limit).await?;
    Ok(page.map(|row| (row.audit_id, row)))
}

/// All of the log on these days as lines of NDJSON, newest first.
///
/// # Errors
/// 403; 503.
pub async fn export_audit(caller: &Caller, days: AuditDays) -> Result<Response> {
    let (store, account_id) = (caller.app.store.clone(), caller.account_id());
    let moments = days.moments(caller.time_zone());
    let read = move |after, (limit, _)| {
        let store = store.clone();
        async move { audit_page(&store, account_id, moments, after, limit).await }
    };
    let export = lines::whole(&caller.app, account_id, (Kind::Ndjson, ""), read);
    let of = (Scope::Audit, Kind::Ndjson);
    caller
        .export(of, "audit.export", &days.subject(), export)
        .await
}
