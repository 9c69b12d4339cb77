//! What a request for a link asks for: tracking fields, an end, a number of responses. Anything else makes no link: never
//! one silently without its tracking.

use axum::body::Body as HttpBody;
use axum::http::HeaderMap;
use chrono::{DateTime, Utc};
use domain::invalid::{Invalid, MAX_PROBLEMS, code, member};
use domain::link::{MAX_TRACK_FIELDS, TrackFieldError, TrackFields};
use utoipa::ToSchema;

use api_http::body::{Buffers, ContentType, Pairs, SMALL, multipart, plain, urlencoded};
use api_http::error::{Code, Problem};

const TRACK_FIELD: &str = "track_field";
const EXPIRES_AT: &str = "expires_at";
const MAX_RESPONSES: &str = "max_responses";

/// What a link is to carry, and how long it lasts.
#[expect(dead_code, reason = "only its schema is used")]
#[derive(ToSchema)]
pub struct LinkRequest {
    /// `<name>=<value>`, split at the first `=`: a name of 1 to 64 bytes, each once, and a value of at most 1,024.
    #[schema(required = false, max_items = 6, example = json!(["order=4711"]))]
    track_field: Vec<String>,
    /// A time to come.
    #[schema(required = false, nullable = false)]
    expires_at: Option<DateTime<Utc>>,
    #[schema(required = false, nullable = false, minimum = 1)]
    max_responses: Option<i64>,
}

/// How the body comes.
pub enum Body {
    None,
    Urlencoded,
    /// The whole Content-Type, which names the boundary.
    Multipart(String),
}

impl Body {
    /// What the headers say, and whether there is a body.
    ///
    /// # Errors
    /// 415.
    pub fn of(headers: &HeaderMap, body: &HttpBody) -> Result<Self, Problem> {
        if !ContentType::has_body(headers, body) {
            return Ok(Self::None);
        }
        plain(headers)?;
        let kind = ContentType::of(headers);
        match kind {
            Some(kind) if kind.essence == "application/x-www-form-urlencoded" => {
                Ok(Self::Urlencoded)
            }
            Some(kind) if kind.essence == "multipart/form-data" => Ok(Self::Multipart(kind.value)),
            _ => Err(Problem::new(
                Code::UnsupportedMediaType,
                "Content-Type must be application/x-www-form-urlencoded or multipart/form-data, in UTF-8, \
                 or the body left out",
            )),
        }
    }

    /// Reads it.
    ///
    /// # Errors
    /// 413; 400 `invalid_form`; 503 when too many large bodies come at once.
    pub async fn read(self, buffers: &Buffers, body: HttpBody) -> Result<Pairs, Problem> {
        if matches!(self, Self::None) {
            return Ok(Pairs::new());
        }
        let whole = buffers.read(body, SMALL, Code::InvalidForm).await?;
        match self {
            Self::Multipart(kind) => multipart(&kind, whole.bytes.clone()).await,
            _ => urlencoded(&whole.bytes),
        }
    }
}

/// What a request asks for.
#[derive(Debug, Default)]
pub struct Asked {
    pub track_fields: TrackFields,
    pub expires_at: Option<DateTime<Utc>>,
    pub max_responses: Option<i64>,
}

impl Asked {
    /// # Errors
    /// 422 with everything that is wrong; a seventh tracking field before anything else.
    pub fn read(pairs: &Pairs, now: DateTime<Utc>) -> Result<Self, Problem> {
        let mut asked = Self::default();
        let mut wrong = Wrong::default();
        let mut fields = 0;
        for (name, value) in pairs {
            match name.as_str() {
                TRACK_FIELD => {
                    let pointer = format!("/{TRACK_FIELD}/{fields}");
                    fields += 1;
                    if let Err(error) = asked.track_fields.push(value) {
                        wrong.push(pointer, error.code(), error.to_string());
                    }
                }
                EXPIRES_AT => once(&mut asked.expires_at, name, &mut wrong, || {
                    time_to_come(value, now)
                }),
                MAX_RESPONSES => once(&mut asked.max_responses, name, &mut wrong, || {
                    at_least_one(value)
                }),
                _ => wrong.push(
                    member("", name),
                    code::UNKNOWN_MEMBER,
                    format!(
                        "not known here; known are: {TRACK_FIELD}, {EXPIRES_AT}, {MAX_RESPONSES}"
                    ),
                ),
            }
        }
        if fields > MAX_TRACK_FIELDS {
            return Err(Problem::new(
                Code::TooManyTrackFields,
                format!("{fields} tracking fields: {}", TrackFieldError::TooMany),
            ));
        }
        if wrong.0.is_empty() {
            Ok(asked)
        } else {
            Err(Problem::invalid(wrong.0))
        }
    }
}

