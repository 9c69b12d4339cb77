//! Figures of some days as pages show them: cards with their changes, and the charts of days.

use std::collections::BTreeMap;

use chrono::{NaiveDate, TimeDelta};
use domain::date_range::DateRange;
use domain::metrics::{Metrics, nps_differs, rates_differ};
use domain::rollup::DayCounts;

use crate::chart::{Bars, LineChart, labels, share};
use api_language::Text;

/// Days that a point of the NPS chart counts, up to its own.
const WINDOW: i64 = 7;

/// The counts of some days, and what is drawn of them.
pub struct ShownFigures {
    pub now: Metrics,
    /// Of as many days just before.
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
    /// Of the days up to this one that its point counts.
    pub nps: Option<(f64, f64, f64)>,
}

/// A day whose NPS is lower than that of the whole range, beyond chance.
pub struct LowDay {
    pub date: NaiveDate,
    pub nps: f64,
    /// Where it is in the chart, in its units.
    pub x: usize,
}

impl ShownFigures {
    /// The days that the figures of a range count: those of the range, as many before, and those of its first day's point.
    pub fn counted(range: DateRange) -> DateRange {
        let (compared, first_point) = (range.with_previous(), range.with_days_before(WINDOW - 1));
        if compared.start() < first_point.start() {
            compared
        } else {
            first_point
        }
    }

    /// Of the days of a range; `counts` of any days, those of [`Self::counted`] among them.
    pub fn new(counts: &BTreeMap<NaiveDate, DayCounts>, range: DateRange) -> Self {
        let sum = |first: NaiveDate, last: NaiveDate| {
            let days = counts.range(first..=last).map(|(_, day)| *day);
            Metrics::from(&days.sum::<DayCounts>())
        };
        let now = sum(range.start(), range.end());
        let before = range
            .previous()
            .map(|range| sum(range.start(), range.end()));
        let days: Vec<ShownDay> = range
            .days()
            .map(|date| {
                let first = date
                    .checked_sub_signed(TimeDelta::days(WINDOW - 1))
                    .unwrap_or(date);
                ShownDay {
                    date,
                    metrics: sum(date, date),
                    nps: point(&sum(first, date)),
                }
            })
            .collect();
        let points: Vec<_> = days.iter().map(|day| day.nps).collect();
        let dates: Vec<_> = days.iter().map(|day| day.date).collect();
        Self {
            bars: Bars::new(
                days.iter()
                    .map(|day| (day.metrics.views, day.metrics.responses)),
            ),
            nps: LineChart::new(&points, 25.0, (-100.0, 100.0)),
            dip: dip(&days, &now),
            labels: labels(&dates),
            before: before.unwrap_or_else(|_| Metrics::from(&DayCounts::default())),
            now,
            days,
        }
    }

    /// Promoters, passives and detractors: label, tone, count and share.
    pub fn nps_parts(&self) -> [(&'static str, &'static str, i64, f64); 3] {
        let nps = self.now.nps_detail;
        let part = |label, tone, count| (label, tone, count, share(count, nps.answers));
        [
            part("nps-promoters", "high", nps.promoters),
            part("nps-passives", "mid", nps.passives),
            part("nps-detractors", "low", nps.detractors),
        ]
    }
}

fn point(metrics: &Metrics) -> Option<(f64, f64, f64)> {
    Some((
        metrics.nps?,
        metrics.nps_detail.low?,
        metrics.nps_detail.high?,
    ))
}

fn dip(days: &[ShownDay], whole: &Metrics) -> Option<LowDay> {
    let low = whole.nps_detail.low?;
    let days = days.iter().enumerate();
    let lower = days.filter_map(|(place, day)| {
        let (nps, _, high) = day.nps?;
        (high < low).then_some((place, day.date, nps))
    });
    let (place, date, nps) = lower.min_by(|one, other| one.2.total_cmp(&other.2))?;
    Some(LowDay {
        date,
        nps,
        x: 10 * place + 5,
    })
}

