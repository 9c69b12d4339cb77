//! The tags of reports, and those that a caller has (`If-None-Match`; RFC 9110, 13.1.2).

use api_http::precondition::{etag, tags};
use axum::http::header::IF_NONE_MATCH;
use axum::http::{HeaderMap, HeaderValue};
use sha2::{Digest, Sha256};
use store::report::Version;

/// To be raised with the shape of any body: otherwise a 304 after an upgrade would keep a body of the old shape.
const FORMAT: u32 = 2;

/// The tag of a body that shows the data of a version and nothing else: `"<format>.<version>.<stamp>"`.
pub fn tag_of_version(version: Version) -> HeaderValue {
    etag(versioned(version))
}

/// The tag of a body that also shows what may change without the version.
pub fn tag_of_version_and_body(version: Version, body: &[u8]) -> HeaderValue {
    etag(format!("{}.{:016x}", versioned(version), hash(body)))
}

/// The tag of a body that has no version.
pub fn tag_of_body(body: &[u8]) -> HeaderValue {
    etag(format!("{:016x}", hash(body)))
}

fn versioned(version: Version) -> String {
    format!("{FORMAT}.{}.{:016x}", version.number, version.stamp)
}

fn hash(body: &[u8]) -> u64 {
    let hash = Sha256::digest(body);
    u64::from_be_bytes(std::array::from_fn(|place| hash[place]))
}

/// The tags that a caller has.
#[derive(Clone, Copy, Debug)]
pub struct IfNoneMatch<'a>(pub &'a HeaderMap);

impl<'a> IfNoneMatch<'a> {
    /// Whether the caller has the body with this tag: weak or not, or any by `*`.
    pub fn has(self, tag: &HeaderValue) -> bool {
        self.tags().any(|known| known == tag || known == "*")
    }

    /// Whether the caller has seen data that a body of this version may lack: a newer version, or the same number with
    /// another stamp.
    pub fn is_ahead_of(self, version: Version) -> bool {
        self.tags().filter_map(parse).any(|known| {
            known.number > version.number
                || known.number == version.number && known.stamp != version.stamp
        })
    }

    /// Each with its quotes, without `W/`.
    fn tags(self) -> impl Iterator<Item = &'a str> {
        let tags = tags(self.0, IF_NONE_MATCH);
        tags.map(|tag| tag.strip_prefix("W/").unwrap_or(tag))
    }
}

/// The version in a tag that has one, whatever its format.
fn parse(tag: &str) -> Option<Version> {
    let mut parts = tag.strip_prefix('"')?.strip_suffix('"')?.split('.');
    let (_format, number, stamp) = (parts.next()?, parts.next()?, parts.next()?);
    Some(Version {
        number: number.parse().ok()?,
        stamp: u64::from_str_radix(stamp, 16).ok()?.cast_signed(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const VERSION: Version = Version {
        number: 7,
        stamp: -1,
    };

    fn headers(values: &[&str]) -> HeaderMap {
        let values = values
            .iter()
            .map(|value| HeaderValue::from_str(value).unwrap());
        values.map(|value| (IF_NONE_MATCH, value)).collect()
    }

    #[test]
    fn a_tag_has_the_version_and_if_need_be_a_hash_of_the_body() {
        assert_eq!(tag_of_version(VERSION), "\"2.7.ffffffffffffffff\"");
        let tag = tag_of_version_and_body(VERSION, b"{}");
        assert_eq!(tag, "\"2.7.ffffffffffffffff.44136fa355b3678a\"");
        assert_ne!(tag, tag_of_version_and_body(VERSION, b"[]"));
        assert_eq!(tag_of_body(b"{}"), "\"44136fa355b3678a\"");
    }

    #[test]
    fn a_caller_has_what_one_of_the_tags_names() {
        let tag = etag("1.7.ab");
        let has = |values: &[&str]| IfNoneMatch(&headers(values)).has(&tag);
        assert!(has(&["\"1.7.ab\""]));
        assert!(has(&["W/\"1.7.ab\""]));
        assert!(has(&["\"x\" , W/\"1.7.ab\""]));
        assert!(has(&["\"x\"", "\"1.7.ab\""]));
        assert!(has(&["*"]));
        for values in [&[][..], &["\"1.7.ac\""], &["1.7.ab"], &[""], &["W/1.7.ab"]] {
            assert!(!has(values), "{values:?}");
        }
    }

    #[test]
    fn a_newer_version_or_another_of_the_same_number_is_ahead() {
        let ahead = |values: &[&str]| IfNoneMatch(&headers(values)).is_ahead_of(VERSION);
        assert!(ahead(&["\"1.8.ab\""]));
        assert!(ahead(&["\"x\", W/\"1.8.ab\""]));
        assert!(ahead(&["\"1.7.fffffffffffffffe\""]));
        assert!(ahead(&["\"0.8.ab.cd\""]));
        for values in [
            &[][..],
            &["\"1.7.ffffffffffffffff\""],
            &["\"1.7.ffffffffffffffff.cd\""],
            &["\"1.6.ab\""],
            &["*"],
            &["\"44136fa355b3678a\""],
            &["\"1.8\""],
            &["\"1.x.ab\""],
            &["\"1.8.xy\""],
            &["\"1.99999999999999999999.ab\""],
        ] {
            assert!(!ahead(values), "{values:?}");
        }
    }
}
