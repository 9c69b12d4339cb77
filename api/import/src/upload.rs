//! Files that somebody looks at before they are imported: kept for an hour, read as often as it takes.

use std::future::ready;
use std::io::Write;

use api_http::body::ContentEncoding;
use api_http::{Caller, Change, Code, Problem, QUICK, Result, found, within};
use axum::body::Body;
use axum::http::StatusCode;
use bytes::Bytes;
use chrono::Utc;
use domain::body::{BodyKind, FileKind, Mapping};
use domain::sms::Country;
use futures::{Stream, StreamExt, stream};
use serde::{Deserialize, Serialize};
use store::import::Upload;
use uuid::Uuid;
use zstd::stream::write::Encoder;

use crate::import::{audited_name, bus_props, find_campaign};
use crate::ingest::{self, BodySummary, FileRequest, Incoming, Job, Look, OnError};
use crate::operations::ImportRequest;
use crate::{ImportState, SCOPE};

/// A file that was kept is no import yet.
const KEEP: Change = Change::new(SCOPE, "import.look", StatusCode::SEE_OTHER);
/// Bytes of a part before it is compressed.
const PART_BYTES: usize = 1 << 20;
/// What a file that arrives takes: a part, and what it is compressed to.
const ARRIVING_BYTES: u64 = 3 << 20;
const LEVEL: i32 = 1;

/// How a file is written, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileType {
    pub kind: FileKind,
    pub(crate) encoding: ContentEncoding,
}

impl FileType {
    /// Of CSV, JSON, NDJSON or XLSX, which may be compressed.
    pub fn of_name(name: &str) -> Option<Self> {
        let name = name.to_lowercase();
        let (name, encoding) = match name.rsplit_once('.') {
            Some((name, "gz")) => (name, ContentEncoding::Gzip),
            Some((name, "zst")) => (name, ContentEncoding::Zstd),
            _ => (&*name, ContentEncoding::Identity),
        };
        let kind = match name.rsplit_once('.')?.1 {
            "csv" | "tsv" | "txt" => FileKind::AnyCsv,
            "xlsx" => FileKind::Sheet,
            "json" => FileKind::Strict(BodyKind::Json),
            "ndjson" | "jsonl" => FileKind::Strict(BodyKind::Ndjson),
            _ => return None,
        };
        Some(Self { kind, encoding })
    }
}

/// What an account said last of the columns of a file.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Choice {
    pub docid_column: Option<String>,
    pub phone_column: Option<String>,
    pub skip_columns: Vec<String>,
    /// By ISO 3166.
    pub country: Option<String>,
}

impl Choice {
    pub fn of(mapping: &Mapping) -> Self {
        Self {
            docid_column: mapping.docid_column.clone(),
            phone_column: mapping.phone_column.clone(),
            skip_columns: mapping.skip_columns.clone(),
            country: mapping.country.map(|country| country.to_string()),
        }
    }

    pub fn mapping(&self) -> Mapping {
        Mapping {
            docid_column: self.docid_column.clone(),
            phone_column: self.phone_column.clone(),
            skip_columns: self.skip_columns.clone(),
            country: self.country(),
        }
    }

    pub fn country(&self) -> Option<Country> {
        self.country.as_deref()?.parse().ok()
    }
}

/// Keeps a file as it arrives. An account's oldest goes where there are too many.
///
/// # Errors
/// 415: its name tells no kind; 413; what its body is refused for; 503, `busy` also where too many files arrive at once.
pub async fn keep(
    state: &ImportState,
    caller: &Caller,
    name: &str,
    body: impl Stream<Item = Result<Bytes>> + Send,
) -> Result<Uuid> {
    let work = async {
        FileType::of_name(name).ok_or_else(|| {
            let detail = "the file must be CSV, XLSX, JSON or NDJSON, by the end of its name";
            Problem::new(Code::UnsupportedMediaType, detail)
        })?;
        let (store, account_id) = (&caller.app.store, caller.account_id());
        let mut permit = state.memory.permit(account_id);
        permit.grow_to(ARRIVING_BYTES).await?;
        let upload = Upload {
            upload_id: Uuid::now_v7(),
            name: name.to_owned(),
            created_at: Utc::now(),
        };
        let upload_id = upload.upload_id;
        let kept = async {
            within(QUICK, store.begin_upload(account_id, &upload)).await?;
            keep_parts(state, caller, upload_id, body).await
        };
        if let Err(problem) = kept.await {
            let dropped = within(QUICK, store.drop_upload(account_id, upload_id));
            if let Err(error) = dropped.await {
                tracing::warn!(%error, "a file that did not arrive is kept for its hour");
            }
            return Err(problem);
        }
        Ok(upload_id)
    };
    caller.change(KEEP, &audited_name(name), work).await
}

