//! Requests of providers to the hooks of a sender.

use std::fmt;

use bytes::Bytes;
use url::form_urlencoded;

/// A request to one of the sender's hooks. Its `Debug` shows neither what the URL carries nor the body.
#[derive(Clone)]
pub struct HookRequest<'a> {
    /// As the provider was told: under `FEEDBACK_PUBLIC_URL`, with the query.
    pub url: &'a str,
    /// Names in lower case.
    pub headers: &'a [(String, String)],
    pub body: &'a Bytes,
    /// Seconds since 1970.
    pub now: i64,
}

/// Why a hook's request is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HookError {
    /// 401.
    #[error("the signature is wrong or missing")]
    Signature,
    /// 400.
    #[error("the body is not what this provider sends")]
    Malformed,
}

/// What a hook answers when everything is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HookAnswer {
    pub content_type: &'static str,
    pub body: &'static str,
}

/// The parameters of a form or of a query, in their order.
#[derive(Default)]
pub(crate) struct Parameters(pub Vec<(String, String)>);

impl HookRequest<'_> {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut named = self.headers.iter().filter(|(known, _)| known == name);
        named.next().map(|(_, value)| value.as_str())
    }

    /// The parameters of the URL.
    pub(crate) fn query(&self) -> Parameters {
        let query = self.url.split_once('?').map_or("", |(_, query)| query);
        Parameters::read(query.as_bytes())
    }

    /// The parameters of a form-encoded body.
    pub(crate) fn form(&self) -> Parameters {
        Parameters::read(self.body)
    }
}

impl fmt::Debug for HookRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HookRequest")
            .field("bytes", &self.body.len())
            .field("now", &self.now)
            .finish_non_exhaustive()
    }
}

impl Parameters {
    fn read(encoded: &[u8]) -> Self {
        Self(form_urlencoded::parse(encoded).into_owned().collect())
    }

    /// The first value of a name.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let mut named = self.0.iter().filter(|(known, _)| known == name);
        named.next().map(|(_, value)| value.as_str())
    }

    /// A value without which the request is none of this provider's.
    pub(crate) fn required(&self, name: &str) -> Result<&str, HookError> {
        self.get(name).ok_or(HookError::Malformed)
    }
}
