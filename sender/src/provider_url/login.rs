//! `//USER:PASSWORD@HOST:PORT`, which most senders' URLs begin with.

use hyper::Uri;
use url::Url;

use super::query::decoded;
use super::{UrlError, bad_url, no_url};

/// The address of a provider, with user and password.
pub(crate) struct Login {
    /// Without user and password.
    pub url: Url,
    pub user: String,
    pub password: String,
}

impl Login {
    /// Reads the address of a URL, under this scheme.
    pub(crate) fn of(scheme: &str, address: &str) -> Result<Self, UrlError> {
        if !address.starts_with("//") {
            return Err(no_url());
        }
        let mut url = Url::parse(&format!("{scheme}:{address}")).map_err(|_| no_url())?;
        if !matches!(url.path(), "" | "/") {
            return Err(bad_url("has a path"));
        }
        let given = |text: &str| decoded(text).filter(|text| !text.is_empty());
        let user = given(url.username()).ok_or_else(|| bad_url("has no user"))?;
        let password = given(url.password().unwrap_or_default());
        let password = password.ok_or_else(|| bad_url("has no password"))?;
        let without = url.set_username("").and(url.set_password(None));
        without.map_err(|()| no_url())?;
        Ok(Self {
            url,
            user,
            password,
        })
    }

    /// The URL of an operation.
    pub(crate) fn uri(&self, path: &str) -> Result<Uri, UrlError> {
        let url = self.url.join(path).map_err(|_| no_url())?;
        url.as_str().parse().map_err(|_| no_url())
    }
}
