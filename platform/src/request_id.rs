//! The id of a request: in its answer, in problems, in logs and in the messages it causes.

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use uuid::Uuid;

/// The header of requests and answers that holds it.
pub const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// At most this many bytes of a caller's own.
const MAX_BYTES: usize = 128;

/// 1 to 128 visible ASCII characters. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestId(HeaderValue);

impl RequestId {
    /// The caller's own if it is of the shape, else a fresh one.
    pub fn of(headers: &HeaderMap) -> Self {
        let own = headers.get(X_REQUEST_ID);
        let own = own.filter(|value| {
            let bytes = value.as_bytes();
            (1..=MAX_BYTES).contains(&bytes.len()) && bytes.iter().all(u8::is_ascii_graphic)
        });
        let fresh = || HeaderValue::try_from(Uuid::now_v7().to_string()).ok();
        // The text of a UUID always is a header's value.
        let id = own.cloned().or_else(fresh);
        Self(id.unwrap_or(HeaderValue::from_static("-")))
    }

    pub fn as_str(&self) -> &str {
        self.0.to_str().unwrap_or_default()
    }

    /// As a header's value.
    pub fn value(&self) -> &HeaderValue {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> RequestId {
        let mut headers = HeaderMap::new();
        headers.insert(
            X_REQUEST_ID,
            HeaderValue::from_bytes(text.as_bytes()).unwrap(),
        );
        RequestId::of(&headers)
    }

    #[test]
    fn a_callers_own_id_is_kept() {
        let longest = "x".repeat(128);
        for id in ["a", "order-7/~!", longest.as_str()] {
            assert_eq!(of(id).as_str(), id);
        }
    }

    #[test]
    fn anything_else_gets_a_fresh_one() {
        let too_long = "x".repeat(129);
        for id in ["", "two words", "tab\tbed", "é", too_long.as_str()] {
            assert_eq!(of(id).as_str().len(), 36, "{id}");
        }
        assert_ne!(
            RequestId::of(&HeaderMap::new()),
            RequestId::of(&HeaderMap::new())
        );
    }
}
