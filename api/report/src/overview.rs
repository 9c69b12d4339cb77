//! The overview of an account: all its forms together, each form, and its recipients.

use std::cmp::Reverse;
use std::collections::HashMap;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::IF_NONE_MATCH;
use axum::response::Response;
use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;
use domain::date_range::DateRange;
use domain::form::FormStatus;
use domain::metrics::Metrics;
use domain::rollup::DayCounts;
use domain::scope::Scope;
use report::AccountSeries;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::ReportState;
use crate::figures::{Day, Figures, daily, json};
use crate::rendered::{Rendered, ReportKey};
use crate::request::Conditional;
use api_http::extract::Dates;
use api_http::{Caller, Result};

/// The overview of an account.
#[derive(Serialize, ToSchema)]
#[schema(as = Overview)]
pub struct OverviewBody<'a> {
    start_date: NaiveDate,
    end_date: NaiveDate,
    /// In which the days are counted.
    #[schema(example = "Europe/Berlin")]
    time_zone: &'static str,
    /// When the last change that is counted was made; null before the first.
    #[schema(required = true)]
    as_of: Option<DateTime<Utc>>,
    metrics: OverviewMetrics,
    /// Every day of the range.
    daily: Vec<OverviewDay>,
    /// Those PUBLISHED, and those with anything in the range; newest first.
    forms: Vec<FormMetrics<'a>>,
}

/// Sums over the range, of all forms, DELETED ones too.
#[derive(Serialize, ToSchema)]
pub struct OverviewMetrics {
    #[serde(flatten)]
    #[schema(value_type = crate::schema::Metrics)]
    metrics: Metrics,
    /// Recipients now stored that were created in the range.
    recipients: i64,
}

/// One day.
#[derive(Serialize, ToSchema)]
pub struct OverviewDay {
    #[serde(flatten)]
    day: Day,
    /// Recipients now stored that were created on this day.
    recipients: i64,
}

/// One form in the range.
#[derive(Serialize, ToSchema)]
pub struct FormMetrics<'a> {
    form_id: Uuid,
    title: &'a str,
    #[schema(example = "PUBLISHED", pattern = "^(DRAFT|PUBLISHED|DELETED)$")]
    status: &'static str,
    #[schema(value_type = crate::schema::Metrics)]
    metrics: Metrics,
}

/// Report an overview of the account.
#[utoipa::path(
    get,
    path = "/api_v1/report/overview/{start_date}/{end_date}",
    params(
        ("start_date" = NaiveDate, Path, description = "First day"),
        ("end_date" = NaiveDate, Path, description = "Last day, at most 1,830 days in all"),
        Conditional,
    ),
    responses((status = 200, description = "The overview", body = OverviewBody)),
)]
pub async fn overview(
    State(state): State<ReportState>,
    caller: Caller,
    Dates(range): Dates,
    headers: HeaderMap,
) -> Result<Response> {
    let account_id = caller.account_id();
    let store = &state.app.store;
    if headers.contains_key(IF_NONE_MATCH) {
        // Another instance may have shown more than this one.
        drop(store.changing(account_id));
    }
    let check = async || Ok(Some(store.account_data_version(account_id).await?));
    let render = async || {
        let series = report::account_series(store, &state.cache, account_id, range).await?;
        let body = json(&body(&series, range, caller.time_zone()))?;
        Ok((Rendered::new(series.version, body), series.source))
    };
    let key = ReportKey::Overview(account_id, range);
    let answer = state.rendered.answer(key, &headers, check, render);
    caller.read(Scope::Report, answer).await
}

fn body(series: &AccountSeries, range: DateRange, time_zone: Tz) -> OverviewBody<'_> {
    let days = series.days.iter();
    let figures = Figures::new(daily(range, days.map(|(_, date, counts)| (*date, *counts))));
    let recipients = daily(range, series.recipients.iter().copied());
    let days = figures.daily.into_iter().zip(recipients.values().copied());
    OverviewBody {
        start_date: range.start(),
        end_date: range.end(),
        time_zone: time_zone.name(),
        as_of: series.as_of,
        metrics: OverviewMetrics {
            metrics: figures.metrics,
            recipients: recipients.values().sum(),
        },
        daily: days
            .map(|(day, recipients)| OverviewDay { day, recipients })
            .collect(),
        forms: forms(series),
    }
}

fn forms(series: &AccountSeries) -> Vec<FormMetrics<'_>> {
    let mut sums: HashMap<Uuid, DayCounts> = HashMap::new();
    for (form_id, _, counts) in &series.days {
        *sums.entry(*form_id).or_default() += *counts;
    }
    let mut forms: Vec<FormMetrics> = Vec::new();
    for form in &series.forms {
        let counts = sums.remove(&form.form_id).unwrap_or_default();
        if form.status == FormStatus::Published || counts != DayCounts::default() {
            forms.push(FormMetrics {
                form_id: form.form_id,
                title: &form.title,
                status: form.status.as_str(),
                metrics: Metrics::from(&counts),
            });
        }
    }
    // Their ids are in the order of time.
    forms.sort_unstable_by_key(|form| Reverse(form.form_id));
    forms
}

#[cfg(test)]
mod tests {
    use report::ReportSource;
    use store::report::{FormEntry, Version};

    use super::*;

    fn form(id: u128, status: FormStatus) -> FormEntry {
        FormEntry {
            form_id: Uuid::from_u128(id),
            title: format!("Form {id}"),
            status,
            version: Version::default(),
        }
    }

    #[test]
    fn all_forms_are_summed_and_those_with_anything_listed() {
        let days = [(1, "2026-01-01", 4), (4, "2026-01-02", 2)].map(|(id, date, views)| {
            let counts = DayCounts {
                views,
                responses: 1,
                ..DayCounts::default()
            };
            (Uuid::from_u128(id), date.parse().unwrap(), counts)
        });
        let recipients = [("2025-12-31", 7), ("2026-01-01", 3), ("2026-01-02", 2)];
        let series = AccountSeries {
            version: Version::default(),
            as_of: None,
            forms: vec![
                form(1, FormStatus::Deleted),
                form(2, FormStatus::Deleted),
                form(3, FormStatus::Published),
                form(4, FormStatus::Published),
                form(5, FormStatus::Draft),
            ],
            days: days.to_vec(),
            recipients: recipients
                .map(|(date, count)| (date.parse().unwrap(), count))
                .to_vec(),
            source: ReportSource::Database,
        };
        let range = DateRange::parse("2026-01-01", "2026-01-02").unwrap();
        let body = serde_json::to_value(body(&series, range, Tz::UTC)).unwrap();
        assert_eq!(body["as_of"], serde_json::Value::Null);
        assert_eq!(body["metrics"]["views"], 6);
        assert_eq!(body["metrics"]["recipients"], 5);
        assert_eq!(body["metrics"]["response_rate"], 2.0 / 6.0);
        assert_eq!(body["daily"].as_array().unwrap().len(), 2);
        assert_eq!(body["daily"][0]["views"], 4);
        assert_eq!(body["daily"][1]["recipients"], 2);
        let titles: Vec<_> = body["forms"]
            .as_array()
            .unwrap()
            .iter()
            .map(|form| form["title"].as_str().unwrap())
            .collect();
        assert_eq!(titles, ["Form 4", "Form 3", "Form 1"]);
        assert_eq!(body["forms"][0]["metrics"]["views"], 2);
        assert_eq!(
            body["forms"][1]["metrics"]["response_rate"],
            serde_json::Value::Null
        );
    }
}
