//! A whole list as a spreadsheet (XLSX): a row an item, and a second sheet that says what the columns are.
//!
//! A list with more rows than a sheet has is refused as a whole, and which tracking fields have a column shows at its end alone. So
//! the rows are written first ([`rows`]), compressed, to a file of the temporary folder that has no name; the answer is made of them
//! while it is sent ([`package`]). Memory holds a part of the list, as for other lists, and the file has at most [`MAX_FILE`] bytes.
//!
//! What is *not* here: the words on the sheets (in `api-language`), and what a cell has (in the capabilities).

mod package;
mod rows;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::HeaderValue;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS,
};
use axum::response::{IntoResponse, Response};
use chrono_tz::Tz;
use futures::stream;
use indexmap::IndexMap;
use platform::places::{Place, Places};
use serde::Serialize;
use serde_json::Value;
use store::ListPage;
use tokio::time::{Instant, timeout};
use tokio_util::task::AbortOnDropHandle;
use uuid::Uuid;

use self::package::Package;
pub use self::rows::SheetRows;
use crate::accept::{Kind, content_type};
use crate::memory::{MemoryPermit, MemoryPool, PoolSize};
use crate::parts::{PART, PART_BYTES, PIECE, page, page_permit};
use crate::{AppState, Code, Problem, Result};

/// Rows of a sheet, at most, without that of its headers.
pub const MAX_ROWS: u32 = 1_048_575;
/// Bytes of the file of rows, at most.
const MAX_FILE: u64 = 256 << 20;
/// Bytes of the rows as they are unpacked, at most, a little less than what an archive has without extensions for large files.
const MAX_UNPACKED: u64 = (4 << 30) - (16 << 20);
/// Columns of tracking fields, at most.
const MAX_FIELDS: usize = 1_000;
/// How long somebody waits for the spreadsheet before, of the account or of all.
const PATIENCE: Duration = Duration::from_secs(20);
/// Spreadsheets that are made or sent at once.
const SENT: usize = 16;
/// Bytes of the files that are sent at once. One of [`MAX_FILE`] is kept in reserve besides.
const FILES: u64 = 512 << 20;
/// How long a reader may take for one, so that it does not keep others from theirs.
const SENDING: Duration = Duration::from_mins(10);

/// What the sheets of a list say, beside its rows.
pub struct Spreadsheet {
    /// The name of the file before its ending, in ASCII.
    pub file: &'static str,
    /// The name of the sheet with the rows.
    pub name: String,
    pub columns: Vec<SheetColumn>,
    /// The member of items whose own members have columns, and what is said of these.
    pub fields: (&'static str, String),
    /// The headers of these columns that are not their names.
    pub field_headers: IndexMap<String, String>,
    /// The name of the second sheet.
    pub about: String,
    /// What it says of the list.
    pub facts: Vec<(String, String)>,
    /// The heads of its table of columns: header, name for programs, meaning.
    pub heads: [String; 3],
    /// In which times are.
    pub time_zone: Tz,
}

/// A column of a sheet.
pub struct SheetColumn {
    pub header: String,
    /// What the API calls it.
    pub key: String,
    pub meaning: String,
    pub kind: ColumnKind,
    /// Values of the API that are shown by other words.
    pub words: IndexMap<String, String>,
}

/// What the cells of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    /// Texts, or numbers as they are.
    Plain,
    /// Texts of several lines.
    Long,
    Time,
    /// From 0 to 1, shown in percent.
    Share,
    /// Shown with one digit behind the point.
    Score,
}

/// The right to make a spreadsheet and to send it.
pub struct SheetPermit {
    memory: MemoryPermit,
    made: Option<Place>,
    sent: Option<Place>,
}

/// Where spreadsheets are made, two at once, and sent: a slow reader keeps no others from theirs. An account has one at a time.
pub(crate) struct SheetPlaces {
    made: Places,
    sent: Places,
    /// The disk of the files that are sent, shared out as memory is.
    files: MemoryPool,
}

impl Default for SheetPlaces {
    fn default() -> Self {
        Self {
            made: Places::shared(2, 1),
            sent: Places::shared(SENT, 1),
            // Each file takes what it needs at once, so none leaves room for another.
            files: MemoryPool::new(PoolSize {
                total: FILES,
                largest: MAX_FILE,
                small: u64::MAX,
            }),
        }
    }
}

impl SheetPlaces {
    /// The right to send a file of so many bytes, which is there as long as somebody reads it.
    async fn file(&self, account_id: Uuid, bytes: u64) -> Result<MemoryPermit> {
        let mut file = self.files.permit(account_id);
        let grown = file.grow_within(PATIENCE, bytes).await;
        grown.map_err(|_| busy())?;
        Ok(file)
    }
}

fn busy() -> Problem {
    let detail = "other spreadsheets are being made; try again";
    Problem::new(Code::Busy, detail).retry_after(10)
}

