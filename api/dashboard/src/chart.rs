//! Charts as SVG without any text: labels stand beside them in HTML, where they keep their size, and a table behind each chart
//! has its numbers.
//!
//! A chart is ten units wide for each day and a hundred high; the page stretches it.

use std::fmt::{self, Display, Formatter, Write};

use chrono::NaiveDate;

/// Units of a day.
pub const STEP: usize = 10;
/// Labels below a chart, at most, where not each day has one.
const LABELS: usize = 6;
/// So many days have a label each.
const EACH: usize = 7;

/// Two bars a day, one within the other: of all, and of those among them.
pub struct Bars {
    pub width: usize,
    /// Paths of the outer and of the inner bars.
    pub outer: String,
    pub inner: String,
    /// The value at the top.
    pub top: i64,
}

impl Bars {
    pub fn new(days: impl ExactSizeIterator<Item = (i64, i64)> + Clone) -> Self {
        let highest = days.clone().map(|(outer, inner)| outer.max(inner)).max();
        let top = round_up(highest.unwrap_or(0));
        let (mut outer, mut inner) = (String::new(), String::new());
        let width = STEP * days.len();
        for (place, (all, some)) in days.enumerate() {
            bar(&mut outer, place, share(all, top));
            bar(&mut inner, place, share(some, top));
        }
        Self {
            width,
            outer,
            inner,
            top,
        }
    }
}

fn bar(path: &mut String, place: usize, share: f64) {
    if share > 0.0 {
        let (left, height) = (STEP * place + 1, Tenths(100.0 * share));
        // Writing to a string cannot fail.
        let _ = write!(path, "M{left} 100v-{height}h8v{height}z");
    }
}

/// A line with a band around it; days without a value are gaps.
pub struct LineChart {
    pub width: usize,
    /// Paths.
    pub path: String,
    pub band: String,
    /// The values at the bottom and at the top.
    pub bottom: f64,
    pub top: f64,
    /// The height of zero from the top, in units, if it is inside.
    pub zero: Option<f64>,
}

impl LineChart {
    /// Of value, low and high by day; the ends are multiples of `unit` that hold all of them, within `limits`.
    pub fn new(days: &[Option<(f64, f64, f64)>], unit: f64, limits: (f64, f64)) -> Self {
        let known = days.iter().flatten();
        let lowest = known.clone().map(|day| day.1).fold(f64::INFINITY, f64::min);
        let highest = known.map(|day| day.2).fold(f64::NEG_INFINITY, f64::max);
        let (bottom, top) = if lowest > highest {
            limits
        } else {
            let (bottom, top) = (
                (lowest / unit).floor() * unit,
                (highest / unit).ceil() * unit,
            );
            (bottom.max(limits.0), top.min(limits.1).max(bottom + unit))
        };
        let y = |value: f64| 100.0 * (top - value) / (top - bottom);
        let (mut line, mut band) = (String::new(), String::new());
        let indexed: Vec<_> = days.iter().enumerate().collect();
        for run in indexed.chunk_by(|one, next| one.1.is_some() == next.1.is_some()) {
            let points: Vec<_> = run
                .iter()
                .filter_map(|(place, day)| Some((x(*place), (**day)?)))
                .collect();
            // A day alone is a short dash.
            let ends = |points: &[(f64, f64)]| match points {
                [(x, y)] => vec![(x - 3.0, *y), (x + 3.0, *y)],
                _ => points.to_vec(),
            };
            let of = |value: fn((f64, f64, f64)) -> f64| {
                ends(
                    &points
                        .iter()
                        .map(|(x, day)| (*x, y(value(*day))))
                        .collect::<Vec<_>>(),
                )
            };
            draw(&mut line, of(|day| day.0), 'M');
            draw(&mut band, of(|day| day.2), 'M');
            let lows = of(|day| day.1).into_iter().rev();
            draw(&mut band, lows, 'L');
            if !points.is_empty() {
                band.push('z');
            }
        }
        Self {
            width: STEP * days.len(),
            path: line,
            band,
            bottom,
            top,
            zero: (bottom < 0.0 && top > 0.0).then(|| y(0.0)),
        }
    }
}

