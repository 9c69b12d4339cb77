//! The hours of the week in which messages may be sent, by the clock on the wall.

use chrono::{Datelike, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Timelike};
use serde::{Deserialize, Serialize};
use strum::VariantArray;

/// The minutes of a day.
const DAY: u32 = 24 * 60;

/// From one time of day to another, on some days of the week.
/// In JSON `{"from": "09:00", "to": "20:00", "days": ["mon", …]}`; a member that is left out is as in the default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "WindowMembers", into = "WindowMembers")]
pub struct SendWindow {
    /// The first minute of the day.
    from: u32,
    /// The first minute after; greater than `from`, at most [`DAY`].
    to: u32,
    /// From Monday on; at least one.
    days: [bool; 7],
}

#[derive(Clone, Copy, Serialize, Deserialize, VariantArray)]
#[serde(rename_all = "lowercase")]
enum Weekday {
    Mon,
    Tue,
    Wed,
    Thu,
    Fri,
    Sat,
    Sun,
}

/// As it is sent.
#[derive(Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct WindowMembers {
    from: String,
    /// After `from`.
    to: String,
    days: Vec<Weekday>,
}

impl Default for SendWindow {
    /// 09:00 to 20:00, every day.
    fn default() -> Self {
        Self {
            from: 9 * 60,
            to: 20 * 60,
            days: [true; 7],
        }
    }
}

impl SendWindow {
    /// Whether no moment lies outside.
    pub(super) fn is_always(&self) -> bool {
        self.is_whole_day() && self.days == [true; 7]
    }

    /// The first time that lies inside, `local` or after it.
    pub(super) fn opening(&self, local: NaiveDateTime) -> NaiveDateTime {
        let minute = local.num_seconds_from_midnight() / 60;
        if self.has_day(local.date(), 0) && minute < self.to {
            return local.max(at(local.date(), 0, self.from));
        }
        // There is a day, at the latest the same one of next week.
        let mut later = 1..7;
        let days = later.find(|days| self.has_day(local.date(), *days));
        at(local.date(), days.unwrap_or(7), self.from)
    }

    /// Whether a time lies inside.
    pub(super) fn contains(&self, local: NaiveDateTime) -> bool {
        self.opening(local) == local
    }

    /// The first time outside, after a time that lies inside. Whole days in a row are one stretch.
    pub(super) fn closing(&self, inside: NaiveDateTime) -> NaiveDateTime {
        let also = |days: &u32| self.is_whole_day() && self.has_day(inside.date(), *days);
        let days = (1..7).take_while(also).last().unwrap_or(0);
        at(inside.date(), days, self.to)
    }

    fn is_whole_day(&self) -> bool {
        self.from == 0 && self.to == DAY
    }

    /// Whether the day that is `later` days after another is one of the window's.
    fn has_day(&self, day: NaiveDate, later: u32) -> bool {
        let weekday = (day.weekday().num_days_from_monday() + later) % 7;
        usize::try_from(weekday).is_ok_and(|weekday| self.days.get(weekday) == Some(&true))
    }
}

/// The time at a minute of the day that is `later` days after another.
fn at(day: NaiveDate, later: u32, minute: u32) -> NaiveDateTime {
    day.and_time(NaiveTime::MIN) + TimeDelta::minutes(i64::from(later * DAY + minute))
}

/// Reads exactly `HH:MM`, from 00:00 to 24:00.
fn read_minutes(text: &str) -> Option<u32> {
    let (hours, minutes) = text.split_once(':')?;
    let number = |digits: &str| {
        let is_number = digits.len() == 2 && digits.bytes().all(|byte| byte.is_ascii_digit());
        digits.parse::<u32>().ok().filter(|_| is_number)
    };
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    let total = hours * 60 + minutes;
    (minutes < 60 && total <= DAY).then_some(total)
}

fn write_minutes(minutes: u32) -> String {
    format!("{:02}:{:02}", minutes / 60, minutes % 60)
}

impl TryFrom<WindowMembers> for SendWindow {
    type Error = &'static str;

    fn try_from(members: WindowMembers) -> Result<Self, &'static str> {
        let from = read_minutes(&members.from).filter(|from| *from < DAY);
        let from = from.ok_or("`from` is not a time from \"00:00\" to \"23:59\"")?;
        let to = read_minutes(&members.to).filter(|to| *to > 0);
        let to = to.ok_or("`to` is not a time from \"00:01\" to \"24:00\"")?;
        if from >= to {
            return Err("`from` is not before `to`");
        }
        let mut days = [false; 7];
        for day in &members.days {
            if std::mem::replace(&mut days[*day as usize], true) {
                return Err("`days` names a day twice");
            }
        }
        if members.days.is_empty() {
            return Err("`days` names no day");
        }
        Ok(Self { from, to, days })
    }
}

impl From<SendWindow> for WindowMembers {
    fn from(window: SendWindow) -> Self {
        let days = Weekday::VARIANTS.iter().zip(window.days);
        Self {
            from: write_minutes(window.from),
            to: write_minutes(window.to),
            days: days
                .filter_map(|(day, is_in)| is_in.then_some(*day))
                .collect(),
        }
    }
}

