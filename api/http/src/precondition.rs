//! `If-Match` (RFC 9110, 13.1.1): changes only what the caller has seen.

use axum::http::header::IF_MATCH;
use axum::http::{HeaderMap, HeaderValue};

use crate::error::{Code, Problem};

/// The tag of a version of something that has one representation.
pub fn etag(version: i64) -> HeaderValue {
    // Digits in quotes are always a header's value.
    HeaderValue::from_str(&format!("\"{version}\"")).unwrap_or(HeaderValue::from_static("\"\""))
}

/// What a caller has seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IfMatch {
    /// No header: whatever there is.
    Unconditional,
    /// `*`: whatever there is.
    Any,
    /// The versions with these tags, as they were written.
    Versions(Vec<String>),
}

impl IfMatch {
    /// What the headers say. Weak tags and those that are not ours match nothing.
    pub fn of(headers: &HeaderMap) -> Self {
        if !headers.contains_key(IF_MATCH) {
            return Self::Unconditional;
        }
        let tags = headers
            .get_all(IF_MATCH)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .map(str::trim);
        let mut versions = Vec::new();
        for tag in tags {
            if tag == "*" {
                return Self::Any;
            }
            versions.push(tag.to_owned());
        }
        Self::Versions(versions)
    }

    /// Whether this version may be changed.
    ///
    /// # Errors
    /// 412.
    pub fn check(&self, version: i64) -> Result<(), Problem> {
        let own = etag(version);
        match self {
            Self::Versions(tags) if !tags.iter().any(|tag| tag.as_bytes() == own.as_bytes()) => {
                Err(changed())
            }
            _ => Ok(()),
        }
    }

    /// Whether the caller named versions.
    pub fn is_strict(&self) -> bool {
        matches!(self, Self::Versions(_))
    }
}

/// What is there is not what the caller has seen.
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
    fn no_header_and_a_star_match_whatever_there_is() {
        assert!(matches(&[], 7));
        assert!(matches(&["*"], 7));
    }
}