fn draw(path: &mut String, points: impl IntoIterator<Item = (f64, f64)>, first: char) {
    for (place, (x, y)) in points.into_iter().enumerate() {
        let command = if place == 0 { first } else { 'L' };
        // Writing to a string cannot fail.
        let _ = write!(path, "{command}{x:.0} {}", Tenths(y));
    }
}

/// A number of units, of which tenths are written: charts have hundreds, and exact decimals cost a multiple.
struct Tenths(f64);

impl Display for Tenths {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a chart is 18,300 units wide at most"
    )]
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let tenths = (10.0 * self.0).round() as i64;
        write!(f, "{}.{}", tenths / 10, tenths % 10)
    }
}

#[expect(clippy::cast_precision_loss, reason = "a range has 1,830 days at most")]
fn x(place: usize) -> f64 {
    (STEP * place + STEP / 2) as f64
}

/// A line without anything else, 100 units wide and 20 high, of a hundred points at most: of more values several are one.
pub fn sparkline(values: &[i64]) -> String {
    let together = values.len().div_ceil(100).max(1);
    let values: Vec<i64> = values
        .chunks(together)
        .map(|some| some.iter().sum())
        .collect();
    let top = values.iter().copied().max().unwrap_or(0).max(1);
    let last = i64::try_from(values.len()).unwrap_or(i64::MAX).max(2) - 1;
    let points = values.iter().zip(0_i64..);
    let points =
        points.map(|(value, place)| (100.0 * share(place, last), 19.0 - 18.0 * share(*value, top)));
    let mut path = String::new();
    draw(&mut path, points, 'M');
    path
}

/// Days below a chart: all of a week, of more some that are evenly apart, the first and the last among them.
pub fn labels(days: &[NaiveDate]) -> Vec<NaiveDate> {
    if days.len() <= EACH {
        return days.to_vec();
    }
    let (last, parts) = (days.len() - 1, LABELS - 1);
    // To the next whole day: what is drawn is off by half a day at most.
    let places = (0..=parts).map(|part| (last * part + parts / 2) / parts);
    places
        .filter_map(|place| days.get(place).copied())
        .collect()
}

/// The part of a whole, 0 without one.
#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
pub fn share(part: i64, whole: i64) -> f64 {
    if whole > 0 {
        part as f64 / whole as f64
    } else {
        0.0
    }
}

/// The next of 1, 2, 4, 5, 10, 20, 40, 50, …, which halves well.
fn round_up(value: i64) -> i64 {
    let mut power = 1_i64;
    loop {
        for step in [1, 2, 4, 5] {
            if step * power >= value {
                return step * power;
            }
        }
        power = power.saturating_mul(10);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_top_of_a_chart_is_a_round_number() {
        for (value, top) in [
            (0, 1),
            (1, 1),
            (3, 4),
            (6, 10),
            (11, 20),
            (41, 50),
            (51, 100),
        ] {
            assert_eq!(round_up(value), top, "{value}");
        }
    }

    #[test]
    fn a_line_has_gaps_and_its_band_holds_it() {
        let days = [
            Some((10.0, 0.0, 20.0)),
            None,
            Some((30.0, 10.0, 40.0)),
            Some((20.0, 10.0, 30.0)),
        ];
        let line = LineChart::new(&days, 25.0, (-100.0, 100.0));
        assert_eq!((line.bottom, line.top, line.zero), (0.0, 50.0, None));
        assert_eq!(line.path, "M2 80.0L8 80.0M25 40.0L35 60.0");
        assert_eq!(
            line.band,
            "M2 60.0L8 60.0L8 100.0L2 100.0zM25 20.0L35 40.0L35 80.0L25 80.0z"
        );
        let empty = LineChart::new(&[None], 25.0, (-100.0, 100.0));
        assert_eq!((empty.path.as_str(), empty.band.as_str()), ("", ""));
    }

    #[test]
    fn the_first_and_the_last_day_are_among_the_labels() {
        let day = |day| NaiveDate::from_ymd_opt(2026, 1, day).unwrap();
        for count in 1..=31 {
            let days: Vec<_> = (1..=count).map(day).collect();
            let labels = labels(&days);
            assert_eq!(labels.first(), days.first());
            assert_eq!(labels.last(), days.last());
            if days.len() <= EACH {
                assert_eq!(labels, days);
            } else {
                assert!(labels.len() <= LABELS, "{count}");
            }
        }
    }
}
