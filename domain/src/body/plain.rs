//! The quick way through a plain element: an object whose names and values are all strings without escapes,
//! which nearly every record is.
//!
//! It only ever says yes to what `serde_json` would read to the same draft; at anything else it says nothing,
//! and `element` asks `serde_json`.

use super::draft::{Draft, Held, Place};
use super::element::blanks;

/// Reads the plain object at the front of `bytes` into the empty draft and returns how many bytes it takes.
/// After `None` the draft is to be cleared.
pub(super) fn read(bytes: &[u8], draft: &mut Draft) -> Option<usize> {
    let mut at = expect(bytes, 0, b'{')?;
    loop {
        let name = string(bytes, &mut at)?;
        at = expect(bytes, at, b':')?;
        let text = string(bytes, &mut at)?;
        draft.add(name, Held::Text(text));
        at = skip(bytes, at);
        match bytes.get(at)? {
            b',' => at += 1,
            b'}' => break,
            _ => return None,
        }
    }
    let len = at + 1;
    str::from_utf8(bytes.get(..len)?).ok()?;
    draft.object = true;
    Some(len)
}

/// Steps over white space and then over the byte.
fn expect(bytes: &[u8], at: usize, byte: u8) -> Option<usize> {
    let at = skip(bytes, at);
    (*bytes.get(at)? == byte).then_some(at + 1)
}

fn skip(bytes: &[u8], at: usize) -> usize {
    match bytes.get(at) {
        // A token stands here mostly.
        Some(b'"' | b':' | b',' | b'}') => at,
        _ => at + blanks(bytes.get(at..).unwrap_or_default()),
    }
}

/// Reads a string without escapes and control characters, quotes included.
fn string(bytes: &[u8], at: &mut usize) -> Option<Place> {
    let start = expect(bytes, *at, b'"')?;
    let mut end = start;
    loop {
        let special = first_special(eight(bytes.get(end..)?));
        end += special;
        if special < 8 {
            break;
        }
    }
    if *bytes.get(end)? != b'"' {
        return None;
    }
    *at = end + 1;
    Some(Place::in_element(start, end - start))
}

/// The first eight bytes, the first lowest; missing ones are zeros, and so control characters.
fn eight(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes.first_chunk().copied().unwrap_or_else(|| {
        let mut padded = [0; 8];
        for (to, from) in padded.iter_mut().zip(bytes) {
            *to = *from;
        }
        padded
    }))
}

/// Which of eight bytes, the lowest first, is the first quote, backslash or control character; 8 if none is.
///
/// The usual arithmetic on words: subtracting borrows only where a byte was below the bound, so that the
/// lowest bit it sets is right, and those above do not matter.
fn first_special(word: u64) -> usize {
    const ONES: u64 = u64::MAX / 255;
    const TOPS: u64 = ONES << 7;
    let below = |word: u64, bound: u8| word.wrapping_sub(ONES * u64::from(bound)) & !word;
    let quote = below(word ^ (ONES * u64::from(b'"')), 1);
    let backslash = below(word ^ (ONES * u64::from(b'\\')), 1);
    let special = (below(word, 0x20) | quote | backslash) & TOPS;
    special.trailing_zeros() as usize / 8
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The name and the value of each member.
    fn members(bytes: &[u8]) -> Option<(usize, Vec<(String, String)>)> {
        let mut draft = Draft::default();
        let len = read(bytes, &mut draft)?;
        let element = str::from_utf8(&bytes[..len]).unwrap();
        let text = |place: Place| place.of(element, "").to_owned();
        let members = draft.members().iter().map(|(name, held)| match held {
            Held::Text(value) => (text(*name), text(*value)),
            Held::Null | Held::Other => panic!("only strings are plain"),
        });
        Some((len, members.collect()))
    }

    #[test]
    fn a_plain_object_is_read_with_its_white_space() {
        let body = b"{ \"a\"\n:\t\"\" , \"longer name\":\"caf\xc3\xa9 \x7f\"}, {\"next\":1}";
        let (len, members) = members(body).unwrap();
        assert_eq!(&body[len..], b", {\"next\":1}");
        let expected = [("a", ""), ("longer name", "café \u{7f}")];
        assert_eq!(members, expected.map(|(n, v)| (n.to_owned(), v.to_owned())));
    }

    #[test]
    fn everything_else_is_left_to_serde_json() {
        for body in [
            &b"{}"[..],
            b"[]",
            b"{\"a\":1}",
            b"{\"a\":\"\\n\"}",
            b"{\"a\":\"\n\"}",
            b"{\"a\":\"\xff\"}",
            b"{\"a\":\"b\",}",
            b"{\"a\":\"b\" \"c\":\"d\"}",
            b"{\"a\":\"b\"",
            b"{\"a\"",
            b"",
        ] {
            assert_eq!(members(body), None, "{}", String::from_utf8_lossy(body));
            let longer = [body, b"        "].concat();
            assert_eq!(members(&longer), None, "{}", String::from_utf8_lossy(body));
        }
    }

    proptest! {
        #[test]
        fn the_first_special_byte_is_found(bytes: [u8; 8]) {
            let special = |byte: &u8| *byte < 0x20 || matches!(*byte, b'"' | b'\\');
            let expected = bytes.iter().position(special).unwrap_or(8);
            prop_assert_eq!(first_special(u64::from_le_bytes(bytes)), expected);
        }

        #[test]
        fn what_is_plain_reads_as_serde_json_reads_it(body in r#"\{"[a-z\\]{0,9}" ?: ?"[ -~é\x01]{0,20}"[,}] {0,8}"#) {
            if let Some((len, members)) = members(body.as_bytes()) {
                // What comes after the object is no part of it.
                let object = &body[..len];
                let expected = serde_json::from_str::<std::collections::BTreeMap<String, String>>(object);
                prop_assert_eq!(expected.unwrap(), members.into_iter().collect());
            }
        }
    }
}
