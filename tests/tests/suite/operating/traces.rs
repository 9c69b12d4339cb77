//! Traces as a collector gets them: from a request through the queue to the message, with nothing personal in them.

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result, ensure};
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, Uri};
use axum::{Json, Router};
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::KeyValue;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Any;
use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_proto::tonic::trace::v1::span::{Link, SpanKind};
use prost::Message;
use reqwest::Method;
use serde_json::{Value, json};
use tempfile::NamedTempFile;
use tests::app::{App, Service, Setup};
use tests::campaign::{on_import, on_import_with};
use tests::client::Client;
use tests::import::{Accepted, IMPORT, JSON, array, record};
use tests::servers::free_port;
use tests::visitor::Visitor;
use tests::wait::{LATER, SOON, eventually};
use tests::webhook::SECRET;

const HEADER: &str = "Bearer of-the-collector";
/// A caller's trace, and its span.
const TRACE: u128 = 0x0af7_6519_16cd_43dd_8448_eb21_1c80_319c;
const CALLER: u64 = 0xb7ad_6b71_6920_3331;

fn traceparent() -> String {
    format!("00-{TRACE:032x}-{CALLER:016x}-01")
}

/// A collector, and beside it the provider of a sender, so that one address serves both.
#[derive(Clone, Debug, Default)]
struct Collector(Arc<Mutex<Taken>>);

#[derive(Debug, Default)]
struct Taken {
    spans: Vec<Span>,
    /// Of the resources that they are of.
    resources: Vec<KeyValue>,
    /// The bodies of messages.
    messages: Vec<String>,
}

