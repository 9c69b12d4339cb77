//! A whole list in one answer, in as much memory as two pages take: CSV, or NDJSON of the items that a page shows.

use std::io;
use std::sync::LazyLock;
use std::time::Duration;

use axum::body::Body;
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures::stream;
use platform::places::Places;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use store::ListPage;
use tokio_util::task::AbortOnDropHandle;
use uuid::Uuid;

use crate::accept::{Kind, content_type, negotiate};
use crate::csv_text::{cell, writer};
use crate::{List, Problem, Result, within};

/// The items that are read at once.
const PAGE: usize = 2_000;
/// A database that takes longer for them does not answer, and the answer is cut.
const LOOKUP: Duration = Duration::from_secs(10);
/// Lists that this process reads at once, of its connections: whoever stores answers needs some, too.
static READS: LazyLock<Places> = LazyLock::new(|| Places::new(8));

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

/// Answers with a page of a list, or with all of it as lines of one of these `kinds`. `columns` are the members that CSV has,
/// with commas between them; `read` gives at most so many items after a position, each with its own. The first items are read
/// before the answer begins, so that a database that is down can be told; what fails later cuts the answer without its end.
///
/// # Errors
/// As [`wanted`], or the first items cannot be read.
pub async fn answer<T, P, F>(
    headers: &HeaderMap,
    kinds: &[Kind],
    list: &List,
    columns: &'static str,
    read: impl Fn(Option<P>, usize) -> F + Send + 'static,
) -> Result<Response>
where
    T: Serialize + Send + 'static,
    P: Serialize + DeserializeOwned + Send + 'static,
    F: Future<Output = Result<ListPage<(P, T), P>, store::Error>> + Send + 'static,
{
    let (kind, account_id) = (wanted(headers, list, kinds)?, list.account_id);
    if kind == Kind::Json {
        let found = page(account_id, read(list.position()?, list.limit)).await?;
        return list.answer(found.rows, found.next);
    }
    let header = match kind {
        Kind::Csv => format!("{columns}\r\n").into_bytes(),
        _ => Vec::new(),
    };
    let first = page(account_id, read(None, PAGE)).await?;
    let read = move |position| page(account_id, read(Some(position), PAGE));
    let write = move |items: &[(P, T)], out: &mut Vec<u8>| {
        let items = items.iter().map(|(_, item)| item);
        write_lines(kind, items, columns, out)
    };
    let headers = [(CONTENT_TYPE, content_type(kind))];
    Ok((headers, body(first, header, read, write)).into_response())
}

/// What the document says of a list of `items` in these ways; `csv` says what its cells are.
pub fn page_or_all(items: &str, csv: &str) -> String {
    format!(
        "A page of {items}, or all of them as lines. CSV (RFC 4180): {csv}. A `=`, `+`, `-` or `@` (after any `'`) at the start \
         of a cell, or after `;`, `,`, `\"`, a tab or a line's end inside one, has one `'` before it, so that no spreadsheet runs \
         it: to read such a cell take one `'` away there. Cells that are a number as a whole stay. NDJSON: one of `items` a \
         line. A stream that fails is cut without its last chunk."
    )
}

/// A body of what `write` makes of each page, behind the header. `read` gives the page after a position, while the one before it
/// is written.
pub fn body<T, P, F>(
    first: ListPage<T, P>,
    header: Vec<u8>,
    read: impl Fn(P) -> F + Send + 'static,
    write: impl Fn(&[T], &mut Vec<u8>) -> io::Result<()> + Send + 'static,
) -> Body
where
    T: Send + 'static,
    P: Send + 'static,
    F: Future<Output = Result<ListPage<T, P>, store::Error>> + Send + 'static,
{
    let begin = Some((first, header, read, write));
    Body::from_stream(stream::try_unfold(begin, |at| async move {
        let Some((page, mut out, read, write)) = at else {
            return Ok(None);
        };
        // In a task, so that it goes on by itself; it ends with the handle.
        let next = page
            .next
            .map(|next| AbortOnDropHandle::new(tokio::spawn(read(next))));
        let cut = |error: io::Error| {
            tracing::warn!(%error, "an answer was cut");
            error
        };
        write(&page.rows, &mut out).map_err(cut)?;
        drop(page.rows);
        let next = match next {
            None => None,
            Some(next) => {
                let next = next.await.map_err(io::Error::other).map_err(cut)?;
                let next = next.map_err(io::Error::other).map_err(cut)?;
                Some((next, Vec::new(), read, write))
            }
        };
        Ok::<_, io::Error>(Some((Bytes::from(out), next)))
    }))
}

/// Appends items as lines. `columns` are the members of CSV.
fn write_lines<'a, T: Serialize + 'a>(
    kind: Kind,
    items: impl IntoIterator<Item = &'a T>,
    columns: &str,
    out: &mut Vec<u8>,
) -> io::Result<()> {
    if kind == Kind::Ndjson {
        for item in items {
            serde_json::to_writer(&mut *out, item)?;
            out.push(b'\n');
        }
        return Ok(());
    }
    let mut csv = writer(out);
    for item in items {
        let item = serde_json::to_value(item)?;
        let cells = columns.split(',').map(|column| match &item[column] {
            Value::Null => "".into(),
            Value::String(text) => cell(text),
            other => cell(other.to_string()),
        });
        csv.write_record(cells.map(String::from))?;
    }
    csv.flush()
}

/// Reads a page of a list that can be long, for which others may have to wait.
///
/// # Errors
/// The database does not answer.
pub async fn page<T>(
    account_id: Uuid,
    read: impl Future<Output = Result<T, store::Error>>,
) -> Result<T, store::Error> {
    let _place = READS.take(account_id).await;
    within(LOOKUP, read).await
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
    fn ndjson_has_an_item_a_line() {
        let lines = text(Kind::Ndjson);
        let items = lines
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        let docids: Vec<_> = items.map(|item| item["docid"].clone()).collect();
        assert_eq!(docids, ["=1", "a\"b"]);
    }
}