async fn keep_parts(
    state: &ImportState,
    caller: &Caller,
    upload_id: Uuid,
    body: impl Stream<Item = Result<Bytes>> + Send,
) -> Result<()> {
    let (store, account_id) = (&caller.app.store, caller.account_id());
    let add = async |part, piece: Vec<u8>, is_last| {
        let body = (packed(&piece)?, is_last);
        let add = store.add_upload_part(account_id, upload_id, part, body);
        if !within(ingest::LOOK, add).await? {
            let detail = "more files of the account arrive at once than are kept";
            return Err(Problem::new(Code::Busy, detail));
        }
        Ok(())
    };
    let mut body = std::pin::pin!(body);
    let (mut piece, mut part, mut bytes) = (Vec::with_capacity(PART_BYTES), 1, 0);
    while let Some(data) = body.next().await {
        let mut data = data?;
        bytes += data.len() as u64;
        if bytes > state.max_body {
            return Err(Problem::too_large(state.max_body));
        }
        while !data.is_empty() {
            let fitting = data.split_to(data.len().min(PART_BYTES - piece.len()));
            piece.extend_from_slice(&fitting);
            if piece.len() == PART_BYTES {
                add(part, std::mem::take(&mut piece), false).await?;
                part += 1;
            }
        }
    }
    add(part, piece, true).await
}

fn packed(piece: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = Encoder::new(Vec::new(), LEVEL)?;
    encoder.write_all(piece)?;
    Ok(encoder.finish()?)
}

/// A file that was kept.
///
/// # Errors
/// 404: it is not there any more; 503.
pub async fn read(caller: &Caller, upload_id: Uuid) -> Result<Upload> {
    let upload = caller.app.store.upload(caller.account_id(), upload_id);
    caller.read(SCOPE, found(upload)).await
}

/// What its columns are called, and its first rows, which may have phones: the audit log tells who saw them.
///
/// # Errors
/// What it is refused for; 503.
pub async fn look(state: &ImportState, caller: &Caller, upload: &Upload) -> Result<Look> {
    let (file, name) = (upload.upload_id.to_string(), audited_name(&upload.name));
    let noted = caller.note_seen("import.view", &file, ready(Ok(name)));
    noted.await?;
    let (kind, incoming) = incoming(state, caller, upload)?;
    let look = ingest::look(kind, state.tmp_dir.clone(), incoming);
    caller.read(SCOPE, look).await
}

/// What an import of it for a campaign, or for none, would come to, and how many of its docids are stored.
///
/// # Errors
/// What it is refused for; 503.
pub async fn preview(
    state: &ImportState,
    caller: &Caller,
    upload: &Upload,
    mapping: Mapping,
    campaign_id: Option<Uuid>,
) -> Result<(BodySummary, u64)> {
    let (kind, incoming) = incoming(state, caller, upload)?;
    let campaign = find_campaign(caller, campaign_id).await?;
    let job = Job {
        file: Some(FileRequest { kind, mapping }),
        is_preview: true,
        on_error: OnError::AcceptValid,
        bus_props: bus_props(caller, campaign.as_ref()).await?,
        max_records: state.max_records,
        tmp_dir: state.tmp_dir.clone(),
        cut: caller.app.store.chunk_cut(),
    };
    let preview = ingest::preview(&caller.app.store, caller.account_id(), job, incoming);
    caller.read(SCOPE, preview).await
}

