//! The report of one form: of all of it, or of one business property.

use std::collections::BTreeMap;

use api_http::{Problem, Result, parse_id};
use askama::Template;
use axum::extract::{Path, Query};
use axum::response::Response;
use domain::answer::{AnswerMatch, Counted, GradeRange};
use domain::date_range::day_of;
use domain::form::{FieldType, FormContent, FormStatus};
use domain::metrics::{FieldSummary, GradeOrOption, Metrics, Term};
use domain::rollup::{DayCounts, Delta};
use report::{FormLookup, FormQuery};
use serde::Deserialize;
use store::form::FormKey;

use crate::chart::share;
use crate::comments::{Comment, comments};
use crate::figure::{AnswerFigures, Figure};
use crate::figures::{Card, ShownFigures, cards};
use crate::page::{Frame, page_of_days};
use crate::range::{Range, RangeQuery};
use crate::signed_in::SignedIn;
use crate::state::DashboardState;

/// So many comments are shown.
const COMMENTS: usize = 8;
/// Bytes of a row of a table besides its text.
const ROW: usize = 100;
/// With fewer answers a business property has no place in the table.
pub const RANKED: i64 = 30;

/// What a form's page is about.
#[derive(Deserialize)]
pub struct FormPageQuery {
    #[serde(default)]
    pub bus_prop: String,
    #[serde(flatten)]
    pub range: RangeQuery,
}

#[derive(Template)]
#[template(path = "form.html")]
struct FormPage<'a> {
    f: &'a Frame,
    range: &'a Range,
    form_id: String,
    title: &'a str,
    status: FormStatus,
    bus_prop: &'a str,
    /// Those that can be chosen.
    bus_props: Vec<&'a str>,
    cards: Vec<Card>,
    figures: ShownFigures,
    nps_parts: [Part; 3],
    fields: Vec<ShownField>,
    tables: Vec<BusPropTable<'a>>,
    comments: Vec<Comment>,
    /// The comments among which terms were looked for.
    graded: i64,
    /// Each with its comments, where a list has exactly these.
    terms: Vec<(&'a Term, Option<Figure>)>,
}

/// A row of the panel of promoters and detractors.
struct Part {
    label: &'static str,
    tone: &'static str,
    count: Figure,
    share: Option<f64>,
}

/// How a field was answered.
struct ShownField {
    field: FieldSummary,
    answers: Figure,
    /// Beside the values of its distribution.
    values: Vec<Figure>,
}

/// The values of a business property by their NPS, best first; those with too few answers come last, without a place.
struct BusPropTable<'a> {
    name: &'a str,
    rows: Vec<TableRow<'a>>,
}

struct TableRow<'a> {
    bus_prop: &'a str,
    value: &'a str,
    metrics: Metrics,
    responses: Figure,
    /// From 1; `None`: too few answers.
    place: Option<usize>,
}

/// `GET /dashboard/form/{form_id}`.
pub async fn show(
    person: SignedIn,
    Path(form_id): Path<String>,
    Query(query): Query<FormPageQuery>,
) -> Result<Response> {
    let form = FormKey::new(person.account_id, parse_id("form_id", &form_id)?);
    answer(&person.state, form, &person.frame("overview"), &query).await
}

/// The page, of a form's days.
///
/// # Errors
/// 404: no such form or business property; 503.
pub async fn answer(
    state: &DashboardState,
    form: FormKey,
    f: &Frame,
    query: &FormPageQuery,
) -> Result<Response> {
    let range = Range::read(&query.range, f.zone);
    let place = state.places.take(form.account_id).await;
    let (store, bus_prop) = (&state.app.store, query.bus_prop.as_str());
    let asked = FormQuery {
        form,
        bus_prop: (!bus_prop.is_empty()).then_some(bus_prop),
        range: ShownFigures::counted(&range),
        time_zone: f.zone,
        comments: COMMENTS,
    };
    let series = match report::form_series(store, &state.cache, asked).await? {
        FormLookup::Is(series) => series,
        FormLookup::NoForm | FormLookup::NoBusProp => return Err(Problem::not_found()),
    };
    let content = &series.form.content.clone().for_reports();
    let days: BTreeMap<_, _> = series
        .days
        .iter()
        .map(|(day, delta)| (*day, delta.counts))
        .collect();
    let form_id = form.form_id.to_string();
    let answers = AnswerFigures::new(f, &range, &form_id, bus_prop);
    let figures = ShownFigures::new(&days, &range, answers);
    let mut sum = Delta::default();
    let in_range = series
        .days
        .iter()
        .filter(|(day, _)| range.dates.contains(*day));
    in_range.for_each(|(_, delta)| sum.merge(delta));
    let tables = if bus_prop.is_empty() && !content.bus_props.is_empty() {
        let mut counts: BTreeMap<i64, DayCounts> = BTreeMap::new();
        for day in report::bus_prop_days(store, form, range.dates).await? {
            *counts.entry(day.bus_prop_id).or_default() += day.counts;
        }
        tables(content, &counts, answers)
    } else {
        Vec::new()
    };
    let in_range = |comment: &Comment| range.dates.contains(day_of(comment.at, f.zone));
    let comments = comments(content, &series.comments).filter(in_range);
    let comments: Vec<_> = comments.collect();
    let analysed = FormQuery {
        range: range.dates,
        ..asked
    };
    // Analyses have places of their own, for which pages of others do not wait.
    drop(place);
    let analysis = state
        .analyses
        .find(store, &state.cache, analysed, series.version)
        .await?;
    let _place = state.places.take(form.account_id).await;
    let in_use = content.bus_props.iter().filter(|entry| !entry.retired);
    let terms = analysis.terms.iter().map(|(term, comments)| {
        let figure = |since| answers.of_term(&term.text, *comments, since);
        (term, analysis.since.map(figure))
    });
    let template = FormPage {
        f,
        range: &range,
        form_id: form_id.clone(),
        title: &content.title,
        status: series.form.status,
        bus_prop,
        bus_props: in_use.map(|entry| entry.text.as_str()).collect(),
        cards: cards(f.t, &figures, answers),
        nps_parts: nps_parts(content, &sum, answers),
        fields: fields(content, &sum, answers),
        tables,
        comments,
        graded: analysis.graded,
        terms: terms.collect(),
        figures,
    };
    let app = &state.app;
    let draw = || page_of_days(f, &range, &template);
    let drawn = app.work_here(form.account_id, size(content), draw);
    Ok(drawn.await)
}

