//! The report of a form: its figures, how each field was answered, and the latest comments.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use chrono::NaiveDate;
use domain::metrics::FieldSummary;
use domain::rollup::FieldCounts;
use platform::reports::{self, FormSeries};
use serde::Serialize;
use utoipa::ToSchema;

use super::asked::{BusPropPath, Conditional, FormAsked, FormPath};
use super::feedbacks::item::{Item, items};
use super::figures::{Day, Figures, FormHead, daily};
use super::schema::{FieldSummarySchema, ReportResponses};
use super::{answer_form, json};
use crate::AppState;
use crate::error::Problem;

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
    State(state): State<AppState>,
    asked: FormAsked,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let (path, bus_prop) = (asked.form_first_path("form"), asked.bus_prop());
    let series = || {
        reports::form_series(
            state.store(),
            state.cache(),
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
    state: State<AppState>,
    asked: FormAsked,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    form_report(state, asked, headers).await
}

async fn show(
    state: &AppState,
    asked: &FormAsked,
    series: &FormSeries,
) -> Result<Vec<u8>, Problem> {
    let days = series.days.iter();
    let days = daily(asked.range, days.map(|(date, delta)| (*date, delta.counts)));
    // After the series: whatever is counted in it can be found by now.
    let comments = match comments_since(&days) {
        None => Vec::new(),
        Some(since) => {
            let query = asked.feedbacks(&series.form.content, true, Vec::new())?;
            state
                .store()
                .latest_comments(&query, since, COMMENTS)
                .await?
        }
    };
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

/// The latest day from which on there are enough comments, or all; `None`: there are none.
fn comments_since(days: &[Day]) -> Option<NaiveDate> {
    let mut comments = 0;
    let mut since = None;
    for day in days.iter().rev().filter(|day| day.counts.comments != 0) {
        comments += day.counts.comments;
        since = Some(day.date);
        if usize::try_from(comments).is_ok_and(|comments| comments >= COMMENTS) {
            break;
        }
    }
    since
}

fn fields(series: &FormSeries) -> FieldCounts {
    let mut sum = FieldCounts::default();
    for (_, delta) in &series.days {
        sum.merge(&delta.fields);
    }
    sum
}

#[cfg(test)]
mod tests {
    use domain::rollup::DayCounts;

    use super::*;

    #[test]
    fn comments_are_looked_for_no_further_back_than_they_are() {
        let day = |date: u32, comments| Day {
            date: NaiveDate::from_ymd_opt(2026, 1, date).unwrap(),
            counts: DayCounts {
                comments,
                ..DayCounts::default()
            },
        };
        let since = |days: &[Day]| comments_since(days).map(|date| date.to_string());
        assert_eq!(since(&[day(1, 0), day(2, 0)]), None);
        let few = [day(1, 0), day(2, 3), day(3, 1), day(4, 0)];
        assert_eq!(since(&few).as_deref(), Some("2026-01-02"));
        let many = [day(1, 99), day(2, 15), day(3, 5), day(4, 0)];
        assert_eq!(since(&many).as_deref(), Some("2026-01-02"));
    }
}
