//! The report of one form: of all of it, or of one business property.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use api_http::{Caller, Problem, Result, parse_id};
use api_language::Text;
use askama::Template;
use axum::extract::{Path, Query};
use axum::response::Response;
use domain::answer::{AnswerMatch, Counted, GradeRange};
use domain::date_range::day_of;
use domain::form::{BusProp, FieldType, FormContent, FormStatus};
use domain::metrics::{FieldSummary, GradeOrOption, Term, ValueShare};
use domain::rollup::Delta;
use report::{BusPropReader, FormLookup, FormQuery, FormSeries};
use serde::Deserialize;
use store::form::FormKey;
use store::report::Version;

use crate::chart::share;
use crate::comments::{Comment, comments, texts};
use crate::figure::{AnswerFigures, Figure};
use crate::figures::{Card, ShownFigures, Verdict, cards};
use crate::names::{BusPropGroup, bus_prop_groups};
use crate::page::{Frame, page_of_days};
use crate::range::{Range, RangeQuery};
use crate::signed_in::SignedIn;
use crate::state::DashboardState;
use crate::stores::DRAWN;
use crate::stores::comparison::{BusPropComparison, BusPropRow, SortColumn};
use crate::stores::counts::{CountedDays, CountsById};

/// So many comments are shown.
const COMMENTS: usize = 8;
/// So many answers to a question of short text.
const TEXTS: usize = 3;
/// Bytes of a row of a table besides its text.
const ROW: usize = 100;
/// Bytes of a row of a comparison.
const COMPARED: usize = 1_000;

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
    /// The store or group that the page is about; none: all.
    chosen: Option<&'a BusProp>,
    /// The page that compares it with the others.
    stores: String,
    /// Those that can be chosen.
    bus_props: Vec<BusPropGroup<'a>>,
    cards: Vec<Card>,
    figures: ShownFigures,
    nps_parts: [Part; 3],
    fields: Vec<ShownField>,
    tables: Vec<BusPropTable<'a>>,
    comments: Vec<ShownText>,
    /// The answers among which terms were looked for.
    graded: i64,
    /// Each with its answers, where a list has exactly these.
    terms: Vec<(&'a Term, Option<Figure>)>,
    /// The list of what detractors wrote; empty on a shared page.
    detractors: String,
}

/// A text and the page of its answer, which is empty on a shared page.
pub struct ShownText {
    pub comment: Comment,
    pub href: String,
    /// The page of its form, which is that of a store with one more parameter.
    pub page: String,
}

impl FormPage<'_> {
    /// Whether nobody has opened it on these days, so that its links are what comes next.
    fn is_unused(&self) -> bool {
        let is_published = self.status == FormStatus::Published && self.f.may_edit();
        is_published && self.chosen.is_none() && self.figures.now.views == 0
    }

    /// Whether it shows what people wrote.
    fn has_texts(&self) -> bool {
        let mut fields = self.fields.iter();
        !self.comments.is_empty() || fields.any(|field| !field.texts.is_empty())
    }
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
    /// The newest, of a short text.
    texts: Vec<ShownText>,
}

/// The values of a business property by their NPS, lowest first; those with few answers come last.
struct BusPropTable<'a> {
    name: &'a str,
    comparison: BusPropComparison<'a>,
    /// The page that compares all of them; empty on a shared page.
    href: String,
}

/// `GET /dashboard/form/{form_id}`.
pub async fn show(
    person: SignedIn,
    Path(form_id): Path<String>,
    Query(query): Query<FormPageQuery>,
) -> Result<Response> {
    let form = FormKey::new(person.account_id, parse_id("form_id", &form_id)?);
    let current = if query.bus_prop.is_empty() {
        "overview"
    } else {
        "stores"
    };
    let reader = Some(&person.caller);
    let f = person.frame(current);
    answer((&person.state, reader), form, &f, &query).await
}

