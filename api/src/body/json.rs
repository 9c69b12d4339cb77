//! A JSON object as a body.

use axum::body::Body;
use axum::http::HeaderMap;
use serde_json::{Map, Value};

use super::{Buffers, ContentType, plain};
use crate::error::{Code, Problem};

const BOM: &[u8] = b"\xef\xbb\xbf";

/// Reads a body of `application/json` that is one object, at most `limit` bytes.
///
/// # Errors
/// 415; 413; 400 `invalid_json`; 503 when too many large bodies come at once.
pub async fn json(
    buffers: &Buffers,
    headers: &HeaderMap,
    body: Body,
    limit: usize,
) -> Result<Map<String, Value>, Problem> {
    let kind = ContentType::of(headers).filter(|kind| kind.essence == "application/json");
    if kind.is_none() {
        return Err(Problem::new(
            Code::UnsupportedMediaType,
            "Content-Type must be application/json, in UTF-8",
        ));
    }
    plain(headers)?;
    let whole = buffers.read(body, limit, Code::InvalidJson).await?;
    object(&whole.bytes)
}

/// The object that these bytes are.
fn object(bytes: &[u8]) -> Result<Map<String, Value>, Problem> {
    let invalid = |detail: String| Problem::new(Code::InvalidJson, detail);
    let text = bytes.strip_prefix(BOM).unwrap_or(bytes);
    let before = bytes.len() - text.len();
    if let Err(error) = str::from_utf8(text) {
        let at = before + error.valid_up_to();
        return Err(invalid(format!("not UTF-8 at byte {at}")));
    }
    match serde_json::from_slice(text) {
        Ok(Value::Object(members)) => Ok(members),
        Ok(_) => Err(invalid(format!(
            "the body must be an object, which begins at byte {before}"
        ))),
        Err(error) => {
            let at = before + offset(text, error.line(), error.column());
            Err(invalid(format!("not JSON at byte {at}: {error}")))
        }
    }
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
        let problem = object(bytes).unwrap_err();
        assert_eq!(problem.code(), Code::InvalidJson);
        problem.detail().to_owned()
    }

    #[test]
    fn an_object_is_read_with_or_without_a_bom() {
        for bytes in [&b"{\"a\": 1}"[..], b"\xef\xbb\xbf {\"a\": 1}\n"] {
            assert_eq!(object(bytes).unwrap()["a"], 1);
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
        ] {
            let detail = refused(bytes);
            assert!(detail.contains(place), "{detail}");
        }
    }
}