/// What is wrong, the first 100.
#[derive(Default)]
struct Wrong(Vec<Invalid>);

impl Wrong {
    fn push(&mut self, pointer: String, code: &'static str, detail: String) {
        if self.0.len() < MAX_PROBLEMS {
            self.0.push(Invalid {
                pointer,
                code,
                detail,
            });
        }
    }
}

/// A value that may be given once.
fn once<T>(
    kept: &mut Option<T>,
    name: &str,
    wrong: &mut Wrong,
    read: impl FnOnce() -> Result<T, (&'static str, String)>,
) {
    match read() {
        Ok(_) if kept.is_some() => wrong.push(
            member("", name),
            code::DUPLICATE,
            format!("{name} is given twice"),
        ),
        Ok(value) => *kept = Some(value),
        Err((code, detail)) => wrong.push(member("", name), code, detail),
    }
}

fn time_to_come(text: &str, now: DateTime<Utc>) -> Result<DateTime<Utc>, (&'static str, String)> {
    // RFC 3339 as it is written; chrono reads longer years, other offsets and spaces too.
    let written = |text: &&str| {
        let at = |place| text.as_bytes().get(place).copied();
        text.ends_with('Z') && at(4) == Some(b'-') && at(10) == Some(b'T')
    };
    let time = Some(text)
        .filter(written)
        .and_then(|text| DateTime::parse_from_rfc3339(text).ok())
        .ok_or_else(|| {
            let detail = "expires_at is not a time such as 2030-12-31T23:59:59Z".to_owned();
            (code::MALFORMED, detail)
        })?
        .to_utc();
    if time > now {
        Ok(time)
    } else {
        let detail = "expires_at is not a time to come".to_owned();
        Err((code::OUT_OF_RANGE, detail))
    }
}

fn at_least_one(text: &str) -> Result<i64, (&'static str, String)> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = text.parse().ok().filter(|number| *number >= 1);
    number.filter(|_| digits).ok_or_else(|| {
        let code = if digits {
            code::OUT_OF_RANGE
        } else {
            code::WRONG_TYPE
        };
        (
            code,
            "max_responses is not a whole number from 1".to_owned(),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)]) -> Result<Asked, Problem> {
        let pairs = pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        Asked::read(&pairs, DateTime::from_timestamp(1_700_000_000, 0).unwrap())
    }

    #[test]
    fn a_request_may_ask_for_nothing_or_for_all() {
        let nothing = read(&[]).unwrap();
        assert!(nothing.track_fields.is_empty() && nothing.expires_at.is_none());
        let all = read(&[
            ("track_field", "a=1"),
            ("expires_at", "2023-11-14T22:13:20.001Z"),
            ("max_responses", "9223372036854775807"),
            ("track_field", "b="),
        ])
        .unwrap();
        assert_eq!(all.track_fields.len(), 2);
        assert_eq!(all.max_responses, Some(i64::MAX));
        assert!(all.expires_at.is_some());
    }

    #[test]
    fn a_time_is_in_utc_and_to_come() {
        for text in [
            "2023-11-14T22:13:20Z",
            "2999-01-01T00:00:00z",
            "2999-01-01T00:00:00+00:00",
            "+2999-01-01T00:00:00Z",
            "2999-01-01 00:00:00Z",
            "2999-01-01T24:00:00Z",
            "99999-01-01T00:00:00Z",
        ] {
            assert!(read(&[("expires_at", text)]).is_err(), "{text}");
        }
    }

    #[test]
    fn seven_tracking_fields_are_told_before_anything_else() {
        let mut pairs = vec![("track_field", "x"); 7];
        pairs.push(("unknown", ""));
        assert_eq!(read(&pairs).unwrap_err().code(), Code::TooManyTrackFields);
        pairs.remove(0);
        assert_eq!(read(&pairs).unwrap_err().code(), Code::ValidationFailed);
    }
}
