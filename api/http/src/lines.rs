//! A whole list in one answer, in as much memory as a part of it takes: CSV, NDJSON of the items that a page shows, or a spreadsheet
//! ([`spreadsheet`]).
//!
//! The client may read slowly, or never. So a list holds memory of its account's share from before it is read from the
//! database until the client has taken it. What exceeds the share is answered 503.

use std::io;
use std::mem;
use std::sync::Arc;

use axum::body::{Body, HttpBody};
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use futures::stream;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use store::{ListPage, PAGE_BYTES};
use tokio_util::task::AbortOnDropHandle;
use uuid::Uuid;

use crate::accept::{Kind, content_type, negotiate};
use crate::csv_text::{cell, writer};
use crate::memory::{FREE, MemoryPermit};
use crate::spreadsheet::{self, Spreadsheet};
use crate::{AppState, List, Problem, Result};

pub use crate::parts::{PART, PART_BYTES, PIECE, page, page_permit, whole_permit};

/// The kind that the caller likes best: a page in JSON, or the whole list as lines of one of these `kinds`.
///
/// # Errors
/// 400 `invalid_parameter`: lines of a page.
pub fn wanted(headers: &HeaderMap, list: &List, kinds: &[Kind]) -> Result<Kind> {
    let kind = negotiate(headers, kinds);
    if kind != Kind::Json && list.given {
        return Err(Problem::invalid_parameter(
            "a stream is the whole list: it has neither limit nor cursor",
        ));
    }
    Ok(kind)
}

/// The answer, which holds memory of its account until its reader has taken it; a small one holds none.
///
/// # Errors
/// 503 `busy`: others of the account that were not taken hold its share.
pub fn hold(app: &AppState, account_id: Uuid, response: Response) -> Result<Response> {
    match response.body().size_hint().exact() {
        Some(bytes) if bytes > FREE as u64 => {
            let mut permit = app.list_memory.permit(account_id);
            permit.grow_now_to(bytes)?;
            Ok(permit.hold(response))
        }
        _ => Ok(response),
    }
}

/// Answers with a page of a list, or with all of it in one of these `kinds`. `columns` are the members that CSV has,
/// with commas between them (`cost.amount` is one of the object `cost`), `sheet` is what a spreadsheet has; `read` gives at most so many items and about so many bytes after a position, each item with its
/// own. The first items are read before the answer begins, so that a database that is down can be told; what fails later cuts
/// the answer without its end.
///
/// # Errors
/// As [`wanted`], the first items cannot be read, or 503 `busy`.
pub async fn answer<T, P, F>(
    app: &AppState,
    headers: &HeaderMap,
    kinds: &[Kind],
    list: &List,
    columns: &'static str,
    sheet: impl FnOnce() -> Spreadsheet + Send,
    read: impl Fn(Option<P>, (usize, usize)) -> F + Send + Sync + 'static,
) -> Result<Response>
where
    T: Serialize + Send + Sync + 'static,
    P: Serialize + DeserializeOwned + Send + Sync + 'static,
    F: Future<Output = Result<ListPage<(P, T), P>, store::Error>> + Send + 'static,
{
    let (kind, account_id) = (wanted(headers, list, kinds)?, list.account_id);
    if kind == Kind::Json {
        let (position, size) = (list.position()?, (list.limit, PAGE_BYTES));
        let permit = page_permit(app, account_id).await?;
        let found = page(account_id, read(position, size)).await?;
        return Ok(permit.hold(list.answer(found.rows, found.next)?));
    }
    if kind == Kind::Xlsx {
        return spreadsheet::answer(app, account_id, sheet(), read).await;
    }
    whole(app, account_id, (kind, columns), read).await
}

