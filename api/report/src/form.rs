//! The report of a form: its figures, how each field was answered, and the latest comments.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use domain::metrics::FieldSummary;
use domain::rollup::FieldCounts;
use platform::reports::{self, FormSeries};
use serde::Serialize;
use utoipa::ToSchema;

use crate::ReportState;
use crate::answer::{answer_form, json};
use crate::asked::{BusPropPath, Conditional, FormAsked, FormPath};
use crate::feedbacks::item::{Item, items};
use crate::figures::{Figures, FormHead, daily};
use crate::schema::{FieldSummarySchema, ReportResponses};
use api_http::error::Problem;

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
    #[schema(value_type = Vec<FieldSummarySchema>)]
    fields: Vec<FieldSummary>,
    /// The 20 latest feedbacks with a comment.
    latest_comments: Vec<Item<'a>>,
}

/// Report on a form.
#[utoipa::path(
    get,
    path = "/form/{form_id}/{start_date}/{end_date}",
    tag = "report",
    params(FormPath, Conditional),
    responses(
        (status = 200, description = "The report", body = FormBody, headers(
            ("ETag" = String, description = "The same for the same data"),
            ("Cache-Status" = String, description = "RFC 9211: whether it was kept or read from the database"),
        )),
        ReportResponses,
    ),
)]
pub async fn form_report(
    State(state): State<ReportState>,
    asked: FormAsked,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let (path, bus_prop) = (asked.form_first_path("form"), asked.bus_prop());
    let series = || {
        reports::form_series(
            state.app.store(),
            &state.cache,
            asked.form,
            bus_prop,
            asked.range,
        )
    };
    let show = async |series| show(&state, &asked, &series).await;
    answer_form(&state, &asked, &path, &headers, series, show).await
}

/// Report on a form's feedbacks of one business property.
#[utoipa::path(
    get,
    path = "/form/{form_id}/{start_date}/{end_date}/{bus_prop}",
    tag = "report",
    params(FormPath, BusPropPath, Conditional),
    responses(
        (status = 200, description = "The report", body = FormBody, headers(
            ("ETag" = String, description = "The same for the same data"),
            ("Cache-Status" = String, description = "RFC 9211: whether it was kept or read from the database"),
        )),
        ReportResponses,
    ),
)]
pub async fn form_report_of(
    state: State<ReportState>,
    asked: FormAsked,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    form_report(state, asked, headers).await
}

async fn show(
    state: &ReportState,
    asked: &FormAsked,
    series: &FormSeries,
) -> Result<Vec<u8>, Problem> {
    let days = series.days.iter();
    let days = daily(asked.range, days.map(|(date, delta)| (*date, delta.counts)));
    // After the series: whatever is counted in it can be found by now.
    let counted = days.iter().map(|day| (day.date, day.counts.comments));
    let query = asked.feedbacks(&series.form.content, true, Vec::new())?;
    let store = state.app.store();
    let comments = store.latest_comments(&query, counted, COMMENTS).await?;
    let form = &series.form.content;
    let (latest_comments, _) = items(form, &comments)?;
    let figures = Figures::new(days);
    let responses = figures.metrics.responses;
    json(&FormBody {
        head: FormHead::new(asked, &form.title, series.as_of),
        figures,
        fields: FieldSummary::of_form(form, &fields(series), responses),
        latest_comments,
    })
}

fn fields(series: &FormSeries) -> FieldCounts {
    let mut sum = FieldCounts::default();
    for (_, delta) in &series.days {
        sum.merge(&delta.fields);
    }
    sum
}