/// The batch that it became, if it was imported already.
///
/// # Errors
/// 503.
pub async fn became(caller: &Caller, upload_id: Uuid) -> Result<Option<Uuid>> {
    let (store, key) = (&caller.app.store, key(upload_id));
    let batch_id = within(QUICK, store.accepted_under(caller.account_id(), &key));
    caller.read(SCOPE, async { Ok(batch_id.await?) }).await
}

/// The idempotency key of its import: however often it is asked for, it becomes one batch.
fn key(upload_id: Uuid) -> String {
    format!("upload-{upload_id}")
}

/// The import of it, and its body.
///
/// # Errors
/// Its name tells no kind.
pub fn request(
    caller: &Caller,
    upload: &Upload,
    mapping: Mapping,
) -> Result<(ImportRequest, Body)> {
    let FileType { kind, encoding } =
        FileType::of_name(&upload.name).ok_or_else(Problem::not_found)?;
    let file = FileRequest { kind, mapping };
    let mut request = ImportRequest::of_file(file, encoding, upload.name.clone());
    request.key = Some(key(upload.upload_id));
    Ok((request, body(caller, upload.upload_id)))
}

/// Forgets a file that was imported, and remembers what was said of its columns.
///
/// # Errors
/// 503.
pub async fn imported(caller: &Caller, upload: &Upload, choice: &Choice) -> Result<()> {
    let (store, account_id) = (&caller.app.store, caller.account_id());
    let written = serde_json::to_string(choice).map_err(|error| Problem::internal(&error))?;
    within(QUICK, store.set_import_choice(account_id, written)).await?;
    within(QUICK, store.drop_upload(account_id, upload.upload_id)).await?;
    Ok(())
}

/// What was said last of the columns of a file.
///
/// # Errors
/// 503.
pub async fn last_choice(caller: &Caller) -> Result<Option<Choice>> {
    let choice = within(QUICK, caller.app.store.import_choice(caller.account_id()));
    let choice = caller.read(SCOPE, async { Ok(choice.await?) }).await?;
    Ok(choice.and_then(|choice| serde_json::from_str(&choice).ok()))
}

fn incoming(state: &ImportState, caller: &Caller, upload: &Upload) -> Result<(FileKind, Incoming)> {
    let FileType { kind, encoding } =
        FileType::of_name(&upload.name).ok_or_else(Problem::not_found)?;
    let incoming = Incoming {
        body: body(caller, upload.upload_id),
        kind: kind.body(),
        encoding,
        permit: state.memory.permit(caller.account_id()),
        limit: state.max_body,
    };
    Ok((kind, incoming))
}

/// The bytes of a file that was kept.
fn body(caller: &Caller, upload_id: Uuid) -> Body {
    let (store, account_id) = (caller.app.store.clone(), caller.account_id());
    let parts = stream::try_unfold(Some(1), move |part| {
        let store = store.clone();
        async move {
            let Some(part) = part else { return Ok(None) };
            let read = store.upload_part(account_id, upload_id, part);
            let read = within(ingest::LOOK, read).await.map_err(Problem::from)?;
            let (packed, is_last) = read.ok_or_else(Problem::not_found)?;
            let bytes = zstd::decode_all(packed.as_slice())?;
            let next = (!is_last).then_some(part + 1);
            Ok::<_, Problem>(Some((Bytes::from(bytes), next)))
        }
    });
    Body::from_stream(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_what_a_file_is() {
        let kind = |name| FileType::of_name(name).map(|file| file.kind);
        assert_eq!(kind("Kunden.CSV"), Some(FileKind::AnyCsv));
        assert_eq!(kind("a.b.xlsx"), Some(FileKind::Sheet));
        assert_eq!(kind("a.json.gz"), Some(FileKind::Strict(BodyKind::Json)));
        for name in ["a.xls", "csv", "", "a.gz", "a.pdf"] {
            assert_eq!(kind(name), None, "{name}");
        }
    }
}
