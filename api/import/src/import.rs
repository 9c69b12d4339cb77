//! `POST /api_v1/sms/import`: what a caller sees of an import. How the body gets in is [`crate::ingest`]'s.

mod request;

use std::collections::BTreeMap;
use std::future::pending;
use std::time::Instant;

use axum::body::Body;
use axum::extract::State;
use axum::http::header::{CONTENT_TYPE, LOCATION};
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use domain::campaign::UnknownBusProps;
use domain::record::RecordError;
use platform::telemetry::traces::{Span, SpanKind};
use serde::Serialize;
use serde_json::Value;
use store::import::{FinishedImport, ImportAttempt};
use store::send::Campaign;
use utoipa::ToSchema;
use uuid::Uuid;

pub use self::request::ImportRequest;
pub(crate) use self::request::{audited_name, bus_props, find_campaign};
use self::request::{named_campaign, refusal};
use crate::ingest::{self, Attempt, BodySummary, FileRequest, Incoming, Job, OnError};
use crate::schema::Records;
use crate::{ImportState, SCOPE};
use api_http::{Caller, Code, Parameters, Problem, Result, error};

const IDEMPOTENT_REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// An accepted import.
#[derive(Debug, Serialize, ToSchema)]
pub struct ImportAccepted<'a> {
    batch_id: Uuid,
    #[schema(example = "queued")]
    status: &'static str,
    /// Records of the body: `accepted + rejected + merged`.
    received: u64,
    accepted: u64,
    rejected: u64,
    /// Records of a file that say the same as an earlier one.
    merged: u64,
    /// What was found out about a file that may be written in several ways.
    #[serde(skip_serializing_if = "Option::is_none")]
    dialect: Option<FoundDialect<'a>>,
    /// Of an import for a campaign: accepted records whose links lack a business property, because the form does not have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = BTreeMap<String, u64>)]
    bus_props_unknown: Option<&'a UnknownBusProps>,
    /// Record errors that are not kept: of a record the first 100 are, of a batch the first 100,000.
    errors_dropped: u64,
    /// The first 100; all that are kept are at `…/errors`.
    #[schema(value_type = Vec<crate::schema::RecordError>)]
    errors: &'a [RecordError],
    #[schema(example = "/api_v1/sms/import/0192f0c1-2345-7abc-8def-0123456789ab")]
    status_url: String,
}

/// How a CSV file is written, and which of its columns are what.
#[derive(Debug, Serialize, ToSchema)]
pub struct FoundDialect<'a> {
    #[schema(example = ";")]
    delimiter: char,
    #[schema(example = "windows-1252")]
    encoding: &'a str,
    columns: FoundColumns<'a>,
}

/// Names in the header of a file.
#[derive(Debug, Serialize, ToSchema)]
pub struct FoundColumns<'a> {
    docid: &'a str,
    phone: &'a str,
}

/// What an import would come to. Nothing is stored.
#[derive(Debug, Serialize, ToSchema)]
pub struct ImportPreview<'a> {
    /// Records of the body: `accepted + rejected + merged`.
    received: u64,
    accepted: u64,
    rejected: u64,
    /// Records of a file that say the same as an earlier one.
    merged: u64,
    /// How many errors there are of each code.
    by_code: BTreeMap<&'static str, u64>,
    /// Of the accepted records, those whose docid is stored.
    existing: u64,
    /// The names of the columns of CSV or a sheet.
    columns: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    dialect: Option<FoundDialect<'a>>,
    /// Of a preview for a campaign: accepted records whose links would lack a business property, because the form does not have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false, value_type = BTreeMap<String, u64>)]
    bus_props_unknown: Option<&'a UnknownBusProps>,
    /// The first 20 records as they would be stored: docid, phone and fields.
    sample: &'a [Value],
    /// The first 100 record errors.
    errors: Vec<PreviewError<'a>>,
}

