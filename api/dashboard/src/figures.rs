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
use strum::IntoStaticStr;

/// With fewer answers differences are not judged: the intervals hold with few answers too, but a mark on a handful of them misleads.
pub const JUDGED: i64 = 10;
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
    /// The first day on which anything was counted, where the days that these are compared with begin without.
    since: Option<NaiveDate>,
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
    /// The days that its point counts.
    pub days: DateRange,
    pub nps: f64,
    /// The answers of these days.
    pub answers: Figure,
    /// The pages of the stores and of the comments of detractors on these days; empty on a shared page.
    pub stores: String,
    /// The title of the form that the former compares; empty: that of the page.
    pub form: String,
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
                days: dates,
                nps: lowest,
                answers,
                stores: figures.stores_of(dates),
                form: String::new(),
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
            since: since(days, range),
            counts: [counts, compared],
            before: Metrics::from(&compared),
            now,
            days: shown,
        }
    }
}

/// The first day on which anything was counted, where a tenth of the compared days or more come before it: that is no gap, such as
/// Sundays, but the time before all data.
fn since(days: &BTreeMap<NaiveDate, DayCounts>, range: &Range) -> Option<NaiveDate> {
    let compared = range.compared?;
    let has_any = |day: &NaiveDate| {
        days.get(day)
            .is_some_and(|counts| *counts != DayCounts::default())
    };
    let first = compared.days().find(has_any)?;
    let before = (first - compared.start()).num_days();
    let is_after = |day: &NaiveDate| *day > first;
    let after = compared.days().filter(is_after).chain(range.dates.days());
    let (mut gap, mut longest) = (0, 0);
    for day in after {
        gap = if has_any(&day) { 0 } else { gap + 1 };
        longest = longest.max(gap);
    }
    (10 * before >= compared.num_days() && before > longest).then_some(first)
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
    /// `None`: a count, which is no sample.
    pub verdict: Option<Verdict>,
}

/// Whether a change says anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Verdict {
    /// It is more than chance.
    Clear,
    /// It may be chance.
    ByChance,
    /// Of fewer than [`JUDGED`] answers nobody can tell.
    TooFew,
    /// It is no clear change yet, because today is not over.
    ComingIn,
}

impl Verdict {
    /// Of whether two samples differ by more than chance, if both have anything, and how many answers the smaller one has.
    pub fn new(differs: Option<bool>, answers: i64) -> Option<Self> {
        Some(match differs? {
            _ if answers < JUDGED => Self::TooFew,
            true => Self::Clear,
            false => Self::ByChance,
        })
    }

    /// The key of its words below a figure.
    pub fn key(self) -> &'static str {
        self.into()
    }
}

impl Change {
    /// `unit` is the text that has it. Only what is clear has the colour of good or bad: more answers may be noise.
    pub fn new(t: &Text, change: f64, digits: usize, unit: &str, verdict: Option<Verdict>) -> Self {
        let written = t.signed(change, digits);
        let is_clear = verdict == Some(Verdict::Clear);
        let (tone, arrow) = match written.chars().next() {
            Some('±') => ("flat", ""),
            _ if verdict.is_some() && !is_clear => ("flat", "≈"),
            Some('+') => ("up", "▲"),
            _ => ("down", "▼"),
        };
        Self {
            text: t.measured(unit, change, digits, written),
            tone: if is_clear { tone } else { "flat" },
            arrow,
            verdict,
        }
    }

    /// Whether it is more than chance.
    pub fn is_clear(&self) -> bool {
        self.verdict == Some(Verdict::Clear)
    }

    /// The same of a rate of answers: what was opened or sent today may still be answered, so nothing is clear with it.
    fn with_today(self, range: &Range) -> Self {
        if !range.has_today || !self.is_clear() {
            return self;
        }
        Self {
            tone: "flat",
            arrow: "≈",
            verdict: Some(Verdict::ComingIn),
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
    let points = |now: Option<f64>, before: Option<f64>, verdict| {
        let change = now? - before?;
        Some(Change::new(t, change, 1, "points", verdict))
    };
    let rate = |now, before, samples: [(i64, i64); 2]| {
        let [(_, of_now), (_, of_before)] = samples;
        let differs = rates_differ(samples[0], samples[1]);
        let verdict = Verdict::new(differs, of_now.min(of_before));
        points(hundred(now), hundred(before), verdict)
    };
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
            [counts, compared].map(|counts| (counts.delivered_and_answered, counts.delivered)),
        )),
    });
    let happy = (now.happiness, before.happiness);
    let count_card = |label, now, before, href| {
        let before = match figures.since {
            Some(since) => Before::Since(since),
            None if range.compared.is_some() => Before::Count(before),
            None => Before::Nothing,
        };
        count_card(t, label, now, &before, href)
    };
    let responses = answers.figure(&Counted::Responses, &counts.into());
    let cards = [
        count_card("step-opened", now.views, before.views, String::new()),
        count_card(
            "card-responses",
            now.responses,
            before.responses,
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
                [now, before].map(|metrics| (metrics.responses, metrics.views)),
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
            [happy.0, happy.1].map(|happy| (happy.happy, happy.answers)),
        ),
    });
    let nps = Card {
        label: t.get("card-nps"),
        value: t.score(now.nps, 0),
        href: String::new(),
        help: t.get("help-nps"),
        detail: interval(t, now.nps_detail.low, now.nps_detail.high, 0),
        change: points(
            now.nps,
            before.nps,
            Verdict::new(
                nps_differs(now, before),
                now.nps_detail.answers.min(before.nps_detail.answers),
            ),
        ),
    };
    let cards = cards.into_iter().chain(sent).chain(satisfied);
    cards.chain([nps]).collect()
}

