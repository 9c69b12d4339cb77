//! Shared pages as they were drawn lately, and whose secrets are known to be good.

use std::sync::Arc;
use std::time::Duration;

use api_http::address::GoodLately;
use axum::http::HeaderMap;
use bytes::Bytes;
use moka::future::Cache;

/// How long a page that was drawn may be shown to others.
const MAX_AGE: Duration = Duration::from_millis(400);

/// How long a secret is known to be good since it was last found.
const LATELY: Duration = Duration::from_hours(12);

/// The shared pages that were drawn lately.
pub struct SharedPages {
    /// By the hash of the secret, and by language.
    pub drawn: Cache<([u8; 32], &'static str), Arc<Drawn>>,
    /// The hashes of secrets that were found lately: whoever has one is no stranger, whatever others behind the same address try.
    pub good: GoodLately,
}

/// A page as it was drawn for whoever asked first.
pub struct Drawn {
    pub headers: HeaderMap,
    pub html: Bytes,
}

impl SharedPages {
    /// Those that are kept take so many bytes at most.
    pub fn new(bytes: u64) -> Self {
        let size = |_: &_, drawn: &Arc<Drawn>| u32::try_from(drawn.html.len()).unwrap_or(u32::MAX);
        Self {
            drawn: Cache::builder()
                .time_to_live(MAX_AGE)
                .weigher(size)
                .max_capacity(bytes)
                .build(),
            good: GoodLately::new(LATELY),
        }
    }
}
