//! What an API key is made with. Its secrets are in `store`.

use std::str::FromStr;

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use derive_more::Deref;
use uuid::Uuid;

use crate::invalid::NotValid;
use crate::networks::Networks;
use crate::scope::Scopes;
use crate::text::has_unseen;

/// At most this many characters in a name.
pub const MAX_NAME: usize = 80;
/// For so long before its end a key's owner is warned.
const WARNED: TimeDelta = TimeDelta::days(14);

/// A key to be made.
#[derive(Clone, Debug)]
pub struct NewKey {
    /// Such as `fk_…`.
    pub api_key: String,
    pub scopes: Scopes,
    pub name: Option<KeyName>,
    /// Its end.
    pub expires_at: Option<DateTime<Utc>>,
    /// From where it may be used; none: from anywhere.
    pub networks: Networks,
}

/// What people call a key: 1 to 80 characters, all of which are seen, and without space around it.
#[derive(Clone, Debug, PartialEq, Eq, Deref)]
pub struct KeyName(String);

impl NewKey {
    /// Another key each time.
    pub fn new_id() -> String {
        format!("fk_{}", Uuid::new_v4().simple())
    }

    /// How the audit log has it: the key, its end or `-`, and its name and scopes, with blanks between.
    pub fn subject(&self) -> String {
        let end = self
            .expires_at
            .map(|end| end.to_rfc3339_opts(SecondsFormat::Secs, true));
        let end = end.as_deref().unwrap_or("-");
        let name = self.name.as_deref().map(|name| format!("{name} "));
        let name = name.unwrap_or_default();
        format!("{} {end} {name}({})", self.api_key, self.scopes)
    }
}

impl From<Scopes> for NewKey {
    /// One without a name that works for ever and from anywhere.
    fn from(scopes: Scopes) -> Self {
        Self {
            api_key: Self::new_id(),
            scopes,
            name: None,
            expires_at: None,
            networks: Networks::default(),
        }
    }
}

impl FromStr for KeyName {
    type Err = NotValid;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let name = text.trim();
        if name.is_empty() || name.chars().count() > MAX_NAME || has_unseen(name) {
            return Err(NotValid("a name has 1 to 80 visible characters"));
        }
        Ok(Self(name.to_owned()))
    }
}

/// Whether what ends then has ended.
pub fn has_ended(end: Option<DateTime<Utc>>, now: DateTime<Utc>) -> bool {
    end.is_some_and(|end| end <= now)
}

/// Whether it works and ends within the two weeks in which its owner is warned.
pub fn ends_soon(end: Option<DateTime<Utc>>, now: DateTime<Utc>) -> bool {
    end.is_some_and(|end| end > now && end - now <= WARNED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_up_to_80_characters() {
        assert_eq!(*" Shop till ".parse::<KeyName>().unwrap(), "Shop till");
        for name in [
            "",
            "  ",
            "a\u{0}b",
            "a\u{202e}b",
            "\u{2800}",
            &"x".repeat(81),
        ] {
            assert!(name.parse::<KeyName>().is_err(), "{name:?}");
        }
    }

    #[test]
    fn an_owner_is_warned_in_the_two_weeks_before_the_end() {
        let now = Utc::now();
        for (days, ends, ended) in [
            (None, false, false),
            (Some(15), false, false),
            (Some(14), true, false),
            (Some(1), true, false),
            (Some(0), false, true),
            (Some(-1), false, true),
        ] {
            let end = days.map(|days| now + TimeDelta::days(days));
            assert_eq!((ends_soon(end, now), has_ended(end, now)), (ends, ended));
        }
    }
}
