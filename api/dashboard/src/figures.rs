//! Figures of some days as pages show them: cards with their changes, and the charts of days.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use domain::answer::{Counted, GradeRange};
use domain::date_range::DateRange;
use domain::metrics::{Metrics, nps_differs, rates_differ};
use domain::rollup::{DayCounts, Delta};

use crate::chart::{Bars, LineChart, STEP, labels, share};
use crate::figure::{AnswerFigures, Figure};
use crate::range::Range;
use api_language::Text;

/// Days that a point of the NPS chart counts, up to its own.
const WINDOW: i64 = 7;

/// The counts of some days, and what is drawn of them.
pub struct ShownFigures {
    /// Of the days, and of those that they are compared with.
    counts: [DayCounts; 2],
    pub now: Metrics,
    pub before: Metrics,
    pub days: Vec<ShownDay>,
    pub bars: Bars,
    pub nps: LineChart,
    /// The lowest day that is no chance.
    pub dip: Option<LowDay>,
    pub labels: Vec<NaiveDate>,
}

/// A day of a chart and of the table behind it.
pub struct ShownDay {
    pub date: NaiveDate,
    pub metrics: Metrics,
    pub responses: Figure,
    /// Where it begins in a chart, in its units.
    pub x: usize,
    /// Of the days up to this one that its point counts.
    pub nps: Option<(f64, f64, f64)>,
}

/// A day whose NPS is lower than that of the whole range, beyond chance.
pub struct LowDay {
    pub date: NaiveDate,
    pub nps: f64,
    /// The answers that its point counts.
    pub answers: Figure,
    /// The pages of the stores and of the comments of detractors on these days; empty on a shared page.
    pub stores: String,
    pub detractors: String,
    /// Where it is in the chart, in its units.
    pub x: usize,
}

impl ShownFigures {
    /// The days that the figures of a range count: its own, those that it is compared with, and those of its first day's point.
    pub fn counted(range: &Range) -> DateRange {
        let days = range.dates.with_days_before(WINDOW - 1);
        range
            .compared
            .map_or(days, |compared| days.spanning(compared))
    }

    /// Of the days of a range; `days` are any, those of [`Self::counted`] among them.
    pub fn new(
        days: &BTreeMap<NaiveDate, DayCounts>,
        range: &Range,
        figures: AnswerFigures<'_>,
    ) -> Self {
        let sum = |dates: DateRange| {
            let days = days.range(dates.start()..=dates.end());
            days.map(|(_, day)| *day).sum::<DayCounts>()
        };
        let (counts, compared) = (
            sum(range.dates),
            range.compared.map(sum).unwrap_or_default(),
        );
        let now = Metrics::from(&counts);
        let shown = range.dates.days().enumerate().map(|(place, date)| {
            let day = DateRange::day(date);
            let counts = sum(day);
            ShownDay {
                date,
                metrics: Metrics::from(&counts),
                responses: figures.figure_of(&Counted::Responses, &counts.into(), day),
                x: STEP * place,
                nps: point(&Metrics::from(&sum(window(date)))),
            }
        });
        let shown: Vec<ShownDay> = shown.collect();
        let points: Vec<_> = shown.iter().map(|day| day.nps).collect();
        let dates: Vec<_> = shown.iter().map(|day| day.date).collect();
        let dip = dip(&shown, &now).map(|(place, date, lowest)| {
            let dates = window(date);
            // The counters have all grades.
            let value = sum(dates).nps_answers;
            let of_window = figures.figure_of(&all_grades(), &Delta::default(), dates);
            let answers = Figure { value, ..of_window };
            LowDay {
                date,
                nps: lowest,
                answers,
                stores: figures.stores_of(dates),
                detractors: figures.detractors(dates),
                x: STEP * place + STEP / 2,
            }
        });
        Self {
            bars: Bars::new(
                shown
                    .iter()
                    .map(|day| (day.metrics.views, day.metrics.responses)),
            ),
            nps: LineChart::new(&points, 25.0, (-100.0, 100.0)),
            dip,
            labels: labels(&dates),
            counts: [counts, compared],
            before: Metrics::from(&compared),
            now,
            days: shown,
        }
    }
}

/// The answers that an NPS is made of.
fn all_grades() -> Counted {
    Counted::Nps(GradeRange {
        key: String::new(),
        lowest: 0,
        highest: 10,
    })
}

/// The days that the point of a day counts.
fn window(date: NaiveDate) -> DateRange {
    DateRange::day(date).with_days_before(WINDOW - 1)
}

fn point(metrics: &Metrics) -> Option<(f64, f64, f64)> {
    Some((
        metrics.nps?,
        metrics.nps_detail.low?,
        metrics.nps_detail.high?,
    ))
}

