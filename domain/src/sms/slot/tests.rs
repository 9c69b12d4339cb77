//! [`slot`] against the clock on the wall, looked at minute by minute.

use chrono::{Datelike, Timelike};
use chrono_tz::{Africa, America, Asia, Atlantic, Australia, Europe, Pacific, TZ_VARIANTS};
use proptest::prelude::*;
use serde_json::json;

use super::super::zones::zones_of;
use super::*;

const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/// Minutes of the day, and which days: what a test knows of a window.
#[derive(Debug, Clone)]
struct Hours {
    from: u32,
    to: u32,
    days: Vec<&'static str>,
}

impl Hours {
    fn daily(from: u32, to: u32) -> Self {
        let days = DAYS.to_vec();
        Self { from, to, days }
    }

    fn window(&self) -> SendWindow {
        let text = |minutes: u32| format!("{:02}:{:02}", minutes / 60, minutes % 60);
        let json = json!({"from": text(self.from), "to": text(self.to), "days": self.days});
        serde_json::from_value(json).unwrap()
    }

    fn are_at(&self, zone: Tz, moment: DateTime<Utc>) -> bool {
        let local = moment.with_timezone(&zone);
        let day = DAYS[local.weekday().num_days_from_monday() as usize];
        let minute = local.hour() * 60 + local.minute();
        self.days.contains(&day) && (self.from..self.to).contains(&minute)
    }

    fn are_in_all(&self, zones: &[Tz], moment: DateTime<Utc>) -> bool {
        zones.iter().all(|zone| self.are_at(*zone, moment))
    }
}

