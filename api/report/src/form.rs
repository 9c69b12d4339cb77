//! The reports of a form: its figures, how each field was answered, and the latest comments; and the summary, how its figures
//! differ from those of the same number of days just before.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::IF_NONE_MATCH;
use axum::response::Response;
use chrono::NaiveDate;
use domain::metrics::{FieldSummary, Metrics, MetricsChange};
use domain::rollup::FieldCounts;
use domain::scope::Scope;
use report::{FormLookup, FormQuery, FormSeries};
use serde::Serialize;
use utoipa::ToSchema;

use crate::ReportState;
use crate::feedbacks::item::{FeedbackItem, items};
use crate::figures::{Figures, FormReportHead, daily, json};
use crate::rendered::{Rendered, ReportKey};
use crate::request::{Conditional, FormPath, FormReportRequest, no_bus_prop};
use api_http::{Caller, Problem, Result};

/// So many comments are shown.
const COMMENTS: usize = 20;

/// The report of a form.
#[derive(Serialize, ToSchema)]
pub struct FormReport<'a> {
    #[serde(flatten)]
    head: FormReportHead<'a>,
    #[serde(flatten)]
    figures: Figures,
    /// Every field of the form, retired ones last.
    #[schema(value_type = Vec<crate::schema::FieldSummary>)]
    fields: Vec<FieldSummary>,
    /// The 20 latest feedbacks with a comment.
    latest_comments: Vec<FeedbackItem<'a>>,
}

/// Report on a form.
#[utoipa::path(
    get,
    path = "/api_v1/report/form/{form_id}/{start_date}/{end_date}",
    params(FormPath, Conditional),
    responses((status = 200, description = "The report", body = FormReport)),
)]
pub async fn form_report(
    State(state): State<ReportState>,
    caller: Caller,
    request: FormReportRequest,
    headers: HeaderMap,
) -> Result<Response> {
    let key = ReportKey::Form(request.clone());
    let query = request.query(request.range, COMMENTS);
    let show = |series: &FormSeries| show_form(&request, series);
    let answer = answer_form(&state, key, &headers, query, show);
    caller.read(Scope::Report, answer).await
}

fn show_form(request: &FormReportRequest, series: &FormSeries) -> Result<Rendered> {
    let days = series.days.iter();
    let days = daily(
        request.range,
        days.map(|(date, delta)| (*date, delta.counts)),
    );
    let mut fields = FieldCounts::default();
    for (_, delta) in &series.days {
        fields.merge(&delta.fields);
    }
    let form = &series.form.content.clone().for_reports();
    let latest_comments = items(form, &series.comments)?;
    let figures = Figures::new(days);
    let responses = figures.metrics.responses;
    let body = json(&FormReport {
        head: FormReportHead::new(request, &form.title, series.as_of),
        figures,
        fields: FieldSummary::of_form(form, &fields, responses),
        latest_comments,
    })?;
    // A comment that was just stored or erased shows before it is counted.
    Ok(Rendered::hashed(series.version, body))
}

/// The figures of a form.
#[derive(Serialize, ToSchema)]
#[schema(as = Summary)]
pub struct SummaryBody<'a> {
    #[serde(flatten)]
    head: FormReportHead<'a>,
    #[serde(flatten)]
    figures: Figures,
    previous: Previous,
    /// From `previous` to `metrics`.
    #[schema(value_type = crate::schema::Change)]
    change: MetricsChange,
}

/// The same number of days just before.
#[derive(Serialize, ToSchema)]
pub struct Previous {
    start_date: NaiveDate,
    end_date: NaiveDate,
    #[schema(value_type = crate::schema::Metrics)]
    metrics: Metrics,
}

/// Summarise a form.
#[utoipa::path(
    get,
    path = "/api_v1/report/summary/{start_date}/{end_date}/{form_id}",
    params(FormPath, Conditional),
    responses((status = 200, description = "The summary", body = SummaryBody)),
)]
pub async fn summary(
    State(state): State<ReportState>,
    caller: Caller,
    request: FormReportRequest,
    headers: HeaderMap,
) -> Result<Response> {
    let both = request.range.with_previous();
    let (key, query) = (ReportKey::Summary(request.clone()), request.query(both, 0));
    let show = |series: &FormSeries| show_summary(&request, series);
    let answer = answer_form(&state, key, &headers, query, show);
    caller.read(Scope::Report, answer).await
}

fn show_summary(request: &FormReportRequest, series: &FormSeries) -> Result<Rendered> {
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
    let body = json(&SummaryBody {
        head: FormReportHead::new(request, &series.form.content.title, series.as_of),
        figures,
        previous,
        change: MetricsChange::new(now, before),
    })?;
    Ok(Rendered::new(series.version, body))
}

/// Answers with a report of one form, which `show` makes of its series.
async fn answer_form(
    state: &ReportState,
    key: ReportKey,
    headers: &HeaderMap,
    query: FormQuery<'_>,
    show: impl FnOnce(&FormSeries) -> Result<Rendered> + Send,
) -> Result<Response> {
    let store = &state.app.store;
    if headers.contains_key(IF_NONE_MATCH) {
        // Another instance may have shown more than this one.
        drop(store.changing(query.form.account_id));
    }
    let check = async || Ok(store.form_data_version(query.form).await?);
    let render = async || match report::form_series(store, &state.cache, query).await? {
        FormLookup::Is(series) => Ok((show(&series)?, series.source)),
        FormLookup::NoForm => Err(Problem::not_found()),
        FormLookup::NoBusProp => Err(no_bus_prop()),
    };
    state.rendered.answer(key, headers, check, render).await
}
