//! The values of a business property beside each other, such as stores: each against the rest and against the days before, and by
//! month.

mod sheet;

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use api_http::{Problem, Result, parse_id};
use askama::Template;
use axum::extract::Query;
use axum::response::Response;
use chrono::Months;
use domain::answer::Counted;
use domain::date_range::DateRange;
use domain::form::{BusPropEntry, FormContent};
use domain::metrics::{Metrics, nps_differs};
use domain::month::Month;
use domain::rollup::DayCounts;
use domain::scope::Scope;
use report::BusPropDay;
use serde::Deserialize;
use store::form::FormKey;
use strum::{EnumString, IntoStaticStr, VariantArray};
use url::form_urlencoded::Serializer;

pub use self::sheet::export;
use crate::answers::most_answered;
use crate::figure::{ALL_FORMS, AnswerFigures, Figure};
use crate::figures::Change;
use crate::form::{RANKED, marks};
use crate::names::{FormChoice, published};
use crate::page::{Frame, page_of_days};
use crate::range::{Range, RangeQuery};
use crate::signed_in::SignedIn;

/// Months of the grid where the days are of one month.
const MONTHS: u32 = 6;
/// Of a hundred comparisons so many differ by chance alone.
const CHANCE: f64 = 0.05;
/// Bytes of a row with its months.
const ROW: usize = 2_000;

/// What the page compares, and in which order.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct StoresQuery {
    /// Of those that are published the one with the most responses unless it is named.
    form: String,
    /// The name of a business property.
    property: String,
    sort: String,
    /// `up`: the lowest first; `down`.
    order: String,
    #[serde(flatten)]
    range: RangeQuery,
}

/// A column by which rows are sorted.
#[derive(Clone, Copy, PartialEq, Eq, Default, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
enum SortColumn {
    Name,
    Responses,
    #[default]
    Nps,
    Rest,
    Change,
    Satisfied,
    Completed,
    Answered,
}

#[derive(Template)]
#[template(path = "stores.html")]
struct StoresPage<'a> {
    f: &'a Frame,
    range: &'a Range,
    forms: &'a [FormChoice],
    form: &'a str,
    /// The names of the form's business properties.
    properties: Vec<&'a str>,
    property: &'a str,
    sort: SortColumn,
    is_down: bool,
    keep: Vec<(&'static str, &'a str)>,
    comparison: Option<BusPropComparison<'a>>,
}

/// The values of a business property.
struct BusPropComparison<'a> {
    rows: Vec<BusPropRow<'a>>,
    months: Vec<Month>,
    /// How many values were compared with the rest, and how many with the days before.
    judged: i64,
    changes_judged: i64,
}

/// A value of a business property.
struct BusPropRow<'a> {
    bus_prop: &'a str,
    value: &'a str,
    metrics: Metrics,
    responses: Figure,
    /// By how many points its NPS is above that of the rest, and whether that is more than chance.
    rest: Option<(f64, bool)>,
    /// The same above that of the days before.
    change: Option<(f64, bool)>,
    /// The NPS of each month that has one.
    months: Vec<Option<f64>>,
}

impl StoresPage<'_> {
    /// The columns of the table, each with its label, the link that sorts by it, and how it is sorted now.
    fn heads(&self) -> Vec<(String, String, &'static str)> {
        let head = |column: &SortColumn| {
            let name: &str = column.into();
            let is_sorted = *column == self.sort;
            // Names begin with the first, numbers with the lowest.
            let order = if is_sorted && !self.is_down {
                "down"
            } else {
                "up"
            };
            let keep = self
                .keep
                .iter()
                .filter(|(name, _)| !["sort", "order"].contains(name));
            let mut query = Serializer::new(self.range.query());
            query
                .extend_pairs(keep)
                .append_pair("sort", name)
                .append_pair("order", order);
            let sorted = match (is_sorted, self.is_down) {
                (false, _) => "",
                (true, true) => "descending",
                (true, false) => "ascending",
            };
            let label = if *column == SortColumn::Name {
                self.property.to_owned()
            } else {
                self.f.t.of("stores", name)
            };
            (label, query.finish(), sorted)
        };
        SortColumn::VARIANTS.iter().map(head).collect()
    }

    /// How a row differs from the rest and from the days before, each with the text that says that it is no chance.
    fn differences(&self, row: &BusPropRow<'_>) -> [(Option<Change>, &'static str); 2] {
        let points = |difference: Option<(f64, bool)>| {
            let (points, differs) = difference?;
            Some(Change::new(self.f.t, points, 0, "points", Some(differs)))
        };
        [
            (points(row.rest), "stores-differs"),
            (points(row.change), "significant"),
        ]
    }

    /// The report of a value in a month.
    fn month_link(&self, row: &BusPropRow<'_>, month: Month) -> String {
        let dates =
            DateRange::spanning(DateRange::day(month.first()), DateRange::day(month.last()));
        self.link(row, self.range.query_of(dates))
    }

    /// The same as a spreadsheet.
    fn export_query(&self) -> String {
        let mut query = Serializer::new(self.range.query());
        query.extend_pairs(&self.keep).finish()
    }

    fn row_link(&self, row: &BusPropRow<'_>) -> String {
        self.link(row, self.range.query())
    }

    fn link(&self, row: &BusPropRow<'_>, range: String) -> String {
        let mut query = Serializer::new(range);
        query.append_pair("bus_prop", row.bus_prop);
        format!("/dashboard/form/{}?{}", self.form, query.finish())
    }

    /// How many of so many comparisons differ by chance.
    fn by_chance(&self, judged: impl Borrow<i64>) -> String {
        let judged = i32::try_from(*judged.borrow()).unwrap_or(i32::MAX);
        self.f.t.real((CHANCE * f64::from(judged)).ceil(), 0)
    }
}

