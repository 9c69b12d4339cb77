//! Names of cache entries.

use std::fmt::Display;

use uuid::Uuid;

/// `feedback:{account}:kind:part:…`. The account in braces is a Redis hash tag: the keys of one account lie on one
/// node of a cluster.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CacheKey(String);

impl CacheKey {
    /// `kind` names what is kept and the version of its shape, such as `recipients.v1`.
    pub fn new(account_id: Uuid, kind: &'static str) -> Self {
        Self(format!("feedback:{{{account_id}}}")).with(kind)
    }

    /// The key with one more part: an id, a month. It has no `:` of its own.
    #[must_use]
    pub fn with(self, part: impl Display) -> Self {
        Self(format!("{}:{part}", self.0))
    }

    /// As the server knows it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_begins_with_its_account_as_hash_tag() {
        let key = CacheKey::new(Uuid::from_u128(1), "series.v1").with("2026-05");
        assert_eq!(
            key.as_str(),
            "feedback:{00000000-0000-0000-0000-000000000001}:series.v1:2026-05"
        );
    }
}
