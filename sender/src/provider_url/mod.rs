//! What the URL of a sender says, as each kind of provider reads it: its login, its parameters, and what is wrong with them.

mod login;
mod query;

use std::sync::Arc;

pub(crate) use self::login::Login;
pub(crate) use self::query::Query;
use crate::Provider;

/// Gives a sender's provider.
pub(crate) type Connect = Arc<dyn Fn() -> Arc<dyn Provider> + Send + Sync>;

/// What is wrong with one sender. Quotes nothing of its URL, which has secrets.
pub(crate) type UrlError = String;

/// What is wrong with a parameter of the query.
pub(crate) fn bad_parameter(name: &'static str, what: &'static str) -> UrlError {
    format!("`{name}` {what}")
}

/// What is wrong with something else in the URL.
pub(crate) fn bad_url(what: &'static str) -> UrlError {
    format!("its URL {what}")
}

pub(crate) fn no_url() -> UrlError {
    bad_url("cannot be read")
}
