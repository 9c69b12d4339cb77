//! Recipients: listed, read one by one, and erased for good.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::header::{ACCEPT, VARY};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use chrono::{DateTime, Utc};
use domain::campaign::parse_time;
use domain::docid::MAX_BYTES;
use domain::phone::masked;
use domain::record::MAX_FIELDS;
use serde::Serialize;
use serde_json::Value;
use store::ListPage;
use store::import::{Recipient, RecipientQuery};
use url::form_urlencoded::Serializer;
use utoipa::ToSchema;
use uuid::Uuid;

use api_http::extract::DocIdPath;
use api_http::lines::{self, Lines};
use api_http::{AppState, Caller, List, ListQuery, Page, Parameters, Problem, Result, parse_uuid};

const PATH: &str = "/api_v1/sms/recipient";
const COLUMNS: &str = "docid,phone,fields,batch_id,created_at,updated_at";
const PAGE_OR_ALL: &str = "A page of recipients, or all of them as lines; `phone` is masked but for three digits. \
    CSV (RFC 4180): a column a member, `fields` as one JSON cell. A text whose first character after any `'` is `=`, `+`, `-`, \
    `@`, tab or CR has one `'` before it, so that no spreadsheet runs it: to read such a cell take its first `'` away. \
    NDJSON: one of `items` a line. A stream that fails is cut without its last chunk.";
/// The parameters that narrow the list.
const FILTERS: [&str; 4] = ["batch_id", "field", "created_from", "created_to"];

/// A stored recipient.
#[derive(Serialize, ToSchema)]
pub struct RecipientBody {
    docid: String,
    #[schema(example = "+491701234567")]
    phone: String,
    /// Tracking fields.
    #[schema(value_type = std::collections::BTreeMap<String, String>)]
    fields: Value,
    /// The batch whose values stand.
    batch_id: Uuid,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
}

impl RecipientBody {
    fn new(recipient: Recipient, phone: String) -> Self {
        Self {
            docid: recipient.docid,
            phone,
            fields: recipient.fields,
            batch_id: recipient.batch_id,
            created_at: recipient.created_at,
            updated_at: recipient.updated_at,
        }
    }

    fn masked(recipient: Recipient) -> Self {
        let phone = masked(&recipient.phone);
        Self::new(recipient, phone)
    }
}

/// List recipients, in the order of their docids.
///
/// `Accept: text/csv` or `application/x-ndjson` gives all of them in one stream, without `limit` and `cursor`.
#[utoipa::path(
    get,
    path = "/api_v1/sms/recipient",
    params(
        ("batch_id" = Option<Uuid>, Query, description = "Those whose values came with this batch"),
        ("field" = Option<Vec<String>>, Query, style = Form, explode, description = "Those that have this tracking field, \
            `<name>=<value>`; repeated, all of them", pattern = "^[^=\\u0000-\\u001f\\u007f-\\u009f]+=[^\\u0000]*$", max_items = 64),
        ("created_from" = Option<String>, Query, format = DateTime, pattern = "Z$", description = "Those created then or later"),
        ("created_to" = Option<String>, Query, format = DateTime, pattern = "Z$", description = "Those created then or before"),
        ListQuery,
    ),
    responses(
        (status = 200, description = PAGE_OR_ALL,
            content((Page<RecipientBody> = "application/json"), (String = "text/csv"), (String = "application/x-ndjson")),
            headers(("Vary" = String, description = "`Accept`"))),
    ),
)]
pub async fn list_recipients(
    State(state): State<AppState>,
    caller: Caller,
    parameters: Result<Parameters>,
    headers: HeaderMap,
) -> Response {
    let answer = async { list(&state, &caller, &parameters?, &headers).await };
    ([(VARY, ACCEPT.as_str())], answer.await).into_response()
}

async fn list(
    state: &AppState,
    caller: &Caller,
    parameters: &Parameters,
    headers: &HeaderMap,
) -> Result<Response> {
    let page = ListQuery::read(parameters)?;
    let query = Arc::new(recipient_query(parameters)?);
    let (store, account_id) = (state.store.clone(), caller.account_id());
    let read = move |after, limit| {
        let (store, query) = (store.clone(), Arc::clone(&query));
        async move {
            let page = store.recipients(account_id, &query, after, limit).await?;
            let rows = page.rows.into_iter().map(RecipientBody::masked);
            Ok(ListPage {
                rows: rows.collect(),
                next: page.next,
            })
        }
    };
    if let Some(lines) = Lines::wanted(headers, &page)? {
        let read = move |after| read(after, lines::PAGE);
        return lines.answer(account_id, COLUMNS, read).await;
    }
    let list = List::new(account_id, uri(parameters));
    let after = list.position(&page)?.map(|position| docid_at(&position));
    let found = lines::page(account_id, read(after, page.limit.into())).await?;
    let items = found.rows.iter().map(|row| (position(&row.docid), row));
    list.answer(&page, items, found.next.as_deref().map(position))
}

