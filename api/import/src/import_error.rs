//! The record errors of a batch: a page of them as JSON, or all of them as CSV.

use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::{ACCEPT, CONTENT_TYPE, VARY};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use domain::record::RecordError;
use futures::{StreamExt, TryStreamExt, stream};
use store::Store;
use uuid::Uuid;

use api_http::accept::{Kind, negotiate};
use api_http::csv_text::{TEXT_CSV, cell, write_line};
use api_http::{AppState, Caller, List, ListQuery, Page, PathId, Problem, Result, within};

/// So many errors are looked up at once for CSV.
const STRIDE: usize = 1_000;
/// A database that takes longer for them does not answer, and the answer is cut.
const LOOKUP: Duration = Duration::from_secs(10);

/// List a batch's record errors.
///
/// In the order of the records. `Accept: text/csv` gives all of them at once, without `limit` and `cursor`.
#[utoipa::path(
    get,
    path = "/api_v1/sms/import/{batch_id}/errors",
    params(("batch_id" = Uuid, Path), ListQuery),
    responses(
        (status = 200, description = "A page of record errors, or all of them as CSV",
            content((Page<RecordError> = "application/json"), (String = "text/csv")),
            headers(
                ("Vary" = String, description = "`Accept`"),
            )),
    ),
)]
pub async fn list_errors(
    State(state): State<AppState>,
    caller: Caller,
    PathId(batch_id): PathId,
    query: Result<ListQuery>,
    headers: HeaderMap,
) -> Response {
    let answer = find(&state, caller.account_id(), batch_id, query, &headers).await;
    ([(VARY, ACCEPT.as_str())], answer).into_response()
}

async fn find(
    state: &AppState,
    account_id: Uuid,
    batch_id: Uuid,
    query: Result<ListQuery>,
    headers: &HeaderMap,
) -> Result<Response> {
    let batch = state.store.batch(account_id, batch_id).await?;
    batch.ok_or_else(Problem::not_found)?;
    let query = query?;
    match negotiate(headers, &[Kind::Csv]) {
        Kind::Csv => whole(state, account_id, batch_id, &query).await,
        Kind::Json | Kind::Ndjson => page(state, account_id, batch_id, &query).await,
    }
}

async fn page(
    state: &AppState,
    account_id: Uuid,
    batch_id: Uuid,
    query: &ListQuery,
) -> Result<Response> {
    let list = List::new(account_id, format!("/api_v1/sms/import/{batch_id}/errors"));
    let from = list.position(query)?.map_or(0, i64::from_be_bytes);
    let errors = state
        .store
        .errors(account_id, batch_id, from, query.limit.into())
        .await?;
    let positions = (from + 1..).map(i64::to_be_bytes);
    let items = positions.zip(&errors.rows);
    list.answer(query, items, errors.next.map(i64::to_be_bytes))
}

async fn whole(
    state: &AppState,
    account_id: Uuid,
    batch_id: Uuid,
    query: &ListQuery,
) -> Result<Response> {
    if query.given {
        return Err(Problem::invalid_parameter(
            "CSV is the whole list: it has neither limit nor cursor",
        ));
    }
    // The first piece is looked up before the answer begins, so that a database that is down can be told.
    let store = state.store.clone();
    let (head, next) = read(&store, account_id, batch_id, 0).await?;
    let tail = stream::try_unfold((store, next), move |(store, next)| async move {
        let Some(from) = next else {
            return Ok(None);
        };
        let (lines, next) = read(&store, account_id, batch_id, from).await?;
        Ok::<_, store::Error>(Some((lines, (store, next))))
    });
    let tail = tail.inspect_err(|error| tracing::warn!(%error, "an answer was cut"));
    let body = Body::from_stream(stream::once(async { Ok(head) }).chain(tail));
    Ok(([(CONTENT_TYPE, TEXT_CSV)], body).into_response())
}

/// The lines of the errors from an ordinal on, with the header above the first, and where it goes on.
async fn read(
    store: &Store,
    account_id: Uuid,
    batch_id: Uuid,
    from: i64,
) -> Result<(Bytes, Option<i64>), store::Error> {
    let errors = store.errors(account_id, batch_id, from, STRIDE);
    let errors = within(LOOKUP, errors).await?;
    Ok((lines(&errors.rows, from == 0), errors.next))
}

fn lines(errors: &[RecordError], first: bool) -> Bytes {
    let mut lines = Vec::new();
    if first {
        write_line(&mut lines, ["index", "docid", "pointer", "code", "detail"]);
    }
    for error in errors {
        let cells = [
            &error.index.to_string(),
            &*cell(error.docid.as_deref().unwrap_or_default()),
            &cell(&error.pointer),
            error.code.as_str(),
            &cell(&error.detail),
        ];
        write_line(&mut lines, cells);
    }
    lines.into()
}

#[cfg(test)]
mod tests {
    use domain::record::RecordCode;

    use super::*;

    #[test]
    fn errors_are_lines_that_no_spreadsheet_runs() {
        let error = |index, docid: Option<&str>| RecordError {
            index,
            docid: docid.map(ToOwned::to_owned),
            pointer: format!("/{index}/phone"),
            code: RecordCode::PhoneInvalid,
            detail: "not E.164, at all".to_owned(),
        };
        let lines = lines(&[error(1, Some("=cmd()")), error(2, None)], true);
        insta::assert_snapshot!(String::from_utf8_lossy(&lines).replace("\r\n", "\n"), @r#"
        index,docid,pointer,code,detail
        1,'=cmd(),/1/phone,phone_invalid,"not E.164, at all"
        2,,/2/phone,phone_invalid,"not E.164, at all"
        "#);
    }
}