/// The right to make a spreadsheet: others of the account, and of all, come before.
///
/// # Errors
/// 503 `busy`.
pub async fn permit(app: &AppState, account_id: Uuid) -> Result<SheetPermit> {
    let SheetPlaces { made, sent, .. } = &app.sheets;
    let places = async {
        let sent = sent.take(account_id).await;
        (sent, made.take(account_id).await)
    };
    let (sent, made) = timeout(PATIENCE, places).await.map_err(|_| busy())?;
    Ok(SheetPermit {
        memory: page_permit(app, account_id).await?,
        made,
        sent,
    })
}

/// Answers with all items of a list. `read` is that of [`lines::answer`](crate::lines::answer).
///
/// # Errors
/// 413: it has too many rows; the items cannot be read; 503 `busy`.
pub async fn answer<T, P, F>(
    app: &AppState,
    account_id: Uuid,
    sheet: Spreadsheet,
    read: impl Fn(Option<P>, (usize, usize)) -> F + Send + Sync,
) -> Result<Response>
where
    T: Serialize + Send + Sync + 'static,
    P: Send + Sync + 'static,
    F: Future<Output = Result<ListPage<(P, T), P>, store::Error>> + Send + 'static,
{
    let permit = permit(app, account_id).await?;
    let part = |position| page(account_id, read(position, (PART, PART_BYTES)));
    let first = part(None).await?;
    let rows = SheetRows::new(app, sheet)?;
    let write = |rows: &mut SheetRows, (_, item): &(P, T)| {
        let item = serde_json::to_value(item).map_err(|error| Problem::internal(&error))?;
        rows.add_item(&item)
    };
    write_all(
        app,
        account_id,
        permit,
        rows,
        first,
        |next| part(Some(next)),
        write,
    )
    .await
}

/// Answers with these rows, in the order of the columns.
///
/// # Errors
/// 503 `busy`.
pub async fn answer_rows(
    app: &AppState,
    account_id: Uuid,
    sheet: Spreadsheet,
    rows: &[Vec<Value>],
) -> Result<Response> {
    let permit = permit(app, account_id).await?;
    let mut written = SheetRows::new(app, sheet)?;
    for row in rows {
        written.add(row.iter().map(Cow::Borrowed), None)?;
    }
    send(app, account_id, permit, written).await
}

/// Answers with the rows that `write` makes of those of a list, each part of which is read while the one before is written.
///
/// # Errors
/// 413: it has too many rows; they cannot be read or written; 503 `busy`.
pub async fn write_all<T, P, F>(
    app: &AppState,
    account_id: Uuid,
    permit: SheetPermit,
    mut rows: SheetRows,
    first: ListPage<T, P>,
    read: impl Fn(P) -> F + Send,
    write: impl Fn(&mut SheetRows, &T) -> Result<()> + Send + Sync,
) -> Result<Response>
where
    T: Send + Sync + 'static,
    P: Send + 'static,
    F: Future<Output = Result<ListPage<T, P>, store::Error>> + Send + 'static,
{
    let mut part = first;
    loop {
        let next = part.next.take();
        let next = next.map(|next| AbortOnDropHandle::new(tokio::spawn(read(next))));
        let written = || part.rows.iter().try_for_each(|row| write(&mut rows, row));
        app.work_here(account_id, PART_BYTES, written).await?;
        match next {
            Some(next) => part = next.await.map_err(|error| Problem::internal(&error))??,
            None => return send(app, account_id, permit, rows).await,
        }
    }
}

/// The answer, made while it is sent.
async fn send(
    app: &AppState,
    account_id: Uuid,
    permit: SheetPermit,
    rows: SheetRows,
) -> Result<Response> {
    let name = format!("attachment; filename=\"{}.xlsx\"", rows.file_name());
    let package = Package::new(rows)?;
    let SheetPermit { memory, made, sent } = permit;
    let file = app.sheets.file(account_id, package.file_bytes()?).await?;
    drop(made);
    let (app, until) = (app.clone(), Instant::now() + SENDING);
    let state = (package, (sent, file), Arc::new(memory));
    let pieces = stream::try_unfold(state, move |(mut package, held, memory)| {
        let app = app.clone();
        async move {
            if Instant::now() > until {
                return Err(io::Error::from(io::ErrorKind::TimedOut));
            }
            let piece = app.work_here(account_id, PIECE, || package.piece()).await?;
            let piece = piece.map(|piece| memory.owned_by(piece.into()));
            Ok(piece.map(|piece| (piece, (package, held, memory))))
        }
    });
    let headers = [
        (
            CONTENT_TYPE,
            HeaderValue::from_static(content_type(Kind::Xlsx)),
        ),
        (
            CONTENT_DISPOSITION,
            HeaderValue::try_from(name).map_err(|error| Problem::internal(&error))?,
        ),
        (CACHE_CONTROL, HeaderValue::from_static("private, no-cache")),
        (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    ];
    Ok((headers, Body::from_stream(pieces)).into_response())
}