/// The page, of a form's days. The audit log tells that its `reader` sees what people wrote; `None`: whoever has the link of a page that
/// is shared.
///
/// # Errors
/// 404: no such form or business property; 503.
pub async fn answer(
    (state, reader): (&DashboardState, Option<&Caller>),
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
        texts: if f.is_shared() { 0 } else { TEXTS },
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
    let sum = sum(&series, &range);
    let chosen = content.bus_prop_by_text(bus_prop).map(|entry| &entry.text);
    let counts = counts(state, form, (content, series.version), &range).await?;
    let tables = tables(content, chosen, &counts, answers);
    let mut cards = cards(f.t, &figures, answers, has_smileys(content));
    let rest = tables.iter().flat_map(|table| &table.comparison.rows);
    let rest = rest.filter(|row| row.bus_prop == bus_prop);
    cards.extend(rest.filter_map(|row| rest_card(f, row)));
    let shown = |comments: &mut dyn Iterator<Item = Comment>| {
        let in_range = |comment: &Comment| range.dates.contains(day_of(comment.at, f.zone));
        let shown = comments.filter(in_range).map(|comment| ShownText {
            href: answers.one(comment.feedback_id),
            page: format!("/dashboard/form/{form_id}?{}", range.query()),
            comment: told(f, chosen, comment),
        });
        shown.collect::<Vec<_>>()
    };
    let comments = shown(&mut comments(content, &series.comments));
    let analysed = FormQuery {
        range: range.dates,
        ..asked
    };
    // Analyses have places of their own, for which pages of others do not wait.
    drop(place);
    let analysis = state
        .analyses
        .find(
            store,
            &state.cache,
            analysed,
            (series.version, !f.is_shared()),
        )
        .await?;
    let _place = state.places.take(form.account_id).await;
    let in_use = content.bus_props.iter().filter(|entry| !entry.retired);
    let terms = analysis.terms.iter().map(|(term, with_it)| {
        let figure = |since| answers.of_term(&term.text, *with_it, since);
        (term, analysis.since.map(figure))
    });
    let template = FormPage {
        f,
        range: &range,
        form_id: form_id.clone(),
        title: &content.title,
        status: series.form.status,
        bus_prop,
        chosen,
        stores: chosen.map_or_else(String::new, |chosen| answers.stores(chosen.name())),
        bus_props: bus_prop_groups(in_use),
        cards,
        nps_parts: nps_parts(content, &sum, answers),
        fields: fields(content, &sum, answers, |key| {
            let latest = series.texts.iter().find(|(field, _)| field == key);
            latest.map_or_else(Vec::new, |(_, rows)| shown(&mut texts(key, rows)))
        }),
        tables,
        comments,
        graded: analysis.graded,
        terms: terms.collect(),
        detractors: answers.detractors(range.dates),
        figures,
    };
    if let Some(reader) = reader.filter(|_| template.has_texts()) {
        reader.note_list("answers.read", &form_id).await?;
    }
    let app = &state.app;
    let draw = || page_of_days(f, &range, &template);
    let rows = template.tables.iter().map(|table| table.rows().len());
    let size = size(content) + COMPARED * rows.sum::<usize>();
    let drawn = app.work_here(form.account_id, size, draw);
    Ok(drawn.await)
}

/// A comment without what the page says already, or does not say to others.
fn told(f: &Frame, chosen: Option<&BusProp>, mut comment: Comment) -> Comment {
    if f.is_shared() {
        comment.docid = None;
    }
    if f.is_shared() || chosen.is_some() {
        comment.bus_props.clear();
    }
    comment
}

/// The counts of each business property.
async fn counts(
    state: &DashboardState,
    form: FormKey,
    (content, version): (&FormContent, Version),
    range: &Range,
) -> Result<Arc<CountsById>> {
    if content.bus_props.is_empty() {
        return Ok(Arc::default());
    }
    let days = CountedDays {
        dates: range.dates,
        compared: None,
        by_month: false,
    };
    let counted = &state.counted_values;
    let reader = BusPropReader::open(&state.app.store, form);
    counted.find(form, days, version, reader).await
}

