//! What the URL of a sender says, as each kind of provider reads it: its login, its parameters, and what is wrong with them.

mod login;
mod query;

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use url::Url;

pub(crate) use self::login::Login;
pub(crate) use self::query::Query;
use crate::Provider;
use crate::client::HttpClient;

/// The URL of a sender without the parameters that all senders have.
pub(crate) struct SenderUrl<'a> {
    pub scheme: &'a str,
    /// What stands between the `:` of the scheme and the query.
    pub address: &'a str,
    pub query: Query<'a>,
    /// How many messages may be without a known result; parts, if it speaks SMPP.
    pub window: NonZeroU32,
    /// How long an answer over HTTP may take.
    pub timeout: Duration,
    /// Where it connects to without TLS.
    pub plain_host: Option<String>,
}

impl SenderUrl<'_> {
    /// The login at a provider that speaks HTTP: over TLS, unless `tls=off`.
    pub(crate) fn login(&mut self) -> Result<Login, UrlError> {
        let tls = self.query.switch("tls", true)?;
        let login = Login::of(if tls { "https" } else { "http" }, self.address)?;
        self.note_plain(&login.url);
        Ok(login)
    }

    /// Notes the host of a URL whose scheme has no TLS.
    pub(crate) fn note_plain(&mut self, url: &Url) {
        let is_plain = matches!(url.scheme(), "http" | "smpp");
        self.plain_host = url.host_str().filter(|_| is_plain).map(str::to_owned);
    }

    pub(crate) fn http(&self) -> HttpClient {
        HttpClient::new(self.timeout)
    }
}

/// Gives a sender's provider.
pub(crate) type Connect = Arc<dyn Fn() -> Arc<dyn Provider> + Send + Sync>;

/// Gives always the same one, which holds no connection that has to end.
pub(crate) fn always(provider: impl Provider + 'static) -> Connect {
    let provider = Arc::new(provider);
    Arc::new(move || provider.clone())
}

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
