//! `//USER:PASSWORD@HOST:PORT`, which most senders' URLs begin with.

use hyper::Uri;
use url::{Position, Url};

use super::query::decoded;
use super::{Fault, Query};

/// Where a provider is, and as whom.
#[derive(Clone)]
pub(crate) struct Login {
    url: Url,
    pub user: String,
    pub password: String,
}

impl Login {
    /// Reads what follows the scheme. Over TLS but for `tls=off`.
    pub(crate) fn read(address: &str, query: &mut Query<'_>) -> Result<Self, Fault> {
        let scheme = if query.switch("tls", true)? {
            "https"
        } else {
            "http"
        };
        Self::of(scheme, address)
    }

    pub(super) fn of(scheme: &str, address: &str) -> Result<Self, Fault> {
        if !address.starts_with("//") {
            return Err(Fault::NO_URL);
        }
        let url = Url::parse(&format!("{scheme}:{address}")).map_err(|_| Fault::NO_URL)?;
        if !matches!(url.path(), "" | "/") {
            return Err(Fault::url("has a path"));
        }
        let user = decoded(url.username()).filter(|user| !user.is_empty());
        let password = decoded(url.password().unwrap_or_default());
        let password = password.filter(|password| !password.is_empty());
        Ok(Self {
            user: user.ok_or(Fault::url("has no user"))?,
            password: password.ok_or(Fault::url("has no password"))?,
            url,
        })
    }

    /// The URL of an operation, without user and password.
    pub(crate) fn uri(&self, path: &str) -> Result<Uri, Fault> {
        let host = &self.url[Position::BeforeHost..Position::AfterPort];
        let uri = format!("{}://{host}{path}", self.url.scheme());
        uri.parse().map_err(|_| Fault::NO_URL)
    }

    pub(super) fn host(&self) -> Option<&str> {
        self.url.host_str().filter(|host| !host.is_empty())
    }

    pub(super) fn port(&self) -> Option<u16> {
        self.url.port()
    }
}