impl<'a> BusPropComparison<'a> {
    /// Of these entries, `days` of all days of [`Self::counted`].
    fn new(
        entries: impl Iterator<Item = &'a BusPropEntry>,
        days: &[BusPropDay],
        range: &Range,
        figures: AnswerFigures<'a>,
    ) -> Self {
        let months = months(range.dates);
        let mut counts: BTreeMap<i64, Counts> = BTreeMap::new();
        for day in days {
            let counts = counts.entry(day.bus_prop_id).or_default();
            if range.dates.contains(day.day) {
                counts.now += day.counts;
            }
            if range
                .compared
                .is_some_and(|compared| compared.contains(day.day))
            {
                counts.before += day.counts;
            }
            *counts.months.entry(Month::of(day.day)).or_default() += day.counts;
        }
        let entries =
            entries.map(|entry| (entry, counts.remove(&entry.id.into()).unwrap_or_default()));
        let entries: Vec<_> = entries
            .filter(|(entry, counts)| !entry.retired || counts.now != DayCounts::default())
            .collect();
        let all: DayCounts = entries.iter().map(|(_, counts)| counts.now).sum();
        let rows: Vec<_> = entries
            .into_iter()
            .map(|(entry, counts)| {
                let metrics = Metrics::from(&counts.now);
                let above = |other: DayCounts| {
                    let other = Metrics::from(&other);
                    let difference = metrics.nps? - other.nps?;
                    Some((difference, nps_differs(&metrics, &other)?))
                };
                let month = |month: &Month| {
                    counts
                        .months
                        .get(month)
                        .and_then(|counts| Metrics::from(counts).nps)
                };
                BusPropRow {
                    bus_prop: entry.text.as_str(),
                    value: entry.text.value(),
                    responses: figures
                        .of(entry.text.as_str())
                        .figure(&Counted::Responses, &counts.now.into()),
                    rest: above(all + -counts.now),
                    change: above(counts.before),
                    months: months.iter().map(month).collect(),
                    metrics,
                }
            })
            .collect();
        let count =
            |of: fn(&BusPropRow<'_>) -> bool| rows.iter().map(|row| i64::from(of(row))).sum();
        Self {
            judged: count(|row| row.rest.is_some()),
            changes_judged: count(|row| row.change.is_some()),
            months,
            rows,
        }
    }

    /// The days that a comparison counts.
    fn counted(range: &Range) -> DateRange {
        let months = months(range.dates);
        let first = months
            .first()
            .map_or(range.dates.start(), |month| month.first());
        let last = months
            .last()
            .map_or(range.dates.end(), |month| month.last());
        let all = range
            .dates
            .spanning(DateRange::day(first))
            .spanning(DateRange::day(last));
        range
            .compared
            .map_or(all, |compared| all.spanning(compared))
    }

    fn sort(&mut self, column: SortColumn, is_down: bool) {
        let key = |row: &BusPropRow<'_>| {
            let metrics = &row.metrics;
            match column {
                SortColumn::Name => None,
                SortColumn::Responses => Some(f64::from(
                    i32::try_from(metrics.responses).unwrap_or(i32::MAX),
                )),
                SortColumn::Nps => metrics.nps,
                SortColumn::Rest => row.rest.map(|(points, _)| points),
                SortColumn::Change => row.change.map(|(points, _)| points),
                SortColumn::Satisfied => metrics.happiness_rate,
                SortColumn::Completed => metrics.response_rate,
                SortColumn::Answered => metrics.response_rate_delivered,
            }
        };
        let of_scores = matches!(
            column,
            SortColumn::Nps | SortColumn::Rest | SortColumn::Change
        );
        let turn = |order: Ordering| if is_down { order.reverse() } else { order };
        self.rows.sort_by(|one, other| {
            let by_name = one.value.cmp(other.value);
            if column == SortColumn::Name {
                return turn(by_name);
            }
            // What says little comes last, in either order.
            let says_little = |row: &BusPropRow<'_>| of_scores && row.is_small();
            let order = match (key(one), key(other)) {
                (Some(one), Some(other)) => turn(one.total_cmp(&other)),
                (one, other) => other.is_some().cmp(&one.is_some()),
            };
            says_little(one)
                .cmp(&says_little(other))
                .then(order)
                .then(by_name)
        });
    }
}

