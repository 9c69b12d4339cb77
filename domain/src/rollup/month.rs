//! The encoding of the days of one month, which caches keep. The layout is in [`crate::rollup`].

use chrono::{Datelike, NaiveDate};

use super::{DecodeCounts, DecodeError, codec};
use crate::month::Month;
use crate::varint;

const CUT_OFF: DecodeError = DecodeError::Corrupt("a day is cut off");
const OUT_OF_ORDER: DecodeError = DecodeError::Corrupt("the days are out of order");

/// Encodes days that are in order and of one month. Their deltas are [encoded](super::Delta::encode) already and are not
/// decoded.
pub fn encode<'a>(days: impl ExactSizeIterator<Item = (NaiveDate, &'a [u8])>) -> Vec<u8> {
    let mut out = vec![codec::VERSION];
    varint::write(&mut out, days.len() as u64);
    for (day, delta) in days {
        varint::write(&mut out, day.day().into());
        varint::write(&mut out, delta.len() as u64);
        out.extend_from_slice(delta);
    }
    out
}

/// Reads what [`encode`] wrote of this month, and nothing else.
pub fn decode<T: DecodeCounts>(
    month: Month,
    bytes: &[u8],
) -> Result<Vec<(NaiveDate, T)>, DecodeError> {
    codec::read(bytes, |rest| {
        let announced = varint::read_len(rest).ok_or(CUT_OFF)?;
        let mut days: Vec<(NaiveDate, T)> = Vec::with_capacity(announced.min(31));
        for _ in 0..announced {
            let number = varint::read(rest).ok_or(CUT_OFF)?;
            let day = u32::try_from(number)
                .ok()
                .and_then(|number| month.day(number));
            let day = day.ok_or(DecodeError::Corrupt("a day that the month has not"))?;
            if days.last().is_some_and(|(last, _)| *last >= day) {
                return Err(OUT_OF_ORDER);
            }
            let len = varint::read_len(rest).ok_or(CUT_OFF)?;
            let (delta, after) = rest.split_at_checked(len).ok_or(CUT_OFF)?;
            *rest = after;
            days.push((day, T::decode(delta)?));
        }
        Ok(days)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::rollup::tests::{any_damages, any_delta, damaged};
    use crate::rollup::{DayCounts, Delta, FieldCounts};

    fn month() -> Month {
        Month::of(NaiveDate::from_ymd_opt(2026, 2, 1).unwrap())
    }

    fn delta(views: i64, responses: i64) -> Delta {
        let mut fields = FieldCounts::default();
        if responses > 0 {
            fields = crate::rollup::tests::delta(&serde_json::json!({"nps": 9})).fields;
        }
        let counts = DayCounts {
            views,
            responses,
            ..DayCounts::default()
        };
        Delta { counts, fields }
    }

    fn encoded(days: &[(NaiveDate, Delta)]) -> Vec<u8> {
        let deltas: Vec<_> = days.iter().map(|(_, delta)| delta.encode()).collect();
        let days = days.iter().zip(&deltas);
        encode(days.map(|((day, _), delta)| (*day, delta.as_slice())))
    }

    proptest! {
        #[test]
        fn a_month_reads_back_whole_and_as_counts(
            days in prop::collection::btree_map(1_u32..=28, (any::<i64>(), 0_i64..5), 0..28)
        ) {
            let days: Vec<_> = days
                .into_iter()
                .map(|(day, (views, responses))| (month().day(day).unwrap(), delta(views, responses)))
                .collect();
            let bytes = encoded(&days);
            let counts: Vec<_> = days.iter().map(|(day, delta)| (*day, delta.counts)).collect();
            prop_assert_eq!(decode(month(), &bytes), Ok(days));
            prop_assert_eq!(decode(month(), &bytes), Ok(counts));
            for cut in 0..bytes.len() {
                prop_assert!(decode::<Delta>(month(), &bytes[..cut]).is_err());
            }
        }

        #[test]
        fn what_is_read_is_what_would_be_written(
            days in prop::collection::btree_map(1_u32..=28, any_delta(), 0..5),
            damages in any_damages(),
        ) {
            let days = days.into_iter();
            let days: Vec<_> = days.map(|(day, delta)| (month().day(day).unwrap(), delta)).collect();
            let whole = encoded(&days);
            prop_assert_eq!(decode(month(), &whole), Ok(days));
            let bytes = damaged(whole, &damages);
            let _ = decode::<DayCounts>(month(), &bytes);
            if let Ok(days) = decode(month(), &bytes) {
                prop_assert_eq!(encoded(&days), bytes);
            }
        }
    }

    #[test]
    fn days_of_another_month_or_out_of_order_are_refused() {
        let day = |number: u8, delta: &Delta| {
            let delta = delta.encode();
            [
                &[number, u8::try_from(delta.len()).unwrap()],
                delta.as_slice(),
            ]
            .concat()
        };
        let one = delta(1, 0);
        let block = |days: &[u8]| {
            let parts: Vec<u8> = days.iter().flat_map(|number| day(*number, &one)).collect();
            [&[2, u8::try_from(days.len()).unwrap()], parts.as_slice()].concat()
        };
        assert_eq!(
            decode::<Delta>(month(), &block(&[1, 28])).map(|days| days.len()),
            Ok(2)
        );
        for wrong in [&[0][..], &[29], &[2, 2], &[3, 2]] {
            assert!(
                decode::<Delta>(month(), &block(wrong)).is_err(),
                "{wrong:?}"
            );
        }
    }
}
