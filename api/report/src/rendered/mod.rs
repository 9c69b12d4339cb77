//! Reports as they were last answered: bodies in process, fresh for a moment and then checked by their version.
//!
//! A body was right when its check began, so what is answered is never older than [`MAX_AGE`]. Checks and renderings of one
//! report come one after the other and each reads later than the one before, so a report never goes back. A caller who has
//! seen a newer version elsewhere is never answered unchecked.
//!
//! What is *not* here: what a report shows (the other modules), how it is read (the crate `report`).

mod tag;
#[cfg(test)]
mod tests;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use domain::date_range::DateRange;
use moka::Entry;
use moka::future::Cache;
use moka::ops::compute::Op;
use moka::policy::EvictionPolicy;
use report::ReportSource;
use store::report::Version;
use tokio::time::Instant;
use uuid::Uuid;

pub use self::tag::{IfNoneMatch, tag_of_body};
use self::tag::{tag_of_version, tag_of_version_and_body};
use crate::request::FormReportRequest;
use api_http::deadline::soon;
use api_http::{Problem, Result};

/// How long a body is answered after its check began.
const MAX_AGE: Duration = Duration::from_millis(400);
/// After this time one caller checks the body while the others are still answered. Beside an import a check takes
/// milliseconds, for which all callers would wait otherwise.
const REVALIDATE_AFTER: Duration = Duration::from_millis(300);
/// What a report takes besides its body.
const OVERHEAD: usize = 1_024;

pub const CACHE_STATUS: HeaderName = HeaderName::from_static("cache-status");
/// Callers keep their copy and ask whether it is still right.
pub const NO_CACHE: HeaderValue = HeaderValue::from_static("private, no-cache");
/// RFC 9211: answered from a cache.
const HIT: HeaderValue = HeaderValue::from_static("feedback; hit");
/// RFC 9211: read from the database.
pub const MISS: HeaderValue = HeaderValue::from_static("feedback; fwd=miss");

/// Which report, and whose.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ReportKey {
    Overview(Uuid, DateRange),
    Form(FormReportRequest),
    Summary(FormReportRequest),
}

/// A report as it is answered.
#[derive(Clone, Debug)]
pub struct Rendered {
    /// The version of the data that the body shows.
    pub version: Version,
    tag: HeaderValue,
    /// In JSON.
    body: Bytes,
}

impl Rendered {
    /// A body that shows the data of the version and nothing else.
    pub fn new(version: Version, body: impl Into<Bytes>) -> Self {
        let (tag, body) = (tag_of_version(version), body.into());
        Self { version, tag, body }
    }

    /// A body that also shows what may change without the version.
    pub fn hashed(version: Version, body: impl Into<Bytes>) -> Self {
        let body = body.into();
        let tag = tag_of_version_and_body(version, &body);
        Self { version, tag, body }
    }

    /// The answer to a caller with these tags.
    pub fn answer(&self, known: IfNoneMatch<'_>, source: ReportSource) -> Response {
        let status = match source {
            ReportSource::Cache => HIT,
            ReportSource::Database => MISS,
        };
        answer(known, self.tag.clone(), status, self.body.clone())
    }
}

/// The answer to a caller with these tags: the body of this tag, in JSON, or 304 if it is what the caller has.
pub fn answer(
    known: IfNoneMatch<'_>,
    tag: HeaderValue,
    status: HeaderValue,
    body: Bytes,
) -> Response {
    let has_it = known.has(&tag);
    let headers = [
        (ETAG, tag),
        (CACHE_CONTROL, NO_CACHE),
        (CACHE_STATUS, status),
    ];
    if has_it {
        return (StatusCode::NOT_MODIFIED, headers).into_response();
    }
    let kind = [(CONTENT_TYPE, HeaderValue::from_static("application/json"))];
    (kind, headers, body).into_response()
}

/// A report, and when the check began that found it right.
#[derive(Clone, Debug)]
struct Checked {
    rendered: Arc<Rendered>,
    at: Instant,
}

impl Checked {
    fn is_younger(&self, age: Duration) -> bool {
        self.at.elapsed() < age
    }
}

/// The reports of a process as last answered; the least recently requested go first.
pub struct RenderedReports(Cache<ReportKey, Checked>);