fn dip(days: &[ShownDay], whole: &Metrics) -> Option<(usize, NaiveDate, f64)> {
    let low = whole.nps_detail.low?;
    let days = days.iter().enumerate();
    let lower = days.filter_map(|(place, day)| {
        let (nps, _, high) = day.nps?;
        (high < low).then_some((place, day.date, nps))
    });
    lower.min_by(|one, other| one.2.total_cmp(&other.2))
}

/// A figure with its change.
pub struct Card {
    pub label: String,
    pub value: String,
    /// The list of what it counts; empty: it is a rate, or counts something else.
    pub href: String,
    /// What it means; empty where its label says it.
    pub help: String,
    /// What stands below it, such as its interval.
    pub detail: String,
    pub change: Option<Change>,
}

/// How a figure differs from that of the days that it is compared with.
pub struct Change {
    pub text: String,
    pub tone: &'static str,
    pub arrow: &'static str,
    /// Whether that is more than chance; `None` where it is no sample, or not all of it is there.
    pub differs: Option<bool>,
    /// Whether it is no clear change yet, because today is not over.
    pub is_coming_in: bool,
}

impl Change {
    /// `unit` is the text that has it.
    pub fn new(t: &Text, change: f64, digits: usize, unit: &str, differs: Option<bool>) -> Self {
        let written = t.signed(change, digits);
        let (tone, arrow) = match written.chars().next() {
            Some('±') => ("flat", ""),
            _ if differs == Some(false) => ("flat", "≈"),
            Some('+') => ("up", "▲"),
            _ => ("down", "▼"),
        };
        Self {
            text: t.measured(unit, change, digits, written),
            tone,
            arrow,
            differs,
            is_coming_in: false,
        }
    }

    /// The same of a rate of answers: what was opened or sent today may still be answered, so nothing is clear with it.
    fn with_today(self, range: &Range) -> Self {
        if !range.has_today || self.differs != Some(true) {
            return self;
        }
        Self {
            tone: "flat",
            arrow: "≈",
            differs: None,
            is_coming_in: true,
            ..self
        }
    }
}

/// An interval, with so many digits behind the point.
fn interval(t: &Text, low: Option<f64>, high: Option<f64>, digits: usize) -> String {
    match (low, high) {
        (Some(low), Some(high)) => {
            let range = format!(
                "{}\u{a0}…\u{a0}{}",
                t.real(low, digits),
                t.real(high, digits)
            );
            t.with("interval", range)
        }
        _ => String::new(),
    }
}

/// The figures on top of a page; that of smileys where a form asks for them.
pub fn cards(
    t: &Text,
    figures: &ShownFigures,
    answers: AnswerFigures<'_>,
    has_smileys: bool,
) -> Vec<Card> {
    let (now, before) = (&figures.now, &figures.before);
    let hundred = |share: Option<f64>| share.map(|share| 100.0 * share);
    let points = |now: Option<f64>, before: Option<f64>, differs| {
        let change = now? - before?;
        Some(Change::new(t, change, 1, "points", differs))
    };
    let rate = |now, before, differs| points(hundred(now), hundred(before), differs);
    let range = answers.range;
    let running = |change: Option<Change>| change.map(|change| change.with_today(range));
    let [counts, compared] = figures.counts;
    let sent = now.sent.map(|_| Card {
        label: t.get("card-answered"),
        value: t.percent(now.response_rate_delivered),
        href: String::new(),
        help: t.get("help-answered"),
        detail: t.count("card-of-delivered", counts.delivered),
        change: running(rate(
            now.response_rate_delivered,
            before.response_rate_delivered,
            rates_differ(
                (counts.delivered_and_answered, counts.delivered),
                (compared.delivered_and_answered, compared.delivered),
            ),
        )),
    });
    let happy = (now.happiness, before.happiness);
    let is_compared = range.compared.is_some();
    let responses = answers.figure(&Counted::Responses, &counts.into());
    let cards = [
        count_card(
            t,
            "card-views",
            now.views,
            is_compared.then_some(before.views),
            String::new(),
        ),
        count_card(
            t,
            "card-responses",
            now.responses,
            is_compared.then_some(before.responses),
            responses.href,
        ),
        Card {
            label: t.get("card-response-rate"),
            value: t.percent(now.response_rate),
            href: String::new(),
            help: t.get("help-completed"),
            detail: t.count("card-of-views", now.views),
            change: running(rate(
                now.response_rate,
                before.response_rate,
                rates_differ((now.responses, now.views), (before.responses, before.views)),
            )),
        },
    ];
    let satisfied = has_smileys.then(|| Card {
        label: t.get("card-happiness"),
        value: t.percent(now.happiness_rate),
        href: String::new(),
        help: t.get("help-satisfied"),
        detail: interval(t, hundred(happy.0.low), hundred(happy.0.high), 1),
        change: rate(
            now.happiness_rate,
            before.happiness_rate,
            rates_differ(
                (happy.0.happy, happy.0.answers),
                (happy.1.happy, happy.1.answers),
            ),
        ),
    });
    let nps = Card {
        label: t.get("card-nps"),
        value: t.score(now.nps, 0),
        href: String::new(),
        help: t.get("help-nps"),
        detail: interval(t, now.nps_detail.low, now.nps_detail.high, 0),
        change: points(now.nps, before.nps, nps_differs(now, before)),
    };
    let cards = cards.into_iter().chain(sent).chain(satisfied);
    cards.chain([nps]).collect()
}

