//! Traces, exported by OTLP over HTTP while `OTEL_EXPORTER_OTLP_ENDPOINT` or `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` is set. Otherwise
//! there is no tracer, and a [`Span`] is nothing.
//!
//! Spans are not made from those of the log, because a span's parent is often known only after its work began (a chunk's is read with
//! the chunk), because most looks for work find none, and so that nothing leaves the process but what is named here and by callers:
//! ids, counts and words. Never a phone, a docid, a token, a path, a text or an error's message.

use std::collections::HashMap;
use std::env;
use std::fmt::Display;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use anyhow::Context as _;
use async_trait::async_trait;
use axum::http::HeaderMap;
use opentelemetry::propagation::{Extractor, TextMapPropagator};
use opentelemetry::trace::{
    Link, Span as _, SpanBuilder, Status, TraceContextExt, TraceId, Tracer, TracerProvider,
};
pub use opentelemetry::trace::{SpanContext, SpanKind};
use opentelemetry::{Context, KeyValue};
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{SpanExporter, WithHttpConfig};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::resource::{EnvResourceDetector, TelemetryResourceDetector};
use opentelemetry_sdk::trace::{
    Config, IdGenerator, ParentBasedSampler, RandomIdGenerator, Sampler, SamplingResult, SdkTracer,
    SdkTracerProvider, ShouldSample,
};
use opentelemetry_sdk::{Resource, trace};
use reqwest::redirect::Policy;
use tokio::runtime::Handle;
use url::Url;

use crate::client;
use crate::config::{self, ConfigError};
use crate::one_line;

const ENDPOINT: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";
const TRACES_ENDPOINT: &str = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
const HEADERS: &str = "OTEL_EXPORTER_OTLP_HEADERS";
const SAMPLER: &str = "OTEL_TRACES_SAMPLER";
const SHARE: &str = "OTEL_TRACES_SAMPLER_ARG";
/// W3C's header with a trace, the caller's span and whether it is sampled.
const TRACEPARENT: &str = "traceparent";

/// How long the collector may take for one export.
const EXPORT: Duration = Duration::from_secs(10);
/// How long the end of a process may take for what is not exported yet.
const FLUSH: Duration = Duration::from_secs(2);

/// The process's tracer, as its log and its metrics are the process's.
static TRACER: OnceLock<SdkTracer> = OnceLock::new();

/// What exports the process's spans.
pub(crate) struct Exporter(SdkTracerProvider);

impl Exporter {
    /// Starts the tracer, if there is an endpoint: a thread that exports through `runtime`, and a bounded queue before it.
    ///
    /// # Errors
    /// A variable that the exporter cannot use.
    pub(crate) fn start(runtime: &Handle) -> anyhow::Result<Option<Self>> {
        let value = |name| env::var(name).unwrap_or_default();
        let endpoints = [TRACES_ENDPOINT, ENDPOINT].into_iter();
        let mut endpoints = endpoints.map(|name| (name, value(name)));
        let Some((variable, url)) = endpoints.find(|(_, url)| !url.is_empty()) else {
            return Ok(None);
        };
        if !Url::parse(&url).is_ok_and(|url| matches!(url.scheme(), "http" | "https")) {
            let reason = "not a URL that begins with http:// or https://";
            return Err(ConfigError::new(variable, reason).into());
        }
        check_sampler(&value(SAMPLER), &value(SHARE))?;
        let client = client::builder()?
            .timeout(EXPORT)
            .redirect(Policy::none())
            .build()
            .context("no client for traces")?;
        let collector = Collector {
            client,
            runtime: runtime.clone(),
            is_away: AtomicBool::new(false),
        };
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(collector)
            .with_headers(headers_of_file()?)
            .build()
            .map_err(|error| {
                // The URL may have a password.
                let reason = error.to_string().replace(&url, "***");
                ConfigError::new(variable, reason)
            })?;
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            .with_sampler(sampler())
            .with_resource(resource())
            .build();
        // Set once in a process.
        let _ = TRACER.set(provider.tracer("feedback"));
        Ok(Some(Self(provider)))
    }

    /// Exports what is left, for at most 2 s. Spans that end later are lost.
    pub(crate) fn flush(&self) {
        // That the collector is away was said by then.
        let _ = self.0.shutdown_with_timeout(FLUSH);
    }
}

/// The headers in the file that `OTEL_EXPORTER_OTLP_HEADERS` names: none where it names none, because then the exporter reads it.
fn headers_of_file() -> Result<HashMap<String, String>, ConfigError> {
    let value = env::var(HEADERS).unwrap_or_default();
    let text = config::of_file(HEADERS, &value)?.unwrap_or_default();
    let headers = text.split(',').filter_map(|header| header.split_once('='));
    let headers = headers.map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned()));
    Ok(headers.collect())
}

/// What the process is called, unless `OTEL_SERVICE_NAME` or `OTEL_RESOURCE_ATTRIBUTES` say something else.
fn resource() -> Resource {
    let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
    let resource = Resource::builder_empty()
        .with_service_name("feedback")
        .with_attribute(version)
        .with_detector(Box::new(TelemetryResourceDetector))
        .with_detector(Box::new(EnvResourceDetector::new()));
    let name = env::var("OTEL_SERVICE_NAME").unwrap_or_default();
    if name.is_empty() {
        resource.build()
    } else {
        resource.with_service_name(name).build()
    }
}

