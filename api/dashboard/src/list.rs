//! Pages of lists.

use std::fmt::Display;

use serde::{Deserialize, Serialize};
use store::ListPage;
use url::form_urlencoded::Serializer;

use crate::signed_in::SignedIn;

/// A page of a list.
#[derive(Default)]
pub struct ShownList<T> {
    pub items: Vec<T>,
    next_cursor: Option<String>,
}

/// Which page of a list.
#[derive(Default, Deserialize)]
pub struct PageQuery {
    #[serde(default)]
    cursor: String,
}

impl PageQuery {
    /// The page of at most `limit` items of a list, which has a name of its own.
    pub fn list(&self, person: &SignedIn, name: &str, limit: usize) -> api_http::List {
        let cursor = (!self.cursor.is_empty()).then(|| self.cursor.clone());
        api_http::List::page_of(&person.caller, name, limit, cursor)
    }
}

impl<T> ShownList<T> {
    /// The page that was asked for as `list`.
    pub fn new<P: Serialize>(list: &api_http::List, page: ListPage<T, P>) -> Self {
        Self {
            items: page.rows,
            next_cursor: page.next.map(|position| list.cursor(&position)),
        }
    }

    /// Where the next page begins.
    pub fn cursor(&self) -> Option<&str> {
        self.next_cursor.as_deref()
    }

    /// The query of the next page, after the other parameters of this one.
    pub fn next(&self, keep: impl Display) -> Option<String> {
        let cursor = self.cursor()?;
        let mut query = Serializer::new(keep.to_string());
        Some(query.append_pair("cursor", cursor).finish())
    }
}
