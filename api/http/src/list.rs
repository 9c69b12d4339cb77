//! Lists: which page a request asks for, and the page that answers it.
//!
//! A page ends at its `limit`, or earlier where its items are large. A cursor is a position in the list with a checksum over
//! the account, the list (its path and filters) and the position. The checksum keeps honest callers from mixing up lists and
//! is no secret: what a list may show is decided by the account alone.

use axum::Json;
use axum::extract::FromRequestParts;
use axum::http::HeaderValue;
use axum::http::header::{HeaderMap, LINK};
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use domain::link::TrackFields;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use sha2::{Digest, Sha256};
use store::PAGE_BYTES;
use url::form_urlencoded::Serializer;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::{Caller, Parameters, Problem, Result};

const DEFAULT_LIMIT: usize = 50;
const MAX_LIMIT: usize = 1_000;
const CHECKSUM_BYTES: usize = 16;
/// The parameters that say which page of a list is requested. All others decide which rows the list has.
const OF_PAGE: [&str; 2] = ["limit", "cursor"];

/// The list of an account at the path and query of a request, and which page of it is requested.
#[derive(Clone, Debug, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct List {
    /// How many items at most. A page has fewer where they are large, and a filtered one may be empty.
    #[param(required = false, default = 50, minimum = 1, maximum = 1000, value_type = u16)]
    pub limit: usize,
    /// The `next_cursor` of the page before.
    #[param(required = false, nullable = false, min_length = 1)]
    cursor: Option<String>,
    /// Whether the request has a limit or a cursor.
    #[param(ignore)]
    pub given: bool,
    #[param(ignore)]
    pub(crate) account_id: Uuid,
    /// Its path, and the parameters that decide which rows it has.
    #[param(ignore)]
    uri: String,
}

impl<S: Send + Sync> FromRequestParts<S> for List {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let caller = Caller::from_request_parts(parts, state).await?;
        let parameters = Parameters::from_request_parts(parts, state).await?;
        Self::read(caller.account_id(), parts.uri.path(), &parameters)
    }
}

impl List {
    /// # Errors
    /// A limit that is no number from 1 to 1,000, or a parameter given twice.
    fn read(account_id: Uuid, path: &str, parameters: &Parameters) -> Result<Self> {
        let [limit, cursor] = OF_PAGE.map(|name| parameters.one(name));
        let (limit, cursor) = (limit?, cursor?.map(ToOwned::to_owned));
        // A number's own reader takes a sign too.
        let is_signed = limit.is_some_and(|limit| limit.starts_with('+'));
        let number = limit.map_or(Ok(DEFAULT_LIMIT), str::parse).ok();
        let mut filters: Vec<_> = parameters.pairs().collect();
        filters.retain(|(name, _)| !OF_PAGE.contains(name));
        filters.sort_unstable();
        let mut uri = path.trim_end_matches('/').to_owned();
        if !filters.is_empty() {
            uri.push('?');
            let start = uri.len();
            uri = Serializer::for_suffix(uri, start)
                .extend_pairs(filters)
                .finish();
        }
        Ok(Self {
            given: limit.is_some() || cursor.is_some(),
            limit: number
                .filter(|limit| !is_signed && (1..=MAX_LIMIT).contains(limit))
                .ok_or_else(|| {
                    Problem::invalid_parameter("limit must be a number from 1 to 1000")
                })?,
            cursor,
            account_id,
            uri,
        })
    }

    /// The page of a list, by a name of its own, that a page of the dashboard shows.
    pub fn page_of(caller: &Caller, name: &str, limit: usize, cursor: Option<String>) -> Self {
        Self {
            limit,
            given: true,
            cursor,
            account_id: caller.account_id(),
            uri: name.to_owned(),
        }
    }

    /// The position after which the requested page begins; `None`: with the first row.
    ///
    /// # Errors
    /// 400 `invalid_parameter` for a cursor that is not one of this list.
    pub fn position<P: DeserializeOwned>(&self) -> Result<Option<P>> {
        let Some(cursor) = &self.cursor else {
            return Ok(None);
        };
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(cursor).unwrap_or_default();
        let position = bytes
            .split_first_chunk()
            .filter(|(checksum, position)| **checksum == self.checksum(position))
            .and_then(|(_, position)| serde_json::from_slice(position).ok())
            .filter(|position| !has_nul(position))
            .and_then(|position| serde_json::from_value(position).ok());
        let foreign = || Problem::invalid_parameter("cursor is not one of this list");
        position.map(Some).ok_or_else(foreign)
    }

    /// A page of these items, each with its position: all of them, or as many as fit into a page. `next` is the position after
    /// which the list goes on behind them.
    ///
    /// # Errors
    /// An item that cannot be written.
    pub fn page<T: Serialize, P: Serialize>(
        &self,
        items: impl IntoIterator<Item = (P, T)>,
        mut next: Option<P>,
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
            next_cursor: next.map(|position| self.cursor(&position)),
        })
    }

    /// Answers with the [`page`](Self::page) of these items.
    ///
    /// # Errors
    /// An item that cannot be written.
    pub fn answer<T: Serialize, P: Serialize>(
        &self,
        items: impl IntoIterator<Item = (P, T)>,
        next: Option<P>,
    ) -> Result<Response> {
        let page = self.page(items, next)?;
        Ok((self.link_to_next(&page), Json(page)).into_response())
    }

    /// The header that links to the next page, if there is one.
    pub fn link_to_next<T>(&self, page: &Page<T>) -> HeaderMap {
        let (uri, limit) = (&self.uri, self.limit);
        let and = if uri.contains('?') { '&' } else { '?' };
        let cursor = page.next_cursor.as_ref();
        let link = cursor
            .map(|cursor| format!("<{uri}{and}limit={limit}&cursor={cursor}>; rel=\"next\""))
            .and_then(|link| HeaderValue::try_from(link).ok());
        link.map(|link| (LINK, link)).into_iter().collect()
    }

    /// The cursor of the page after this position.
    pub fn cursor(&self, position: &impl Serialize) -> String {
        // Ids, numbers and texts always serialise.
        let position = serde_json::to_vec(position).unwrap_or_default();
        let checksum = self.checksum(&position);
        BASE64_URL_SAFE_NO_PAD.encode([&checksum, position.as_slice()].concat())
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

/// Whether a position has a text that no database takes, and so is none that was given out.
fn has_nul(position: &Value) -> bool {
    match position {
        Value::String(text) => text.contains('\0'),
        Value::Array(parts) => parts.iter().any(has_nul),
        _ => false,
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

const TRACK_FIELD: &str = "track_field";

/// The tracking fields that a link must have.
#[derive(Clone, Debug, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct TrackFieldQuery {
    /// Only what came with a link that has this tracking field, `<name>=<value>`; repeated, all of them. At most 6.
    #[param(required = false, nullable = false, max_items = 6, style = Form, explode, value_type = Option<Vec<String>>,
            pattern = "^[^=\\u0000-\\u001f\\u007f-\\u009f]{1,64}=[^\\u0000]*$")]
    pub track_field: TrackFields,
}

impl<S: Send + Sync> FromRequestParts<S> for TrackFieldQuery {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let parameters = Parameters::from_request_parts(parts, state).await?;
        let mut track_field = TrackFields::default();
        let mut fields = parameters.all(TRACK_FIELD);
        let read = fields.try_for_each(|text| track_field.push(text));
        read.map(|()| Self { track_field })
            .map_err(|error| Problem::invalid_parameter(format!("track_field: {error}")))
    }
}

#[cfg(test)]
mod tests;
