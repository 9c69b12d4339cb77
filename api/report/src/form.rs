//! The report of a form: its figures, how each field was answered, and the latest comments.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use domain::metrics::FieldSummary;
use domain::rollup::FieldCounts;
use report::FormSeries;
use serde::Serialize;
use utoipa::ToSchema;

use crate::ReportState;
use crate::answer::{answer_form, json};
use crate::feedbacks::item::{Item, items};
use crate::figures::{Figures, FormHead, daily};
use crate::rendered::{Key, Rendered};
use crate::request::{Conditional, FormPath, FormReportRequest};
use api_http::{Problem, Result};

/// So many comments are shown.
const COMMENTS: usize = 20;

/// The report of a form.
#[derive(Serialize, ToSchema)]
#[schema(as = FormReport)]
pub struct FormBody<'a> {
    #[serde(flatten)]
    head: FormHead<'a>,
    #[serde(flatten)]
    figures: Figures,
    /// Every field of the form, retired ones last.
    fields: Vec<FieldSummary>,
    /// The 20 latest feedbacks with a comment.
    latest_comments: Vec<Item<'a>>,
}

/// Report on a form.
#[utoipa::path(
    get,
    path = "/api_v1/report/form/{form_id}/{start_date}/{end_date}",
    params(FormPath, Conditional),
    responses(
        (status = 200, description = "The report", body = FormBody),
    ),
)]
pub async fn form_report(
    State(state): State<ReportState>,
    request: FormReportRequest,
    headers: HeaderMap,
) -> Result<Response> {
    let key = Key::Form(request.clone());
    let query = request.query(request.range, COMMENTS);
    let show = |series: &FormSeries| show(&request, series);
    answer_form(&state, key, &headers, query, show).await
}

fn show(request: &FormReportRequest, series: &FormSeries) -> Result<Rendered> {
    let days = series.days.iter();
    let days = daily(
        request.range,
        days.map(|(date, delta)| (*date, delta.counts)),
    );
    let form = &series.form.content;
    let (latest_comments, _) = items(form, &series.comments)?;
    let figures = Figures::new(days);
    let responses = figures.metrics.responses;
    let body = json(&FormBody {
        head: FormHead::new(request, &form.title, series.as_of),
        figures,
        fields: FieldSummary::of_form(form, &fields(series), responses),
        latest_comments,
    })?;
    // A comment that was just stored or erased shows before it is counted.
    Ok(Rendered::hashed(series.version, body))
}

fn fields(series: &FormSeries) -> FieldCounts {
    let mut sum = FieldCounts::default();
    for (_, delta) in &series.days {
        sum.merge(&delta.fields);
    }
    sum
}
