//! Traces, exported by OTLP over HTTP while `OTEL_EXPORTER_OTLP_ENDPOINT` or `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` is set. Otherwise
//! there is no tracer, and a [`Span`] is nothing.
//!
//! Spans are not made from those of the log, because a span's parent is often known only after its work began (a chunk's is read with
//! the chunk), because most looks for work find none, and so that nothing leaves the process but what is named here and by callers:
//! ids, counts and words. Never a phone, a docid, a token, a path, a text or an error's message.

mod export;

use std::fmt::Display;
use std::sync::OnceLock;
use std::time::SystemTime;

use axum::http::HeaderMap;
use opentelemetry::propagation::{Extractor, TextMapPropagator};
use opentelemetry::trace::{Span as _, SpanBuilder, Status, TraceContextExt, TraceId, Tracer};
pub use opentelemetry::trace::{SpanContext, SpanKind};
use opentelemetry::{Context, KeyValue};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{self, SdkTracer};

pub(crate) use self::export::Exporter;

/// W3C's header with a trace, the caller's span and whether it is sampled.
const TRACEPARENT: &str = "traceparent";

/// The process's tracer, as its log and its metrics are the process's.
static TRACER: OnceLock<SdkTracer> = OnceLock::new();

/// A span, which ends when it is dropped. Where there is no tracer it is nothing; where its trace is not sampled it has a context alone.
#[derive(Debug, Default)]
pub struct Span(Option<Box<trace::Span>>);

impl Span {
    /// Begins now. Names have few values. Without a parent a trace begins.
    pub fn begin(name: &'static str, kind: SpanKind, parent: Option<&SpanContext>) -> Self {
        Self::begin_at(None, name, kind, parent)
    }

    /// A span that began at a moment of before.
    pub fn begun(
        at: SystemTime,
        name: &'static str,
        kind: SpanKind,
        parent: Option<&SpanContext>,
    ) -> Self {
        Self::begin_at(Some(at), name, kind, parent)
    }

    fn begin_at(
        at: Option<SystemTime>,
        name: &'static str,
        kind: SpanKind,
        parent: Option<&SpanContext>,
    ) -> Self {
        let Some(tracer) = TRACER.get() else {
            return Self::default();
        };
        let mut builder = SpanBuilder::from_name(name).with_kind(kind);
        builder.start_time = at;
        let context = parent.map_or_else(Context::new, |parent| {
            Context::new().with_remote_span_context(parent.clone())
        });
        Self(Some(Box::new(tracer.build_with_context(builder, &context))))
    }

    fn recording(&mut self) -> Option<&mut trace::Span> {
        let span = self.0.as_deref_mut();
        span.filter(|span| span.is_recording())
    }

    /// Names it by what was not known when it began.
    pub fn rename(&mut self, name: impl Display) {
        if let Some(span) = self.recording() {
            span.update_name(name.to_string());
        }
    }

    /// Sets an attribute.
    pub fn set(&mut self, key: &'static str, value: impl Display) {
        if let Some(span) = self.recording() {
            span.set_attribute(KeyValue::new(key, value.to_string()));
        }
    }

    /// Sets an attribute that is a number.
    pub fn set_number(&mut self, key: &'static str, value: impl TryInto<i64>) {
        if let Some(span) = self.recording() {
            span.set_attribute(KeyValue::new(key, value.try_into().unwrap_or(i64::MAX)));
        }
    }

    /// Says that it failed, and of what kind of error: one of few words.
    pub fn fail(&mut self, kind: impl Display) {
        if let Some(span) = self.recording() {
            span.set_attribute(KeyValue::new("error.type", kind.to_string()));
            span.set_status(Status::error(""));
        }
    }

    /// Links it to what else brought it about, if that is sampled.
    pub fn link(&mut self, to: &SpanContext) {
        if let Some(span) = self.recording()
            && to.is_sampled()
        {
            span.add_link(to.clone(), vec![]);
        }
    }

    /// What spans that it brings about begin or link with. `None`: there is no tracer.
    pub fn context(&self) -> Option<&SpanContext> {
        self.0.as_ref().map(|span| span.span_context())
    }

    /// The trace, for lines of the log. `None`: it is not sampled.
    pub fn trace_id(&self) -> Option<TraceId> {
        let context = self.context().filter(|context| context.is_sampled());
        context.map(SpanContext::trace_id)
    }
}

/// Whether spans are made.
pub fn is_on() -> bool {
    TRACER.get().is_some()
}

/// The caller's span, if there is a tracer and the caller names one. Of `tracestate`, which is any text, nothing is taken.
pub fn of_caller(headers: &HeaderMap) -> Option<SpanContext> {
    if !is_on() {
        return None;
    }
    let traceparent = headers.get(TRACEPARENT)?;
    traceparent.to_str().ok().and_then(read)
}

/// A span as a `traceparent`.
pub(crate) fn traceparent(context: &SpanContext) -> String {
    let (trace_id, span_id) = (context.trace_id(), context.span_id());
    format!("00-{trace_id}-{span_id}-{:02x}", context.trace_flags())
}

/// The span of a `traceparent` that was written here.
pub(crate) fn of_our_own(traceparent: &str) -> Option<SpanContext> {
    let context = read(traceparent)?;
    Some(SpanContext::new(
        context.trace_id(),
        context.span_id(),
        context.trace_flags(),
        false,
        context.trace_state().clone(),
    ))
}

fn read(traceparent: &str) -> Option<SpanContext> {
    let header = Traceparent(traceparent);
    let context = TraceContextPropagator::new().extract_with_context(&Context::new(), &header);
    let context = context.span().span_context().clone();
    context.is_valid().then_some(context)
}

/// The headers that a span is read from: this one alone.
struct Traceparent<'a>(&'a str);

impl Extractor for Traceparent<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        (key == TRACEPARENT).then_some(self.0)
    }

    fn keys(&self) -> Vec<&str> {
        vec![TRACEPARENT]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of a trace that is sampled.
    pub(super) const SAMPLED: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    #[test]
    fn a_traceparent_is_read_as_it_was_written() {
        let context = of_our_own(SAMPLED).unwrap();
        assert!(context.is_sampled() && !context.is_remote());
        assert_eq!(traceparent(&context), SAMPLED);
        for wrong in ["", "00-0-0-01", "ff-1-1-01", &SAMPLED[..50], "a b"] {
            assert!(read(wrong).is_none(), "{wrong}");
        }
    }

    #[test]
    fn without_a_tracer_a_span_is_nothing() {
        let mut span = Span::begin("a", SpanKind::Internal, None);
        span.set("key", "value");
        assert!(span.0.is_none() && span.context().is_none() && !is_on());
    }
}
