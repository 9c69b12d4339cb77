//! When a message may be sent: a window of hours, in the zones in which its recipient may be.
//!
//! What counts is the clock on the wall. Where clocks are put forward over the beginning of the window, it opens right
//! after; where they are put back, it is open whenever the clock shows one of its hours, be it twice.

use chrono::{DateTime, FixedOffset, NaiveDateTime, Offset, TimeDelta, TimeZone, Utc};
use chrono_tz::Tz;

use super::window::SendWindow;

/// A stretch of time in which a message may be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SendSlot {
    pub opens_at: DateTime<Utc>,
    /// The first moment outside; `None` if it stays open.
    pub closes_at: Option<DateTime<Utc>>,
}

/// How long hours that suit several zones are looked for.
const WEEK: TimeDelta = TimeDelta::weeks(1);

/// The first slot that is open at `at` or later, in all `zones`.
///
/// If there are no zones, or several without a common hour in the coming week, the account's zone alone counts.
pub fn slot(
    window: Option<&SendWindow>,
    zones: &[Tz],
    account_zone: Tz,
    at: DateTime<Utc>,
) -> SendSlot {
    let Some(window) = window.filter(|window| !window.is_always()) else {
        return SendSlot {
            opens_at: at,
            closes_at: None,
        };
    };
    let common = common_opening(window, zones, at).map(|opens_at| (opens_at, zones));
    let (opens_at, zones) = common.unwrap_or_else(|| {
        let opens_at = opening(window, account_zone, at);
        (opens_at, std::slice::from_ref(&account_zone))
    });
    let closings = zones.iter().map(|zone| closing(window, *zone, opens_at));
    SendSlot {
        opens_at,
        closes_at: closings.min(),
    }
}

/// The first moment that lies inside in each of the zones.
fn common_opening(window: &SendWindow, zones: &[Tz], at: DateTime<Utc>) -> Option<DateTime<Utc>> {
    if let [zone] = zones {
        return Some(opening(window, *zone, at));
    }
    let mut opens_at = at;
    // How many zones, up to the last one asked, are open then.
    let mut agreed = 0;
    for zone in zones.iter().cycle() {
        let next = opening(window, *zone, opens_at);
        agreed = if next == opens_at { agreed + 1 } else { 1 };
        opens_at = next;
        if opens_at > at + WEEK {
            break;
        }
        if agreed == zones.len() {
            return Some(opens_at);
        }
    }
    None
}

/// The first moment that lies inside in a zone.
fn opening(window: &SendWindow, zone: Tz, at: DateTime<Utc>) -> DateTime<Utc> {
    let mut from = at;
    loop {
        let offset = offset_at(zone, from);
        let opens_at = to_utc(window.opening(from.naive_utc() + offset), offset);
        match change(zone, from, opens_at) {
            None => return opens_at,
            Some(changed) => from = changed,
        }
    }
}

/// The first moment outside in a zone, after one that lies inside.
fn closing(window: &SendWindow, zone: Tz, inside: DateTime<Utc>) -> DateTime<Utc> {
    let mut from = inside;
    loop {
        let offset = offset_at(zone, from);
        let local = from.naive_utc() + offset;
        if !window.contains(local) {
            return from;
        }
        let closes_at = to_utc(window.closing(local), offset);
        match change(zone, from, closes_at) {
            None => return closes_at,
            Some(changed) => from = changed,
        }
    }
}

fn offset_at(zone: Tz, at: DateTime<Utc>) -> FixedOffset {
    zone.offset_from_utc_datetime(&at.naive_utc()).fix()
}

fn to_utc(local: NaiveDateTime, offset: FixedOffset) -> DateTime<Utc> {
    (local - offset).and_utc()
}

/// The first moment after `from`, up to `until`, at which the clocks of a zone are put forward or back.
///
/// The two are little more than a week apart, in which clocks are not changed twice.
fn change(zone: Tz, from: DateTime<Utc>, until: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let before = offset_at(zone, from);
    if offset_at(zone, until) == before {
        return None;
    }
    // Clocks are changed at whole seconds: at `high` at the latest, after `low`.
    let (mut low, mut high) = (from.timestamp(), until.timestamp());
    while high - low > 1 {
        let middle = i64::midpoint(low, high);
        if offset_at(zone, DateTime::from_timestamp(middle, 0)?) == before {
            low = middle;
        } else {
            high = middle;
        }
    }
    DateTime::from_timestamp(high, 0)
}

#[cfg(test)]
mod tests;