/// Refuses what the SDK would take for all traces without a word.
fn check_sampler(sampler: &str, share: &str) -> Result<(), ConfigError> {
    let is_share = |share: f64| (0.0..=1.0).contains(&share);
    match sampler.strip_prefix("parentbased_").unwrap_or(sampler) {
        "traceidratio" if !share.is_empty() && !share.parse().is_ok_and(is_share) => {
            Err(ConfigError::new(SHARE, "not a number from 0 to 1"))
        }
        "" | "always_on" | "always_off" | "traceidratio" => Ok(()),
        _ => {
            let reason =
                "not always_on, always_off, traceidratio, or one of them behind parentbased_";
            Err(ConfigError::new(SAMPLER, reason))
        }
    }
}

/// The sampler of `OTEL_TRACES_SAMPLER` for traces that begin here and, as [`OfCaller`], for those of callers; what begins in a trace
/// of our own goes by that trace.
fn sampler() -> ParentBasedSampler {
    let configured = Config::default().sampler;
    let of_caller = OfCaller(configured.clone());
    Sampler::parent_based(configured)
        .with_remote_parent_sampled(of_caller.clone())
        .with_remote_parent_not_sampled(of_caller)
}

/// Decides on a trace that a caller began. A `parentbased` sampler takes the caller's word. A share of all traces is judged by their
/// ids, and a caller could choose one that is always of it: so it is judged by an id that is drawn here.
#[derive(Clone, Debug)]
struct OfCaller(Box<dyn ShouldSample>);

impl ShouldSample for OfCaller {
    fn should_sample(
        &self,
        parent: Option<&Context>,
        _trace_id: TraceId,
        name: &str,
        kind: &SpanKind,
        attributes: &[KeyValue],
        links: &[Link],
    ) -> SamplingResult {
        let drawn = RandomIdGenerator::default().new_trace_id();
        let sampler = &self.0;
        sampler.should_sample(parent, drawn, name, kind, attributes, links)
    }
}

/// The collector, asked through the process's runtime, because the exporter's thread has none.
#[derive(Debug)]
struct Collector {
    client: reqwest::Client,
    runtime: Handle,
    is_away: AtomicBool,
}

#[async_trait]
impl HttpClient for Collector {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let client = self.client.clone();
        let sending = async move { client.send_bytes(request).await };
        let answer = self.runtime.spawn(sending).await?.map_err(reason);
        let reason = match &answer {
            Ok(answer) if answer.status().is_success() => None,
            Ok(answer) => Some(answer.status().to_string()),
            Err(reason) => Some(reason.clone()),
        };
        let was_away = self.is_away.swap(reason.is_some(), Ordering::Relaxed);
        if let Some(reason) = reason
            && !was_away
        {
            tracing::warn!(%reason, "the collector takes no traces; spans are dropped until it does");
        }
        Ok(answer?)
    }
}

/// Without the URL, which may have a password.
fn reason(error: HttpError) -> String {
    match error.downcast::<reqwest::Error>() {
        Ok(error) => one_line(&error.without_url()),
        Err(error) => one_line(error.as_ref()),
    }
}

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

    const SAMPLED: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    fn decisions(sampler: Sampler, traceparent: &str) -> usize {
        let sampler = OfCaller(sampler.into());
        let parent = Context::new().with_remote_span_context(read(traceparent).unwrap());
        let id = TraceId::from(1);
        let is_sampled = |_: &u32| {
            let result = sampler.should_sample(Some(&parent), id, "a", &SpanKind::Server, &[], &[]);
            result.decision == trace::SamplingDecision::RecordAndSample
        };
        (0..1_000).filter(is_sampled).count()
    }

    #[test]
    fn a_caller_gets_no_more_than_the_share_unless_its_word_is_taken() {
        let not_sampled = format!("{}0", &SAMPLED[..54]);
        // The id 1 is of every share.
        let share = Sampler::TraceIdRatioBased(0.1);
        assert!((1..400).contains(&decisions(share.clone(), SAMPLED)));
        assert!((1..400).contains(&decisions(share.clone(), &not_sampled)));
        assert_eq!(decisions(Sampler::AlwaysOff, SAMPLED), 0);
        let trusting = Sampler::ParentBased(Box::new(share));
        assert_eq!(decisions(trusting.clone(), SAMPLED), 1_000);
        assert_eq!(decisions(trusting, &not_sampled), 0);
    }

    #[test]
    fn a_sampler_that_is_not_known_is_refused() {
        for (sampler, share, wrong) in [
            ("", "", None),
            ("always_off", "", None),
            ("traceidratio", "", None),
            ("parentbased_traceidratio", "0.05", None),
            ("traceidratio", "5%", Some(SHARE)),
            ("parentbased_traceidratio", "1.1", Some(SHARE)),
            ("ratio", "0.05", Some(SAMPLER)),
        ] {
            let refused = check_sampler(sampler, share).err();
            assert_eq!(refused.map(|error| error.variable), wrong, "{sampler}");
        }
    }

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