/// `before`: the count of the days that these are compared with, if there are any.
fn count_card(t: &Text, label: &str, now: i64, before: Option<i64>, href: String) -> Card {
    let of_some = before.filter(|before| *before > 0);
    let change = of_some.map(|before| 100.0 * (share(now, before) - 1.0));
    Card {
        label: t.get(label),
        value: t.number(now),
        href,
        help: String::new(),
        detail: before.map_or_else(String::new, |before| t.count("card-before", before)),
        change: change.map(|change| Change::new(t, change, 0, "percent", None)),
    }
}

#[cfg(test)]
mod tests {
    use api_language::of_code;
    use chrono::Days;
    use chrono_tz::Tz;
    use serde_json::json;

    use super::*;
    use crate::page::Frame;
    use crate::range::RangeQuery;

    #[test]
    fn a_day_that_is_not_over_is_compared_with_none() {
        let f = Frame::of_reader(of_code("en"), String::new(), Tz::UTC);
        let views = |views| DayCounts {
            views,
            ..DayCounts::default()
        };
        let yesterday = |today: NaiveDate| today.pred_opt().unwrap();
        for (query, before, has_change) in [
            (json!({"days": "1"}), "", false),
            (json!({"days": "1", "compare": "year"}), "", false),
            (json!({"days": "2"}), "0 before", false),
        ] {
            let range = Range::read(&serde_json::from_value(query).unwrap(), Tz::UTC);
            let today = range.dates.end();
            let counts = BTreeMap::from([(yesterday(today), views(44)), (today, views(344))]);
            let answers = AnswerFigures::new(&f, &range, "", "");
            let figures = ShownFigures::new(&counts, &range, answers);
            let cards = cards(f.t, &figures, answers, true);
            assert_eq!(cards[0].detail, before);
            assert_eq!(cards[0].change.is_some(), has_change);
            assert_eq!(range.is_running, range.dates.num_days() == 1);
        }
    }

    #[test]
    fn no_rate_of_answers_is_clear_while_today_is_coming_in() {
        let f = Frame::of_reader(of_code("en"), String::new(), Tz::UTC);
        let counts = |responses| DayCounts {
            views: 1_000,
            responses,
            ..DayCounts::default()
        };
        let today = Range::read(&RangeQuery::default(), Tz::UTC).dates.end();
        let day = |back| today.checked_sub_days(Days::new(back)).unwrap();
        let days = BTreeMap::from([(day(3), counts(900)), (day(1), counts(100))]);
        for (last, is_coming_in) in [(day(0), true), (day(1), false)] {
            let first = last.pred_opt().unwrap();
            let query = json!({"from": first, "to": last});
            let range = Range::read(&serde_json::from_value(query).unwrap(), Tz::UTC);
            let answers = AnswerFigures::new(&f, &range, "", "");
            let figures = ShownFigures::new(&days, &range, answers);
            let cards = cards(f.t, &figures, answers, true);
            let change = cards[2].change.as_ref().unwrap();
            let clear = (!is_coming_in).then_some(true);
            assert_eq!((change.is_coming_in, change.differs), (is_coming_in, clear));
        }
    }

    #[test]
    fn a_day_has_the_same_point_in_every_range_that_shows_it() {
        let day = |day| NaiveDate::from_ymd_opt(2026, 3, day).unwrap();
        let answers = |promoters, detractors| DayCounts {
            promoters,
            detractors,
            nps_answers: 10,
            ..DayCounts::default()
        };
        let f = Frame::of_reader(of_code("en"), String::new(), Tz::UTC);
        let stored = BTreeMap::from([(day(10), answers(0, 10)), (day(15), answers(10, 0))]);
        for first in 1..=15 {
            for last in 15..=20 {
                let query = json!({"from": day(first), "to": day(last)});
                let range = Range::read(&serde_json::from_value(query).unwrap(), Tz::UTC);
                let mut counts = stored.clone();
                counts.retain(|day, _| ShownFigures::counted(&range).contains(*day));
                let answers = AnswerFigures::new(&f, &range, "", "");
                let figures = ShownFigures::new(&counts, &range, answers);
                let shown = figures.days.iter().find(|shown| shown.date == day(15));
                let nps = shown.and_then(|shown| shown.nps).map(|(nps, ..)| nps);
                assert_eq!(nps, Some(0.0), "{first} to {last}");
            }
        }
    }
}
