//! Reports over date ranges. So far what imports alone can tell: the recipients of an account by day. Views and answers
//! are zero and rates are null, because nothing collects any yet.

use std::collections::HashMap;

use axum::Json;
use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, NaiveDate, Utc};
use platform::reports::{self, Source};
use serde::Serialize;
use utoipa::ToSchema;

use crate::AppState;
use crate::auth::Caller;
use crate::error::{Problem, ProblemBody};
use crate::extract::Dates;

const CACHE_STATUS: HeaderName = HeaderName::from_static("cache-status");

/// The overview of an account.
#[derive(Serialize, ToSchema)]
pub struct OverviewBody {
    start_date: NaiveDate,
    end_date: NaiveDate,
    /// In which the days are counted.
    #[schema(example = "Europe/Berlin")]
    time_zone: &'static str,
    /// When the last change that is counted was made; null before the first.
    as_of: Option<DateTime<Utc>>,
    metrics: OverviewMetrics,
    /// Every day of the range.
    daily: Vec<OverviewDay>,
    /// One entry a form.
    #[schema(value_type = Vec<Object>)]
    forms: [(); 0],
}

/// Sums over the range. A rate without answers is null.
#[derive(Default, Serialize, ToSchema)]
pub struct OverviewMetrics {
    views: i64,
    responses: i64,
    response_rate: Option<f64>,
    comments: i64,
    happiness_rate: Option<f64>,
    happiness: Happiness,
    nps: Option<f64>,
    nps_detail: NpsDetail,
    /// Recipients now stored that were created in the range.
    recipients: i64,
}

/// What the happiness rate is made of, with its interval.
#[derive(Default, Serialize, ToSchema)]
pub struct Happiness {
    happy: i64,
    answers: i64,
    low: Option<f64>,
    high: Option<f64>,
}

/// What the NPS is made of, with its interval.
#[derive(Default, Serialize, ToSchema)]
pub struct NpsDetail {
    promoters: i64,
    passives: i64,
    detractors: i64,
    answers: i64,
    low: Option<f64>,
    high: Option<f64>,
}

/// One day.
#[derive(Default, Serialize, ToSchema)]
pub struct OverviewDay {
    date: NaiveDate,
    views: i64,
    responses: i64,
    comments: i64,
    happy: i64,
    happiness_answers: i64,
    promoters: i64,
    passives: i64,
    detractors: i64,
    nps_answers: i64,
    /// Recipients now stored that were created on this day.
    recipients: i64,
}

impl OverviewDay {
    fn new(date: NaiveDate, recipients: i64) -> Self {
        Self {
            date,
            recipients,
            ..Self::default()
        }
    }
}

/// Report an overview of the account.
#[utoipa::path(
    get,
    path = "/overview/{start_date}/{end_date}",
    tag = "report",
    params(
        ("start_date" = NaiveDate, Path, description = "First day"),
        ("end_date" = NaiveDate, Path, description = "Last day, at most 1,830 days in all"),
        ("If-None-Match" = Option<String>, Header, description = "An `ETag` that the caller has"),
    ),
    responses(
        (status = 200, description = "The overview", body = OverviewBody, headers(
            ("ETag" = String, description = "The same for the same data"),
            ("Cache-Status" = String, description = "RFC 9211: whether the figures came from the cache"),
        )),
        (status = 304, description = "The caller's copy is still right"),
        (status = 400, description = "`invalid_parameter`",
            body = ProblemBody, content_type = "application/problem+json"),
        (status = 404, description = "`not_found`: no path", body = ProblemBody,
            content_type = "application/problem+json"),
    ),
)]
pub async fn overview(
    State(state): State<AppState>,
    caller: Caller,
    Dates(range): Dates,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let (series, source) =
        reports::recipient_series(state.store(), state.cache(), caller.account_id()).await?;
    let etag = format!("\"{}.{}.{}\"", range.start(), range.end(), series.version);
    let mut answer = HeaderMap::new();
    answer.insert(CACHE_CONTROL, HeaderValue::from_static("private, no-cache"));
    answer.insert(CACHE_STATUS, cache_status(source));
    if let Ok(value) = HeaderValue::from_str(&etag) {
        answer.insert(ETAG, value);
    }
    if has_copy(&headers, &etag) {
        return Ok((StatusCode::NOT_MODIFIED, answer).into_response());
    }
    let by_day: HashMap<NaiveDate, i64> = series.days.into_iter().collect();
    let daily: Vec<_> = range
        .days()
        .map(|date| OverviewDay::new(date, by_day.get(&date).copied().unwrap_or(0)))
        .collect();
    let body = OverviewBody {
        start_date: range.start(),
        end_date: range.end(),
        time_zone: caller.time_zone().name(),
        as_of: series.as_of,
        metrics: OverviewMetrics {
            recipients: daily.iter().map(|day| day.recipients).sum(),
            ..OverviewMetrics::default()
        },
        daily,
        forms: [],
    };
    Ok((answer, Json(body)).into_response())
}

fn cache_status(source: Source) -> HeaderValue {
    HeaderValue::from_static(match source {
        Source::Cache => "feedback; hit",
        Source::Database => "feedback; fwd=miss",
    })
}

/// RFC 9110, 13.1.2: any of the list, weak or not, or `*`.
fn has_copy(headers: &HeaderMap, etag: &str) -> bool {
    headers
        .get_all(IF_NONE_MATCH)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(|tag| tag.trim().trim_start_matches("W/"))
        .any(|tag| tag == etag || tag == "*")
}
