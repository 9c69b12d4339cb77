//! `If-Match` (RFC 9110, 13.1.1): changes only the version that the caller has read. The lists of tags of any such header.

use std::fmt::Display;

use axum::http::header::IF_MATCH;
use axum::http::{HeaderMap, HeaderName, HeaderValue};

use crate::{Code, Problem, Result};

/// The tag of a version of something that has one representation.
pub fn etag(version: impl Display) -> HeaderValue {
    // Digits, letters and dots in quotes are always a header's value.
    HeaderValue::from_str(&format!("\"{version}\"")).unwrap_or(HeaderValue::from_static("\"\""))
}

/// The versions that a change may be made to. Weak tags, and those that are not ours, match nothing.
#[derive(Clone, Copy, Debug)]
pub struct IfMatch<'a>(pub &'a HeaderMap);

impl<'a> IfMatch<'a> {
    /// Whether the change may be made to this version.
    ///
    /// # Errors
    /// 412.
    pub fn check(self, version: i64) -> Result<()> {
        let own = etag(version);
        if self.names_versions() && self.tags().all(|tag| tag.as_bytes() != own.as_bytes()) {
            return Err(changed());
        }
        Ok(())
    }

    /// Whether it is to certain versions, and not to any (`*`, or no header).
    pub fn names_versions(self) -> bool {
        self.0.contains_key(IF_MATCH) && self.tags().all(|tag| tag != "*")
    }

    fn tags(self) -> impl Iterator<Item = &'a str> {
        tags(self.0, IF_MATCH)
    }
}

/// The tags that a header lists, as they are written: with their quotes, perhaps with `W/`, or `*`.
pub fn tags(headers: &HeaderMap, name: HeaderName) -> impl Iterator<Item = &str> {
    let values = headers.get_all(name).into_iter();
    let texts = values.filter_map(|value| value.to_str().ok());
    texts.flat_map(|text| text.split(',')).map(str::trim)
}

/// There is another version than the caller has read.
pub fn changed() -> Problem {
    Problem::new(
        Code::PreconditionFailed,
        "If-Match names another version than there is now",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(values: &[&'static str], version: i64) -> bool {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(IF_MATCH, HeaderValue::from_static(value));
        }
        IfMatch(&headers).check(version).is_ok()
    }

    #[test]
    fn a_version_is_matched_by_its_own_tag() {
        assert_eq!(etag(7), "\"7\"");
        assert!(matches(&["\"7\""], 7));
        assert!(matches(&["\"x\" , \"7\""], 7));
        assert!(matches(&["\"1\"", "\"7\""], 7));
        for values in [
            &["\"8\""][..],
            &["W/\"7\""],
            &["7"],
            &[""],
            &["\"07 \""],
            &["\"07\""],
            &["\"+7\""],
            &["\"\""],
        ] {
            assert!(!matches(values, 7), "{values:?}");
        }
    }

    #[test]
    fn no_header_and_a_star_match_whatever_there_is() {
        assert!(matches(&[], 7));
        assert!(matches(&["*"], 7));
    }
}
