//! What the number of a cell shows: a number, a day, a time or how long something takes, as its format says.

use std::time::Duration;

use chrono::{Datelike, NaiveDate, NaiveTime, TimeDelta, Timelike};

/// Above this a number has not all of its digits.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;
/// Seconds of a day.
const DAY: f64 = 86_400.0;
/// Half a millisecond, in seconds: 10:20 is stored as a fraction of a day that is a little less.
const ROUNDING: f64 = 0.000_5;
/// The last year that a spreadsheet has.
const LAST_YEAR: i32 = 9999;

/// What numbers with a format are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Number,
    /// A day, or a time, or both.
    Moment,
    /// Hours, of which there may be more than a day has.
    Duration,
}

impl Format {
    /// That of a number below those of a file's own formats (ECMA-376, 18.8.30; 27 to 58 are those of East Asian languages).
    pub fn built_in(id: u32) -> Self {
        match id {
            14..=22 | 27..=36 | 45 | 47 | 50..=58 => Self::Moment,
            46 => Self::Duration,
            _ => Self::Number,
        }
    }

    /// That of a code such as `dd.mm.yyyy` (ECMA-376, 18.8.31), of which the first section is for positive numbers.
    pub fn of_code(code: &str) -> Self {
        let mut rest = code.chars();
        while let Some(character) = rest.next() {
            match character.to_ascii_lowercase() {
                '"' => {
                    rest.by_ref().find(|character| *character == '"');
                }
                // The next one is itself, or as wide as itself, or fills the cell.
                '\\' | '_' | '*' => {
                    rest.next();
                }
                '[' => {
                    let inside = rest.by_ref().take_while(|character| *character != ']');
                    let inside: String = inside
                        .map(|character| character.to_ascii_lowercase())
                        .collect();
                    let units = ['h', 'm', 's'];
                    if !inside.is_empty() && inside.trim_matches(units).is_empty() {
                        return Self::Duration;
                    }
                }
                ';' => break,
                'd' | 'm' | 'y' | 'h' | 's' => return Self::Moment,
                _ => {}
            }
        }
        Self::Number
    }
}

/// What a number shows, or the text as it is if it is none. `is_1904`: days are counted from 1904 on.
pub fn shown(text: &str, format: Format, is_1904: bool) -> String {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite());
    let Some(number) = number else {
        return text.to_owned();
    };
    let shown = match format {
        Format::Number => None,
        Format::Moment => moment(number, is_1904),
        Format::Duration => duration(number),
    };
    shown.unwrap_or_else(|| plain(number))
}

fn plain(number: f64) -> String {
    if number.abs() > MAX_EXACT {
        // As a spreadsheet shows numbers whose last digits it does not have.
        format!("{number:E}").replace('E', "E+")
    } else {
        number.to_string()
    }
}

/// How long a number of days is; nothing for what is negative or beyond measure.
fn since(days: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(days * DAY + ROUNDING).ok()
}

/// A day, and the time of day where it is not midnight; seconds where there are some.
fn moment(days: f64, is_1904: bool) -> Option<String> {
    // To a spreadsheet 1900 has a 29 February, the day 60.
    let epoch = match (is_1904, days < 60.0) {
        (true, _) => NaiveDate::from_ymd_opt(1904, 1, 1)?,
        (false, true) => NaiveDate::from_ymd_opt(1899, 12, 31)?,
        (false, false) => NaiveDate::from_ymd_opt(1899, 12, 30)?,
    };
    let since = TimeDelta::from_std(since(days)?).ok()?;
    let at = epoch.and_time(NaiveTime::MIN).checked_add_signed(since)?;
    if at.year() > LAST_YEAR {
        return None;
    }
    let time = clock(at.hour().into(), at.minute().into(), at.second().into());
    Some(match (days < 1.0, time.as_str()) {
        (true, _) => time,
        (false, "00:00") => at.date().to_string(),
        (false, _) => format!("{} {time}", at.date()),
    })
}

fn duration(days: f64) -> Option<String> {
    let seconds = since(days)?.as_secs();
    Some(clock(seconds / 3_600, seconds / 60 % 60, seconds % 60))
}

fn clock(hours: u64, minutes: u64, seconds: u64) -> String {
    match seconds {
        0 => format!("{hours:02}:{minutes:02}"),
        _ => format!("{hours:02}:{minutes:02}:{seconds:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_of_a_number_of_a_moment_or_of_hours() {
        for (code, expected) in [
            ("General", Format::Number),
            ("#,##0.00 \"days\";[Red]-0.0", Format::Number),
            ("0.00E+00", Format::Number),
            ("[Magenta]0\\d_m*y", Format::Number),
            ("0;yyyy", Format::Number),
            ("[$-409]dd.mm.yyyy", Format::Moment),
            ("H:MM AM/PM", Format::Moment),
            ("mm:ss.0", Format::Moment),
            ("[h]:mm", Format::Duration),
            ("[SS].00", Format::Duration),
            ("\"", Format::Number),
            ("[", Format::Number),
        ] {
            assert_eq!(Format::of_code(code), expected, "{code}");
        }
    }

    #[test]
    fn numbers_show_what_their_format_says() {
        for (text, format, expected) in [
            ("12.5", Format::Number, "12.5"),
            ("4.9E19", Format::Number, "4.9E+19"),
            ("inf", Format::Moment, "inf"),
            ("46331", Format::Moment, "2026-11-05"),
            ("46331.4305555556", Format::Moment, "2026-11-05 10:20"),
            ("0.430555555555556", Format::Moment, "10:20"),
            ("59", Format::Moment, "1900-02-28"),
            ("61", Format::Moment, "1900-03-01"),
            ("-1", Format::Moment, "-1"),
            ("2958466", Format::Moment, "2958466"),
            ("1e300", Format::Duration, "1E+300"),
            ("1.0937616898148148", Format::Duration, "26:15:01"),
        ] {
            assert_eq!(shown(text, format, false), expected, "{text}");
        }
        assert_eq!(shown("44869", Format::Moment, true), "2026-11-05");
    }
}
