//! A whole list in one answer, in as much memory as a page takes: CSV, or NDJSON of the items that a page shows.

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
use serde_json::Value;
use store::ListPage;
use uuid::Uuid;

use crate::accept::{Kind, negotiate};
use crate::csv_text::{TEXT_CSV, cell, write_cell};
use crate::{ListQuery, Problem, Result, within};

/// The items that are read at once.
pub const PAGE: usize = 2_000;
/// A database that takes longer for them does not answer, and the answer is cut.
const LOOKUP: Duration = Duration::from_secs(10);
/// Lists that this process reads at once, of its connections.
static READS: LazyLock<Places> = LazyLock::new(|| Places::new(4));

/// The kinds of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lines {
    Csv,
    /// An object a line.
    Ndjson,
}

impl Lines {
    /// The kind that the caller likes best; `None`: a page.
    ///
    /// # Errors
    /// 400 `invalid_parameter`: lines of a page.
    pub fn wanted(headers: &HeaderMap, query: &ListQuery) -> Result<Option<Self>> {
        let lines = match negotiate(headers, &[Kind::Csv, Kind::Ndjson]) {
            Kind::Json => return Ok(None),
            Kind::Csv => Self::Csv,
            Kind::Ndjson => Self::Ndjson,
        };
        if query.given {
            return Err(Problem::invalid_parameter(
                "a stream is the whole list: it has neither limit nor cursor",
            ));
        }
        Ok(Some(lines))
    }

    fn media_type(self) -> &'static str {
        match self {
            Self::Csv => TEXT_CSV,
            Self::Ndjson => "application/x-ndjson",
        }
    }

    /// Appends an item as a line. `columns` are the members of CSV.
    fn write(self, item: &impl Serialize, columns: &str, out: &mut Vec<u8>) -> io::Result<()> {
        if self == Self::Ndjson {
            serde_json::to_writer(&mut *out, item)?;
            out.push(b'\n');
            return Ok(());
        }
        let item = serde_json::to_value(item)?;
        for (place, column) in columns.split(',').enumerate() {
            if place > 0 {
                out.push(b',');
            }
            match &item[column] {
                Value::Null => {}
                Value::String(text) => write_cell(out, cell(text).as_bytes()),
                other => write_cell(out, other.to_string().as_bytes()),
            }
        }
        out.extend_from_slice(b"\r\n");
        Ok(())
    }

    /// Answers with every item of an account's list. `columns` are the members that CSV has, with commas between them; `read`
    /// gives the page after a position. The first page is read before the answer begins, so that a database that is down can
    /// be told; what fails later cuts the answer without its end.
    ///
    /// # Errors
    /// The first page cannot be read.
    pub async fn answer<T, P, F>(
        self,
        account_id: Uuid,
        columns: &'static str,
        read: impl Fn(Option<P>) -> F + Send + 'static,
    ) -> Result<Response>
    where
        T: Serialize + Send + 'static,
        P: Send + 'static,
        F: Future<Output = Result<ListPage<T, P>, store::Error>> + Send + 'static,
    {
        let header = match self {
            Self::Csv => format!("{columns}\r\n").into_bytes(),
            Self::Ndjson => Vec::new(),
        };
        let first = page(account_id, read(None)).await?;
        let pieces = stream::try_unfold(Some((first, header, read)), move |at| async move {
            let Some((page_read, mut out, read)) = at else {
                return Ok(None);
            };
            for item in &page_read.rows {
                self.write(item, columns, &mut out)?;
            }
            let next = match page_read.next {
                None => None,
                Some(next) => {
                    let next = page(account_id, read(Some(next))).await;
                    let next = next.map_err(io::Error::other).inspect_err(|error| {
                        tracing::warn!(%error, "an answer was cut");
                    })?;
                    Some((next, Vec::new(), read))
                }
            };
            Ok::<_, io::Error>(Some((Bytes::from(out), next)))
        });
        let headers = [(CONTENT_TYPE, self.media_type())];
        Ok((headers, Body::from_stream(pieces)).into_response())
    }
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

    fn text(lines: Lines) -> String {
        let mut out = Vec::new();
        for docid in ["=1", "a\"b"] {
            let item = json!({"docid": docid, "ids": ["a", "b"], "parts": -1, "code": null});
            lines
                .write(&item, "docid,ids,code,parts", &mut out)
                .unwrap();
        }
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn csv_has_a_column_a_member_and_runs_no_formula() {
        let csv =
            "'=1,\"[\"\"a\"\",\"\"b\"\"]\",,-1\r\n\"a\"\"b\",\"[\"\"a\"\",\"\"b\"\"]\",,-1\r\n";
        assert_eq!(text(Lines::Csv), csv);
    }

    #[test]
    fn ndjson_has_an_item_a_line() {
        let lines = text(Lines::Ndjson);
        let items = lines
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        let docids: Vec<_> = items.map(|item| item["docid"].clone()).collect();
        assert_eq!(docids, ["=1", "a\"b"]);
    }
}
