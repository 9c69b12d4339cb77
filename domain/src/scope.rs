//! What a key may do. Keys themselves, their secrets and their expiry live in `store`.

use std::fmt;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// One permission of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    Import,
    Report,
    Form,
    Link,
}

impl Scope {
    pub const ALL: [Scope; 4] = [Scope::Import, Scope::Report, Scope::Form, Scope::Link];

    /// The scope's name on the wire and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Scope::Import => "import",
            Scope::Report => "report",
            Scope::Form => "form",
            Scope::Link => "link",
        }
    }

    fn bit(self) -> u8 {
        match self {
            Scope::Import => 1,
            Scope::Report => 2,
            Scope::Form => 4,
            Scope::Link => 8,
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A word that names no scope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no scope (import, report, form, link)")]
pub struct UnknownScope(pub String);

impl FromStr for Scope {
    type Err = UnknownScope;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Scope::ALL
            .into_iter()
            .find(|scope| scope.as_str() == text)
            .ok_or_else(|| UnknownScope(text.to_owned()))
    }
}

/// A set of scopes. As text `import,report`, in JSON `["import","report"]`, always in the order of
/// [`Scope::ALL`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Scopes(u8);

impl Scopes {
    pub const ALL: Scopes = Scopes(0b1111);

    pub fn contains(self, scope: Scope) -> bool {
        self.0 & scope.bit() != 0
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::ALL
            .into_iter()
            .filter(move |scope| self.contains(*scope))
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
        text.split(',').map(Scope::from_str).collect()
    }
}

impl fmt::Display for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, scope) in self.iter().enumerate() {
            if n > 0 {
                f.write_str(",")?;
            }
            f.write_str(scope.as_str())?;
        }
        Ok(())
    }
}

impl fmt::Debug for Scopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Scopes({self})")
    }
}

impl Serialize for Scopes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for Scopes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let names = Vec::<String>::deserialize(deserializer)?;
        names
            .iter()
            .map(|name| Scope::from_str(name))
            .collect::<Result<_, _>>()
            .map_err(D::Error::custom)
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
        assert_eq!("import,report,form,link".parse(), Ok(Scopes::ALL));
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
        assert_eq!(json, r#"["import","report","form","link"]"#);
        assert_eq!(serde_json::from_str::<Scopes>(&json).unwrap(), Scopes::ALL);
        assert!(serde_json::from_str::<Scopes>(r#"["root"]"#).is_err());
        assert!(serde_json::from_str::<Scopes>("[]").unwrap().is_empty());
    }
}
