//! The life of a form.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Where a form stands. As text and in JSON `DRAFT`, `PUBLISHED` or `DELETED`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum FormStatus {
    /// Being written: no links, no answers.
    Draft,
    /// Links are made and answers taken.
    Published,
    /// Kept for reports only.
    Deleted,
}

impl FormStatus {
    pub const ALL: [FormStatus; 3] = [
        FormStatus::Draft,
        FormStatus::Published,
        FormStatus::Deleted,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            FormStatus::Draft => "DRAFT",
            FormStatus::Published => "PUBLISHED",
            FormStatus::Deleted => "DELETED",
        }
    }

    /// Whether a form may go from this status to `next`: DRAFT → PUBLISHED → DELETED and DRAFT → DELETED.
    pub fn may_become(self, next: FormStatus) -> bool {
        matches!(
            (self, next),
            (FormStatus::Draft, FormStatus::Published)
                | (
                    FormStatus::Draft | FormStatus::Published,
                    FormStatus::Deleted
                )
        )
    }
}

impl fmt::Display for FormStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A word that is no status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a status (DRAFT, PUBLISHED, DELETED)")]
pub struct UnknownStatus;

impl FromStr for FormStatus {
    type Err = UnknownStatus;

    /// Reads exactly the words of [`FormStatus::as_str`].
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        FormStatus::ALL
            .into_iter()
            .find(|status| status.as_str() == text)
            .ok_or(UnknownStatus)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_one_of_three_exact_words() {
        for status in FormStatus::ALL {
            assert_eq!(status.as_str().parse(), Ok(status));
            let json = serde_json::to_value(status).unwrap();
            assert_eq!(json, status.as_str());
            assert_eq!(serde_json::from_value::<FormStatus>(json).unwrap(), status);
        }
        for text in ["", "draft", "Draft", " DRAFT", "DRAFT ", "ALL"] {
            assert_eq!(text.parse::<FormStatus>(), Err(UnknownStatus), "{text}");
        }
    }

    #[test]
    fn a_form_goes_forward_only() {
        use FormStatus::{Deleted, Draft, Published};
        let ways = [(Draft, Published), (Draft, Deleted), (Published, Deleted)];
        for from in FormStatus::ALL {
            for to in FormStatus::ALL {
                assert_eq!(from.may_become(to), ways.contains(&(from, to)));
            }
        }
    }
}