/// What a count is compared with.
enum Before {
    /// There are no other days.
    Nothing,
    Count(i64),
    /// On the first of the other days nothing was counted yet, so their count is no measure.
    Since(NaiveDate),
}

fn count_card(t: &Text, label: &str, now: i64, before: &Before, href: String) -> Card {
    let of_some = match before {
        Before::Count(before) if *before > 0 => Some(*before),
        _ => None,
    };
    let change = of_some.map(|before| 100.0 * (share(now, before) - 1.0));
    Card {
        label: t.get(label),
        value: t.number(now),
        href,
        help: String::new(),
        detail: match before {
            Before::Nothing => String::new(),
            Before::Count(before) => t.count("card-before", *before),
            Before::Since(since) => t.with("card-since", t.date(*since)),
        },
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
            let expected = if is_coming_in {
                Verdict::ComingIn
            } else {
                Verdict::Clear
            };
            assert_eq!(change.verdict, Some(expected));
        }
    }

    #[test]
    fn few_answers_are_not_judged_and_counts_have_no_colour() {
        let f = Frame::of_reader(of_code("en"), String::new(), Tz::UTC);
        let day = |day| NaiveDate::from_ymd_opt(2026, 3, day).unwrap();
        let answers = |answers| DayCounts {
            views: 10 * answers,
            responses: answers,
            detractors: answers,
            nps_answers: answers,
            ..DayCounts::default()
        };
        let query = json!({"from": day(2), "to": day(2)});
        let range = Range::read(&serde_json::from_value(query).unwrap(), Tz::UTC);
        for (now, verdict) in [(7, Verdict::TooFew), (70, Verdict::ByChance)] {
            let days = BTreeMap::from([(day(1), answers(60)), (day(2), answers(now))]);
            let shown = AnswerFigures::new(&f, &range, "", "");
            let figures = ShownFigures::new(&days, &range, shown);
            let cards = cards(f.t, &figures, shown, false);
            let change = |card: &Card| {
                let change = card.change.as_ref().unwrap();
                (change.tone, change.verdict)
            };
            assert_eq!(change(&cards[1]), ("flat", None));
            assert_eq!(change(cards.last().unwrap()), ("flat", Some(verdict)));
        }
        assert_eq!(Verdict::TooFew.key(), "too-few");
    }

    #[test]
    fn days_before_all_data_are_no_measure() {
        let f = Frame::of_reader(of_code("en"), String::new(), Tz::UTC);
        let first = NaiveDate::from_ymd_opt(2026, 3, 1).unwrap();
        let day = |place| first.checked_add_days(Days::new(place)).unwrap();
        let query = json!({"from": day(10), "to": day(19)});
        let range = Range::read(&serde_json::from_value(query).unwrap(), Tz::UTC);
        let counts = DayCounts {
            views: 5,
            ..DayCounts::default()
        };
        let detail = |counted: &dyn Fn(u64) -> bool| {
            let days = (0..20).filter(|place| counted(*place));
            let days = days.map(|place| (day(place), counts)).collect();
            let answers = AnswerFigures::new(&f, &range, "", "");
            let figures = ShownFigures::new(&days, &range, answers);
            let card = cards(f.t, &figures, answers, true).swap_remove(0);
            (card.detail, card.change.is_some())
        };
        let since = "data only since 9 Mar 2026".to_owned();
        assert_eq!(detail(&|place| place >= 8), (since, false));
        // A gap as long follows: it is no beginning.
        let gaps = detail(&|place| place % 7 != 0);
        assert_eq!(gaps, ("40 before".to_owned(), true));
        assert_eq!(detail(&|place| place >= 10), ("0 before".to_owned(), false));
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
