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

/// The versions that a change may be made to; by default any. Weak tags, and those that are not ours, match nothing.
#[derive(Clone, Debug, Default)]
pub struct IfMatch(Option<Vec<i64>>);

impl IfMatch {
    /// Those that a request names.
    pub fn of(headers: &HeaderMap) -> Self {
        let is_any =
            !headers.contains_key(IF_MATCH) || tags(headers, IF_MATCH).any(|tag| tag == "*");
        Self((!is_any).then(|| tags(headers, IF_MATCH).filter_map(version).collect()))
    }

    /// The version that a page was drawn from; an empty text: any.
    pub fn page(version: &str) -> Self {
        let is_any = version.is_empty();
        Self((!is_any).then(|| version.parse().into_iter().collect()))
    }

    /// Whether the change may be made to this version.
    ///
    /// # Errors
    /// 412.
    pub fn check(&self, version: i64) -> Result<()> {
        match &self.0 {
            Some(versions) if !versions.contains(&version) => Err(changed()),
            _ => Ok(()),
        }
    }

    /// Whether it is to certain versions, and not to any (`*`, or no header).
    pub fn names_versions(&self) -> bool {
        self.0.is_some()
    }
}

/// The version that has this tag.
fn version(tag: &str) -> Option<i64> {
    let version = tag.trim_matches('"').parse().ok()?;
    (etag(version) == tag).then_some(version)
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
        IfMatch::of(&headers).check(version).is_ok()
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
    fn a_page_names_the_version_that_it_was_drawn_from() {
        assert!(IfMatch::page("7").check(7).is_ok());
        assert!(IfMatch::page("").check(7).is_ok());
        for other in ["6", "x"] {
            assert!(IfMatch::page(other).check(7).is_err(), "{other}");
        }
    }

    #[test]
    fn no_header_and_a_star_match_whatever_there_is() {
        assert!(matches(&[], 7));
        assert!(matches(&["*"], 7));
    }
}
