//! The body of a request for a link: tracking fields, an end, a number of responses, a name, whether it is a kiosk's. With any other member no link is made:
//! never one silently without its tracking.

use api_http::body::{self, ContentType, Pairs, SMALL, multipart, plain, urlencoded};
use api_http::memory::MemoryPermit;
use api_http::{Code, Problem, Result};
use axum::extract::Request;
use axum::http::request::Parts;
use chrono::{DateTime, Utc};
use domain::date_range::parse_time;
use domain::invalid::{Fault, Invalid, MAX_PROBLEMS, code};
use domain::link::{MAX_TRACK_FIELDS, TrackFields};
use utoipa::ToSchema;

const TRACK_FIELD: &str = "track_field";
const EXPIRES_AT: &str = "expires_at";
const MAX_RESPONSES: &str = "max_responses";
const NAME: &str = "name";
const KIOSK: &str = "kiosk";

/// Characters of a name.
pub const MAX_NAME: usize = 80;

/// What a link carries, and how long it lasts.
#[derive(Debug, Default, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkRequest {
    /// `<name>=<value>`, split at the first `=`: a name of 1 to 64 bytes, each once, and a value of at most 1,024.
    #[schema(rename = "track_field", value_type = Vec<String>, required = false, max_items = 6,
             pattern = "^[^=\\u0000-\\u001f\\u007f-\\u009f]{1,64}=[^\\u0000]*$", example = json!(["order=4711"]))]
    pub track_fields: TrackFields,
    /// A time in the future.
    #[schema(required = false, nullable = false)]
    pub expires_at: Option<DateTime<Utc>>,
    #[schema(required = false, nullable = false, minimum = 1)]
    pub max_responses: Option<i64>,
    /// What its owner calls it.
    #[schema(
        required = false,
        nullable = false,
        min_length = 1,
        max_length = 80,
        pattern = r"^[^\u0000-\u001f\u007f-\u009f]*$"
    )]
    pub name: Option<String>,
    /// Many people answer it from one address, so that no limit of answers by address holds.
    #[schema(required = false, nullable = false)]
    pub kiosk: Option<bool>,
}

impl LinkRequest {
    /// # Errors
    /// 422 with everything that is wrong; a seventh tracking field before anything else.
    pub fn read(pairs: &Pairs, now: DateTime<Utc>) -> Result<Self> {
        let mut request = Self::default();
        let mut problems = Vec::new();
        let mut fields = 0;
        for (name, value) in pairs {
            let read = match name.as_str() {
                TRACK_FIELD => {
                    fields += 1;
                    if let Err(Fault { code, detail }) = request.track_fields.push(value) {
                        let pointer = format!("/{TRACK_FIELD}/{}", fields - 1);
                        problems.push(Invalid {
                            pointer,
                            code,
                            detail,
                        });
                    }
                    Ok(())
                }
                EXPIRES_AT => {
                    future_time(value, now).and_then(|time| once(&mut request.expires_at, time))
                }
                MAX_RESPONSES => {
                    at_least_one(value).and_then(|number| once(&mut request.max_responses, number))
                }
                NAME => short_name(value).and_then(|name| once(&mut request.name, name)),
                KIOSK => yes_or_no(value).and_then(|kiosk| once(&mut request.kiosk, kiosk)),
                _ => Err((
                    code::UNKNOWN_MEMBER,
                    "not known here; known are: track_field, expires_at, max_responses, name, kiosk",
                )),
            };
            if let Err((code, detail)) = read {
                problems.push(Invalid::of_member(name, code, detail));
            }
        }
        if fields > MAX_TRACK_FIELDS {
            return Err(Problem::new(
                Code::TooManyTrackFields,
                format!("{fields} tracking fields: more than {MAX_TRACK_FIELDS} tracking fields"),
            ));
        }
        if problems.is_empty() {
            return Ok(request);
        }
        problems.truncate(MAX_PROBLEMS);
        Err(Problem::invalid(problems))
    }
}

/// The members of a body; none of an empty one, whatever its Content-Type.
///
/// # Errors
/// 415; 413; 400 `invalid_form`; 503 `busy`; 408.
pub async fn read_pairs(permit: MemoryPermit, request: Request) -> Result<Pairs> {
    let (Parts { headers, .. }, body) = request.into_parts();
    let kind = ContentType::of(&headers).filter(|_| plain(&headers).is_ok());
    let is_multipart = match kind.as_ref().map(|kind| kind.essence.as_str()) {
        Some("application/x-www-form-urlencoded") => false,
        Some("multipart/form-data") => true,
        _ => {
            let read = body::read(permit, body, 0, Code::InvalidForm).await;
            return read.map(|_| Pairs::new()).map_err(unsupported);
        }
    };
    let (bytes, _permit) = body::read(permit, body, SMALL, Code::InvalidForm).await?;
    match kind.filter(|_| is_multipart && !bytes.is_empty()) {
        Some(kind) => multipart(&kind.value, bytes.clone()).await,
        None => urlencoded(&bytes),
    }
}

