//! The values of a business property, each against the rest and against the days before.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::collections::BTreeMap;

use chrono::Months;
use domain::answer::Counted;
use domain::date_range::DateRange;
use domain::form::FormContent;
use domain::metrics::{Metrics, nps_differs};
use domain::month::Month;
use domain::rollup::DayCounts;
use report::BusPropDay;
use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::figure::{AnswerFigures, Figure};
use crate::figures::Change;
use crate::range::Range;
use api_language::Text;

/// Months of the grid where the days are of one month.
const MONTHS: u32 = 6;
/// With fewer answers a value says little.
const RANKED: i64 = 30;
/// Of a hundred comparisons so many differ by chance alone.
const CHANCE: f64 = 0.05;

/// A column by which rows are sorted.
#[derive(Clone, Copy, PartialEq, Eq, Default, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum SortColumn {
    Name,
    #[default]
    Nps,
    Rest,
    Change,
    Responses,
    Satisfied,
    Completed,
    Answered,
}

/// The values of a business property.
pub struct BusPropComparison<'a> {
    pub rows: Vec<BusPropRow<'a>>,
    pub months: Vec<Month>,
    /// How many values were compared with the rest, and how many with the days before.
    pub judged: i64,
    pub changes_judged: i64,
}

/// A value of a business property.
pub struct BusPropRow<'a> {
    pub bus_prop: &'a str,
    pub value: &'a str,
    pub metrics: Metrics,
    pub responses: Figure,
    /// By how many points its NPS is above that of the rest, and whether that is more than chance.
    pub rest: Option<(f64, bool)>,
    /// The same above that of the days before.
    pub change: Option<(f64, bool)>,
    /// The NPS of each month that has one.
    pub months: Vec<Option<f64>>,
}

impl<'a> BusPropComparison<'a> {
    /// Of the values of a form's property; `days` are any, those of [`counted`] of these months among them.
    pub fn new(
        (content, property): (&'a FormContent, &str),
        days: &[BusPropDay],
        (range, months): (&Range, Vec<Month>),
        figures: AnswerFigures<'a>,
    ) -> Self {
        let entries = content.bus_props.iter();
        let entries = entries.filter(|entry| entry.text.name() == property);
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
            if !months.is_empty() {
                *counts.months.entry(Month::of(day.day)).or_default() += day.counts;
            }
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

    /// How many rows there are.
    pub fn count(&self) -> i64 {
        i64::try_from(self.rows.len()).unwrap_or(i64::MAX)
    }

    /// So many rows at most, in their order.
    pub fn first(&self, most: impl Borrow<usize>) -> &[BusPropRow<'a>] {
        let most = self.rows.len().min(*most.borrow());
        &self.rows[..most]
    }

    pub fn sort(&mut self, column: SortColumn, is_down: bool) {
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
    pub fn is_small(&self) -> bool {
        self.metrics.nps_detail.answers < RANKED
    }

    /// From 0 to 100 along the scale from -100 to 100: the ends of the interval of the NPS and the score between them.
    pub fn marks(&self) -> Option<(f64, f64, f64)> {
        let along = |score: f64| f64::midpoint(score, 100.0);
        let detail = self.metrics.nps_detail;
        Some((
            along(detail.low?),
            along(self.metrics.nps?),
            along(detail.high?),
        ))
    }

    /// How it differs from the rest.
    pub fn from_rest(&self, t: &Text) -> Option<Change> {
        points(t, self.rest)
    }

    /// How it differs from the days before.
    pub fn from_before(&self, t: &Text) -> Option<Change> {
        points(t, self.change)
    }

    /// Whether it differs from the rest or from the days before by more than chance.
    pub fn is_marked(&self) -> bool {
        let differs =
            |difference: Option<(f64, bool)>| difference.is_some_and(|(_, differs)| differs);
        differs(self.rest) || differs(self.change)
    }
}

/// A difference in points, and whether that is more than chance.
pub fn points(t: &Text, difference: Option<(f64, bool)>) -> Option<Change> {
    let (points, differs) = difference?;
    Some(Change::new(t, points, 0, "points", Some(differs)))
}

/// How many of so many comparisons differ by chance.
pub fn by_chance(t: &Text, judged: impl Borrow<i64>) -> String {
    let judged = i32::try_from(*judged.borrow()).unwrap_or(i32::MAX);
    t.real((CHANCE * f64::from(judged)).ceil(), 0)
}

/// The days that a comparison of a range counts, with the grid of these months.
pub fn counted(range: &Range, months: &[Month]) -> DateRange {
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

/// The counts of a value.
#[derive(Default)]
struct Counts {
    now: DayCounts,
    before: DayCounts,
    months: BTreeMap<Month, DayCounts>,
}

/// The months that the days are of, or the last ones up to theirs.
pub fn months(dates: DateRange) -> Vec<Month> {
    let months: Vec<_> = dates.months().collect();
    if months.len() > 1 {
        return months;
    }
    let first = dates.end().checked_sub_months(Months::new(MONTHS - 1));
    let first = first.unwrap_or(dates.end());
    DateRange::day(first).spanning(dates).months().collect()
}
