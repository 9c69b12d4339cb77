//! The overview: an account's figures on some days, how they changed, and each of its forms.

use std::collections::BTreeMap;

use api_http::Result;
use askama::Template;
use axum::extract::Query;
use axum::response::Response;
use chrono::NaiveDate;
use domain::date_range::DateRange;
use domain::form::FormStatus;
use domain::metrics::Metrics;
use domain::rollup::DayCounts;
use report::AccountSeries;
use uuid::Uuid;

use crate::chart::{share, sparkline};
use crate::figures::{Card, ShownFigures, cards};
use crate::page::{Frame, page};
use crate::range::{Range, RangeQuery};
use crate::signed_in::SignedIn;
use crate::state::DashboardState;

/// So many forms are shown, the newest first.
const FORMS: usize = 200;

#[derive(Template)]
#[template(path = "overview.html")]
struct OverviewPage<'a> {
    f: &'a Frame,
    range: &'a Range,
    /// Other parameters of the page.
    keep: [(&'a str, &'a str); 0],
    cards: Vec<Card>,
    figures: ShownFigures,
    steps: Vec<OverviewStep>,
    forms: Vec<FormRow>,
    /// Nothing was ever imported, sent or answered.
    is_new: bool,
}

/// A step of the funnel.
struct OverviewStep {
    label: String,
    count: i64,
    /// Of the largest step, 0 to 100.
    width: i64,
    /// Of the step before, unless that is smaller: those who were imported may get more than one message.
    share: Option<f64>,
}

/// A form of the table.
struct FormRow {
    form_id: Uuid,
    title: String,
    status: FormStatus,
    metrics: Metrics,
    /// Responses a day.
    spark: String,
}

/// `GET /dashboard`.
pub async fn show(person: SignedIn, Query(query): Query<RangeQuery>) -> Result<Response> {
    let f = person.frame("overview");
    answer(&person.state, person.account_id, &f, &query).await
}

/// The page, of an account's days.
///
/// # Errors
/// 400: no range; 503.
pub async fn answer(
    state: &DashboardState,
    account_id: Uuid,
    f: &Frame,
    query: &RangeQuery,
) -> Result<Response> {
    let range = Range::read(query, f.zone)?;
    let _place = state.places.take(account_id).await;
    let counted = ShownFigures::counted(range.dates);
    let series =
        report::account_series(&state.app.store, &state.cache, account_id, counted).await?;
    let mut days: BTreeMap<NaiveDate, DayCounts> = BTreeMap::new();
    for (_, day, counts) in &series.days {
        *days.entry(*day).or_default() += *counts;
    }
    let figures = ShownFigures::new(&days, range.dates);
    let template = OverviewPage {
        f,
        range: &range,
        keep: [],
        cards: cards(f.t, &figures),
        steps: funnel(f, &series, range.dates, &figures.now),
        forms: forms(&series, range.dates),
        is_new: series.forms.is_empty() && series.recipients.is_empty(),
        figures,
    };
    Ok(page(f, &template))
}

fn funnel(f: &Frame, series: &AccountSeries, range: DateRange, now: &Metrics) -> Vec<OverviewStep> {
    let recipients = series
        .recipients
        .iter()
        .filter(|(day, _)| range.contains(*day));
    let steps = [
        (
            f.t.get("step-imported"),
            Some(recipients.map(|(_, count)| count).sum()),
        ),
        (f.t.get("step-sent"), now.sent),
        (f.t.get("step-delivered"), now.delivered),
        (f.t.get("step-viewed"), Some(now.views)),
        (f.t.get("step-answered"), Some(now.responses)),
    ];
    let steps: Vec<(String, i64)> = steps
        .into_iter()
        .filter_map(|(label, count)| Some((label, count?)))
        .collect();
    let largest = steps
        .iter()
        .map(|(_, count)| *count)
        .max()
        .unwrap_or(0)
        .max(1);
    let mut before = None;
    let step = |(label, count): (String, i64)| OverviewStep {
        label,
        count,
        width: 100 * count / largest,
        share: before
            .replace(count)
            .filter(|before| *before > 0 && *before >= count)
            .map(|before| share(count, before)),
    };
    steps.into_iter().map(step).collect()
}

fn forms(series: &AccountSeries, range: DateRange) -> Vec<FormRow> {
    let mut days: BTreeMap<Uuid, BTreeMap<NaiveDate, DayCounts>> = BTreeMap::new();
    for (form_id, day, counts) in series
        .days
        .iter()
        .filter(|(_, day, _)| range.contains(*day))
    {
        *days.entry(*form_id).or_default().entry(*day).or_default() += *counts;
    }
    let row = |form: &store::report::FormEntry| {
        let days = days.remove(&form.form_id).unwrap_or_default();
        let sum: DayCounts = days.values().copied().sum();
        let responses = range
            .days()
            .map(|day| days.get(&day).map_or(0, |counts| counts.responses));
        let shown = form.status == FormStatus::Published || sum != DayCounts::default();
        shown.then(|| FormRow {
            form_id: form.form_id,
            title: form.title.clone(),
            status: form.status,
            metrics: Metrics::from(&sum),
            spark: sparkline(&responses.collect::<Vec<_>>()),
        })
    };
    series
        .forms
        .iter()
        .rev()
        .filter_map(row)
        .take(FORMS)
        .collect()
}
