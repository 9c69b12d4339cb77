//! Which business property of a form is compared; its values, each against the rest and against the days before.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::mem::take;

use domain::answer::Counted;
use domain::form::{FieldType, FormContent};
use domain::metrics::{Metrics, nps_differs};
use domain::month::Month;
use domain::rollup::DayCounts;
use store::report::WHOLE;
use strum::{EnumString, IntoStaticStr, VariantArray};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::counts::{CountsById, ValueCounts};
use crate::figure::{AnswerFigures, Figure};
use crate::figures::{Change, JUDGED, Verdict};
use api_language::Text;

/// With fewer answers a value says little, unless it differs by more than chance.
const RANKED: i64 = 30;
/// From so many points on a month is beside the form's in each tone of its colour, the palest first.
const TONES: [f64; 3] = [10.0, 20.0, 40.0];
/// Of a hundred comparisons so many differ by chance alone.
const CHANCE: f64 = 0.05;

/// The names of a form's business properties, and the one that is compared.
pub fn property<'a>(content: &'a FormContent, asked: &'a str) -> (Vec<&'a str>, &'a str) {
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

/// The business property that is compared unless another is asked for; empty without any.
pub fn default_property(content: &FormContent) -> &str {
    property(content, "").1
}

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
    /// The answers that belong to none of the values, if there are any: with them the rows have all answers to the form.
    pub without: Option<BusPropRow<'a>>,
    /// From the first on in which any has an NPS.
    pub months: Vec<Month>,
    /// How many comparisons were made, with the rest and with the days before: of values whose answers are not few.
    pub judged: i64,
    /// Whether the form asks for smileys.
    pub has_smileys: bool,
    /// The NPS of the whole form by month.
    of_form: BTreeMap<Month, f64>,
    /// Whether rows with few answers are the last.
    few_are_last: bool,
    figures: AnswerFigures<'a>,
}

/// A value of a business property.
pub struct BusPropRow<'a> {
    pub bus_prop: &'a str,
    pub value: &'a str,
    pub metrics: Metrics,
    /// By how many points its NPS is above that of the rest, and whether that is more than chance; of few answers it is never said
    /// to be.
    pub rest: Option<(f64, bool)>,
    /// The same above that of the days before.
    pub change: Option<(f64, bool)>,
    counts: Option<&'a ValueCounts>,
}

impl<'a> BusPropComparison<'a> {
    /// Of the values of a form's property, with the grid of these months.
    pub fn new(
        (content, property): (&'a FormContent, &str),
        counts: &'a CountsById,
        months: Vec<Month>,
        figures: AnswerFigures<'a>,
    ) -> Self {
        let entries = content.bus_props.iter();
        let entries = entries.filter(|entry| entry.text.name() == property);
        let counted = entries.map(|entry| (entry, counts.get(&entry.id.into())));
        let now = |counts: Option<&ValueCounts>| counts.map(|counts| counts.now);
        let counted: Vec<_> = counted
            .filter(|(entry, counts)| {
                !entry.retired || now(*counts).is_some_and(|now| now != DayCounts::default())
            })
            .collect();
        let all: DayCounts = counted.iter().filter_map(|(_, counts)| now(*counts)).sum();
        let rows = counted.into_iter().map(|(entry, counts)| {
            let now = now(counts).unwrap_or_default();
            let metrics = Metrics::from(&now);
            let is_judged = is_judged(&metrics);
            let above = |other: DayCounts| {
                let other = Metrics::from(&other);
                let difference = metrics.nps? - other.nps?;
                let differs = nps_differs(&metrics, &other)?;
                Some((difference, differs && is_judged))
            };
            BusPropRow {
                bus_prop: entry.text.as_str(),
                value: entry.text.value(),
                rest: above(all + -now),
                change: counts.and_then(|counts| above(counts.before)),
                metrics,
                counts,
            }
        });
        let rows: Vec<_> = rows.collect();
        let whole = now(counts.get(&WHOLE)).unwrap_or_default();
        let without = whole + -all;
        // An answer may have two values, and is in both rows.
        let none_below = [
            without.views - without.responses,
            without.promoters,
            without.passives,
            without.detractors,
            without.happy,
            without.happiness_answers - without.happy,
            without.comments,
        ];
        let is_whole = without.responses > 0 && none_below.iter().all(|count| *count >= 0);
        let without = Metrics::from(&without);
        let judged = rows.iter().filter(|row| is_judged(&row.metrics));
        let judged = judged.flat_map(|row| [row.rest, row.change]).flatten();
        let judged = i64::try_from(judged.count()).unwrap_or(i64::MAX);
        let has_any = |month: &Month| rows.iter().any(|row| row.month(month).is_some());
        let months = months.into_iter().skip_while(|month| !has_any(month));
        let of_form = counts.get(&WHOLE).into_iter().flat_map(|all| &all.months);
        let of_form = of_form.filter_map(|(month, all)| Some((*month, Metrics::from(all).nps?)));
        let mut fields = content.fields.iter();
        Self {
            of_form: of_form.collect(),
            judged,
            months: months.collect(),
            without: is_whole.then(|| BusPropRow::of_none(without)),
            has_smileys: fields.any(|field| field.kind.field_type() == FieldType::Happiness),
            few_are_last: false,
            rows,
            figures,
        }
    }

    /// The answers of a value.
    pub fn responses(&self, row: &BusPropRow<'_>) -> Figure {
        let figures = self.figures.of(row.bus_prop);
        let now = row.counts.map(|counts| counts.now).unwrap_or_default();
        figures.figure(&Counted::Responses, &now.into())
    }

    /// How the NPS of a month is beside that of the whole form, as a class.
    pub fn tone(&self, nps: impl Borrow<f64>, month: impl Borrow<Month>) -> &'static str {
        let Some(of_form) = self.of_form.get(month.borrow()) else {
            return "";
        };
        let above = nps.borrow() - of_form;
        let reached = TONES.iter().filter(|least| above.abs() >= **least).count();
        match (reached, above > 0.0) {
            (0, _) => "",
            (1, true) => "high-1",
            (2, true) => "high-2",
            (_, true) => "high-3",
            (1, false) => "low-1",
            (2, false) => "low-2",
            (_, false) => "low-3",
        }
    }

