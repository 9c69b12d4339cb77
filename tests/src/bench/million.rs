//! Bodies of many records: what a bulk importer posts, in sequence or in random order of the docids.

use std::fmt::Write;

use bytes::Bytes;

/// Bytes of a record with its comma.
const RECORD: usize = 92;

/// The numbers from 0 below `count` as they are.
pub fn in_sequence(count: u32) -> Vec<u32> {
    (0..count).collect()
}

/// The same in random order, the same one on every machine: Fisher and Yates's shuffle over a `SplitMix64`.
pub fn at_random(count: u32) -> Vec<u32> {
    let mut numbers = in_sequence(count);
    let mut state = 0x1905_2021_u64;
    let mut left = count;
    while left > 1 {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^= mixed >> 31;
        // Far fewer numbers than 2⁶⁴: the remainder's bias is nothing.
        let other = mixed % u64::from(left);
        left -= 1;
        if let (Ok(last), Ok(other)) = (usize::try_from(left), usize::try_from(other)) {
            numbers.swap(last, other);
        }
    }
    numbers
}

/// A JSON array with a record for each number, about 92 bytes each: docid, phone and two tracking fields. A docid's
/// order as bytes is its number's order.
pub fn body(numbers: &[u32]) -> Bytes {
    let mut body = String::with_capacity(numbers.len() * RECORD + 2);
    body.push('[');
    for number in numbers {
        let comma = if body.len() == 1 { "" } else { "," };
        let (store, campaign) = (number % 997, number % 89);
        // Writing to a string cannot fail.
        let _ = write!(
            body,
            r#"{comma}{{"docid":"order-{number:08}","phone":"+49151{number:08}","store_code":"S{store:03}","campaign":"spr-{campaign:02}"}}"#,
        );
    }
    body.push(']');
    body.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shuffle_keeps_every_number() {
        let mut shuffled = at_random(10_000);
        assert_ne!(shuffled, in_sequence(10_000));
        shuffled.sort_unstable();
        assert_eq!(shuffled, in_sequence(10_000));
    }

    #[test]
    fn a_body_is_as_long_as_said() {
        assert_eq!(body(&in_sequence(1_000)).len(), 1_000 * RECORD + 1);
    }
}