/// About how many bytes a page takes that shows each field with its options.
fn size(content: &FormContent) -> usize {
    let fields = content.fields.iter().map(|field| {
        let options = field.kind.options().iter();
        let options = options.map(|option| option.label.len() + ROW);
        field.label.len() + ROW + options.sum::<usize>()
    });
    fields.sum()
}

/// Promoters, passives and detractors.
fn nps_parts(content: &FormContent, sum: &Delta, answers: AnswerFigures<'_>) -> [Part; 3] {
    let of_all = sum.counts.nps_answers;
    let part = |label, tone, grades| {
        let counted = Counted::Nps(GradeRange::new(content, FieldType::Nps, grades));
        let count = answers.figure(&counted, sum);
        let share = (of_all > 0).then(|| share(count.value, of_all));
        Part {
            label,
            tone,
            count,
            share,
        }
    };
    [
        part("nps-promoters", "high", (9, 10)),
        part("nps-passives", "mid", (7, 8)),
        part("nps-detractors", "low", (0, 6)),
    ]
}

/// The fields that have a distribution.
fn fields(content: &FormContent, sum: &Delta, answers: AnswerFigures<'_>) -> Vec<ShownField> {
    let fields = FieldSummary::of_form(content, &sum.fields, sum.counts.responses);
    let shown = |field: &FieldSummary| {
        !field.distribution.is_empty() && (!field.retired || field.answers > 0)
    };
    let fields = fields.into_iter().filter(shown);
    fields
        .map(|field| {
            let answer = |value: Option<&GradeOrOption>| {
                let key = field.key.as_str();
                let text = value.map_or_else(|| key.to_owned(), |value| format!("{key}={value}"));
                let counted = AnswerMatch::read(content, &text).map(Counted::Answer);
                let counted = counted.unwrap_or(Counted::Responses);
                answers.figure(&counted, sum)
            };
            let values = field.distribution.iter();
            ShownField {
                answers: answer(None),
                values: values.map(|value| answer(Some(&value.value))).collect(),
                field,
            }
        })
        .collect()
}

fn tables<'a>(
    content: &'a FormContent,
    counts: &BTreeMap<i64, DayCounts>,
    answers: AnswerFigures<'_>,
) -> Vec<BusPropTable<'a>> {
    let mut by_name: BTreeMap<&str, Vec<TableRow>> = BTreeMap::new();
    for entry in &content.bus_props {
        let sum = counts
            .get(&i64::from(entry.id))
            .copied()
            .unwrap_or_default();
        if !entry.retired || sum != DayCounts::default() {
            by_name
                .entry(entry.text.name())
                .or_default()
                .push(TableRow {
                    bus_prop: entry.text.as_str(),
                    value: entry.text.value(),
                    metrics: Metrics::from(&sum),
                    responses: answers
                        .of(entry.text.as_str())
                        .figure(&Counted::Responses, &sum.into()),
                    place: None,
                });
        }
    }
    let table = |(name, mut rows): (_, Vec<TableRow<'a>>)| {
        let key = |row: &TableRow| {
            (row.metrics.nps_detail.answers >= RANKED).then(|| row.metrics.nps.unwrap_or(-101.0))
        };
        rows.sort_by(|one, other| {
            let nps = key(other).partial_cmp(&key(one));
            nps.unwrap_or(std::cmp::Ordering::Equal)
                .then_with(|| one.value.cmp(other.value))
        });
        for (place, row) in rows.iter_mut().enumerate() {
            row.place = key(row).map(|_| place + 1);
        }
        BusPropTable { name, rows }
    };
    by_name.into_iter().map(table).collect()
}

impl TableRow<'_> {
    fn marks(&self) -> Option<(f64, f64, f64)> {
        marks(&self.metrics)
    }
}

/// From 0 to 100 along the scale from -100 to 100: the ends of the interval of an NPS and the score between them.
pub fn marks(metrics: &Metrics) -> Option<(f64, f64, f64)> {
    let along = |score: f64| f64::midpoint(score, 100.0);
    let detail = metrics.nps_detail;
    Some((along(detail.low?), along(metrics.nps?), along(detail.high?)))
}
