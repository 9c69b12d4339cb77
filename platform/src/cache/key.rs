//! Names of cache entries.

use std::fmt::{Display, Write};

use uuid::Uuid;

/// `feedback:{account}:kind:part:…`. The account in braces is a Redis hash tag: the keys of one account lie on one
/// node of a cluster. No two different lists of parts make the same key.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CacheKey(String);

impl CacheKey {
    /// `kind` names what is kept and the version of its shape, such as `recipients.v1`.
    pub fn new(account_id: Uuid, kind: &'static str) -> Self {
        Self(format!("feedback:{{{account_id}}}")).with(kind)
    }

    /// The key with one more part: an id, a month, a text.
    #[must_use]
    pub fn with(mut self, part: impl Display) -> Self {
        self.0.push(':');
        for character in part.to_string().chars() {
            match character {
                ':' | '%' | '{' | '}' => {
                    // Writing to a String cannot fail.
                    let _ = write!(self.0, "%{:02X}", u32::from(character));
                }
                other => self.0.push(other),
            }
        }
        self
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

    #[test]
    fn parts_never_run_into_each_other() {
        let key = |parts: &[&str]| {
            parts
                .iter()
                .fold(CacheKey::new(Uuid::nil(), "k"), CacheKey::with)
        };
        let lists: [&[&str]; 7] = [
            &[],
            &[""],
            &["a:b"],
            &["a", "b"],
            &["a%3Ab"],
            &["a", "", "b"],
            &["{a}"],
        ];
        for (i, left) in lists.iter().enumerate() {
            for right in &lists[i + 1..] {
                assert_ne!(key(left), key(right));
            }
        }
    }
}
