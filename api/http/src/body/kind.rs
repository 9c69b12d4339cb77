//! What a body says it is: `Content-Type` and `Content-Encoding`.

use axum::http::HeaderMap;
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use strum::EnumString;

use crate::extract::header;
use crate::{Code, Problem, Result};

/// A media type, whose text is UTF-8 if it is text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContentType {
    /// Such as `application/json`, in small letters.
    pub essence: String,
    /// The whole header.
    pub value: String,
}

impl ContentType {
    /// What the headers say, once; `None` without a header, for several, and for another charset than UTF-8.
    pub fn of(headers: &HeaderMap) -> Option<Self> {
        let value = header(headers, CONTENT_TYPE).ok()??;
        let mut parts = value.split(';').map(str::trim);
        let essence = parts.next()?.to_ascii_lowercase();
        let utf8 = parts
            .filter_map(|parameter| parameter.split_once('='))
            .all(|(name, value)| {
                !name.trim().eq_ignore_ascii_case("charset")
                    || matches!(
                        value.trim().trim_matches('"').to_ascii_lowercase().as_str(),
                        "utf-8" | "utf8" | "us-ascii"
                    )
            });
        utf8.then(|| Self {
            essence,
            value: value.to_owned(),
        })
    }
}

/// What a body is compressed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString)]
#[strum(serialize_all = "lowercase", ascii_case_insensitive)]
pub enum ContentEncoding {
    #[strum(serialize = "", serialize = "identity")]
    Identity,
    // RFC 9110: x-gzip is gzip.
    #[strum(serialize = "gzip", serialize = "x-gzip")]
    Gzip,
    Zstd,
}

impl ContentEncoding {
    /// The encoding that the headers name; `None` for one that is not known, or several.
    pub fn of(headers: &HeaderMap) -> Option<Self> {
        let value = header(headers, CONTENT_ENCODING).ok()?.unwrap_or_default();
        value.trim().parse().ok()
    }
}

/// Refuses a body that is compressed: only imports are large enough for it.
///
/// # Errors
/// 415.
pub fn plain(headers: &HeaderMap) -> Result<()> {
    match ContentEncoding::of(headers) {
        Some(ContentEncoding::Identity) => Ok(()),
        _ => Err(Problem::new(
            Code::UnsupportedMediaType,
            "Content-Encoding must be left out here",
        )),
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn essence(value: &'static str) -> Option<String> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(value));
        ContentType::of(&headers).map(|kind| kind.essence)
    }

    #[test]
    fn a_kind_is_read_in_any_case_and_in_utf_8_only() {
        for value in [
            "application/json",
            "Application/JSON; Charset=\"UTF-8\"",
            "application/json;charset=utf8 ; x=y",
        ] {
            assert_eq!(essence(value).as_deref(), Some("application/json"));
        }
        assert_eq!(essence("application/json; charset=latin1"), None);
        assert_eq!(ContentType::of(&HeaderMap::new()), None);
        let mut twice = HeaderMap::new();
        for value in ["text/csv", "application/json"] {
            twice.append(CONTENT_TYPE, HeaderValue::from_static(value));
        }
        assert_eq!(ContentType::of(&twice), None);
    }

    #[test]
    fn known_names_are_read_and_others_are_not() {
        let of = |value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static(value));
            ContentEncoding::of(&headers)
        };
        assert_eq!(
            ContentEncoding::of(&HeaderMap::new()),
            Some(ContentEncoding::Identity)
        );
        assert_eq!(of("identity"), Some(ContentEncoding::Identity));
        assert_eq!(of("GZip"), Some(ContentEncoding::Gzip));
        assert_eq!(of("x-gzip"), Some(ContentEncoding::Gzip));
        assert_eq!(of("zstd"), Some(ContentEncoding::Zstd));
        for name in ["br", "deflate", "gzip, zstd", "gzip;q=1"] {
            assert_eq!(of(name), None, "{name}");
        }
    }
}
