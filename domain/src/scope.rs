//! What a key may do. Keys themselves, their secrets and their expiry live in `store`.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};
use strum::{Display, EnumString, IntoStaticStr, VariantArray};

/// One permission of a key, by its name on the wire and on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Scope {
    Import,
    Report,
    Form,
    Link,
    Send,
    Audit,
    Retention,
}

impl Scope {
    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// A word that names no scope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no scope ({all})", all = Scopes::ALL)]
pub struct UnknownScope(pub String);

/// What an operation does with what its scope is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    Read,
    Change,
}

/// A set of scopes. As text `import,report`, in JSON `["import","report"]`, always in the order of [`Scope`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scopes(u8);

impl Scopes {
    pub const ALL: Scopes = Scopes((1 << Scope::VARIANTS.len()) - 1);
    pub const NONE: Scopes = Scopes(0);

    pub fn contains(self, scope: Scope) -> bool {
        self.0 & scope.bit() != 0
    }

    /// The same but for one.
    #[must_use]
    pub const fn without(self, scope: Scope) -> Self {
        Self(self.0 & !scope.bit())
    }

    pub fn iter(self) -> impl Iterator<Item = Scope> {
        let scopes = Scope::VARIANTS.iter().copied();
        scopes.filter(move |scope| self.contains(*scope))
    }
}

impl FromIterator<Scope> for Scopes {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Self {
        Scopes(scopes.into_iter().fold(0, |set, scope| set | scope.bit()))
    }
}

impl FromStr for Scopes {
    type Err = UnknownScope;

    /// Reads `import,report`: at least one scope, any order, no spaces.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let scope = |name: &str| Scope::from_str(name).map_err(|_| UnknownScope(name.to_owned()));
        text.split(',').map(scope).collect()
    }
}

impl fmt::Display for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.iter().map(|scope| scope.into_str()).collect();
        f.write_str(&names.join(","))
    }
}

impl Serialize for Scopes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(|scope| scope.into_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_read_and_show_the_same_text_in_one_order() {
        let scopes: Scopes = "report,import".parse().unwrap();
        assert_eq!(scopes.to_string(), "import,report");
        assert!(scopes.contains(Scope::Import) && !scopes.contains(Scope::Form));
        let others: Scopes = "import,report,form,link,send".parse().unwrap();
        let most = Scopes::ALL.without(Scope::Retention);
        assert_eq!(most.without(Scope::Audit), others);
        assert_eq!(
            "import,report,form,link,send,audit,retention".parse(),
            Ok(Scopes::ALL)
        );
    }

    #[test]
    fn unknown_spaced_and_empty_scopes_are_refused() {
        for text in ["", "import,", "Import", "import, report", "admin"] {
            assert!(text.parse::<Scopes>().is_err(), "{text}");
        }
    }

    #[test]
    fn scopes_are_a_list_of_names_in_json() {
        let json = serde_json::to_string(&Scopes::ALL).unwrap();
        assert_eq!(
            json,
            r#"["import","report","form","link","send","audit","retention"]"#
        );
    }
}
