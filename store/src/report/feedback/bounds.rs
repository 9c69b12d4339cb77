//! A list's ends in the order of ids: version 7 UUIDs, whose first 48 bits are milliseconds.

use std::ops::Range;

use chrono::{DateTime, NaiveDate, NaiveTime, TimeDelta, Utc};
use uuid::Uuid;

/// No account's day begins further from the same day in UTC, nor is it moved further by a later time zone table. Rows of
/// other days between the bounds are told by their day.
const SLACK: TimeDelta = TimeDelta::days(1);

/// The ids that feedbacks of these days may have.
pub(crate) fn ids_of_days(first: NaiveDate, last: NaiveDate) -> Range<Uuid> {
    let midnight = |day: NaiveDate| day.and_time(NaiveTime::MIN).and_utc();
    first_id(midnight(first) - SLACK)..first_id(midnight(last) + SLACK + SLACK)
}

/// The lowest id of a moment.
fn first_id(at: DateTime<Utc>) -> Uuid {
    let millis = u64::try_from(at.timestamp_millis()).unwrap_or(0);
    Uuid::from_u128(u128::from(millis) << 80)
}

/// The moment of an id, to the millisecond.
pub(crate) fn time_of(id: Uuid) -> DateTime<Utc> {
    let millis = i64::try_from(id.as_u128() >> 80).unwrap_or(i64::MAX);
    DateTime::from_timestamp_millis(millis).unwrap_or(DateTime::<Utc>::MAX_UTC)
}

#[cfg(test)]
mod tests {
    use chrono_tz::Tz;
    use domain::date_range::day_of;
    use uuid::{NoContext, Timestamp};

    use super::*;

    #[test]
    fn every_moment_of_a_day_in_any_zone_is_within_its_bounds() {
        for zone in [Tz::Pacific__Kiritimati, Tz::UTC, Tz::Etc__GMTPlus12] {
            for hours in 0..72 {
                let at = DateTime::UNIX_EPOCH + TimeDelta::days(20_000) + TimeDelta::hours(hours);
                let seconds = u64::try_from(at.timestamp()).unwrap();
                let id = Uuid::new_v7(Timestamp::from_unix(NoContext, seconds, 999_999_999));
                let day = day_of(at, zone);
                let ids = ids_of_days(day, day);
                assert!(ids.contains(&id), "{at} in {zone}");
                assert_eq!(time_of(id).timestamp(), at.timestamp());
            }
        }
    }

    #[test]
    fn days_before_the_epoch_and_far_ones_have_bounds() {
        let day = |year| NaiveDate::from_ymd_opt(year, 12, 31).unwrap();
        let ids = ids_of_days(day(1), day(9999));
        assert_eq!(ids.start, Uuid::nil());
        assert!(ids.end > Uuid::now_v7());
    }
}
