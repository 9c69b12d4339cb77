//! The summary of a form: its figures, and how they differ from the same number of days just before.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use chrono::NaiveDate;
use domain::metrics::{Change, Metrics};
use report::FormSeries;
use serde::Serialize;
use utoipa::ToSchema;

use crate::ReportState;
use crate::answer::{answer_form, json};
use crate::figures::{Figures, FormHead, daily};
use crate::rendered::{Key, Rendered};
use crate::request::{Conditional, FormPath, FormReportRequest};
use api_http::{Problem, Result};

/// The figures of a form.
#[derive(Serialize, ToSchema)]
#[schema(as = Summary)]
pub struct SummaryBody<'a> {
    #[serde(flatten)]
    head: FormHead<'a>,
    #[serde(flatten)]
    figures: Figures,
    previous: Previous,
    /// From `previous` to `metrics`.
    change: Change,
}

/// The same number of days just before.
#[derive(Serialize, ToSchema)]
pub struct Previous {
    start_date: NaiveDate,
    end_date: NaiveDate,
    metrics: Metrics,
}

/// Summarise a form.
#[utoipa::path(
    get,
    path = "/api_v1/report/summary/{start_date}/{end_date}/{form_id}",
    params(FormPath, Conditional),
    responses(
        (status = 200, description = "The summary", body = SummaryBody),
    ),
)]
pub async fn summary(
    State(state): State<ReportState>,
    request: FormReportRequest,
    headers: HeaderMap,
) -> Result<Response> {
    let both = request.range.with_previous();
    let (key, query) = (Key::Summary(request.clone()), request.query(both, 0));
    let show = |series: &FormSeries| {
        let body = json(&body(&request, series)?)?;
        Ok(Rendered::new(series.version, body))
    };
    answer_form(&state, key, &headers, query, show).await
}

fn body<'a>(request: &'a FormReportRequest, series: &'a FormSeries) -> Result<SummaryBody<'a>> {
    let days = series.days.iter();
    let counts = days.map(|(date, delta)| (*date, delta.counts));
    let days = daily(request.range, counts.clone());
    let now = days.values().copied().sum();
    let figures = Figures::new(days);
    let range = request.range.previous();
    let range = range.map_err(|error| Problem::invalid_parameter(error.to_string()))?;
    let before = daily(range, counts).into_values().sum();
    let previous = Previous {
        start_date: range.start(),
        end_date: range.end(),
        metrics: Metrics::from(&before),
    };
    let change = Change::new(now, before);
    Ok(SummaryBody {
        head: FormHead::new(request, &series.form.content.title, series.as_of),
        figures,
        previous,
        change,
    })
}
