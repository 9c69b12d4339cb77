//! The life of a form.

use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, IntoStaticStr, VariantArray};

/// Where a form stands. As text and in JSON `DRAFT`, `PUBLISHED` or `DELETED`.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    Display,
    EnumString,
    IntoStaticStr,
    VariantArray,
)]
#[serde(rename_all = "UPPERCASE")]
#[strum(
    serialize_all = "UPPERCASE",
    parse_err_ty = UnknownStatus,
    parse_err_fn = UnknownStatus::new
)]
pub enum FormStatus {
    /// Being written: no links, no answers.
    Draft,
    /// Links are made and answers taken.
    Published,
    /// Kept for reports only.
    Deleted,
}

impl FormStatus {
    pub fn as_str(self) -> &'static str {
        self.into()
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

/// A word that is no status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a status (DRAFT, PUBLISHED, DELETED)")]
pub struct UnknownStatus;

impl UnknownStatus {
    fn new(_: &str) -> Self {
        Self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_one_of_three_exact_words() {
        for &status in FormStatus::VARIANTS {
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
        for &from in FormStatus::VARIANTS {
            for &to in FormStatus::VARIANTS {
                assert_eq!(from.may_become(to), ways.contains(&(from, to)));
            }
        }
    }
}