fn at(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

fn single(hours: &Hours, zone: Tz, from: &str) -> [String; 2] {
    let slot = slot(Some(&hours.window()), &[zone], Tz::UTC, at(from));
    [slot.opens_at, slot.closes_at.unwrap()].map(|moment| {
        let local = moment.with_timezone(&zone);
        local.format("%a %d %H:%M %:z").to_string()
    })
}

#[test]
fn without_a_window_it_is_open_at_once_and_stays_open() {
    let now = at("2026-05-01T03:04:05.678Z");
    let open = SendSlot {
        opens_at: now,
        closes_at: None,
    };
    assert_eq!(slot(None, &[Europe::Berlin], Tz::UTC, now), open);
    let always = Hours::daily(0, 1_440).window();
    assert_eq!(slot(Some(&always), &[Europe::Berlin], Tz::UTC, now), open);
}

#[test]
fn a_message_waits_for_the_window_of_its_recipient() {
    let hours = Hours::daily(9 * 60, 20 * 60);
    let [opens, closes] = single(&hours, Europe::Berlin, "2026-05-01T03:00:00Z");
    assert_eq!(
        [opens, closes],
        ["Fri 01 09:00 +02:00", "Fri 01 20:00 +02:00"]
    );
    let [opens, closes] = single(&hours, Europe::Berlin, "2026-05-01T17:59:59Z");
    assert_eq!(
        [opens, closes],
        ["Fri 01 19:59 +02:00", "Fri 01 20:00 +02:00"]
    );
    let [opens, closes] = single(&hours, Asia::Kolkata, "2026-05-01T14:30:00Z");
    assert_eq!(
        [opens, closes],
        ["Sat 02 09:00 +05:30", "Sat 02 20:00 +05:30"]
    );
    let inside = at("2026-05-01T12:34:56.789Z");
    let slot = slot(Some(&hours.window()), &[Europe::Berlin], Tz::UTC, inside);
    assert_eq!(slot.opens_at, inside);
}

#[test]
fn a_window_that_begins_in_the_missing_hour_opens_after_it() {
    // 02:00 becomes 03:00.
    let [opens, closes] = single(
        &Hours::daily(150, 600),
        America::New_York,
        "2026-03-08T06:00:00Z",
    );
    assert_eq!(
        [opens, closes],
        ["Sun 08 03:00 -04:00", "Sun 08 10:00 -04:00"]
    );
    // It ends there.
    let [opens, closes] = single(
        &Hours::daily(60, 150),
        America::New_York,
        "2026-03-08T06:10:00Z",
    );
    assert_eq!(
        [opens, closes],
        ["Sun 08 01:10 -05:00", "Sun 08 03:00 -04:00"]
    );
    // It is the missing hour: on this day there is none, be it the only day of the week.
    let [opens, _] = single(
        &Hours::daily(125, 170),
        America::New_York,
        "2026-03-08T06:00:00Z",
    );
    assert_eq!(opens, "Mon 09 02:05 -04:00");
    let mut sundays = Hours::daily(125, 170);
    sundays.days = vec!["sun"];
    let [opens, _] = single(&sundays, America::New_York, "2026-03-08T06:00:00Z");
    assert_eq!(opens, "Sun 15 02:05 -04:00");
}

#[test]
fn a_window_in_the_repeated_hour_is_open_twice() {
    // 02:00 becomes 01:00.
    let night = Hours::daily(75, 105);
    let zone = America::New_York;
    let [opens, closes] = single(&night, zone, "2026-11-01T04:00:00Z");
    assert_eq!(
        [opens, closes],
        ["Sun 01 01:15 -04:00", "Sun 01 01:45 -04:00"]
    );
    let [opens, closes] = single(&night, zone, "2026-11-01T05:45:00Z");
    assert_eq!(
        [opens, closes],
        ["Sun 01 01:15 -05:00", "Sun 01 01:45 -05:00"]
    );
    // It begins in that hour: the clock goes back to before it.
    let [opens, closes] = single(&Hours::daily(75, 600), zone, "2026-11-01T04:00:00Z");
    assert_eq!(
        [opens, closes],
        ["Sun 01 01:15 -04:00", "Sun 01 01:00 -05:00"]
    );
    // It ends in that hour: the clock goes back into it.
    let ending = Hours::daily(0, 75);
    let [opens, closes] = single(&ending, zone, "2026-11-01T05:20:00Z");
    assert_eq!(
        [opens, closes],
        ["Sun 01 01:00 -05:00", "Sun 01 01:15 -05:00"]
    );
    // It ends when the hour is repeated, and goes on.
    let [opens, closes] = single(&Hours::daily(0, 120), zone, "2026-11-01T04:00:00Z");
    assert_eq!(
        [opens, closes],
        ["Sun 01 00:00 -04:00", "Sun 01 02:00 -05:00"]
    );
}

#[test]
fn several_zones_have_the_hours_that_suit_all() {
    let hours = Hours::daily(9 * 60, 20 * 60);
    let zones = zones_of("US".parse().unwrap());
    let open = slot(
        Some(&hours.window()),
        zones,
        Tz::UTC,
        at("2026-07-01T13:00:00Z"),
    );
    // From nine in Honolulu to eight in New York.
    assert_eq!(open.opens_at, at("2026-07-01T19:00:00Z"));
    assert_eq!(open.closes_at, Some(at("2026-07-02T00:00:00Z")));
    let russia = zones_of("RU".parse().unwrap());
    let open = slot(
        Some(&hours.window()),
        russia,
        Tz::UTC,
        at("2026-07-01T08:00:00Z"),
    );
    assert_eq!(open.opens_at, at("2026-07-02T07:00:00Z"));
    assert_eq!(open.closes_at, Some(at("2026-07-02T08:00:00Z")));
}

#[test]
fn without_common_hours_and_without_zones_the_account_decides() {
    let hours = Hours::daily(9 * 60, 10 * 60);
    let berlin = SendSlot {
        opens_at: at("2026-07-02T07:00:00Z"),
        closes_at: Some(at("2026-07-02T08:00:00Z")),
    };
    let apart = [America::New_York, Pacific::Honolulu];
    for zones in [&apart[..], &[], &[Europe::Berlin, Europe::Busingen]] {
        let from = at("2026-07-01T08:00:00Z");
        let slot = slot(Some(&hours.window()), zones, Europe::Berlin, from);
        assert_eq!(slot, berlin, "{zones:?}");
    }
}

#[test]
fn no_minute_before_the_slot_qualifies() {
    let office = Hours {
        from: 540,
        to: 1_020,
        days: vec!["mon", "wed"],
    };
    for (hours, zones, from) in [
        (&office, &[Europe::Berlin][..], "2026-05-01T12:00:00Z"),
        (&office, &[Australia::Lord_Howe], "2026-04-02T12:00:00Z"),
        (
            &office,
            &[Pacific::Auckland, Pacific::Chatham],
            "2026-09-24T12:00:00Z",
        ),
        (
            &Hours::daily(0, 30),
            &[Atlantic::Azores],
            "2026-10-25T00:31:00Z",
        ),
        (
            &Hours::daily(1_410, 1_440),
            &[America::Santiago],
            "2026-04-05T02:00:00Z",
        ),
        (
            &Hours::daily(150, 165),
            &[Africa::Casablanca],
            "2026-02-15T01:00:00Z",
        ),
        (
            &Hours::daily(60, 90),
            &[Europe::London, Europe::Lisbon],
            "2026-10-25T00:30:00Z",
        ),
        (
            &Hours::daily(135, 150),
            &[America::Denver],
            "2026-03-08T07:00:00Z",
        ),
    ] {
        let from = at(from);
        let slot = slot(Some(&hours.window()), zones, Tz::UTC, from);
        let mut minute = from;
        while minute < slot.opens_at {
            assert!(!hours.are_in_all(zones, minute), "{zones:?} {minute}");
            minute += TimeDelta::minutes(1);
        }
        let closes_at = slot.closes_at.unwrap();
        while minute < closes_at {
            assert!(hours.are_in_all(zones, minute), "{zones:?} {minute}");
            minute += TimeDelta::minutes(1);
        }
        assert!(!hours.are_in_all(zones, closes_at), "{zones:?} {closes_at}");
    }
}

fn some_hours() -> impl Strategy<Value = Hours> {
    let days = proptest::sample::subsequence(DAYS.to_vec(), 1..=7);
    let days = prop_oneof![days, Just(DAYS.to_vec())];
    let times = prop_oneof![
        (0..1_440_u32, 1..=1_440_u32),
        // About the hours in which clocks are changed.
        (0..240_u32, 1..=180_u32),
        (1_320..1_440_u32, 1..=120_u32),
    ];
    (times, days).prop_map(|((from, length), days)| Hours {
        from,
        to: (from + length).min(1_440),
        days,
    })
}

fn some_zones() -> impl Strategy<Value = Vec<Tz>> {
    let any = proptest::sample::select(TZ_VARIANTS.to_vec());
    prop_oneof![
        proptest::collection::vec(any, 1..4),
        proptest::sample::select(vec!["US", "DE", "RU", "CA", "PT", "NZ"])
            .prop_map(|code| zones_of(code.parse().unwrap()).to_vec()),
    ]
}

fn some_moment() -> impl Strategy<Value = DateTime<Utc>> {
    let second = at("2020-01-01T00:00:00Z").timestamp()..at("2037-01-01T00:00:00Z").timestamp();
    // Clocks are changed in the days after these.
    let changes = [
        "2026-03-06T00:00:00Z",
        "2026-03-27T00:00:00Z",
        "2026-04-03T00:00:00Z",
        "2026-09-04T00:00:00Z",
        "2026-09-25T00:00:00Z",
        "2026-10-02T00:00:00Z",
        "2026-10-23T00:00:00Z",
        "2026-10-30T00:00:00Z",
    ];
    let near = proptest::sample::select(changes.to_vec());
    let near = (near, 0..4 * 86_400_i64).prop_map(|(day, seconds)| at(day).timestamp() + seconds);
    (prop_oneof![second, near], 0..1_000_000_000_u32)
        .prop_map(|(second, nano)| DateTime::from_timestamp(second, nano).unwrap())
}

proptest! {
    #[test]
    fn a_slot_is_the_first_stretch_inside_the_window(
        hours in some_hours(),
        zones in some_zones(),
        from in some_moment(),
        thousandths in 0..1_000,
    ) {
        let account_zone = Europe::Berlin;
        let slot = slot(Some(&hours.window()), &zones, account_zone, from);
        prop_assert!(slot.opens_at >= from);
        let Some(closes_at) = slot.closes_at else {
            prop_assert!(hours.from == 0 && hours.to == 1_440 && hours.days.len() == 7);
            return Ok(());
        };
        prop_assert!(closes_at > slot.opens_at);

        // Where hours that suit all are found, they count.
        let found = hours.are_in_all(&zones, slot.opens_at);
        let zones = if found { zones } else { vec![account_zone] };
        let within = slot.opens_at + (closes_at - slot.opens_at) / 1_000 * thousandths;
        let last = closes_at - TimeDelta::nanoseconds(1);
        for moment in [slot.opens_at, within, last] {
            prop_assert!(hours.are_in_all(&zones, moment), "{} {:?}", moment, slot);
        }
        prop_assert!(!hours.are_in_all(&zones, closes_at), "{:?}", slot);
    }

    #[test]
    fn nothing_earlier_qualifies(
        hours in some_hours(),
        zones in some_zones(),
        from in some_moment(),
    ) {
        let slot = slot(Some(&hours.window()), &zones, Europe::Berlin, from);
        // If the account decides, because there are no hours that suit all, it is so for a week.
        let found = hours.are_in_all(&zones, slot.opens_at);
        let end = if found || zones.len() == 1 { slot.opens_at } else { from + WEEK };
        let mut moment = from;
        while moment < end {
            prop_assert!(!hours.are_in_all(&zones, moment), "{} {:?}", moment, slot);
            moment += TimeDelta::minutes(11);
        }
        if slot.opens_at > from && found {
            let before = slot.opens_at - TimeDelta::nanoseconds(1);
            prop_assert!(!hours.are_in_all(&zones, before), "{:?}", slot);
        }
    }
}
