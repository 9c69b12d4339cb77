//! Which report: whose, and its canonical path.

use std::sync::Arc;

use moka::Equivalent;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use uuid::Uuid;

/// What a segment of a canonical path has as it is: what RFC 3986 calls unreserved, and `:`.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b':');

/// A report by its account and its canonical path: ids and dates as the service writes them, a business property encoded
/// by [`segment`] or left out. A path as it was sent that equals a canonical one means the same report.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    pub(super) account_id: Uuid,
    pub(super) path: Arc<str>,
}

impl Key {
    pub fn new(account_id: Uuid, path: &str) -> Self {
        Self {
            account_id,
            path: path.into(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.path.len()
    }
}

/// A [`Key`] that owns nothing.
#[derive(Hash)]
pub(super) struct Place<'a> {
    pub account_id: Uuid,
    pub path: &'a str,
}

impl Equivalent<Key> for Place<'_> {
    fn equivalent(&self, key: &Key) -> bool {
        self.account_id == key.account_id && *self.path == *key.path
    }
}

/// A text as a segment of a canonical path.
pub fn segment(text: &str) -> String {
    utf8_percent_encode(text, PLAIN).to_string()
}

#[cfg(test)]
mod tests {
    use std::hash::{BuildHasher, RandomState};

    use super::*;

    #[test]
    fn a_place_hashes_as_the_key_that_it_equals() {
        let account_id = Uuid::from_u128(1);
        let key = Key::new(account_id, "/a/b:c");
        let place = Place {
            account_id,
            path: "/a/b:c",
        };
        let hasher = RandomState::new();
        assert_eq!(hasher.hash_one(&key), hasher.hash_one(&place));
        assert!(place.equivalent(&key));
        let other = Place {
            account_id: Uuid::from_u128(2),
            path: "/a/b:c",
        };
        assert!(!other.equivalent(&key));
    }

    #[test]
    fn a_segment_never_reads_as_two_nor_as_another_text() {
        assert_eq!(segment("store:Berlin-1_2.3~"), "store:Berlin-1_2.3~");
        assert_eq!(segment("a:b/c?d#e%2F f"), "a:b%2Fc%3Fd%23e%252F%20f");
        assert_eq!(segment("straße:ü"), "stra%C3%9Fe:%C3%BC");
    }
}