impl Collector {
    /// One, and its address.
    async fn start() -> Result<(Self, String)> {
        let collector = Self::default();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?.to_string();
        let router = Router::new().fallback(take).with_state(collector.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Ok((collector, address))
    }

    fn with<T>(&self, read: impl FnOnce(&mut Taken) -> T) -> T {
        read(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Waits for a span of which this is true.
    async fn span(&self, what: &str, is_it: impl Fn(&Span) -> bool) -> Result<Span> {
        eventually(SOON, async || {
            let found = self.with(|taken| taken.spans.iter().find(|span| is_it(span)).cloned());
            found.with_context(|| format!("no {what}: {:#?}", self.names()))
        })
        .await
    }

    fn names(&self) -> BTreeSet<String> {
        self.with(|taken| taken.spans.iter().map(|span| span.name.clone()).collect())
    }
}

/// Takes spans, and a message as its provider does.
async fn take(
    State(collector): State<Collector>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Json<Value> {
    collector.with(|taken| {
        if uri.path() != "/v1/traces" {
            taken.messages.push(String::from_utf8_lossy(&body).into());
            return;
        }
        let is_ours = headers["authorization"] == HEADER;
        let request = ExportTraceServiceRequest::decode(body).ok();
        for spans in request
            .filter(|_| is_ours)
            .into_iter()
            .flat_map(|request| request.resource_spans)
        {
            taken
                .resources
                .extend(spans.resource.into_iter().flat_map(|of| of.attributes));
            taken
                .spans
                .extend(spans.scope_spans.into_iter().flat_map(|of| of.spans));
        }
    });
    Json(json!({"id": "w-1"}))
}

/// A text or a number of a span.
fn attribute(span: &Span, key: &str) -> Result<String> {
    let found = span.attributes.iter().find(|one| one.key == key);
    let value = found.and_then(|one| one.value.as_ref()?.value.as_ref());
    match value.with_context(|| format!("no {key}: {span:#?}"))? {
        Any::StringValue(text) => Ok(text.clone()),
        Any::IntValue(number) => Ok(number.to_string()),
        other => anyhow::bail!("{key} is {other:?}"),
    }
}

/// A service that sends traces, each span soon, and messages to the collector's provider.
fn traced(address: &str) -> Setup {
    App::setup()
        .setting(
            "FEEDBACK_SENDERS",
            &format!("own=http://{address}/own?accounts=*&secret={SECRET}"),
        )
        .setting("OTEL_EXPORTER_OTLP_ENDPOINT", &format!("http://{address}"))
        .setting(
            "OTEL_EXPORTER_OTLP_HEADERS",
            "authorization=Bearer%20of-the-collector",
        )
        .setting("OTEL_BSP_SCHEDULE_DELAY", "50")
        .setting("FEEDBACK_PUBLIC_URL", "https://feedback.example")
}

/// Imports a record, with the caller's trace.
async fn import(client: &Client, path: &str, docid: &str) -> Result<Accepted> {
    let call = client
        .call(Method::POST, path)
        .header("traceparent", &traceparent());
    Accepted::read(call.body(JSON, array(&[record(docid)])).send().await?)
}

fn services(app: &mut App) -> impl Iterator<Item = &mut Service> {
    app.workers.iter_mut().chain(&mut app.apis)
}

/// Ends all processes in order.
async fn stop(app: &mut App) -> Result<()> {
    for service in services(app) {
        let status = service.stop().await?;
        ensure!(status.code() == Some(0), "ended with {status}");
    }
    Ok(())
}

#[tokio::test]
async fn one_trace_has_an_import_from_its_caller_to_the_message() -> Result<()> {
    let (collector, address) = Collector::start().await?;
    let mut app = traced(&address).start().await?;
    let client = app.client().await?;
    let campaign = client.started(|form| on_import(form, "own")).await?;
    let id = campaign["campaign_id"].as_str().unwrap_or_default();
    let path = format!("{IMPORT}?campaign={id}");
    let accepted = import(&client, &path, "order-of-a-person").await?;

    let of_trace = |name: &'static str| {
        move |span: &Span| span.name == name && span.trace_id == TRACE.to_be_bytes()
    };
    let request = collector
        .span("request", of_trace("POST /api_v1/sms/import"))
        .await?;
    ensure!(
        request.parent_span_id == CALLER.to_be_bytes(),
        "{request:#?}"
    );
    ensure!(request.kind() == SpanKind::Server, "{request:#?}");
    for (key, value) in [
        ("http.request.method", "POST"),
        ("http.route", "/api_v1/sms/import"),
        ("http.response.status_code", "202"),
    ] {
        ensure!(attribute(&request, key)? == value, "{request:#?}");
    }
    for (name, kind) in [
        ("store import", SpanKind::Internal),
        ("publish notification", SpanKind::Producer),
        ("store chunk", SpanKind::Consumer),
        ("send message", SpanKind::Client),
    ] {
        let span = collector.span(name, of_trace(name)).await?;
        ensure!(span.parent_span_id == request.span_id, "{span:#?}");
        ensure!(span.kind() == kind, "{span:#?}");
    }
    let chunk = collector.span("chunk", of_trace("store chunk")).await?;
    ensure!(
        attribute(&chunk, "batch.id")? == accepted.batch_id,
        "{chunk:#?}"
    );
    let call = collector.span("call", of_trace("send message")).await?;
    ensure!(attribute(&call, "outcome")? == "accepted", "{call:#?}");
    let step = |span: &Span| {
        let is_linked = call.links.iter().any(|link| link.span_id == span.span_id);
        span.name == "drive messages" && is_linked
    };
    collector.span("step", step).await?;

    // What people do with the link has traces too.
    client.until_first(&campaign, "accepted", 1).await?;
    let message = collector
        .with(|taken| taken.messages.pop())
        .context("no message")?;
    let message: Value = serde_json::from_str(&message)?;
    let text = message["text"].as_str().context("no text")?.to_owned();
    let (_, token) = text.rsplit_once("/f/").context("no link")?;
    let visitor = Visitor::new(&client, &json!({"token": token}))?;
    visitor.page().await?.expect(200)?;
    visitor.stored(&json!({"mood": 1})).await?;
    collector
        .span("page", |span| span.name == "GET /f/{token}")
        .await?;
    collector
        .span("roll-up", |span| span.name == "roll up form")
        .await?;
    app.succeeds(&["verify"]).await?;
    collector
        .span("command", |span| span.name == "feedback verify")
        .await?;

    stop(&mut app).await?;
    let told = collector.with(|taken| format!("{:?}{:?}", taken.spans, taken.resources));
    ensure!(
        told.contains("service.name") && told.contains("\"feedback\""),
        "{told}"
    );
    let keys = client.key_headers()?;
    let [(_, key), (_, secret)] = &keys;
    let secrets = [
        "order-of-a-person",
        "4915112345678",
        "S1",
        token,
        key,
        secret,
        SECRET,
        "of-the-collector",
    ];
    tests::check::names_nobody(&told, &secrets)?;
    let mut logs = String::new();
    for service in services(&mut app) {
        logs.push_str(&service.process.log()?);
    }
    ensure!(!logs.contains("of-the-collector"), "a header is logged");
    let queued = logs.lines().find(|line| line.contains("batch queued"));
    let queued: Value = serde_json::from_str(queued.context("no line")?)?;
    let trace_id = format!("{TRACE:032x}");
    ensure!(queued["span"]["trace.id"] == trace_id, "{queued}");
    Ok(())
}

#[tokio::test]
async fn a_message_that_no_import_sent_has_a_link_to_that_of_its_recipient() -> Result<()> {
    let (collector, address) = Collector::start().await?;
    let app = traced(&address).start().await?;
    let client = app.client().await?;
    let accepted = import(&client, IMPORT, "order-1").await?;
    client.completed(&accepted.batch_id, LATER).await?;
    let audience = json!({"audience": {"batch_ids": [accepted.batch_id]}});
    let of = |form: &Value| on_import_with(form, "own", audience);
    client.started(of).await?;
    let call = collector
        .span("call", |span| span.name == "send message")
        .await?;
    let request = collector
        .span("request", |span| span.name == "POST /api_v1/sms/import")
        .await?;
    let is_linked =
        |link: &Link| link.span_id == request.span_id && link.trace_id == TRACE.to_be_bytes();
    ensure!(call.links.iter().any(is_linked), "{call:#?}");
    let step = collector
        .span("step", |span| span.span_id == call.parent_span_id)
        .await?;
    ensure!(
        step.name == "drive messages" && step.trace_id != TRACE.to_be_bytes(),
        "{step:#?}"
    );
    Ok(())
}

#[tokio::test]
async fn an_end_exports_what_is_left_and_a_caller_has_no_more_than_the_share() -> Result<()> {
    for (sampler, expected) in [("traceidratio", false), ("parentbased_traceidratio", true)] {
        let (collector, address) = Collector::start().await?;
        let mut headers = NamedTempFile::new()?;
        write!(headers, "authorization={HEADER}")?;
        let headers = format!("@{}", headers.path().display());
        let setup = traced(&address)
            .setting("OTEL_EXPORTER_OTLP_HEADERS", &headers)
            .setting("OTEL_BSP_SCHEDULE_DELAY", "3600000")
            .setting("OTEL_TRACES_SAMPLER", sampler)
            .setting("OTEL_TRACES_SAMPLER_ARG", "0");
        let mut app = setup.start().await?;
        let client = app.client().await?;
        let accepted = import(&client, IMPORT, "order-1").await?;
        client.completed(&accepted.batch_id, LATER).await?;
        stop(&mut app).await?;
        let names = collector.names();
        let all = [
            "POST /api_v1/sms/import",
            "publish notification",
            "store chunk",
            "store import",
        ];
        let all: BTreeSet<_> = all
            .into_iter()
            .filter(|_| expected)
            .map(str::to_owned)
            .collect();
        ensure!(names == all, "{sampler}: {names:?}");
    }
    Ok(())
}

#[tokio::test]
async fn a_collector_that_is_away_costs_a_warning() -> Result<()> {
    let address = format!("127.0.0.1:{}", free_port()?);
    let mut app = traced(&address)
        .setting("FEEDBACK_SENDERS", "demo=demo:")
        .start()
        .await?;
    let client = app.client().await?;
    let warnings = |app: &mut App| {
        let logs = services(app).map(|service| service.process.log());
        let counts = logs.map(|log| Ok(log?.matches("the collector takes no traces").count()));
        counts.collect::<Result<Vec<_>>>()
    };
    eventually(SOON, async || {
        let accepted = client.import(&[record("order-1")]).await?;
        client.completed(&accepted.batch_id, LATER).await?;
        let warnings = warnings(&mut app)?;
        ensure!(warnings.iter().all(|count| *count == 1), "{warnings:?}");
        Ok(())
    })
    .await?;
    client.import(&[record("order-2")]).await?;
    stop(&mut app).await?;
    let warnings = warnings(&mut app)?;
    ensure!(warnings.iter().all(|count| *count == 1), "{warnings:?}");
    Ok(())
}
