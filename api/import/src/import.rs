//! `POST /api_v1/sms/import`: what a caller sees of an import. How the body gets in is [`crate::ingest`]'s.

mod request;

use std::future::pending;
use std::time::Instant;

use axum::body::Body;
use axum::extract::State;
use axum::http::header::{CONTENT_TYPE, LOCATION};
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use domain::record::RecordError;
use platform::telemetry::traces::{Span, SpanKind};
use serde::Serialize;
use serde_json::Value;
use store::import::{FinishedImport, ImportAttempt};
use store::send::Campaign;
use utoipa::ToSchema;
use uuid::Uuid;

pub use self::request::ImportRequest;
use self::request::{find_campaign, named_campaign, refusal};
use crate::ingest::{self, Attempt, BodySummary, Incoming, Job, OnError};
use crate::schema::Records;
use crate::{ImportState, SCOPE};
use api_http::{Caller, Change, Code, Parameters, Problem, Result, error};

const IMPORT: Change = Change::new(SCOPE, "import.upload", StatusCode::ACCEPTED);
const IDEMPOTENT_REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// An accepted import.
#[derive(Debug, Serialize, ToSchema)]
pub struct ImportAccepted<'a> {
    batch_id: Uuid,
    #[schema(example = "queued")]
    status: &'static str,
    /// Records of the body: `accepted + rejected`.
    received: u64,
    accepted: u64,
    rejected: u64,
    /// Record errors that are not kept: of a record the first 100 are, of a batch the first 100,000.
    errors_dropped: u64,
    /// The first 100; all that are kept are at `…/errors`.
    #[schema(value_type = Vec<crate::schema::RecordError>)]
    errors: &'a [RecordError],
    #[schema(example = "/api_v1/sms/import/0192f0c1-2345-7abc-8def-0123456789ab")]
    status_url: String,
}

/// Import records.
///
/// The body is streamed; when this answers 202 every accepted record is committed durably and will be stored exactly
/// once. Invalid records are reported one by one and, by default, do not keep the valid ones out.
#[utoipa::path(
    post,
    path = "/api_v1/sms/import",
    params(
        ("on_error" = inline(Option<OnError>), Query,
            description = "What becomes of the valid records if there are invalid ones"),
        ("campaign" = Option<Uuid>, Query,
            description = "The campaign that sends to the recipients of this import; needs the scope `send` too"),
        ("Idempotency-Key" = Option<String>, Header, min_length = 1, max_length = 255, pattern = "^[!-~]+$",
            description = "The same key, query and body within 24 h gives the first answer again"),
    ),
    request_body(
        description = "Records, as a JSON array, as its member `data`, as CSV with a header, or as a JSON object a line; \
                       with `Content-Encoding: gzip` or `zstd` compressed",
        content(
            (Records = "application/json"),
            (String = "text/csv", example = "docid,phone,area_code\r\nA1,+491701234567,030\r\n"),
            (String = "application/x-ndjson"),
        ),
    ),
    responses(
        (status = 202, description = "Accepted and committed", body = ImportAccepted, headers(
            ("Location" = String, description = "Where the batch's status is"),
            ("Idempotent-Replayed" = String, description = "`true` on an answer given before"),
        )),
        (status = 400, description = "`invalid_json`, `invalid_csv`, `invalid_parameter`"),
        (status = 409, description = "`idempotency_in_flight`; `campaign_not_running`: it takes no imports"),
        (status = 404, description = "`not_found`: there is no such campaign"),
        (status = 413, description = "`body_too_large`, `too_many_records`"),
        (status = 422, description = "`validation_failed`, `idempotency_key_reused`; nothing is stored"),
    ),
)]
pub async fn import_sms(
    State(state): State<ImportState>,
    caller: Caller,
    headers: HeaderMap,
    parameters: Result<Parameters>,
    body: Body,
) -> Result<Imported> {
    let campaign_id = named_campaign(&parameters);
    let request = ImportRequest::read(&headers, parameters);
    import(&state, &caller, campaign_id, request, body, pending()).await
}

/// An import that is not refused, or that was answered before.
pub enum Imported {
    /// The batch's path and the answer, in JSON.
    Accepted(String, Bytes),
    Replayed(FinishedImport),
}

/// Imports a body for a campaign, or for none. What the campaign is refused for comes before what the request is refused for.
/// Once the caller has `gone` it ends as if the client was.
///
/// # Errors
/// 401: the caller has gone; 403; 404; whatever the body, its account's memory or the database refuse.
pub async fn import(
    state: &ImportState,
    caller: &Caller,
    campaign_id: Option<Uuid>,
    request: Result<ImportRequest>,
    body: Body,
    gone: impl Future<Output = ()> + Send,
) -> Result<Imported> {
    let import = async {
        let begin = Instant::now();
        let campaign = find_campaign(caller, campaign_id).await?;
        let request = request?;
        let imported = Box::pin(attempt(state, (caller, campaign), request, body)).await;
        let outcome = match &imported {
            Ok((outcome, _)) => outcome,
            Err(problem) => problem.code().as_str(),
        };
        metrics::counter!("feedback_imports_total", "outcome" => outcome).increment(1);
        metrics::histogram!("feedback_import_seconds").record(begin.elapsed().as_secs_f64());
        imported?.1
    };
    let until_gone = async {
        tokio::select! {
            biased;
            imported = import => imported,
            () = gone => Err(Problem::unauthenticated()),
        }
    };
    let subject = campaign_id.map_or_else(String::new, |id| id.to_string());
    caller.change(IMPORT, &subject, until_gone).await
}

