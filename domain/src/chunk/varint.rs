//! Unsigned LEB128: seven bits a byte, the lowest first, the top bit set on all but the last.

/// The bytes that [`write`] takes for the number.
pub(super) fn len(number: usize) -> usize {
    let mut rest = number >> 7;
    let mut bytes = 1;
    while rest > 0 {
        rest >>= 7;
        bytes += 1;
    }
    bytes
}

pub(super) fn write(out: &mut Vec<u8>, number: usize) {
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

/// Takes a number off the front; `None` when it is cut off or does not fit 32 bits.
pub(super) fn read(bytes: &mut &[u8]) -> Option<u32> {
    let mut number = 0_u32;
    for shift in (0..32).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let low = u32::from(byte & 0x7f);
        if (low << shift) >> shift != low {
            return None;
        }
        number |= low << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_number_reads_back_from_as_many_bytes_as_announced(number: u32, rest in any::<Vec<u8>>()) {
            let mut bytes = Vec::new();
            write(&mut bytes, number as usize);
            prop_assert_eq!(bytes.len(), len(number as usize));
            bytes.extend_from_slice(&rest);
            let mut left = bytes.as_slice();
            prop_assert_eq!(read(&mut left), Some(number));
            prop_assert_eq!(left, rest.as_slice());
        }
    }

    #[test]
    fn a_number_that_is_cut_off_or_too_large_is_none() {
        assert_eq!(read(&mut &[][..]), None);
        assert_eq!(read(&mut &[0x80][..]), None);
        assert_eq!(read(&mut &[0xff, 0xff, 0xff, 0xff, 0x10][..]), None);
        assert_eq!(read(&mut &[0x80, 0x80, 0x80, 0x80, 0x80, 0x00][..]), None);
    }
}
