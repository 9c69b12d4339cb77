//! People who sign in to the dashboard: their names, roles and passwords.

use strum::{Display, EnumString, IntoStaticStr, VariantArray};

use crate::invalid::NotValid;
use crate::scope::{Access, Scope, Scopes};
use crate::text::has_control;

/// At most this many characters in a name.
const MAX_NAME: usize = 100;
/// Fewer characters are guessed too soon (NIST SP 800-63B asks for 8 at least).
const MIN_PASSWORD: usize = 10;
/// More bytes only cost time.
const MAX_PASSWORD_BYTES: usize = 1_024;

/// What somebody may do; each may also do what those before may.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Display, EnumString, IntoStaticStr, VariantArray,
)]
#[strum(serialize_all = "snake_case")]
pub enum Role {
    /// Looks, and sees masked phones.
    Viewer,
    /// Makes forms, links, campaigns and imports.
    Editor,
    /// Manages keys and people.
    Admin,
}

impl Role {
    /// The role's name on the command line and in the database.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The scopes that the role has, as a key has its own: everybody reads everything but the audit log.
    pub fn scopes(self, access: Access) -> Scopes {
        match (self, access) {
            (Self::Viewer, Access::Change) => Scopes::NONE,
            (Self::Admin, _) => Scopes::ALL,
            (Self::Viewer, Access::Read) | (Self::Editor, _) => Scopes::ALL.without(Scope::Audit),
        }
    }
}

/// The name by which somebody signs in: 1 to 100 characters without control characters, in lower case and without space
/// around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PersonName(String);

/// A password that may be set. It is never shown.
#[derive(Clone)]
pub struct NewPassword(String);

impl PersonName {
    /// # Errors
    /// Empty, longer than 100 characters, or with a control character.
    pub fn parse(text: &str) -> Result<Self, NotValid> {
        let name = text.trim().to_lowercase();
        if name.is_empty() || name.chars().count() > MAX_NAME || has_control(&name) {
            return Err(NotValid("a name has 1 to 100 characters"));
        }
        Ok(Self(name))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl NewPassword {
    /// # Errors
    /// Fewer than 10 characters or more than 1,024 bytes.
    pub fn parse(text: impl Into<String>) -> Result<Self, NotValid> {
        let text = text.into();
        if text.chars().count() < MIN_PASSWORD || text.len() > MAX_PASSWORD_BYTES {
            return Err(NotValid(
                "a password has at least 10 characters and at most 1,024 bytes",
            ));
        }
        Ok(Self(text))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_the_same_however_it_is_typed() {
        assert_eq!(PersonName::parse(" Ada "), PersonName::parse("ada"));
        for name in ["", "  ", "a\u{0}b", &"x".repeat(101)] {
            assert!(PersonName::parse(name).is_err(), "{name:?}");
        }
    }

    #[test]
    fn a_password_has_ten_characters() {
        assert!(NewPassword::parse("ß".repeat(10)).is_ok());
        for password in ["123456789".to_owned(), "x".repeat(1_025)] {
            assert!(NewPassword::parse(password).is_err());
        }
    }

    #[test]
    fn each_role_may_more_than_the_one_before() {
        assert!(Role::VARIANTS.is_sorted());
        assert_eq!("admin".parse(), Ok(Role::Admin));
        for role in Role::VARIANTS {
            let changes = role.scopes(Access::Change).contains(Scope::Form);
            assert!(role.scopes(Access::Read).contains(Scope::Form));
            assert_eq!(changes, *role >= Role::Editor);
            let audits = role.scopes(Access::Read).contains(Scope::Audit);
            assert_eq!(audits, *role == Role::Admin);
        }
    }
}
