//! Feedbacks as lines, all of a list in one answer, in as much memory as a few pages take: CSV, or NDJSON of the items that a
//! page shows.

use std::borrow::Cow;
use std::io;
use std::iter::once;
use std::sync::Arc;

use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use chrono::SecondsFormat;
use domain::form::{BusProp, FormContent};
use domain::link::BusPropIds;
use futures::future::BoxFuture;
use serde::Deserialize;
use serde_json::value::RawValue;
use store::ListPage;
use store::report::{FeedbackQuery, FeedbackRow, ListPosition, ReadSize};

use super::item::{FeedbackItem, StoredAnswers, text_beside};
use crate::rendered::{CACHE_STATUS, MISS, NO_CACHE};
use api_http::accept::{Kind, content_type};
use api_http::csv_text;
use api_http::{AppState, Result, lines};

/// The feedbacks that are read at once, and among how many of the form's they are searched for.
const READ_SIZE: ReadSize = ReadSize {
    rows: lines::PART,
    among: 50_000,
    bytes: lines::PART_BYTES,
};

/// Columns before those of the fields.
const FIRST: &str = "feedback_id,submitted_at,bus_props,track_fields";
/// About what a line takes.
const LINE_BYTES: usize = 256;

/// Reads the part of the feedbacks after a position.
pub fn parts(
    app: &AppState,
    query: FeedbackQuery,
) -> impl Fn(
    ListPosition,
) -> BoxFuture<'static, Result<ListPage<FeedbackRow, ListPosition>, store::Error>>
+ Send
+ Sync
+ 'static {
    let (store, account_id) = (app.store.clone(), query.form.account_id);
    let query = Arc::new(query);
    move |position| {
        let (store, query) = (store.clone(), Arc::clone(&query));
        let read = async move { store.feedback_part(&query, position, READ_SIZE).await };
        Box::pin(lines::page(account_id, read))
    }
}

/// Every feedback, as lines of a kind. The first are read before the answer begins, so that a database that is down can be told;
/// what fails later cuts the answer without its end.
pub async fn whole(app: &AppState, query: FeedbackQuery, kind: Kind) -> Result<Response> {
    let key = query.form;
    let read = parts(app, query);
    let permit = lines::whole_permit(app, key.account_id).await?;
    let first = read(ListPosition::default()).await?;
    // The form is read after the first feedbacks, so that it has every field that these or older ones can answer.
    let form = app.form(key.account_id, key.form_id).await?;
    let form = form.content.for_reports();
    let header = header(kind, &form);
    let write = move |rows: &[_], out: &mut _| write(kind, &form, rows, out);
    let body = lines::body(permit, first, header, read, write);
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static(content_type(kind))),
        (CACHE_CONTROL, NO_CACHE),
        (CACHE_STATUS, MISS),
    ];
    Ok((headers, body).into_response())
}

/// What comes before the first line of a stream. CSV has one column a field of the form as it is when the stream begins, and behind
/// it one for the texts beside its options, if any may have one.
pub fn header(kind: Kind, form: &FormContent) -> Vec<u8> {
    if kind != Kind::Csv {
        return Vec::new();
    }
    // None of these names needs quotes.
    let columns = form.fields.iter().flat_map(|field| {
        let text = field.has_text().then(|| field.text_column());
        once(field.key.as_str().to_owned()).chain(text)
    });
    let names: Vec<_> = once(FIRST.to_owned()).chain(columns).collect();
    (names.join(",") + "\r\n").into()
}

/// Appends the lines of the first feedbacks, and says how many.
///
/// # Errors
/// What is stored cannot be read.
pub fn write(
    kind: Kind,
    form: &FormContent,
    feedbacks: &[FeedbackRow],
    out: &mut Vec<u8>,
) -> io::Result<usize> {
    out.reserve((feedbacks.len() * LINE_BYTES).min(lines::PIECE));
    if kind == Kind::Csv {
        return Ok(write_csv(form, feedbacks, out)?);
    }
    let mut written = 0;
    for feedback in feedbacks {
        let item = FeedbackItem::read(form, feedback)?;
        serde_json::to_writer(&mut *out, &item)?;
        out.push(b'\n');
        written += 1;
        if out.len() >= lines::PIECE {
            break;
        }
    }
    Ok(written)
}

/// A string, borrowed unless it has escapes. (`Cow` itself is always read as an owned one.)
#[derive(Deserialize)]
struct BorrowedText<'a>(#[serde(borrow)] Cow<'a, str>);

fn write_csv(
    form: &FormContent,
    feedbacks: &[FeedbackRow],
    out: &mut Vec<u8>,
) -> Result<usize, csv::Error> {
    let mut written = 0;
    let mut csv = csv_text::writer(out);
    let mut id = [0; uuid::fmt::Hyphenated::LENGTH];
    // Adjacent feedbacks mostly came through the same link.
    let mut bus_props: Option<(&BusPropIds, Vec<u8>)> = None;
    for feedback in feedbacks {
        let id = feedback.feedback_id.hyphenated().encode_lower(&mut id);
        csv.write_field(id)?;
        let submitted = feedback.submitted_at;
        csv.write_field(submitted.to_rfc3339_opts(SecondsFormat::AutoSi, true))?;
        let ids = &feedback.bus_prop_ids;
        let (_, cell) = match bus_props {
            Some(ref same) if same.0 == ids => same,
            _ => bus_props.insert((ids, bus_props_cell(ids, form)?)),
        };
        csv.write_field(cell)?;
        csv.write_field(csv_text::cell(&feedback.track_fields).as_bytes())?;
        let answers: StoredAnswers<'_> =
            serde_json::from_str(&feedback.answers).map_err(io::Error::from)?;
        for field in &form.fields {
            write_answer(&mut csv, answers.get(field.key.as_str()).copied())?;
            if field.has_text() {
                write_answer(&mut csv, text_beside(field, &answers))?;
            }
        }
        csv.write_record(None::<&[u8]>)?;
        written += 1;
        if csv.get_ref().len() >= lines::PIECE {
            break;
        }
    }
    csv.flush()?;
    Ok(written)
}

fn write_answer<W: io::Write>(
    csv: &mut csv::Writer<W>,
    answer: Option<&RawValue>,
) -> Result<(), csv::Error> {
    match answer.map(RawValue::get) {
        None => csv.write_field(""),
        Some(text) if text.starts_with('"') => {
            let BorrowedText(text) = serde_json::from_str(text).map_err(io::Error::from)?;
            csv.write_field(csv_text::cell(text).as_bytes())
        }
        Some(number_or_list) => csv.write_field(csv_text::cell(number_or_list).as_bytes()),
    }
}

fn bus_props_cell(ids: &BusPropIds, form: &FormContent) -> io::Result<Vec<u8>> {
    let texts: Vec<&str> = ids.texts(form).map(BusProp::as_str).collect();
    let texts = serde_json::to_string(&texts)?;
    Ok(csv_text::cell(texts).into_owned().into_bytes())
}