    /// How many months there are.
    pub fn month_count(&self) -> i64 {
        i64::try_from(self.months.len()).unwrap_or(i64::MAX)
    }

    /// How many rows there are.
    pub fn count(&self) -> i64 {
        i64::try_from(self.rows.len()).unwrap_or(i64::MAX)
    }

    /// Whether the row in this place is the first of the last, which have few answers and no mark.
    pub fn begins_few(&self, place: impl Borrow<usize>) -> bool {
        let place = *place.borrow();
        let is_small = |row: Option<&BusPropRow<'_>>| row.is_some_and(BusPropRow::is_small);
        let before = place.checked_sub(1);
        let follows_one = before.is_some_and(|before| is_small(self.rows.get(before)));
        self.few_are_last && is_small(self.rows.get(place)) && !follows_one
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
        self.few_are_last = of_scores;
        let turn = |order: Ordering| if is_down { order.reverse() } else { order };
        // A row is large, and sorting moves it often.
        let named = |row: BusPropRow<'a>| (alphabetical(row.value), Box::new(row));
        let mut named: Vec<_> = take(&mut self.rows).into_iter().map(named).collect();
        named.sort_by(|(one_name, one), (other_name, other)| {
            let by_name = one_name.cmp(other_name);
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
        self.rows = named.into_iter().map(|(_, row)| *row).collect();
    }
}

impl BusPropRow<'_> {
    /// The row of what belongs to no value. It is compared with nothing.
    fn of_none(metrics: Metrics) -> Self {
        Self {
            bus_prop: "",
            value: "",
            metrics,
            rest: None,
            change: None,
            counts: None,
        }
    }

    /// Whether its few answers say little: too little to differ from anything.
    pub fn is_small(&self) -> bool {
        is_small(&self.metrics) && !self.is_marked()
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

    /// The NPS of a month, if it has one, and whether its few answers say little.
    pub fn month(&self, month: impl Borrow<Month>) -> Option<(f64, bool)> {
        let metrics = Metrics::from(self.counts?.month(*month.borrow())?);
        Some((metrics.nps?, is_small(&metrics)))
    }

    /// How far it is above the rest.
    pub fn above_rest(&self, t: &Text) -> Option<Change> {
        self.points(t, self.rest)
    }

    /// How far it is above the days before.
    pub fn above_before(&self, t: &Text) -> Option<Change> {
        self.points(t, self.change)
    }

    fn points(&self, t: &Text, difference: Option<(f64, bool)>) -> Option<Change> {
        let (above, differs) = difference?;
        let verdict = Verdict::new(Some(differs), self.metrics.nps_detail.answers);
        Some(points(t, above, verdict?))
    }

    /// Whether it differs from the rest or from the days before by more than chance.
    pub fn is_marked(&self) -> bool {
        let differs =
            |difference: Option<(f64, bool)>| difference.is_some_and(|(_, differs)| differs);
        differs(self.rest) || differs(self.change)
    }
}

/// As what a name is sorted: whatever its case and the marks of its letters, as in an index of places.
fn alphabetical(name: &str) -> (String, &str) {
    if name.is_ascii() {
        return (name.to_ascii_lowercase(), name);
    }
    let letters = name.nfd().filter(|letter| !is_combining_mark(*letter));
    let letters = letters.flat_map(char::to_lowercase).collect::<String>();
    (letters.replace('ß', "ss"), name)
}

/// Whether few answers say little.
fn is_small(metrics: &Metrics) -> bool {
    metrics.nps_detail.answers < RANKED
}

/// Whether its answers are enough to judge how it differs.
fn is_judged(metrics: &Metrics) -> bool {
    metrics.nps_detail.answers >= JUDGED
}

/// A difference in points.
pub fn points(t: &Text, points: f64, verdict: Verdict) -> Change {
    Change::new(t, points, 0, "points", Some(verdict))
}

/// How many of so many comparisons differ by chance, in a sentence.
pub fn by_chance(t: &Text, judged: impl Borrow<i64>) -> String {
    let judged = *judged.borrow();
    let marked = CHANCE * f64::from(i32::try_from(judged).unwrap_or(i32::MAX));
    if marked < 1.0 {
        t.get("stores-chance-few")
    } else {
        t.count_with("stores-chance", judged, t.real(marked, 0))
    }
}

#[cfg(test)]
mod tests {
    use api_language::of_code;
    use chrono_tz::UTC;
    use domain::form::FormInput;
    use serde_json::json;

    use super::*;
    use crate::page::Frame;
    use crate::range::{Range, RangeQuery};

    #[test]
    fn names_are_sorted_as_in_an_index() {
        let mut names = [
            "Zoo",
            "Krefeld",
            "Köln",
            "Großenhain",
            "Göttingen",
            "köln",
            "Aachen",
        ];
        names.sort_by_key(|name| alphabetical(name));
        let expected = [
            "Aachen",
            "Göttingen",
            "Großenhain",
            "Köln",
            "köln",
            "Krefeld",
            "Zoo",
        ];
        assert_eq!(names, expected);
    }

    #[test]
    fn what_belongs_to_no_value_makes_the_rows_the_whole() {
        let form = json!({
            "title": "T", "bus_props": ["store:Berlin", "store:Hamburg"],
            "fields": [{"key": "a", "type": "nps", "label": "A", "required": true}],
        });
        let form = FormContent::new(FormInput::parse(&form).unwrap()).unwrap();
        let of = |responses, nps_answers| ValueCounts {
            now: DayCounts {
                views: responses,
                responses,
                nps_answers,
                ..DayCounts::default()
            },
            ..ValueCounts::default()
        };
        let f = Frame::of_reader(of_code("en"), String::new(), UTC);
        let range = Range::read(&RangeQuery::default(), UTC);
        let figures = AnswerFigures::new(&f, &range, "", "");
        let ids: Vec<i64> = form.bus_props.iter().map(|entry| entry.id.into()).collect();
        for (whole, expected) in [(9, Some((4, 2))), (5, None)] {
            let counts = CountsById::from([
                (WHOLE, of(whole, 5)),
                (ids[0], of(3, 2)),
                (ids[1], of(2, 1)),
            ]);
            let compared = BusPropComparison::new((&form, "store"), &counts, Vec::new(), figures);
            let without = compared.without.as_ref();
            let found = without.map(|row| (row.metrics.responses, row.metrics.nps_detail.answers));
            assert_eq!(found, expected);
            assert_eq!(compared.rows.len(), 2);
        }
        let mut counts = CountsById::from([(WHOLE, of(9, 5))]);
        let month = Month::of(range.dates.end());
        let all = DayCounts {
            promoters: 6,
            detractors: 4,
            nps_answers: 10,
            ..DayCounts::default()
        };
        let whole = counts.entry(WHOLE).or_default();
        whole.months.push((month, all));
        let compared = BusPropComparison::new((&form, "store"), &counts, Vec::new(), figures);
        let tones = [100.0, 59.0, 30.0, 29.0, 11.0, 10.0, 0.0, -20.0];
        let tones = tones.map(|nps| compared.tone(nps, month));
        let expected = [
            "high-3", "high-2", "high-1", "", "", "low-1", "low-2", "low-3",
        ];
        assert_eq!(tones, expected);
    }

    #[test]
    fn what_is_said_of_few_answers_is_that_they_are_few() {
        let row = |answers| {
            let counts = DayCounts {
                promoters: answers,
                nps_answers: answers,
                ..DayCounts::default()
            };
            let mut row = BusPropRow::of_none(Metrics::from(&counts));
            row.rest = Some((20.0, false));
            row.above_rest(of_code("en")).unwrap().verdict
        };
        assert_eq!(row(7), Some(Verdict::TooFew));
        assert_eq!(row(10), Some(Verdict::ByChance));
    }
}
