//! The id of a request: in its answer, in problems, in logs and in the messages it causes; and with it the trace that the request is of.

use std::borrow::Cow;

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use uuid::Uuid;

use crate::telemetry::traces::{self, SpanContext};

/// The header of requests and answers that holds it.
pub const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// At most this many bytes of a caller's own.
const MAX_BYTES: usize = 128;

/// 1 to 128 visible ASCII characters. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestId {
    value: HeaderValue,
    /// The span of the request.
    trace: Option<SpanContext>,
}

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
        Self {
            value: id.unwrap_or(HeaderValue::from_static("-")),
            trace: None,
        }
    }

    /// The same, with the span of the request if there is a tracer.
    #[must_use]
    pub fn in_trace(self, trace: Option<&SpanContext>) -> Self {
        let trace = trace.cloned();
        Self { trace, ..self }
    }

    pub fn as_str(&self) -> &str {
        self.value.to_str().unwrap_or_default()
    }

    /// As a header's value.
    pub fn value(&self) -> &HeaderValue {
        &self.value
    }

    /// The span of the request.
    pub fn trace(&self) -> Option<&SpanContext> {
        self.trace.as_ref()
    }

    /// As an import keeps it for its workers: the id and, behind a space, the span as a `traceparent`.
    pub fn stored(&self) -> Cow<'_, str> {
        let id = self.as_str();
        match &self.trace {
            Some(trace) => format!("{id} {}", traces::traceparent(trace)).into(),
            None => id.into(),
        }
    }

    /// The id and the span of what [`stored`](Self::stored) gave.
    pub fn read_stored(text: &str) -> (&str, Option<SpanContext>) {
        match text.split_once(' ') {
            Some((id, traceparent)) => (id, traces::of_our_own(traceparent)),
            None => (text, None),
        }
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

    #[test]
    fn what_is_stored_has_the_id_and_the_span() {
        let id = of("order-7");
        assert_eq!(id.stored(), "order-7");
        assert_eq!(RequestId::read_stored("order-7"), ("order-7", None));
        let text = "order-7 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        let (read, trace) = RequestId::read_stored(text);
        assert_eq!(read, "order-7");
        assert_eq!(id.in_trace(trace.as_ref()).stored(), text);
    }
}