/// A figure with its change.
pub struct Card {
    pub label: String,
    pub value: String,
    /// What stands below it, such as its interval.
    pub detail: String,
    /// Against the days before; empty where there is nothing to compare.
    pub change: String,
    /// Whether it rose.
    pub rose: bool,
    /// Whether that is more than chance; `None` where it is no sample.
    pub differs: Option<bool>,
}

/// The figures on top of a page.
pub fn cards(t: &Text, figures: &ShownFigures) -> Vec<Card> {
    let (now, before) = (&figures.now, &figures.before);
    let rate = |now: Option<f64>, before: Option<f64>| Some(100.0 * (now? - before?));
    let nps = now.nps.zip(before.nps).map(|(now, before)| now - before);
    let interval = |low: Option<f64>, high: Option<f64>, digits| match (low, high) {
        (Some(low), Some(high)) => {
            let range = format!("{} … {}", t.real(low, digits), t.real(high, digits));
            t.with("interval", range)
        }
        _ => String::new(),
    };
    let hundred = |share: Option<f64>| share.map(|share| 100.0 * share);
    let happy = (now.happiness, before.happiness);
    vec![
        count_card(t, "card-views", now.views, before.views),
        count_card(t, "card-responses", now.responses, before.responses),
        points_card(
            t,
            ("card-response-rate", t.percent(now.response_rate)),
            t.count("card-of-views", now.views),
            rate(now.response_rate, before.response_rate),
            rates_differ((now.responses, now.views), (before.responses, before.views)),
        ),
        points_card(
            t,
            ("card-happiness", t.percent(now.happiness_rate)),
            interval(hundred(happy.0.low), hundred(happy.0.high), 1),
            rate(now.happiness_rate, before.happiness_rate),
            rates_differ(
                (happy.0.happy, happy.0.answers),
                (happy.1.happy, happy.1.answers),
            ),
        ),
        points_card(
            t,
            ("card-nps", t.score(now.nps, 0)),
            interval(now.nps_detail.low, now.nps_detail.high, 0),
            nps,
            nps_differs(now, before),
        ),
    ]
}

fn count_card(t: &Text, label: &str, now: i64, before: i64) -> Card {
    let change = (before > 0).then(|| 100.0 * (share(now, before) - 1.0));
    Card {
        label: t.get(label),
        value: t.number(now),
        detail: t.count("card-before", before),
        change: change.map_or_else(String::new, |change| t.with("percent", t.signed(change, 0))),
        rose: now >= before,
        differs: None,
    }
}

fn points_card(
    t: &Text,
    (label, value): (&str, String),
    detail: String,
    change: Option<f64>,
    differs: Option<bool>,
) -> Card {
    Card {
        label: t.get(label),
        value,
        detail,
        change: change.map_or_else(String::new, |change| t.with("points", t.signed(change, 1))),
        rose: change.is_none_or(|change| change >= 0.0),
        differs,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_has_the_same_point_in_every_range_that_shows_it() {
        let day = |day| NaiveDate::from_ymd_opt(2026, 3, day).unwrap();
        let answers = |promoters, detractors| DayCounts {
            promoters,
            detractors,
            nps_answers: 10,
            ..DayCounts::default()
        };
        let stored = BTreeMap::from([(day(10), answers(0, 10)), (day(15), answers(10, 0))]);
        for first in 1..=15 {
            for last in 15..=20 {
                let range =
                    DateRange::parse(&day(first).to_string(), &day(last).to_string()).unwrap();
                let mut counts = stored.clone();
                counts.retain(|day, _| ShownFigures::counted(range).contains(*day));
                let figures = ShownFigures::new(&counts, range);
                let shown = figures.days.iter().find(|shown| shown.date == day(15));
                let nps = shown.and_then(|shown| shown.nps).map(|(nps, ..)| nps);
                assert_eq!(nps, Some(0.0), "{first} to {last}");
            }
        }
    }
}
