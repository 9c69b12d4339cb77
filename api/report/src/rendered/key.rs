//! Which report: whose, and its canonical path.

use std::sync::Arc;

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
/// by [`segment`] or left out.
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

/// A text as a segment of a canonical path.
pub fn segment(text: &str) -> String {
    utf8_percent_encode(text, PLAIN).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_never_reads_as_two_nor_as_another_text() {
        assert_eq!(segment("store:Berlin-1_2.3~"), "store:Berlin-1_2.3~");
        assert_eq!(segment("a:b/c?d#e%2F f"), "a:b%2Fc%3Fd%23e%252F%20f");
        assert_eq!(segment("straße:ü"), "stra%C3%9Fe:%C3%BC");
    }
}
