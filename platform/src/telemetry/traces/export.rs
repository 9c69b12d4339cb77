//! How spans leave the process, and which do.

use std::collections::HashMap;
use std::env;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context as _;
use async_trait::async_trait;
use opentelemetry::trace::{Link, SpanKind, TraceId, TracerProvider};
use opentelemetry::{Context, KeyValue};
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{SpanExporter, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::resource::{EnvResourceDetector, TelemetryResourceDetector};
use opentelemetry_sdk::trace::{
    Config, IdGenerator, ParentBasedSampler, RandomIdGenerator, Sampler, SamplingResult,
    SdkTracerProvider, ShouldSample,
};
use reqwest::redirect::Policy;
use tokio::runtime::Handle;
use url::Url;

use super::TRACER;
use crate::client;
use crate::config::{self, ConfigError};
use crate::one_line;

const ENDPOINT: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";
const TRACES_ENDPOINT: &str = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
const HEADERS: &str = "OTEL_EXPORTER_OTLP_HEADERS";
const SAMPLER: &str = "OTEL_TRACES_SAMPLER";
const SHARE: &str = "OTEL_TRACES_SAMPLER_ARG";

/// How long the collector may take for one export.
const EXPORT: Duration = Duration::from_secs(10);
/// How long the end of a process may take for what is not exported yet.
const FLUSH: Duration = Duration::from_secs(2);

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

#[cfg(test)]
mod tests {
    use opentelemetry::trace::TraceContextExt;
    use opentelemetry_sdk::trace::SamplingDecision;

    use super::super::read;
    use super::super::tests::SAMPLED;
    use super::*;

    fn decisions(sampler: Sampler, traceparent: &str) -> usize {
        let sampler = OfCaller(sampler.into());
        let parent = Context::new().with_remote_span_context(read(traceparent).unwrap());
        let id = TraceId::from(1);
        let is_sampled = |_: &u32| {
            let result = sampler.should_sample(Some(&parent), id, "a", &SpanKind::Server, &[], &[]);
            result.decision == SamplingDecision::RecordAndSample
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
}
