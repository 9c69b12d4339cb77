//! Requests of providers to the hooks of a sender.

use bytes::Bytes;
use url::form_urlencoded;

/// A request to one of the sender's hooks. It has no `Debug`: URL and body hold phones, texts and keys.
#[derive(Clone)]
pub struct HookRequest<'a> {
    /// The URL as the provider has it: under `FEEDBACK_PUBLIC_URL`, with the query.
    pub url: &'a str,
    /// Names in lower case.
    pub headers: &'a [(String, String)],
    pub body: &'a Bytes,
    /// Seconds since 1970.
    pub now: i64,
    /// The reference of the message from the URL's query, verified.
    pub reference: Option<&'a str>,
}

/// Why a request to a hook is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HookError {
    /// 401.
    #[error("the signature is wrong or missing")]
    Signature,
    /// 400.
    #[error("the body is not what this provider sends")]
    Malformed,
}

/// The parameters of a form or of a query, in their order.
#[derive(Clone, Default)]
pub(crate) struct HookParameters(pub Vec<(String, String)>);

impl HookRequest<'_> {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        first(self.headers, name)
    }

    /// The parameters of the URL.
    pub(crate) fn query(&self) -> HookParameters {
        let query = self.url.split_once('?').map_or("", |(_, query)| query);
        HookParameters::read(query.as_bytes())
    }

    /// The parameters of a form-encoded body.
    pub(crate) fn form(&self) -> HookParameters {
        HookParameters::read(self.body)
    }
}

impl HookParameters {
    fn read(encoded: &[u8]) -> Self {
        Self(form_urlencoded::parse(encoded).into_owned().collect())
    }

    /// The first value of a name.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        first(&self.0, name)
    }

    /// A value without which the request is none of this provider's.
    pub(crate) fn required(&self, name: &str) -> Result<&str, HookError> {
        self.get(name).ok_or(HookError::Malformed)
    }
}

fn first<'a>(pairs: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let mut named = pairs.iter().filter(|(known, _)| known == name);
    named.next().map(|(_, value)| value.as_str())
}