/// Of a body that may not have a byte.
fn unsupported(problem: Problem) -> Problem {
    if problem.code() != Code::BodyTooLarge {
        return problem;
    }
    Problem::new(
        Code::UnsupportedMediaType,
        "Content-Type must be application/x-www-form-urlencoded or multipart/form-data, in UTF-8 and without \
         Content-Encoding, or the body empty",
    )
}

/// What is wrong with a member: one of [`code`], and a sentence.
type MemberError = (&'static str, &'static str);

/// Keeps a value that may be given once.
fn once<T>(kept: &mut Option<T>, value: T) -> Result<(), MemberError> {
    match kept.replace(value) {
        None => Ok(()),
        Some(_) => Err((code::DUPLICATE, "given twice")),
    }
}

fn future_time(text: &str, now: DateTime<Utc>) -> Result<DateTime<Utc>, MemberError> {
    match parse_time(text) {
        Ok(time) if time > now => Ok(time),
        Ok(_) => Err((code::OUT_OF_RANGE, "not in the future")),
        Err(_) => Err((code::MALFORMED, "not a time such as 2030-12-31T23:59:59Z")),
    }
}

fn at_least_one(text: &str) -> Result<i64, MemberError> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match text.parse() {
        Ok(number @ 1..) if is_number => Ok(number),
        _ if is_number => Err((code::OUT_OF_RANGE, "not a number from 1")),
        _ => Err((code::WRONG_TYPE, "not a whole number")),
    }
}

fn short_name(text: &str) -> Result<String, MemberError> {
    if text.chars().any(char::is_control) {
        Err((code::CONTROL_CHARACTER, "with a control character"))
    } else if text.trim().is_empty() {
        Err((code::BLANK, "blank"))
    } else if text.chars().count() > MAX_NAME {
        Err((code::TOO_LONG, "longer than 80 characters"))
    } else {
        Ok(text.to_owned())
    }
}

fn yes_or_no(text: &str) -> Result<bool, MemberError> {
    match text {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err((code::WRONG_TYPE, "neither true nor false")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)]) -> Result<LinkRequest> {
        let pairs: Pairs = pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        LinkRequest::read(&pairs, DateTime::from_timestamp(1_700_000_000, 0).unwrap())
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
            ("name", &"ü".repeat(80)),
            ("kiosk", "true"),
        ])
        .unwrap();
        assert_eq!(all.track_fields.len(), 2);
        assert_eq!(all.max_responses, Some(i64::MAX));
        assert!(all.expires_at.is_some());
        assert_eq!(all.name.map(|name| name.chars().count()), Some(80));
        assert_eq!(all.kiosk, Some(true));
    }

    #[test]
    fn a_name_is_short_and_a_kiosk_is_true_or_false() {
        for (member, value) in [
            ("name", "ü".repeat(81)),
            ("name", " ".to_owned()),
            ("name", "a\nb".to_owned()),
            ("kiosk", "yes".to_owned()),
            ("kiosk", String::new()),
        ] {
            assert!(read(&[(member, &value)]).is_err(), "{member}={value:?}");
        }
        assert!(read(&[("kiosk", "true"), ("kiosk", "true")]).is_err());
    }

    #[test]
    fn a_time_is_in_the_future() {
        for text in ["2023-11-14T22:13:20Z", "2999-01-01"] {
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

    #[test]
    fn whatever_is_asked_for_a_link_has_it_once() {
        bolero::check!().for_each(|bytes: &[u8]| {
            let pairs = urlencoded(bytes).unwrap_or_default();
            let now = DateTime::from_timestamp(1_700_000_000, 0).unwrap();
            if let Ok(request) = LinkRequest::read(&pairs, now) {
                let given = [
                    request.expires_at.is_some(),
                    request.max_responses.is_some(),
                    request.name.is_some(),
                    request.kiosk.is_some(),
                ];
                let given = given.iter().filter(|is_given| **is_given).count();
                assert_eq!(given + request.track_fields.len(), pairs.len());
                assert!(request.expires_at.is_none_or(|end| end > now));
            }
        });
    }
}
