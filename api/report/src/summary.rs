//! The summary of a form: its figures, and how they differ from the same number of days just before.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use chrono::NaiveDate;
use domain::metrics::{Change, Metrics};
use platform::reports::{self, FormSeries};
use serde::Serialize;
use utoipa::ToSchema;

use crate::ReportState;
use crate::answer::{answer_form, json};
use crate::asked::{BusPropPath, Conditional, FormAsked, FormPath};
use crate::figures::{Figures, FormHead, daily, metrics};
use crate::schema::{ChangeSchema, MetricsSchema, ReportResponses};
use api_http::error::Problem;

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
    #[schema(value_type = ChangeSchema)]
    change: Change,
}

/// The same number of days just before.
#[derive(Serialize, ToSchema)]
pub struct Previous {
    start_date: NaiveDate,
    end_date: NaiveDate,
    #[schema(value_type = MetricsSchema)]
    metrics: Metrics,
}

/// Summarise a form.
#[utoipa::path(
    get,
    path = "/summary/{start_date}/{end_date}/{form_id}",
    tag = "report",
    params(FormPath, Conditional),
    responses(
        (status = 200, description = "The summary", body = SummaryBody, headers(
            ("ETag" = String, description = "The same for the same data"),
            ("Cache-Status" = String, description = "RFC 9211: whether it was kept or read from the database"),
        )),
        ReportResponses,
    ),
)]
pub async fn summary(
    State(state): State<ReportState>,
    asked: FormAsked,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let (path, bus_prop) = (asked.path("summary"), asked.bus_prop());
    let both = asked.range.with_previous();
    let series =
        || reports::form_series(state.app.store(), &state.cache, asked.form, bus_prop, both);
    let show = async |series| json(&body(&asked, &series));
    answer_form(&state, &asked, &path, &headers, series, show).await
}

/// Summarise a form's feedbacks of one business property.
#[utoipa::path(
    get,
    path = "/summary/{start_date}/{end_date}/{form_id}/{bus_prop}",
    tag = "report",
    params(FormPath, BusPropPath, Conditional),
    responses(
        (status = 200, description = "The summary", body = SummaryBody, headers(
            ("ETag" = String, description = "The same for the same data"),
            ("Cache-Status" = String, description = "RFC 9211: whether it was kept or read from the database"),
        )),
        ReportResponses,
    ),
)]
pub async fn summary_of(
    state: State<ReportState>,
    asked: FormAsked,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    summary(state, asked, headers).await
}

fn body<'a>(asked: &'a FormAsked, series: &'a FormSeries) -> SummaryBody<'a> {
    let counts = || {
        series
            .days
            .iter()
            .map(|(date, delta)| (*date, delta.counts))
    };
    let figures = Figures::new(daily(asked.range, counts()));
    let range = asked.range.previous();
    let previous = Previous {
        start_date: range.start(),
        end_date: range.end(),
        metrics: metrics(&daily(range, counts())),
    };
    let change = figures.metrics.since(&previous.metrics);
    SummaryBody {
        head: FormHead::new(asked, &series.form.content.title, series.as_of),
        figures,
        previous,
        change,
    }
}
