//! People who sign in to the dashboard: their names, roles and passwords.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use serde::Deserialize;
use strum::{Display, EnumString, IntoStaticStr, VariantArray};
use unicode_normalization::UnicodeNormalization;

use crate::invalid::NotValid;
use crate::scope::{Access, Scope, Scopes};
use crate::text::{has_control, has_unseen};

/// At most this many characters in a name.
const MAX_NAME: usize = 100;
/// Fewer characters are guessed too soon (NIST SP 800-63B asks for 8 at least).
const MIN_PASSWORD: usize = 10;
/// More bytes only cost time.
const MAX_PASSWORD_BYTES: usize = 1_024;
/// Fewer different characters than these are tried first.
const MIN_DIFFERENT: usize = 4;
/// In lower case, with blanks and lines between; lines of notes begin with `#`.
const COMMON: &str = include_str!("common_passwords.txt");

/// What somebody may do; each may also do what those before may.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Deserialize,
    Display,
    EnumString,
    IntoStaticStr,
    VariantArray,
)]
#[serde(rename_all = "snake_case")]
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

    /// The scopes that the role has, as a key has its own: everybody reads everything but the audit log and how long data is kept.
    pub fn scopes(self, access: Access) -> Scopes {
        match (self, access) {
            (Self::Viewer, Access::Change) => Scopes::NONE,
            (Self::Admin, _) => Scopes::ALL,
            (Self::Viewer, Access::Read) | (Self::Editor, _) => {
                Scopes::ALL.without(Scope::Audit).without(Scope::Retention)
            }
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

/// Why a password may not be set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PasswordFault {
    #[error("a password has at least 10 characters and at most 1,024 bytes")]
    Length,
    #[error("this password is one of those that are tried first")]
    Common,
    #[error("a password is more than the names of its person and account")]
    Name,
}

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

    /// That of somebody new, whom nobody takes for another, or for a key: in Unicode's form NFKC, with one blank where there are
    /// several. Letters of other scripts that look alike stay.
    ///
    /// # Errors
    /// Also with a character that is not seen, or as keys are called.
    pub fn parse_new(text: &str) -> Result<Self, NotValid> {
        let name = Self::parse(&normalized(text))?;
        if has_unseen(&name.0) || name.0.contains(is_odd_blank) || name.0.starts_with("fk_") {
            return Err(NotValid(
                "a name has 1 to 100 visible characters and does not begin with fk_ as keys do",
            ));
        }
        Ok(name)
    }

    /// As [`Self::parse_new`] has it, for looking up somebody whose name is typed as it was when they were added.
    #[must_use]
    pub fn as_new(&self) -> Self {
        Self(normalized(&self.0))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// In the form NFKC and in lower case, both of which hold afterwards: some letters are put together only in lower case.
fn normalized(text: &str) -> String {
    let lower = text.nfkc().collect::<String>().to_lowercase();
    let text: String = lower.as_str().nfkc().collect();
    let words: Vec<&str> = text.split(' ').filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// Whether a character looks like a blank or like nothing, though it is another one: a format control of hieroglyphs is drawn by few fonts.
fn is_odd_blank(c: char) -> bool {
    (c != ' ' && c.is_whitespace()) || matches!(c, '\u{13430}'..='\u{1345f}')
}

impl NewPassword {
    /// The password of a person with these names, of whom those of the account are some.
    ///
    /// # Errors
    /// Fewer than 10 characters or more than 1,024 bytes; one that is tried first, also with digits and signs around it; nothing but
    /// the names, whatever digits and signs are between.
    pub fn parse(text: impl Into<String>, names: &[&str]) -> Result<Self, PasswordFault> {
        let text = text.into();
        if text.chars().count() < MIN_PASSWORD || text.len() > MAX_PASSWORD_BYTES {
            return Err(PasswordFault::Length);
        }
        let lower = text.to_lowercase();
        if is_common(&lower) {
            return Err(PasswordFault::Common);
        }
        if is_of_names(&lower, names) {
            return Err(PasswordFault::Name);
        }
        Ok(Self(text))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn is_common(lower: &str) -> bool {
    let word = lower.trim_matches(|c: char| !c.is_alphabetic());
    let lines = COMMON.lines().filter(|line| !line.starts_with('#'));
    let mut common = lines.flat_map(str::split_whitespace);
    let different: BTreeSet<char> = lower.chars().collect();
    different.len() < MIN_DIFFERENT || common.any(|common| common == lower || common == word)
}

fn is_of_names(lower: &str, names: &[&str]) -> bool {
    let letters: String = lower.chars().filter(|c| c.is_alphabetic()).collect();
    let names = names.join(" ").to_lowercase();
    let mut words: Vec<&str> = names.split(|c: char| !c.is_alphabetic()).collect();
    words.sort_unstable_by_key(|word| Reverse(word.len()));
    let without = |rest: String, word: &str| rest.replace(word, "");
    !letters.is_empty() && words.into_iter().fold(letters, without).is_empty()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_name_is_the_same_however_it_is_typed() {
        assert_eq!(PersonName::parse(" Ada "), PersonName::parse("ada"));
        for name in ["", "  ", "a\u{0}b", &"x".repeat(101)] {
            assert!(PersonName::parse(name).is_err(), "{name:?}");
        }
        // Who is called so already signs in as before.
        for name in [
            "FK_0",
            "a\u{200b}da",
            "\u{202e}ada",
            "\u{3164}",
            "x\u{1680}y",
            "ada\u{13440}",
        ] {
            assert!(PersonName::parse(name).is_ok(), "{name:?}");
            assert!(PersonName::parse_new(name).is_err(), "{name:?}");
        }
        for name in ["Ada", "علی\u{200c}رضا"] {
            assert_eq!(PersonName::parse_new(name), PersonName::parse(name));
        }
        for (name, as_one) in [
            ("Jose\u{301}", "josé"),
            ("x  \u{a0}y", "x y"),
            ("ＡＤＭ１", "adm1"),
            ("J\u{30c}ohn", "\u{1f0}ohn"),
            ("\u{1f0}ohn", "\u{1f0}ohn"),
            ("ℌans", "hans"),
        ] {
            let new = PersonName::parse_new(name);
            assert_eq!(new, PersonName::parse(as_one));
            // Whoever signs in types it as it was when they were added.
            assert_eq!(PersonName::parse(name).map(|typed| typed.as_new()), new);
        }
    }

    proptest! {
        #[test]
        fn a_new_name_stays_as_it_is(text in any::<String>()) {
            if let Ok(name) = PersonName::parse_new(&text) {
                prop_assert_eq!(PersonName::parse(name.as_str()), Ok(name.clone()));
                prop_assert_eq!(PersonName::parse_new(name.as_str()), Ok(name.clone()));
                prop_assert_eq!(name.as_new(), name);
            }
        }
    }

    #[test]
    fn a_password_has_ten_characters() {
        assert!(NewPassword::parse("äöüß éèêëç", &[]).is_ok());
        for password in ["123456789".to_owned(), "x".repeat(1_025)] {
            let refused = NewPassword::parse(password, &[]).map(|_| ()).unwrap_err();
            assert_eq!(refused, PasswordFault::Length);
        }
    }

    #[test]
    fn what_is_tried_first_is_no_password() {
        let names = ["Ada.Lovelace@shop.example", "Bäckerei Sonne", "shop24"];
        for (password, fault) in [
            ("1234567890", PasswordFault::Common),
            ("QwertyUiop", PasswordFault::Common),
            ("Sunshine2026!", PasswordFault::Common),
            ("1212121212", PasswordFault::Common),
            ("ada-lovelace-1815", PasswordFault::Name),
            ("BäckereiSonne1", PasswordFault::Name),
            ("Shop24Shop24", PasswordFault::Name),
        ] {
            let refused = NewPassword::parse(password, &names).map(|_| ());
            assert_eq!(refused, Err(fault), "{password}");
        }
        for password in [
            "correct horse",
            "battery staple",
            "58203917462",
            "ada likes cake",
        ] {
            assert!(NewPassword::parse(password, &names).is_ok(), "{password}");
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
            for of_admins in [Scope::Audit, Scope::Retention] {
                let may = role.scopes(Access::Read).contains(of_admins);
                assert_eq!(may, *role == Role::Admin);
            }
        }
    }
}