impl BusPropRow<'_> {
    /// Whether its few answers say little.
    fn is_small(&self) -> bool {
        self.metrics.nps_detail.answers < RANKED
    }

    /// As of [`marks`].
    fn marks(&self) -> Option<(f64, f64, f64)> {
        marks(&self.metrics)
    }
}

/// The counts of a value.
#[derive(Default)]
struct Counts {
    now: DayCounts,
    before: DayCounts,
    months: BTreeMap<Month, DayCounts>,
}

/// The months that the days are of, or the last ones up to theirs.
fn months(dates: DateRange) -> Vec<Month> {
    let months: Vec<_> = dates.months().collect();
    if months.len() > 1 {
        return months;
    }
    let first = dates.end().checked_sub_months(Months::new(MONTHS - 1));
    let first = first.unwrap_or(dates.end());
    DateRange::day(first).spanning(dates).months().collect()
}

/// The form, the names of its business properties, and the one that is compared.
fn property<'a>(content: &'a FormContent, asked: &'a str) -> (Vec<&'a str>, &'a str) {
    let names: BTreeSet<&str> = content
        .bus_props
        .iter()
        .map(|entry| entry.text.name())
        .collect();
    let values = |name: &&str| {
        content
            .bus_props
            .iter()
            .filter(|entry| entry.text.name() == *name)
            .count()
    };
    let property = names
        .get(asked)
        .copied()
        .or_else(|| names.iter().copied().max_by_key(values));
    (names.into_iter().collect(), property.unwrap_or_default())
}

impl StoresQuery {
    /// The form that is compared, and its content; without one, nothing.
    async fn form(
        &self,
        person: &SignedIn,
        range: &Range,
        forms: &[FormChoice],
    ) -> Result<(String, FormContent)> {
        let form = match self.form.as_str() {
            "" | ALL_FORMS => most_answered(person, range, forms).await?,
            form => form.to_owned(),
        };
        if form.is_empty() {
            return Ok((form, FormContent::default()));
        }
        let form_id = parse_id("form_id", &form)?;
        let stored = person.state.app.form(person.account_id, form_id).await?;
        Ok((form, stored.content.for_reports()))
    }

    fn sort(&self) -> (SortColumn, bool) {
        (self.sort.parse().unwrap_or_default(), self.order == "down")
    }

    /// The comparison of the values of a form's property; without one, nothing.
    async fn compare<'a>(
        &self,
        person: &SignedIn,
        range: &Range,
        (form, content): (&str, &'a FormContent),
        property: &str,
        figures: AnswerFigures<'a>,
    ) -> Result<Option<BusPropComparison<'a>>> {
        if property.is_empty() {
            return Ok(None);
        }
        let key = FormKey::new(person.account_id, parse_id("form_id", form)?);
        let days = days(person, key, BusPropComparison::counted(range)).await?;
        let entries = content.bus_props.iter();
        let entries = entries.filter(|entry| entry.text.name() == property);
        let mut comparison = BusPropComparison::new(entries, &days, range, figures);
        let (sort, is_down) = self.sort();
        comparison.sort(sort, is_down);
        Ok(Some(comparison))
    }
}

/// `GET /dashboard/stores`.
pub async fn show(person: SignedIn, Query(query): Query<StoresQuery>) -> Result<Response> {
    let f = person.frame("stores");
    let range = Range::read(&query.range, f.zone);
    let forms = published(&person).await?;
    let (form, content) = query.form(&person, &range, &forms).await?;
    let (properties, property) = property(&content, &query.property);
    let (sort, is_down) = query.sort();
    let figures = AnswerFigures::new(&f, &range, &form, "");
    let comparison = query.compare(&person, &range, (&form, &content), property, figures);
    let comparison = comparison.await?;
    let size = comparison
        .as_ref()
        .map_or(0, |comparison| ROW * comparison.rows.len());
    let template = StoresPage {
        f: &f,
        range: &range,
        forms: &forms,
        form: &form,
        properties,
        property,
        sort,
        is_down,
        keep: vec![
            ("form", &form),
            ("property", property),
            ("sort", sort.into()),
            ("order", if is_down { "down" } else { "up" }),
        ],
        comparison,
    };
    let draw = || page_of_days(&f, &range, &template);
    Ok(person
        .state
        .app
        .work_here(person.account_id, size, draw)
        .await)
}

/// The counts of all values by day.
async fn days(person: &SignedIn, form: FormKey, dates: DateRange) -> Result<Vec<BusPropDay>> {
    let read = async {
        let _place = person.state.places.take(person.account_id).await;
        Ok::<_, Problem>(report::bus_prop_days(person.store(), form, dates).await?)
    };
    person.caller.read(Scope::Report, read).await
}