impl RenderedReports {
    /// All bodies and what goes with them take so many bytes at most.
    pub fn new(bytes: u64) -> Self {
        let cache = Cache::builder()
            .max_capacity(bytes)
            .eviction_policy(EvictionPolicy::lru())
            .weigher(|_: &ReportKey, checked: &Checked| {
                let bytes = OVERHEAD + checked.rendered.body.len();
                u32::try_from(bytes).unwrap_or(u32::MAX)
            });
        Self(cache.build())
    }

    /// Answers with the report of this key, as [`get`](Self::get) has it.
    pub async fn answer<C, R>(
        &self,
        key: ReportKey,
        headers: &HeaderMap,
        check: impl FnOnce() -> C,
        render: impl FnOnce() -> R,
    ) -> Result<Response>
    where
        C: Future<Output = Result<Option<Version>>>,
        R: Future<Output = Result<(Rendered, ReportSource)>>,
    {
        let known = IfNoneMatch(headers);
        let (rendered, source) = soon(self.get(key, known, check, render)).await?;
        Ok(rendered.answer(known, source))
    }

    /// The report: as it was last answered if that is fresh, or if `check` (the version of the data now; `None`: there is
    /// nothing to report on any more) finds it right, and otherwise what `render` makes. Neither is called if it is not
    /// needed, and for one report never two at once.
    ///
    /// # Errors
    /// Those of `check` and `render`.
    pub async fn get<C, R>(
        &self,
        key: ReportKey,
        if_none_match: IfNoneMatch<'_>,
        check: impl FnOnce() -> C,
        render: impl FnOnce() -> R,
    ) -> Result<(Arc<Rendered>, ReportSource)>
    where
        C: Future<Output = Result<Option<Version>>>,
        R: Future<Output = Result<(Rendered, ReportSource)>>,
    {
        let arrived = Instant::now();
        let is_ahead = |known: &Checked| if_none_match.is_ahead_of(known.rendered.version);
        let known = self.0.get(&key).await;
        let known = known.filter(|known| known.is_younger(MAX_AGE) && !is_ahead(known));
        if let Some(known) = &known
            && known.is_younger(REVALIDATE_AFTER)
        {
            return Ok((known.rendered.clone(), ReportSource::Cache));
        }
        // Boxed, because most callers do not need it: their futures are moved several times.
        Box::pin(self.renew(key, known, arrived, if_none_match, check, render)).await
    }

    /// The rest of [`get`](Self::get), of a caller who `arrived` at that moment: what is `known` is to be checked, or there is nothing.
    async fn renew<C, R>(
        &self,
        key: ReportKey,
        known: Option<Checked>,
        arrived: Instant,
        if_none_match: IfNoneMatch<'_>,
        check: impl FnOnce() -> C,
        render: impl FnOnce() -> R,
    ) -> Result<(Arc<Rendered>, ReportSource)>
    where
        C: Future<Output = Result<Option<Version>>>,
        R: Future<Output = Result<(Rendered, ReportSource)>>,
    {
        let is_ahead = |known: &Checked| if_none_match.is_ahead_of(known.rendered.version);
        let mut source = ReportSource::Cache;
        let renew = async |entry: Option<Entry<ReportKey, Checked>>| {
            let at = Instant::now();
            if let Some(known) = entry.map(Entry::into_value) {
                // Meanwhile another caller may have checked it.
                if known.at > arrived || known.is_younger(REVALIDATE_AFTER) && !is_ahead(&known) {
                    return Ok(Op::Nop);
                }
                if check().await? == Some(known.rendered.version) {
                    return Ok(Op::Put(Checked { at, ..known }));
                }
            }
            let (rendered, from) = render().await?;
            source = from;
            let rendered = Arc::new(rendered);
            Ok(Op::Put(Checked { rendered, at }))
        };
        let entry = self.0.entry(key);
        let renewed: Result<_> = match &known {
            Some(_) => entry.and_try_compute_if_nobody_else(renew).await,
            None => entry.and_try_compute_with(renew).await,
        };
        let renewed = renewed?.into_entry().map(Entry::into_value);
        let checked = renewed.or(known);
        let checked =
            checked.ok_or_else(|| Problem::internal(&io::Error::other("not rendered")))?;
        Ok((checked.rendered, source))
    }
}
