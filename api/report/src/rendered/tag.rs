//! The tags of reports, and what a caller has seen of them (`If-None-Match`; RFC 9110, 13.1.2).

use axum::http::header::IF_NONE_MATCH;
use axum::http::{HeaderMap, HeaderValue};
use sha2::{Digest, Sha256};
use store::report::Version;

/// The tag of a report: `"<epoch>.<version>.<hash of the body>"`.
pub fn tag_of(version: Version, body: &[u8]) -> HeaderValue {
    let hash = hash(body);
    header(&format!(
        "\"{}.{}.{hash:016x}\"",
        version.epoch, version.number
    ))
}

/// The tag of a body that has no version.
pub fn plain_tag_of(body: &[u8]) -> HeaderValue {
    header(&format!("\"{:016x}\"", hash(body)))
}

fn hash(body: &[u8]) -> u64 {
    let hash = Sha256::digest(body);
    hash.iter()
        .take(8)
        .fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

fn header(tag: &str) -> HeaderValue {
    // Digits, letters and dots in quotes are always a header's value.
    HeaderValue::from_str(tag).unwrap_or(HeaderValue::from_static("\"\""))
}

/// The tags that a caller has.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a>(&'a HeaderMap);

impl<'a> Seen<'a> {
    pub fn new(headers: &'a HeaderMap) -> Self {
        Self(headers)
    }

    /// Whether the caller has the body with this tag: weak or not, or any by `*`.
    pub fn has(self, tag: &[u8]) -> bool {
        self.tags()
            .any(|seen| seen.as_bytes() == tag || seen == "*")
    }

    /// Whether the caller has seen data that a copy of this version may not hold: a newer version, or another epoch.
    pub fn is_ahead_of(self, version: Version) -> bool {
        self.tags()
            .filter_map(parse)
            .any(|(epoch, number)| epoch != version.epoch || number > version.number)
    }

    /// Each with its quotes, without `W/`.
    fn tags(self) -> impl Iterator<Item = &'a str> {
        self.0
            .get_all(IF_NONE_MATCH)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .map(str::trim)
            .map(|tag| tag.strip_prefix("W/").unwrap_or(tag))
    }
}

/// Epoch and version of a tag that [`tag_of`] made.
fn parse(tag: &str) -> Option<(i64, i64)> {
    let mut parts = tag.strip_prefix('"')?.strip_suffix('"')?.split('.');
    let (epoch, number) = (parts.next()?, parts.next()?);
    Some((epoch.parse().ok()?, number.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const VERSION: Version = Version {
        epoch: 2,
        number: 7,
    };

    fn headers(values: &[&str]) -> HeaderMap {
        let values = values.iter().map(|value| header(value));
        values.map(|value| (IF_NONE_MATCH, value)).collect()
    }

    #[test]
    fn equal_bodies_of_one_version_have_equal_tags() {
        let tag = tag_of(VERSION, b"{}");
        assert_eq!(tag, "\"2.7.44136fa355b3678a\"");
        assert_eq!(tag, tag_of(VERSION, b"{}"));
        assert_ne!(tag, tag_of(VERSION, b"[]"));
        assert_ne!(
            tag,
            tag_of(
                Version {
                    epoch: 3,
                    ..VERSION
                },
                b"{}"
            )
        );
        assert_eq!(plain_tag_of(b"{}"), "\"44136fa355b3678a\"");
    }

    #[test]
    fn a_caller_has_what_one_of_the_tags_names() {
        let has = |values: &[&str]| Seen::new(&headers(values)).has(b"\"2.7.ab\"");
        assert!(has(&["\"2.7.ab\""]));
        assert!(has(&["W/\"2.7.ab\""]));
        assert!(has(&["\"x\" , W/\"2.7.ab\""]));
        assert!(has(&["\"x\"", "\"2.7.ab\""]));
        assert!(has(&["*"]));
        for values in [&[][..], &["\"2.7.ac\""], &["2.7.ab"], &[""], &["W/2.7.ab"]] {
            assert!(!has(values), "{values:?}");
        }
    }

    #[test]
    fn a_newer_version_or_another_epoch_is_ahead() {
        let ahead = |values: &[&str]| Seen::new(&headers(values)).is_ahead_of(VERSION);
        assert!(ahead(&["\"2.8.ab\""]));
        assert!(ahead(&["\"x\", W/\"2.8.ab\""]));
        assert!(ahead(&["\"1.3.ab\""]));
        assert!(ahead(&["\"3.1.ab\""]));
        for values in [
            &[][..],
            &["\"2.7.ab\""],
            &["\"2.6.ab\""],
            &["*"],
            &["\"44136fa355b3678a\""],
            &["\"2.x.ab\""],
            &["\"2.99999999999999999999.ab\""],
        ] {
            assert!(!ahead(values), "{values:?}");
        }
    }
}
