//! What encoded chunks and counts have in common: a version at the front, and numbers as unsigned LEB128: seven bits a byte, the lowest first, the top bit set on all but the last byte. Signed
//! numbers are zigzag encoded (0, -1, 1, -2, …), so that small ones of either sign are short. Each number has one
//! encoding: a longer one is refused.

/// Why stored bytes cannot be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// Written by a newer (or much older) version: left for one that knows it.
    #[error("bytes of unknown version {0}")]
    UnknownVersion(u8),
    #[error("bytes are corrupt: {0}")]
    Corrupt(&'static str),
}

/// What follows the version at the front, which must be this one.
pub(crate) fn versioned(bytes: &[u8], version: u8) -> Result<&[u8], DecodeError> {
    match bytes.split_first() {
        Some((known, rest)) if *known == version => Ok(rest),
        Some((unknown, _)) => Err(DecodeError::UnknownVersion(*unknown)),
        None => Err(DecodeError::Corrupt("they are empty")),
    }
}

pub(crate) fn write(out: &mut Vec<u8>, number: u64) {
    let mut rest = number;
    loop {
        let low = rest.to_le_bytes()[0] & 0x7f;
        rest >>= 7;
        if rest == 0 {
            out.push(low);
            return;
        }
        out.push(low | 0x80);
    }
}

/// Reads a number from the front; `None` if it is cut off, does not fit 64 bits or is longer than needed.
pub(crate) fn read(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0_u64;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let low = u64::from(byte & 0x7f);
        if (low << shift) >> shift != low {
            return None;
        }
        number |= low << shift;
        if byte & 0x80 == 0 {
            return (low > 0 || shift == 0).then_some(number);
        }
    }
    None
}

/// As [`read`], for a length in memory.
pub(crate) fn read_len(bytes: &mut &[u8]) -> Option<usize> {
    usize::try_from(read(bytes)?).ok()
}

pub(crate) fn write_signed(out: &mut Vec<u8>, number: i64) {
    write(out, ((number << 1) ^ (number >> 63)).cast_unsigned());
}

/// As [`read`], for what [`write_signed`] wrote.
pub(crate) fn read_signed(bytes: &mut &[u8]) -> Option<i64> {
    let encoded = read(bytes)?;
    Some((encoded >> 1).cast_signed() ^ -(encoded & 1).cast_signed())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_number_reads_back(
            number: usize, shift in 0_u32..usize::BITS, rest in any::<Vec<u8>>()
        ) {
            let number = number >> shift;
            let mut bytes = Vec::new();
            write(&mut bytes, number as u64);
            bytes.extend_from_slice(&rest);
            let mut left = bytes.as_slice();
            prop_assert_eq!(read(&mut left), Some(number as u64));
            prop_assert_eq!(left, rest.as_slice());
        }

        #[test]
        fn a_signed_number_reads_back(number: i64, shift in 0_u32..i64::BITS) {
            let number = number >> shift;
            let mut bytes = Vec::new();
            write_signed(&mut bytes, number);
            prop_assert_eq!(read_signed(&mut bytes.as_slice()), Some(number));
        }

        #[test]
        fn what_is_read_is_what_would_be_written(bytes in prop::collection::vec(any::<u8>(), 0..12)) {
            let mut left = bytes.as_slice();
            if let Some(number) = read(&mut left) {
                let mut again = Vec::new();
                write(&mut again, number);
                again.extend_from_slice(left);
                prop_assert_eq!(again, bytes);
            }
        }
    }

    #[test]
    fn small_numbers_of_either_sign_are_one_byte() {
        for (number, byte) in [(0, 0), (-1, 1), (1, 2), (-64, 127), (63, 126)] {
            let mut bytes = Vec::new();
            write_signed(&mut bytes, number);
            assert_eq!(bytes, [byte]);
        }
    }

    #[test]
    fn a_number_that_is_cut_off_or_too_large_or_too_long_is_none() {
        assert_eq!(read(&mut &[][..]), None);
        assert_eq!(read(&mut &[0x80][..]), None);
        assert_eq!(read(&mut &[0x80, 0x00][..]), None);
        let mut large = [0xff; 10];
        large[9] = 0x01;
        assert_eq!(read(&mut &large[..]), Some(u64::MAX));
        large[9] = 0x02;
        assert_eq!(read(&mut &large[..]), None);
        assert_eq!(read(&mut &[0x80; 11][..]), None);
    }
}
