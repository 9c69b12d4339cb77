//! A JSON object as a body.

use axum::extract::Request;
use axum::http::request::Parts;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use super::unique::Unique;
use super::{ContentType, plain, read};
use crate::memory::MemoryPermit;
use crate::{AppState, Code, Problem, Result};

const BOM: &[u8] = b"\xef\xbb\xbf";

/// What a body may have.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    pub bytes: usize,
    /// Values of any kind, in any depth: in memory one of seven bytes can be a hundred times as large.
    pub values: usize,
}

/// Reads a body of `application/json` that is one object.
///
/// # Errors
/// 415; 413; 400 `invalid_json`; 503 `busy`; 408.
pub async fn json(
    app: &AppState,
    permit: MemoryPermit,
    request: Request,
    limit: Limit,
) -> Result<Map<String, Value>> {
    json_as(app, permit, request, limit, Ok).await
}

/// As [`json`], and converts the object. A large body is parsed and converted when it is the account's turn.
///
/// # Errors
/// Those of [`json`]; its own.
pub async fn json_as<T: Send + 'static>(
    app: &AppState,
    permit: MemoryPermit,
    request: Request,
    limit: Limit,
    judge: impl FnOnce(Map<String, Value>) -> Result<T> + Send + 'static,
) -> Result<T> {
    let (Parts { headers, .. }, body) = request.into_parts();
    let kind = ContentType::of(&headers).filter(|kind| kind.essence == "application/json");
    if kind.is_none() {
        return Err(Problem::new(
            Code::UnsupportedMediaType,
            "Content-Type must be application/json, in UTF-8",
        ));
    }
    plain(&headers)?;
    let (bytes, permit) = read(permit, body, limit.bytes, Code::InvalidJson).await?;
    let (account_id, length) = (permit.account_id(), bytes.len());
    let work = move || {
        let _permit = permit;
        judge(object(&bytes, limit.values)?)
    };
    app.work_on(account_id, length, work).await
}

/// Parses the bytes as an object of at most this many values.
fn object(bytes: &[u8], values: usize) -> Result<Map<String, Value>> {
    let invalid = |detail: String| Problem::new(Code::InvalidJson, detail);
    let text = bytes.strip_prefix(BOM).unwrap_or(bytes);
    let before = bytes.len() - text.len();
    if let Err(error) = str::from_utf8(text) {
        let at = before + error.valid_up_to();
        return Err(invalid(format!("not UTF-8 at byte {at}")));
    }
    let read = if count_values(text) > values {
        serde_json::from_slice(text).map(|IgnoredAny| None)
    } else {
        serde_json::from_slice(text).map(|Unique(value)| Some(value))
    };
    match read {
        Ok(Some(Value::Object(members))) => Ok(members),
        Ok(Some(_)) => Err(invalid(format!(
            "the body must be an object, which begins at byte {before}"
        ))),
        Ok(None) => Err(Problem::new(
            Code::BodyTooLarge,
            format!("the body may have {values} values here"),
        )),
        Err(error) => {
            let at = before + offset(text, error.line(), error.column());
            Err(invalid(format!("not JSON at byte {at}: {error}")))
        }
    }
}

/// How many values a text has if it is JSON: the whole, one behind each comma, and one in each bracket that is not empty.
fn count_values(text: &[u8]) -> usize {
    let (mut values, mut is_quoted, mut last) = (1, false, 0);
    let mut bytes = text.iter().filter(|byte| !byte.is_ascii_whitespace());
    while let Some(&byte) = bytes.next() {
        match byte {
            b'"' => is_quoted = !is_quoted,
            b'\\' if is_quoted => drop(bytes.next()),
            b',' | b'[' | b'{' if !is_quoted => values += 1,
            b']' | b'}' if !is_quoted && matches!(last, b'[' | b'{') => values -= 1,
            _ => {}
        }
        last = byte;
    }
    values
}

/// Where a line and a column are, both from 1 (0: before the first).
fn offset(text: &[u8], line: usize, column: usize) -> usize {
    let before: usize = text
        .split_inclusive(|byte| *byte == b'\n')
        .take(line.saturating_sub(1))
        .map(<[u8]>::len)
        .sum();
    (before + column.saturating_sub(1)).min(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(bytes: &[u8]) -> String {
        let problem = object(bytes, 100).unwrap_err();
        assert_eq!(problem.code(), Code::InvalidJson);
        problem.detail().to_owned()
    }

    #[test]
    fn an_object_is_read_with_or_without_a_bom() {
        for bytes in [&b"{\"a\": 1}"[..], b"\xef\xbb\xbf {\"a\": 1}\n"] {
            assert_eq!(object(bytes, 2).unwrap()["a"], 1);
        }
    }

    #[test]
    fn anything_else_is_told_with_its_byte() {
        for (bytes, place) in [
            (&b""[..], "byte 0"),
            (b"[]", "byte 0"),
            (b"{\"a\": \xff}", "byte 6"),
            (b"\xef\xbb\xbf{\"a\": \xff}", "byte 9"),
            (b"{\n\"a\" 1}", "byte 6"),
            (b"{} x", "byte 3"),
            (
                b"{\"n\": 5, \"n\": 6}",
                "byte 11: the member n stands twice",
            ),
            (
                b"[{\"a\": [{\"n\": 5, \"n\": 6}]}]",
                "the member n stands twice",
            ),
        ] {
            let detail = refused(bytes);
            assert!(detail.contains(place), "{detail}");
        }
    }

    #[test]
    fn whatever_an_object_is_it_is_read_as_by_others() {
        bolero::check!().for_each(|bytes: &[u8]| {
            let text = bytes.strip_prefix(BOM).unwrap_or(bytes);
            let others = serde_json::from_slice::<Map<String, Value>>(text);
            match (object(bytes, 1_000), others) {
                (Ok(members), others) => assert_eq!(members, others.unwrap()),
                (Err(problem), Ok(_)) => {
                    let detail = problem.detail();
                    let is_twice = detail.contains("stands twice");
                    assert!(is_twice || detail.contains("1000 values"), "{detail}");
                }
                (Err(_), Err(_)) => {}
            }
        });
    }

    #[test]
    fn values_are_read_as_serde_json_reads_them_and_counted() {
        let text = r#"{"a": [1, -2, 1.5e3, 18446744073709551616, true, null, "\u00e4"], "b": {"c": {}}, "d": []}"#;
        let plain: Value = serde_json::from_str(text).unwrap();
        assert_eq!(Value::from(object(text.as_bytes(), 12).unwrap()), plain);
        let problem = object(text.as_bytes(), 11).unwrap_err();
        assert_eq!(problem.code(), Code::BodyTooLarge);
    }
}