impl Default for WindowMembers {
    fn default() -> Self {
        SendWindow::default().into()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn read(value: Value) -> SendWindow {
        serde_json::from_value(value).unwrap()
    }

    fn time(text: &str) -> NaiveDateTime {
        NaiveDateTime::parse_from_str(text, "%Y-%m-%d %H:%M").unwrap()
    }

    #[test]
    fn the_default_is_nine_to_eight_every_day() {
        let days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
        let json = json!({"from": "09:00", "to": "20:00", "days": days});
        assert_eq!(serde_json::to_value(SendWindow::default()).unwrap(), json);
        assert_eq!(read(json), SendWindow::default());
        assert_eq!(read(json!({})), SendWindow::default());
        let later = read(json!({"from": "10:30"}));
        let json = json!({"from": "10:30", "to": "20:00", "days": days});
        assert_eq!(serde_json::to_value(later).unwrap(), json);
    }

    #[test]
    fn days_are_written_in_the_order_of_the_week() {
        let window = read(json!({"from": "00:00", "to": "24:00", "days": ["sun", "tue", "mon"]}));
        let json = json!({"from": "00:00", "to": "24:00", "days": ["mon", "tue", "sun"]});
        assert_eq!(serde_json::to_value(window).unwrap(), json);
    }

    #[test]
    fn a_broken_window_is_refused_with_its_reason() {
        for (value, reason) in [
            (
                json!({"from": "9:00"}),
                "`from` is not a time from \"00:00\" to \"23:59\"",
            ),
            (
                json!({"from": "24:00"}),
                "`from` is not a time from \"00:00\" to \"23:59\"",
            ),
            (
                json!({"from": "+9:00"}),
                "`from` is not a time from \"00:00\" to \"23:59\"",
            ),
            (
                json!({"from": "09:60"}),
                "`from` is not a time from \"00:00\" to \"23:59\"",
            ),
            (
                json!({"from": "09:00:00"}),
                "`from` is not a time from \"00:00\" to \"23:59\"",
            ),
            (
                json!({"from": ""}),
                "`from` is not a time from \"00:00\" to \"23:59\"",
            ),
            (
                json!({"to": "24:01"}),
                "`to` is not a time from \"00:01\" to \"24:00\"",
            ),
            (
                json!({"to": "00:00"}),
                "`to` is not a time from \"00:01\" to \"24:00\"",
            ),
            (
                json!({"to": "noon"}),
                "`to` is not a time from \"00:01\" to \"24:00\"",
            ),
            (json!({"to": "09:00"}), "`from` is not before `to`"),
            (
                json!({"from": "22:00", "to": "06:00"}),
                "`from` is not before `to`",
            ),
            (json!({"days": []}), "`days` names no day"),
            (
                json!({"days": ["mon", "fri", "mon"]}),
                "`days` names a day twice",
            ),
            (json!({"days": ["Monday"]}), "unknown variant `Monday`"),
            (json!({"until": "20:00"}), "unknown field `until`"),
            (json!({"from": 9}), "expected a string"),
            (json!({"days": null}), "expected a sequence"),
            (json!("09:00-20:00"), "expected struct"),
        ] {
            let error = serde_json::from_value::<SendWindow>(value.clone()).unwrap_err();
            assert!(error.to_string().contains(reason), "{value}: {error}");
        }
    }

    #[test]
    fn a_window_opens_and_closes_by_the_clock() {
        // 2026-05-01 is a Friday.
        let office = read(json!({"days": ["mon", "fri"]}));
        for (local, opening, closing) in [
            ("2026-05-01 08:59", "2026-05-01 09:00", "2026-05-01 20:00"),
            ("2026-05-01 09:00", "2026-05-01 09:00", "2026-05-01 20:00"),
            ("2026-05-01 19:59", "2026-05-01 19:59", "2026-05-01 20:00"),
            ("2026-05-01 20:00", "2026-05-04 09:00", "2026-05-04 20:00"),
            ("2026-05-04 23:00", "2026-05-08 09:00", "2026-05-08 20:00"),
        ] {
            assert_eq!(office.opening(time(local)), time(opening), "{local}");
            assert_eq!(office.closing(time(opening)), time(closing), "{local}");
            assert_eq!(office.contains(time(local)), local == opening, "{local}");
        }
        let weekly = read(json!({"days": ["fri"]}));
        let next = weekly.opening(time("2026-05-01 20:00"));
        assert_eq!(next, time("2026-05-08 09:00"));
    }

    #[test]
    fn whole_days_in_a_row_are_one_stretch() {
        let days = ["mon", "tue", "thu", "sat", "sun"];
        let window = read(json!({"from": "00:00", "to": "24:00", "days": days}));
        // From Saturday until Wednesday, and Thursday alone.
        let closing = window.closing(time("2026-05-02 12:00"));
        assert_eq!(closing, time("2026-05-06 00:00"));
        let closing = window.closing(time("2026-05-07 00:00"));
        assert_eq!(closing, time("2026-05-08 00:00"));
        assert!(!window.is_always());
        assert!(read(json!({"from": "00:00", "to": "24:00"})).is_always());
        assert!(!read(json!({"from": "00:00", "to": "23:59"})).is_always());
    }

    proptest! {
        #[test]
        fn a_window_reads_back(from in 0..DAY, length in 1..=DAY, days in any::<[bool; 7]>()) {
            prop_assume!(days.contains(&true));
            let window = SendWindow { from, to: (from + length).min(DAY), days };
            let json = serde_json::to_string(&window).unwrap();
            prop_assert_eq!(serde_json::from_str::<SendWindow>(&json).unwrap(), window);
        }
    }
}
