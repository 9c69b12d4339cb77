//! Reports as they were last answered: bodies in process, believed for a moment and then checked by their version.
//!
//! A copy was right when its check began, so what is answered is never older than [`BELIEVED`]. A little before that
//! ([`DUE`]) one caller checks, while the others of the same report are still answered with the copy; after that they
//! wait for a check. The version of a report never goes back: what was rendered from data older than the copy is
//! discarded. A caller who has seen a newer version elsewhere is never answered with an older one unchecked.
//!
//! What is *not* here: what a report shows and how it is read (`routes::report`), day series (`platform::reports`).

mod key;
mod slot;
mod tag;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use moka::ops::compute::Op;
use moka::policy::EvictionPolicy;
use moka::sync::Cache;
use platform::reports::Source;
use platform::request_id::X_REQUEST_ID;
use store::report::Version;
use tokio::time::Instant;

pub use self::key::{Key, segment};
use self::slot::{Look, Slot};
use self::tag::tag_of;
pub use self::tag::{Seen, plain_tag_of};

/// So long a copy is believed after its check began.
pub const BELIEVED: Duration = Duration::from_millis(400);
/// From then on the next caller checks it, so that while many ask and the database is not slow, nobody else waits.
const DUE: Duration = Duration::from_millis(300);
/// Bodies and what goes with them take this many bytes at most.
const CAPACITY: u64 = 32 * 1024 * 1024;
/// What a copy takes besides its body and path.
const OVERHEAD: usize = 1_024;

pub const CACHE_STATUS: HeaderName = HeaderName::from_static("cache-status");
/// Callers keep their copy and ask whether it is still right.
pub const NO_CACHE: HeaderValue = HeaderValue::from_static("private, no-cache");
/// RFC 9211: answered from what was kept.
pub const HIT: HeaderValue = HeaderValue::from_static("feedback; hit");
/// RFC 9211: read from the database.
pub const MISS: HeaderValue = HeaderValue::from_static("feedback; fwd=miss");

/// A report as it is answered.
#[derive(Debug)]
pub struct Rendered {
    /// Of the data that it shows.
    pub version: Version,
    pub body: Bytes,
    headers: HeaderMap,
}

impl Rendered {
    /// Of a body in JSON. Equal bodies of one version have equal tags.
    pub fn new(version: Version, body: impl Into<Bytes>) -> Self {
        let body = body.into();
        let headers = [
            (CONTENT_TYPE, HeaderValue::from_static("application/json")),
            (ETAG, tag_of(version, &body)),
            (CACHE_CONTROL, NO_CACHE),
            (CACHE_STATUS, HIT),
            // Replaced in every answer. A copy of a map has no room for more than it has.
            (X_REQUEST_ID, HeaderValue::from_static("")),
        ];
        Self {
            version,
            headers: headers.into_iter().collect(),
            body,
        }
    }

    /// The answer to a caller who has seen this: the body, or 304 if it is what the caller has.
    pub fn answer(&self, seen: Seen<'_>, source: Source) -> Response {
        let mut response = if seen.has(self.tag()) {
            StatusCode::NOT_MODIFIED.into_response()
        } else {
            Body::from(self.body.clone()).into_response()
        };
        let headers = response.headers_mut();
        headers.clone_from(&self.headers);
        if source == Source::Database {
            headers.insert(CACHE_STATUS, MISS);
        }
        if response.status() == StatusCode::NOT_MODIFIED {
            response.headers_mut().remove(CONTENT_TYPE);
        }
        response
    }

    /// In quotes.
    fn tag(&self) -> &[u8] {
        self.headers.get(ETAG).map_or(&[], HeaderValue::as_bytes)
    }
}

/// What a caller gets.
#[derive(Debug)]
pub struct Served {
    pub rendered: Arc<Rendered>,
    /// Whether anything but versions was read from the database for it.
    pub source: Source,
}

impl Served {
    fn kept(rendered: Arc<Rendered>) -> Self {
        Self {
            rendered,
            source: Source::Cache,
        }
    }
}

/// The reports of a process as last answered; the least recently asked for go first.
pub struct RenderedReports {
    slots: Cache<Key, Arc<Slot>>,
}

impl RenderedReports {
    pub fn new() -> Self {
        let slots = Cache::builder()
            .max_capacity(CAPACITY)
            .eviction_policy(EvictionPolicy::lru())
            .weigher(|key: &Key, slot: &Arc<Slot>| {
                let bytes = OVERHEAD + key.len() + slot.body_len();
                u32::try_from(bytes).unwrap_or(u32::MAX)
            })
            .build();
        Self { slots }
    }

    /// The report: the copy if it can be believed, or if `check` (the version of the data now; `None`: there is nothing to
    /// report on any more) says that it still is right, and otherwise what `render` makes. Neither is called if it is
    /// not needed, and for one report never two at once.
    ///
    /// # Errors
    /// Those of `check` and `render`; the copy stays, unchecked.
    pub async fn get<E, C, R>(
        &self,
        key: Key,
        seen: Seen<'_>,
        check: impl FnOnce() -> C,
        render: impl FnOnce() -> R,
    ) -> Result<Served, E>
    where
        C: Future<Output = Result<Option<Version>, E>>,
        R: Future<Output = Result<(Rendered, Source), E>>,
    {
        let arrived = Instant::now();
        let slot = self.slots.get_with(key.clone(), Arc::default);
        let limit = match slot.look(arrived, seen) {
            Look::Believed(copy) => return Ok(Served::kept(copy)),
            Look::Due => DUE,
            Look::Stale => BELIEVED,
        };
        let flight = slot.fly().await;
        // Whoever flew before has looked for those who waited, too.
        let began = Instant::now();
        let looked = slot.checked_since(arrived);
        if let Some(copy) = looked.or_else(|| slot.younger(limit, began, seen)) {
            return Ok(Served::kept(copy));
        }
        if let Some(copy) = slot.copy()
            && let Some(version) = check().await?
            && (version == copy.version || goes_back(version, copy.version))
        {
            slot.stamp(began);
            return Ok(Served::kept(copy));
        }
        // In a box: most callers need no room for it.
        let (rendered, source) = match Box::pin(render()).await {
            Ok(rendered) => rendered,
            Err(error) => {
                self.forget_empty(key, &slot);
                return Err(error);
            }
        };
        let rendered = slot.keep(Arc::new(rendered), began);
        drop(flight);
        // Weighs it anew. A slot that was pushed out meanwhile stays out: another may have taken its place, with newer data.
        self.slots.entry(key).and_compute_with(|entry| match entry {
            Some(entry) if Arc::ptr_eq(entry.value(), &slot) => Op::Put(Arc::clone(&slot)),
            _ => Op::Nop,
        });
        Ok(Served { rendered, source })
    }
}

impl RenderedReports {
    /// What cannot be reported takes no place.
    fn forget_empty(&self, key: Key, slot: &Arc<Slot>) {
        self.slots.entry(key).and_compute_with(|entry| match entry {
            Some(entry) if Arc::ptr_eq(entry.value(), slot) && slot.copy().is_none() => Op::Remove,
            _ => Op::Nop,
        });
    }
}

/// Whether data of the version `new` is behind that of the version `old`. Versions ascend within an epoch; another epoch
/// is other data.
fn goes_back(new: Version, old: Version) -> bool {
    new.epoch == old.epoch && new.number < old.number
}
