//! The spans of a driver's step and of the calls of the provider that it brings about.
//!
//! A message has no trace of its own stored: its recipient names the import whose values it has, and the import has its request's span.
//! What an import of one chunk for the campaign sends soon is of that import's trace. What comes later, or from a large import,
//! is of the step's trace and has a link to the import: a trace of days or of a hundred thousand calls is nowhere seen as one.

use std::collections::HashMap;
use std::time::{Duration, SystemTime};

use chrono::{TimeDelta, Utc};
use platform::request_id::RequestId;
use platform::telemetry::traces::{self, Span, SpanContext, SpanKind};
use store::Store;
use store::send::drive::Claimed;
use store::send::origin::MessageOrigin;
use tokio::time::timeout;
use uuid::Uuid;

/// How long after its import a message is sent in the import's trace.
const SOON: TimeDelta = TimeDelta::hours(1);

/// How long messages wait for where they come from.
const AT_ONCE: Duration = Duration::from_millis(300);

/// A step that claimed messages, and the imports of these: the span of each, and whether its trace goes on.
#[derive(Default)]
pub(super) struct StepSpans {
    step: Span,
    origins: HashMap<Uuid, (SpanContext, bool)>,
}

impl StepSpans {
    /// Of a step that began at a moment. Without a tracer nothing is looked up.
    pub(super) async fn begun(
        at: SystemTime,
        store: &Store,
        sender: &str,
        claimed: &[Claimed],
    ) -> Self {
        if claimed.is_empty() || !traces::is_on() {
            return Self::default();
        }
        let mut step = Span::begun(at, "drive messages", SpanKind::Internal, None);
        step.set("sender.name", sender);
        step.set_number("messages", claimed.len());
        // The messages wait for it.
        let origins = timeout(AT_ONCE, store.message_origins(claimed)).await;
        let origins = origins.unwrap_or_else(|late| Err(store::Error::Unavailable(late.into())));
        let origins = origins.unwrap_or_else(|error| {
            tracing::debug!(%error, sender.name = %sender, "no imports of messages");
            Vec::new()
        });
        Self {
            step,
            origins: origins.iter().filter_map(origin).collect(),
        }
    }

    /// The span of a call.
    pub(super) fn call(&self, sender: &str, claimed: &Claimed) -> Span {
        let (step, key) = (self.step.context(), claimed.key);
        let (parent, link) = match self.origins.get(&key.message_id) {
            Some((import, true)) => (Some(import), step),
            Some((import, false)) => (step, Some(import)),
            None => (step, None),
        };
        let mut span = Span::begin("send message", SpanKind::Client, parent);
        if let Some(link) = link {
            span.link(link);
        }
        span.set("sender.name", sender);
        span.set("campaign.id", key.campaign.campaign_id);
        span.set("message.id", key.message_id);
        span.set_number("message.parts", claimed.parts.texts.len());
        span
    }
}

fn origin(origin: &MessageOrigin) -> Option<(Uuid, (SpanContext, bool))> {
    let (_, span) = RequestId::read_stored(&origin.request_id);
    let is_soon = origin.queued_at.is_some_and(|at| Utc::now() - at < SOON);
    Some((origin.message_id, (span?, origin.is_cause && is_soon)))
}