/// Whether the form asks for smileys, or did.
fn has_smileys(content: &FormContent) -> bool {
    let mut fields = content.fields.iter();
    fields.any(|field| field.kind.field_type() == FieldType::Happiness)
}

/// What was counted on the days of the page.
fn sum(series: &FormSeries, range: &Range) -> Delta {
    let mut sum = Delta::default();
    let days = series.days.iter();
    let in_range = days.filter(|(day, _)| range.dates.contains(*day));
    in_range.for_each(|(_, delta)| sum.merge(delta));
    sum
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

/// The fields that have a distribution, and those of short text.
fn fields(
    content: &FormContent,
    sum: &Delta,
    answers: AnswerFigures<'_>,
    texts: impl Fn(&str) -> Vec<ShownText>,
) -> Vec<ShownField> {
    let fields = FieldSummary::of_form(content, &sum.fields, sum.counts.responses);
    let shown = |field: &FieldSummary| {
        field.kind != FieldType::Comment && (!field.retired || field.answers > 0)
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
                texts: match field.kind {
                    FieldType::Text => texts(field.key.as_str()),
                    _ => Vec::new(),
                },
                field,
            }
        })
        .collect()
}

/// The comparisons of all business properties, or of the chosen one's.
fn tables<'a>(
    content: &'a FormContent,
    chosen: Option<&'a BusProp>,
    counts: &'a CountsById,
    answers: AnswerFigures<'a>,
) -> Vec<BusPropTable<'a>> {
    let names = content.bus_props.iter().map(|entry| entry.text.name());
    let names: BTreeSet<&str> = names
        .filter(|name| chosen.is_none_or(|chosen| chosen.name() == *name))
        .collect();
    let table = |name| {
        let mut comparison = BusPropComparison::new((content, name), counts, Vec::new(), answers);
        comparison.sort(SortColumn::default(), false);
        BusPropTable {
            name,
            comparison,
            href: answers.stores(name),
        }
    };
    names.into_iter().map(table).collect()
}

impl ShownField {
    fn is_text(&self) -> bool {
        self.field.kind == FieldType::Text
    }

    /// A value of its distribution as people read it: a smiley with what the form's page calls it.
    fn words(&self, t: &Text, value: &ValueShare) -> String {
        match self.field.kind {
            FieldType::Happiness => {
                let word = t.of("public-happiness", &value.value);
                format!("{} – {word}", value.label)
            }
            _ => value.label.clone(),
        }
    }

    /// The mean of its grades, and between which they are.
    fn mean(&self, t: &Text) -> Option<String> {
        let grades = &self.field.distribution;
        let (lowest, highest) = (&grades.first()?.value, &grades.last()?.value);
        self.field.mean?;
        let mean = t.with("mean", t.score(self.field.mean, 2));
        Some(format!("{mean} ({lowest}–{highest})"))
    }
}

impl<'a> BusPropTable<'a> {
    /// How many columns the table has.
    fn columns(&self) -> usize {
        5 + usize::from(self.comparison.has_smileys)
    }

    /// The rows that are drawn.
    fn rows(&self) -> &[BusPropRow<'a>] {
        self.comparison.first(DRAWN)
    }

    /// The text of the link to all of them, if there are more, and the page has links.
    fn more(&self, f: &Frame) -> Option<String> {
        let count = self.comparison.count();
        let has_more = self.comparison.rows.len() > DRAWN && !self.href.is_empty();
        has_more.then(|| f.t.with("stores-all", f.t.number(count)))
    }
}

/// How a store or group differs from the rest.
fn rest_card(f: &Frame, row: &BusPropRow<'_>) -> Option<Card> {
    let change = row.above_rest(f.t)?;
    let verdict = match change.verdict? {
        Verdict::Clear => "stores-differs",
        Verdict::ByChance => "stores-alike",
        few => few.key(),
    };
    Some(Card {
        label: f.t.get("stores-rest"),
        value: change.text,
        href: String::new(),
        help: f.t.get("help-rest"),
        detail: f.t.get(verdict),
        change: None,
    })
}
