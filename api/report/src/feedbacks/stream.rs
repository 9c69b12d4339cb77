//! All feedbacks of a list in one answer, in as much memory as a few pages take.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use domain::form::FormContent;
use futures::stream;
use store::Store;
use store::report::{FeedbackPart, FeedbackQuery, ListPosition, Stride};
use tokio_util::task::AbortOnDropHandle;

use super::lines::Lines;
use crate::ReportState;
use crate::rendered::{CACHE_STATUS, MISS, NO_CACHE};
use api_http::{Problem, Result, within};

/// The feedbacks that are read at once, and among how many of the form's they are searched for.
const STRIDE: Stride = Stride {
    rows: 2_000,
    among: 50_000,
};
/// A database that takes longer for them does not answer, and the answer is cut.
const LOOKUP: Duration = Duration::from_secs(10);

/// Where a stream is.
struct Stream {
    store: Store,
    query: Arc<FeedbackQuery>,
    form: FormContent,
    lines: Lines,
    /// Read and not written yet.
    part: FeedbackPart,
    /// What comes before them.
    header: Vec<u8>,
}

/// Answers with every feedback. The first are read before the answer begins, so that a database that is down can be told;
/// what fails later cuts the answer without its end.
pub async fn whole(state: &ReportState, query: FeedbackQuery, lines: Lines) -> Result<Response> {
    let store = state.app.store.clone();
    let part = {
        let _place = super::READS.take(query.form.account_id).await;
        store
            .feedback_part(&query, ListPosition::default(), STRIDE)
            .await?
    };
    // After them: it has every field that any of them, or one before them, can answer.
    let form = query.form;
    let form = store.form(form.account_id, form.form_id).await?;
    let form = form.ok_or_else(Problem::not_found)?.content;
    let header = lines.header(&form);
    let first = Stream {
        store,
        query: Arc::new(query),
        form,
        lines,
        part,
        header,
    };
    let pieces = stream::try_unfold(Some(first), |stream| async move {
        let Some(stream) = stream else {
            return Ok(None);
        };
        let step = stream.step().await;
        step.map(Some).inspect_err(|error| {
            tracing::warn!(%error, "an answer was cut");
        })
    });
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static(lines.media_type())),
        (CACHE_CONTROL, NO_CACHE),
        (CACHE_STATUS, MISS),
    ];
    Ok((headers, Body::from_stream(pieces)).into_response())
}

impl Stream {
    /// Writes what was read, while the next are being read; where it goes on.
    async fn step(mut self) -> io::Result<(Bytes, Option<Self>)> {
        let rows = std::mem::take(&mut self.part.rows);
        let next = self.part.next.map(|next| self.read_from(next));
        let bytes = self
            .lines
            .write(&self.form, &rows, std::mem::take(&mut self.header))?;
        drop(rows);
        let Some(next) = next else {
            return Ok((bytes, None));
        };
        self.part = next
            .await
            .map_err(io::Error::other)?
            .map_err(io::Error::other)?;
        Ok((bytes, Some(self)))
    }

    /// In a task, so that it goes on by itself; it ends with the handle.
    fn read_from(
        &self,
        position: ListPosition,
    ) -> AbortOnDropHandle<Result<FeedbackPart, store::Error>> {
        let (store, query) = (self.store.clone(), Arc::clone(&self.query));
        AbortOnDropHandle::new(tokio::spawn(async move {
            let _place = super::READS.take(query.form.account_id).await;
            within(LOOKUP, store.feedback_part(&query, position, STRIDE)).await
        }))
    }
}
