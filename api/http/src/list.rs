//! Lists: their query, their page, and the link to the next one.

use axum::Json;
use axum::extract::FromRequestParts;
use axum::http::header::LINK;
use axum::http::request::Parts;
use axum::response::{AppendHeaders, IntoResponse, Response};
use serde::Serialize;
use utoipa::{IntoParams, ToSchema};

use crate::error::Problem;
use crate::extract::Parameters;

const DEFAULT_LIMIT: u16 = 50;
const MAX_LIMIT: u16 = 1_000;

/// Which page of a list.
#[derive(Clone, Debug, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ListQuery {
    /// How many items at most.
    #[param(required = false, default = 50, minimum = 1, maximum = 1000)]
    pub limit: u16,
    /// The `next_cursor` of the page before.
    #[param(required = false, nullable = false)]
    pub cursor: Option<String>,
    /// Whether the caller asked for a page at all.
    #[param(ignore)]
    pub given: bool,
}

impl ListQuery {
    /// # Errors
    /// A limit that is no number from 1 to 1,000, or a parameter given twice.
    pub fn read(parameters: &Parameters) -> Result<Self, Problem> {
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

    /// One more than the page holds: whether there is a next page shows by it.
    pub fn look_ahead(&self) -> usize {
        usize::from(self.limit) + 1
    }
}

impl<S: Send + Sync> FromRequestParts<S> for ListQuery {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
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

impl<T> Page<T> {
    /// The page of `found`, which was looked up with [`ListQuery::look_ahead`]. `cursor` makes the cursor behind the
    /// last item that is shown.
    pub fn new(mut found: Vec<T>, query: &ListQuery, cursor: impl FnOnce(&T) -> String) -> Self {
        let more = found.len() > usize::from(query.limit);
        found.truncate(query.limit.into());
        let next_cursor = found.last().filter(|_| more).map(cursor);
        Self {
            items: found,
            next_cursor,
        }
    }

    /// The page with every item made into what is shown of it.
    pub fn map<U>(self, show: impl Fn(&T) -> U) -> Page<U> {
        Page {
            items: self.items.iter().map(show).collect(),
            next_cursor: self.next_cursor,
        }
    }

    /// The page as an answer, with its link to the next one under `path`.
    pub fn answer(self, path: &str, query: &ListQuery) -> Response
    where
        T: Serialize,
    {
        let link = self.next_cursor.as_ref().map(|cursor| {
            (
                LINK,
                format!(
                    "<{path}?limit={}&cursor={cursor}>; rel=\"next\"",
                    query.limit
                ),
            )
        });
        (AppendHeaders(link), Json(self)).into_response()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read(query: &str) -> Result<ListQuery, Problem> {
        let request = axum::http::Request::get(format!("/x?{query}"))
            .body(())
            .unwrap();
        ListQuery::from_request_parts(&mut request.into_parts().0, &()).await
    }

    #[tokio::test]
    async fn a_limit_is_a_number_from_1_to_1000() {
        assert_eq!(read("").await.unwrap().limit, 50);
        assert_eq!(read("limit=1").await.unwrap().limit, 1);
        assert_eq!(read("limit=1000&other=x").await.unwrap().limit, 1_000);
        for query in [
            "limit=0",
            "limit=1001",
            "limit=",
            "limit=-1",
            "limit=x",
            "limit=1&limit=1",
            "limit=99999999",
        ] {
            assert!(read(query).await.is_err(), "{query}");
        }
    }

    #[tokio::test]
    async fn a_page_links_to_the_next_while_there_is_more() {
        let query = read("limit=2").await.unwrap();
        let page = Page::new(vec![1, 2, 3], &query, ToString::to_string);
        assert_eq!(
            (page.items.as_slice(), page.next_cursor.as_deref()),
            (&[1, 2][..], Some("2"))
        );
        let answer = page.answer("/things", &query);
        assert_eq!(
            answer.headers()[LINK],
            "</things?limit=2&cursor=2>; rel=\"next\""
        );
        let last = Page::new(vec![1, 2], &query, ToString::to_string);
        assert_eq!((last.items.len(), last.next_cursor.as_ref()), (2, None));
        assert!(last.answer("/things", &query).headers().get(LINK).is_none());
    }
}