/// All of a list as lines of CSV or NDJSON, as [`answer`] answers with it.
///
/// # Errors
/// The first items cannot be read, or 503 `busy`.
pub async fn whole<T, P, F>(
    app: &AppState,
    account_id: Uuid,
    (kind, columns): (Kind, &'static str),
    read: impl Fn(Option<P>, (usize, usize)) -> F + Send + Sync + 'static,
) -> Result<Response>
where
    T: Serialize + Send + Sync + 'static,
    P: Send + Sync + 'static,
    F: Future<Output = Result<ListPage<(P, T), P>, store::Error>> + Send + 'static,
{
    let permit = whole_permit(app, account_id).await?;
    let header = match kind {
        Kind::Csv => format!("{columns}\r\n").into_bytes(),
        _ => Vec::new(),
    };
    let size = (PART, PART_BYTES);
    let first = page(account_id, read(None, size)).await?;
    let read = move |position| page(account_id, read(Some(position), size));
    let write = move |items: &[(P, T)], out: &mut Vec<u8>| {
        let items = items.iter().map(|(_, item)| item);
        write_lines(kind, items, columns, out)
    };
    let headers = [(CONTENT_TYPE, content_type(kind))];
    Ok((headers, body(permit, first, header, read, write)).into_response())
}

/// What the document says of a list of `items` in these ways; `csv` says what its cells are.
pub fn page_or_all(items: &str, csv: &str) -> String {
    format!(
        "A page of {items}, or all of them as lines. CSV (RFC 4180): {csv}. A `=`, `+`, `-` or `@` (of any width, after any `'` and blanks) at the start \
         of a cell, or after `;`, `,`, `\"`, a tab or a line's end inside one, has one `'` before it, so that no spreadsheet runs \
         it: to read such a cell take one `'` away there. Cells that are a number as a whole stay. NDJSON: one of `items` a \
         line. A stream that fails is cut without its last chunk. XLSX: a row an item, times in the account's time zone, a column a \
         tracking field, and a second sheet that says what the columns are, in the language of `Accept-Language`; more than \
         1,048,575 rows are 413 `too_many_records`."
    )
}

/// A body of what `write` makes of the rows, behind the header. `write` appends the first of them, at least one, until there are
/// [`PIECE`] bytes, and says how many these were; `read` gives the part after a position, while the last piece of the one before
/// it is sent.
pub fn body<T, P, F>(
    permit: MemoryPermit,
    first: ListPage<T, P>,
    header: Vec<u8>,
    read: impl Fn(P) -> F + Send + Sync + 'static,
    write: impl Fn(&[T], &mut Vec<u8>) -> io::Result<usize> + Send + Sync + 'static,
) -> Body
where
    T: Send + 'static,
    P: Send + 'static,
    F: Future<Output = Result<ListPage<T, P>, store::Error>> + Send + 'static,
{
    let permit = Arc::new(permit);
    let whole = Whole {
        part: first,
        written: 0,
        next: None,
        header,
    };
    Body::from_stream(stream::try_unfold(
        (whole, read, write),
        move |(mut whole, read, write)| {
            let permit = Arc::clone(&permit);
            async move {
                let piece = whole.piece(&read, &write).await;
                let piece =
                    piece.inspect_err(|error| tracing::warn!(%error, "an answer was cut"))?;
                let piece = piece.map(|piece| permit.owned_by(piece.into()));
                Ok::<_, io::Error>(piece.map(|piece| (piece, (whole, read, write))))
            }
        },
    ))
}

/// The state of a list that is being written.
struct Whole<T, P> {
    part: ListPage<T, P>,
    /// Rows of the part.
    written: usize,
    /// The part behind it, read in a task so that it goes on by itself; it ends with the handle.
    next: Option<AbortOnDropHandle<Result<ListPage<T, P>, store::Error>>>,
    /// Held until the list is written.
    header: Vec<u8>,
}

impl<T: Send + 'static, P: Send + 'static> Whole<T, P> {
    /// The next piece; `None`: there is none.
    async fn piece<F>(
        &mut self,
        read: &impl Fn(P) -> F,
        write: &impl Fn(&[T], &mut Vec<u8>) -> io::Result<usize>,
    ) -> io::Result<Option<Vec<u8>>>
    where
        F: Future<Output = Result<ListPage<T, P>, store::Error>> + Send + 'static,
    {
        let mut out = mem::take(&mut self.header);
        loop {
            if let Some(next) = self.next.take() {
                let next = next.await.map_err(io::Error::other)?;
                self.part = next.map_err(io::Error::other)?;
                self.written = 0;
            }
            if let Some(rows) = self.part.rows.get(self.written..)
                && !rows.is_empty()
            {
                self.written += write(rows, &mut out)?;
            }
            if self.written >= self.part.rows.len() {
                self.part.rows = Vec::new();
                let next = self.part.next.take();
                let reading = next.map(|next| AbortOnDropHandle::new(tokio::spawn(read(next))));
                self.next = reading;
            }
            if !out.is_empty() {
                return Ok(Some(out));
            }
            if self.next.is_none() {
                return Ok(None);
            }
        }
    }
}

/// Appends the first items as lines, and says how many. `columns` are the members of CSV.
fn write_lines<'a, T: Serialize + 'a>(
    kind: Kind,
    items: impl IntoIterator<Item = &'a T>,
    columns: &str,
    out: &mut Vec<u8>,
) -> io::Result<usize> {
    let mut written = 0;
    if kind == Kind::Ndjson {
        for item in items {
            serde_json::to_writer(&mut *out, item)?;
            out.push(b'\n');
            written += 1;
            if out.len() >= PIECE {
                break;
            }
        }
        return Ok(written);
    }
    let mut csv = writer(out);
    for item in items {
        let item = serde_json::to_value(item)?;
        let cells = columns
            .split(',')
            .map(|column| match member(&item, column) {
                Value::Null => "".into(),
                Value::String(text) => cell(text),
                other => cell(other.to_string()),
            });
        csv.write_record(cells.map(String::from))?;
        written += 1;
        if csv.get_ref().len() >= PIECE {
            break;
        }
    }
    csv.flush()?;
    Ok(written)
}

/// The member of an item, or of an object in it, that a column has.
fn member<'v>(item: &'v Value, column: &str) -> &'v Value {
    column.split('.').fold(item, |value, name| &value[name])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn text(kind: Kind) -> String {
        let mut out = Vec::new();
        let items = ["=1", "a\"b"]
            .map(|docid| json!({"docid": docid, "ids": ["a", "b"], "parts": -1, "code": null}));
        write_lines(kind, &items, "docid,ids,code,parts", &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn csv_has_a_column_a_member_and_runs_no_formula() {
        let csv =
            "'=1,\"[\"\"a\"\",\"\"b\"\"]\",,-1\r\n\"a\"\"b\",\"[\"\"a\"\",\"\"b\"\"]\",,-1\r\n";
        assert_eq!(text(Kind::Csv), csv);
    }

    #[test]
    fn a_column_is_a_member_of_an_object() {
        let item = json!({"cost": {"amount": 0.5, "currency": "EUR"}});
        assert_eq!(member(&item, "cost.currency"), "EUR");
        assert_eq!(member(&json!({"cost": null}), "cost.amount"), &Value::Null);
    }

    #[test]
    fn ndjson_has_an_item_a_line() {
        let lines = text(Kind::Ndjson);
        let items = lines
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        let docids: Vec<_> = items.map(|item| item["docid"].clone()).collect();
        assert_eq!(docids, ["=1", "a\"b"]);
    }
}