/// The path with the filters that are given.
fn uri(parameters: &Parameters) -> String {
    let given = FILTERS
        .iter()
        .flat_map(|name| parameters.all(name).map(move |value| (name, value)));
    let mut given = given.peekable();
    if given.peek().is_none() {
        return PATH.to_owned();
    }
    let uri = format!("{PATH}?");
    let start = uri.len();
    Serializer::for_suffix(uri, start)
        .extend_pairs(given)
        .finish()
}

fn recipient_query(parameters: &Parameters) -> Result<RecipientQuery> {
    let mut query = RecipientQuery::default();
    if let Some(text) = parameters.one("batch_id")? {
        let batch_id = parse_uuid(text);
        let batch_id =
            batch_id.ok_or_else(|| Problem::invalid_parameter("batch_id is not a UUID"))?;
        query.batch_ids = Some(vec![batch_id]);
    }
    let time = |name| {
        let time = parameters.one(name)?.map(parse_time).transpose();
        time.map_err(|fault| Problem::invalid_parameter(format!("{name} {fault}")))
    };
    (query.created_from, query.created_to) = (time("created_from")?, time("created_to")?);
    if query
        .created_from
        .zip(query.created_to)
        .is_some_and(|(from, to)| from > to)
    {
        return Err(Problem::invalid_parameter(
            "created_to is before created_from",
        ));
    }
    for text in parameters.all("field") {
        let field = text.split_once('=').filter(|(name, value)| {
            !name.is_empty() && !name.contains(char::is_control) && !value.contains('\0')
        });
        let wrong = || Problem::invalid_parameter("field is not a name, `=` and a value");
        let (name, value) = field.ok_or_else(wrong)?;
        let before = query.fields.insert(name.to_owned(), value.to_owned());
        if before.is_some_and(|before| before != value) {
            return Err(Problem::invalid_parameter(
                "field names a tracking field twice",
            ));
        }
    }
    if parameters.all("field").count() > MAX_FIELDS {
        return Err(Problem::invalid_parameter("field is given too often"));
    }
    Ok(query)
}

/// A docid as a place in the list: its bytes after their number.
fn position(docid: &str) -> [u8; MAX_BYTES + 1] {
    let mut position = [0; MAX_BYTES + 1];
    let bytes = std::iter::once(docid.len().try_into().unwrap_or(u8::MAX)).chain(docid.bytes());
    for (place, byte) in position.iter_mut().zip(bytes) {
        *place = byte;
    }
    position
}

fn docid_at(position: &[u8; MAX_BYTES + 1]) -> String {
    let bytes = position
        .split_first()
        .and_then(|(length, bytes)| bytes.get(..usize::from(*length)));
    String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned()
}

/// Read a recipient.
#[utoipa::path(
    get,
    path = "/api_v1/sms/recipient/{docid}",
    params(("docid" = String, Path, min_length = 1, max_length = 128,
        pattern = "^[^\\u0000-\\u001f\\u007f-\\u009f]+$", description = "At most 128 bytes in UTF-8")),
    responses(
        (status = 200, description = "The recipient", body = RecipientBody),
    ),
)]
pub async fn read_recipient(
    State(state): State<AppState>,
    caller: Caller,
    DocIdPath(docid): DocIdPath,
) -> Result<Json<RecipientBody>> {
    let (store, account_id) = (&state.store, caller.account_id());
    let recipient = store.recipient(account_id, docid.as_str()).await?;
    let recipient = recipient.ok_or_else(Problem::not_found)?;
    let phone = recipient.phone.clone();
    Ok(Json(RecipientBody::new(recipient, phone)))
}

/// Erase a person for good.
///
/// Known or not: records of batches accepted before are never stored. A later import may bring the person back.
#[utoipa::path(
    delete,
    path = "/api_v1/sms/recipient/{docid}",
    params(("docid" = String, Path, min_length = 1, max_length = 128,
        pattern = "^[^\\u0000-\\u001f\\u007f-\\u009f]+$", description = "At most 128 bytes in UTF-8")),
    responses(
        (status = 204, description = "Erased"),
        (status = 404, description = "`not_found`: no path"),
    ),
)]
pub async fn erase_recipient(
    State(state): State<AppState>,
    caller: Caller,
    DocIdPath(docid): DocIdPath,
) -> Result<StatusCode> {
    let (store, account_id) = (&state.store, caller.account_id());
    store.erase_recipient(account_id, docid.as_str()).await?;
    Ok(StatusCode::NO_CONTENT)
}