/// What an import came to, and its name in metrics.
type ImportOutcome = (&'static str, Result<Imported>);

async fn attempt(
    state: &ImportState,
    (caller, campaign): (&Caller, Option<Campaign>),
    request: ImportRequest,
    body: Body,
) -> Result<ImportOutcome> {
    let (app, account_id) = (&caller.app, caller.account_id());
    let campaign_id = campaign.as_ref().map(|campaign| campaign.campaign_id);
    let query = request.query(campaign_id);
    let attempt = ImportAttempt::new(account_id, request.key, campaign_id);
    let (attempt, finished) = Attempt::open(app, attempt, &query).await?;
    let incoming = Incoming {
        body,
        kind: request.kind,
        encoding: request.encoding,
        permit: state.memory.permit(account_id),
        limit: state.max_body,
    };
    if let Some(first) = finished {
        let same = first.query == query && first.body_hash == ingest::digest(incoming).await?;
        let replayed = same.then_some(("replayed", Ok(Imported::Replayed(first))));
        return replayed.ok_or_else(|| {
            let detail = "the idempotency key was used within 24 h with another query or body";
            Problem::new(Code::IdempotencyKeyReused, detail)
        });
    }
    // Only a new import is refused: one that was answered before is answered the same.
    if let Some(why) = campaign.as_ref().and_then(refusal) {
        let refused = Problem::new(Code::CampaignNotRunning, why);
        return Err(attempt.give_up(refused).await);
    }
    let job = Job {
        on_error: request.on_error,
        max_records: state.max_records,
        cut: app.store.chunk_cut(),
    };
    let mut span = Span::begin(
        "store import",
        SpanKind::Internal,
        caller.request_id.trace(),
    );
    span.set("batch.id", attempt.import.batch_id);
    let imported = match ingest::receive(&attempt, job, incoming).await {
        Ok(summary) => {
            span.set_number("records.accepted", summary.accepted);
            span.set_number("records.rejected", summary.rejected);
            if request.on_error.accepts(&summary) {
                accept(attempt, summary, caller).await
            } else {
                refuse(attempt, summary, caller).await
            }
        }
        Err(error) => Err(attempt.give_up(error).await),
    };
    match &imported {
        Ok((outcome, _)) => span.set("outcome", outcome),
        Err(problem) => span.fail(problem.code().as_str()),
    }
    imported
}

async fn accept(attempt: Attempt, summary: BodySummary, caller: &Caller) -> Result<ImportOutcome> {
    let batch_id = attempt.import.batch_id;
    let status_url = format!("/api_v1/sms/import/{batch_id}");
    let answer = ImportAccepted {
        batch_id,
        status: "queued",
        received: summary.received,
        accepted: summary.accepted,
        rejected: summary.rejected,
        errors_dropped: summary.errors_dropped,
        errors: &summary.errors,
        status_url: status_url.clone(),
    };
    // Texts and numbers always serialise.
    let answer = Bytes::from(serde_json::to_vec(&answer).unwrap_or_default());
    let (accepted, rejected) = (summary.accepted, summary.rejected);
    let accepting = attempt.end(summary, Some(caller.request_id.clone()), answer.clone());
    accepting.await?;
    metrics::counter!("feedback_import_records_total", "result" => "accepted").increment(accepted);
    metrics::counter!("feedback_import_records_total", "result" => "rejected").increment(rejected);
    tracing::info!(batch.id = %batch_id, records.accepted = accepted, records.rejected = rejected, "batch queued");
    Ok(("accepted", Ok(Imported::Accepted(status_url, answer))))
}

async fn refuse(
    attempt: Attempt,
    mut summary: BodySummary,
    caller: &Caller,
) -> Result<ImportOutcome> {
    let detail = match (summary.received, summary.accepted) {
        (0, _) => "the body holds no record",
        (_, 0) => "no record is valid",
        _ => "not every record is valid, and on_error is reject_all",
    };
    let (rejected, errors) = (summary.rejected, std::mem::take(&mut summary.errors));
    let counts = [summary.received, rejected, summary.errors_dropped];
    let problem = Problem::refused(counts, errors, detail);
    let answer = problem.body(&caller.request_id);
    attempt.end(summary, None, answer).await?;
    metrics::counter!("feedback_import_records_total", "result" => "rejected").increment(rejected);
    Ok(("refused", Err(problem)))
}

impl IntoResponse for Imported {
    fn into_response(self) -> Response {
        match self {
            Self::Accepted(status_url, answer) => accepted(&status_url, answer),
            Self::Replayed(first) => replay(first),
        }
    }
}

fn accepted(status_url: &str, answer: Bytes) -> Response {
    let headers = [(CONTENT_TYPE, "application/json"), (LOCATION, status_url)];
    (StatusCode::ACCEPTED, headers, answer).into_response()
}

/// The first answer again, byte for byte.
fn replay(first: FinishedImport) -> Response {
    let answer = Bytes::from(first.answer);
    let body: Value = serde_json::from_slice(&answer).unwrap_or_default();
    let response = match body["status_url"].as_str() {
        Some(status_url) if first.status == StatusCode::ACCEPTED => {
            accepted(status_url, answer.clone())
        }
        _ => error::written(StatusCode::UNPROCESSABLE_ENTITY, answer),
    };
    ([(IDEMPOTENT_REPLAYED, "true")], response).into_response()
}

#[cfg(test)]
mod tests;
