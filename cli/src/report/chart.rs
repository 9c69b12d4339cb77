//! How counts went from day to day, as rows of blocks.

use std::fmt::Write;

use console::style;
use serde_json::Value;

use crate::output::word;

/// What is drawn for no count, and for each eighth of the largest.
const BLOCKS: [&str; 9] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
/// The width of what stands before a row.
const LABEL: usize = 22;
/// The width of a row's two dates with a space between.
const DATES: usize = 21;
/// A day is drawn no wider.
const WIDEST: usize = 4;

/// Appends a row for each of the counters that counted anything, with its largest value, as wide as fits. Where there is no place
/// for each day several of them are drawn together.
pub(super) fn chart(days: &[Value], counters: &[&str], width: usize, out: &mut String) {
    let [first, .., last] = days else { return };
    let room = width.saturating_sub(LABEL).max(DATES);
    let together = days.len().div_ceil(room);
    // From the end: the latest days are as many as the others.
    let columns: Vec<_> = days.rchunks(together).rev().collect();
    let wide = (room / columns.len()).min(WIDEST);
    let mut rows = String::new();
    for counter in counters {
        let count = |day: &Value| usize::try_from(day[counter].as_u64()?).ok();
        let sum = |days: &&[Value]| days.iter().filter_map(count).sum();
        let counts: Vec<usize> = columns.iter().map(sum).collect();
        let Some(largest @ 1..) = counts.iter().copied().max() else {
            continue;
        };
        let blocks = counts
            .iter()
            .map(|count| BLOCKS[(count * 8).div_ceil(largest)]);
        let blocks: String = blocks.map(|block| block.repeat(wide)).collect();
        // A String takes every text.
        let _ = writeln!(
            rows,
            "{counter:10}{largest:>10}  {}",
            style(blocks.trim_end()).cyan()
        );
    }
    if rows.is_empty() {
        return;
    }
    let by = match together {
        1 => "by day".to_owned(),
        days => format!("by {days} days"),
    };
    let [first, last] = [first, last].map(|day| word(&day["date"]));
    let rest = (columns.len() * wide).saturating_sub(first.len());
    let rest = rest.max(DATES - first.len());
    let _ = write!(out, "\n{by:13}largest  {first}{last:>rest$}\n{rows}");
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn drawn(views: &[u64], width: usize) -> String {
        let days = views.iter().enumerate();
        let days = days.map(|(day, views)| {
            json!({"date": format!("2026-03-{:02}", day + 1), "views": views, "sent": 0})
        });
        let mut out = String::new();
        console::set_colors_enabled(false);
        chart(
            &days.collect::<Vec<_>>(),
            &["views", "sent"],
            width,
            &mut out,
        );
        out
    }

    #[test]
    fn each_day_is_as_high_as_its_part_of_the_largest() {
        let expected = "
by day       largest  2026-03-01    2026-03-06
views            800      ▁▁▁▁████▄▄▄▄▇▇▇▇
";
        assert_eq!(drawn(&[0, 1, 800, 400, 700, 0], 80), expected);
    }

    #[test]
    fn days_that_have_no_place_are_drawn_together_and_the_latest_are_whole() {
        let expected = "
by 2 days    largest  2026-03-01 2026-03-31
views              2  ▄███████████████
";
        assert_eq!(drawn(&[1; 31], 10), expected);
    }

    #[test]
    fn nothing_is_drawn_of_nothing() {
        assert_eq!(drawn(&[0; 31], 80) + &drawn(&[7], 80) + &drawn(&[], 80), "");
    }
}
