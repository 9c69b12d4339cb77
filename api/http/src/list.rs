//! Lists: which page a query asks for, and the page that answers it.
//!
//! A page ends at its `limit`, or earlier where its items are large. A cursor is a position in the list with a checksum over
//! the account, the list and the position. The checksum keeps honest callers from mixing up lists and is no secret: what a
//! list may show is decided by the account alone.

mod track_field;

use axum::Json;
use axum::extract::FromRequestParts;
use axum::http::HeaderValue;
use axum::http::header::{HeaderMap, LINK};
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use sha2::{Digest, Sha256};
use store::PAGE_BYTES;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

pub use self::track_field::TrackFieldQuery;
use crate::memory::{MemoryPool, PoolSize};
use crate::{Parameters, Problem, Result};

/// Eight pages at once, four of them for an account alone.
const POOL: PoolSize = PoolSize {
    total: 8 * PAGE_BYTES as u64,
    largest: PAGE_BYTES as u64,
    small: 0,
};

/// The memory for pages of large items. A page takes its share before it is read, so that one account's callers take
/// neither all memory nor all connections.
pub fn memory() -> MemoryPool {
    MemoryPool::new(POOL)
}

const DEFAULT_LIMIT: u16 = 50;
const MAX_LIMIT: u16 = 1_000;
const CHECKSUM_BYTES: usize = 16;

/// Which page of a list.
#[derive(Clone, Debug, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ListQuery {
    /// How many items at most. A page has fewer where they are large, and a filtered one may be empty.
    #[param(required = false, default = 50, minimum = 1, maximum = 1000)]
    pub limit: u16,
    /// The `next_cursor` of the page before.
    #[param(required = false, nullable = false, min_length = 1)]
    pub cursor: Option<String>,
    /// Whether the request has a limit or a cursor.
    #[param(ignore)]
    pub given: bool,
}

impl ListQuery {
    /// # Errors
    /// A limit that is no number from 1 to 1,000, or a parameter given twice.
    pub fn read(parameters: &Parameters) -> Result<Self> {
        let limit = parameters.one("limit")?;
        let cursor = parameters.one("cursor")?;
        Ok(Self {
            given: limit.is_some() || cursor.is_some(),
            limit: match limit {
                None => DEFAULT_LIMIT,
                Some(text) => text
                    .parse()
                    .ok()
                    .filter(|limit| (1..=MAX_LIMIT).contains(limit))
                    .ok_or_else(|| {
                        Problem::invalid_parameter("limit must be a number from 1 to 1000")
                    })?,
            },
            cursor: cursor.map(ToOwned::to_owned),
        })
    }
}

impl<S: Send + Sync> FromRequestParts<S> for ListQuery {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        Self::read(&Parameters::from_request_parts(parts, state).await?)
    }
}

/// A page of a list.
#[derive(Debug, Serialize, ToSchema)]
pub struct Page<T> {
    pub items: Vec<T>,
    /// Where the next page begins; null at the end.
    #[schema(required = true)]
    pub next_cursor: Option<String>,
}

/// A list of an account.
#[derive(Clone, Debug)]
pub struct List {
    account_id: Uuid,
    uri: String,
}

impl List {
    /// The list at a path and query, which have everything that decides which rows there are and in which order.
    pub fn new(account_id: Uuid, uri: impl Into<String>) -> Self {
        Self {
            account_id,
            uri: uri.into(),
        }
    }

    /// The position after which the page begins that the query asks for; `None`: with the first row.
    ///
    /// # Errors
    /// 400 `invalid_parameter` for a cursor that is not one of this list.
    pub fn position<const N: usize>(&self, query: &ListQuery) -> Result<Option<[u8; N]>> {
        let Some(cursor) = &query.cursor else {
            return Ok(None);
        };
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(cursor).ok();
        bytes
            .as_deref()
            .and_then(|bytes| bytes.split_first_chunk())
            .filter(|(position, checksum)| *checksum == self.checksum(*position))
            .map(|(position, _)| Some(*position))
            .ok_or_else(|| Problem::invalid_parameter("cursor is not one of this list"))
    }

    /// A page of these items, each with its position: all of them, or as many as fit into a page. `next` is the position after
    /// which the list goes on behind them.
    ///
    /// # Errors
    /// An item that cannot be written.
    pub fn page<T: Serialize, const N: usize>(
        &self,
        items: impl IntoIterator<Item = ([u8; N], T)>,
        mut next: Option<[u8; N]>,
    ) -> Result<Page<Box<RawValue>>> {
        let mut items = items.into_iter().peekable();
        let mut written = Vec::new();
        let mut bytes = 0;
        while let Some((position, item)) = items.next() {
            let item = to_raw_value(&item).map_err(|error| Problem::internal(&error))?;
            bytes += item.get().len();
            written.push(item);
            if bytes >= PAGE_BYTES && items.peek().is_some() {
                next = Some(position);
                break;
            }
        }
        Ok(Page {
            items: written,
            next_cursor: next.map(|position| self.cursor(position)),
        })
    }

    /// Answers a query with the [`page`](Self::page) of these items.
    ///
    /// # Errors
    /// An item that cannot be written.
    pub fn answer<T: Serialize, const N: usize>(
        &self,
        query: &ListQuery,
        items: impl IntoIterator<Item = ([u8; N], T)>,
        next: Option<[u8; N]>,
    ) -> Result<Response> {
        let page = self.page(items, next)?;
        Ok((self.link_to_next(query, &page), Json(page)).into_response())
    }

    /// The header that links to the next page, if there is one.
    pub fn link_to_next<T>(&self, query: &ListQuery, page: &Page<T>) -> HeaderMap {
        let (uri, limit) = (&self.uri, query.limit);
        let and = if uri.contains('?') { '&' } else { '?' };
        let cursor = page.next_cursor.as_ref();
        let link = cursor
            .map(|cursor| format!("<{uri}{and}limit={limit}&cursor={cursor}>; rel=\"next\""))
            .and_then(|link| HeaderValue::try_from(link).ok());
        link.map(|link| (LINK, link)).into_iter().collect()
    }

    fn cursor<const N: usize>(&self, position: [u8; N]) -> String {
        let mut bytes = position.to_vec();
        bytes.extend_from_slice(&self.checksum(&position));
        BASE64_URL_SAFE_NO_PAD.encode(bytes)
    }

    fn checksum(&self, position: &[u8]) -> [u8; CHECKSUM_BYTES] {
        let mut hash = Sha256::new();
        for part in [self.account_id.as_bytes(), self.uri.as_bytes(), position] {
            // With its length, so that no two lists run together.
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        let hash = hash.finalize();
        std::array::from_fn(|place| hash[place])
    }
}

#[cfg(test)]
mod tests;