/// A record error, and where in the file it stands.
#[derive(Debug, Serialize, ToSchema)]
pub struct PreviewError<'a> {
    #[serde(flatten)]
    #[schema(value_type = crate::schema::RecordError)]
    error: &'a RecordError,
    /// The row as a spreadsheet shows it, from 1, blank ones counted; null for JSON.
    row: Option<u64>,
    /// What stood there, at most 100 characters; null where there is nothing.
    value: Option<&'a str>,
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
        ("dialect" = Option<String>, Query, pattern = "^auto$",
            description = "`auto`: CSV with any delimiter and encoding; its header may be written in capitals"),
        ("docid_column" = Option<String>, Query, description = "The column or member that is the docid"),
        ("phone_column" = Option<String>, Query, description = "The column or member that is the phone; it may be both"),
        ("skip_column" = Option<Vec<String>>, Query, description = "Columns or members that are no tracking fields"),
        ("country" = Option<String>, Query, pattern = "^[A-Z]{2}$",
            description = "Phones may be written as people of this country do (ISO 3166)"),
        ("name" = Option<String>, Query, min_length = 1, max_length = 255, description = "The name of the file"),
        ("preview" = Option<bool>, Query, description = "What the import would come to; nothing is stored"),
        ("Idempotency-Key" = Option<String>, Header, min_length = 1, max_length = 255, pattern = "^[!-~]+$",
            description = "The same key, query and body within 24 h gives the first answer again"),
    ),
    request_body(
        description = "Records, as a JSON array, as its member `data`, as CSV with a header, as a JSON object a line, or as an XLSX \
                       file (`application/vnd.openxmlformats-officedocument.spreadsheetml.sheet`); \
                       with `Content-Encoding: gzip` or `zstd` compressed",
        content(
            (Records = "application/json"),
            (String = "text/csv", example = "docid,phone,area_code\r\nA1,+491701234567,030\r\n"),
            (String = "application/x-ndjson"),
        ),
    ),
    responses(
        (status = 200, description = "With `preview`: nothing is stored", body = ImportPreview),
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
    /// The batch and the answer, in JSON.
    Accepted(Uuid, Bytes),
    Replayed(FinishedImport),
    /// What a preview shows, in JSON.
    Seen(Bytes),
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
    let is_preview = request.as_ref().is_ok_and(|request| request.is_preview);
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
    if is_preview {
        return caller.read(SCOPE, until_gone).await;
    }
    caller.make(SCOPE, until_gone).await
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
    let incoming = Incoming {
        body,
        kind: request.kind,
        encoding: request.encoding,
        permit: state.memory.permit(account_id),
        limit: state.max_body,
    };
    let file = request.file.clone();
    let job = Job {
        file: request.file,
        is_preview: request.is_preview,
        on_error: request.on_error,
        bus_props: bus_props(caller, campaign.as_ref()).await?,
        max_records: state.max_records,
        tmp_dir: state.tmp_dir.clone(),
        cut: app.store.chunk_cut(),
    };
    if request.is_preview {
        let seen = ingest::preview(&app.store, account_id, job, incoming).await?;
        return Ok((
            "previewed",
            Ok(Imported::Seen(preview(seen, file.as_ref()))),
        ));
    }
    let (made_by, made_from) = caller.who();
    let attempt = ImportAttempt {
        name: request.name,
        made_by: Some(made_by.to_owned()),
        made_from: Some(made_from),
        ..ImportAttempt::new(account_id, request.key, campaign_id)
    };
    let (attempt, finished) = Attempt::open(app, attempt, &query).await?;
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
                accept(attempt, summary, file.as_ref(), caller).await
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

/// What was found out about a file that was written in any dialect.
fn dialect<'a>(
    summary: &'a BodySummary,
    file: Option<&'a FileRequest>,
) -> Option<FoundDialect<'a>> {
    let (layout, file) = (summary.layout.as_ref()?, file?);
    let dialect = layout.dialect.as_ref()?;
    let [docid, phone] = file.mapping.wanted();
    Some(FoundDialect {
        delimiter: dialect.delimiter,
        encoding: dialect.encoding,
        columns: FoundColumns { docid, phone },
    })
}

fn preview((summary, existing): (BodySummary, u64), file: Option<&FileRequest>) -> Bytes {
    let errors = summary.errors.iter().zip(&summary.places);
    let errors = errors.map(|(error, place)| PreviewError {
        error,
        row: place.row,
        value: place.value.as_deref(),
    });
    let mut by_code = BTreeMap::new();
    for ((code, _), errors) in &summary.by_kind {
        *by_code.entry(code.into_str()).or_default() += errors;
    }
    let preview = ImportPreview {
        received: summary.received,
        accepted: summary.accepted,
        rejected: summary.rejected,
        merged: summary.merged,
        by_code,
        existing,
        columns: summary
            .layout
            .as_ref()
            .map_or(&[], |layout| &layout.columns),
        dialect: dialect(&summary, file),
        bus_props_unknown: summary.bus_props_unknown.as_ref(),
        sample: &summary.sample,
        errors: errors.collect(),
    };
    // Texts and numbers always serialise.
    Bytes::from(serde_json::to_vec(&preview).unwrap_or_default())
}

async fn accept(
    attempt: Attempt,
    summary: BodySummary,
    file: Option<&FileRequest>,
    caller: &Caller,
) -> Result<ImportOutcome> {
    let batch_id = attempt.import.batch_id;
    let status_url = status_url(batch_id);
    let answer = ImportAccepted {
        batch_id,
        status: "queued",
        received: summary.received,
        accepted: summary.accepted,
        rejected: summary.rejected,
        merged: summary.merged,
        dialect: dialect(&summary, file),
        bus_props_unknown: summary.bus_props_unknown.as_ref(),
        errors_dropped: summary.errors_dropped,
        errors: &summary.errors,
        status_url,
    };
    // Texts and numbers always serialise.
    let answer = Bytes::from(serde_json::to_vec(&answer).unwrap_or_default());
    let (accepted, rejected) = (summary.accepted, summary.rejected);
    let accepting = attempt.end(summary, Some(caller.request_id.clone()), answer.clone());
    accepting.await?;
    metrics::counter!("feedback_import_records_total", "result" => "accepted").increment(accepted);
    metrics::counter!("feedback_import_records_total", "result" => "rejected").increment(rejected);
    tracing::info!(batch.id = %batch_id, records.accepted = accepted, records.rejected = rejected, "batch queued");
    Ok(("accepted", Ok(Imported::Accepted(batch_id, answer))))
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

impl Imported {
    /// The batch that was accepted, now or before.
    pub fn batch_id(&self) -> Option<Uuid> {
        match self {
            Self::Accepted(batch_id, _) => Some(*batch_id),
            Self::Replayed(first) => {
                let answer: Value = serde_json::from_slice(&first.answer).ok()?;
                answer["batch_id"].as_str()?.parse().ok()
            }
            Self::Seen(_) => None,
        }
    }
}

impl IntoResponse for Imported {
    fn into_response(self) -> Response {
        match self {
            Self::Accepted(batch_id, answer) => accepted(&status_url(batch_id), answer),
            Self::Replayed(first) => replay(first),
            Self::Seen(preview) => ([(CONTENT_TYPE, "application/json")], preview).into_response(),
        }
    }
}

/// Where the batch's status is.
fn status_url(batch_id: Uuid) -> String {
    format!("/api_v1/sms/import/{batch_id}")
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
