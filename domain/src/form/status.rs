//! The life of a form.

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};

/// Where a form stands. As text and in JSON `DRAFT`, `PUBLISHED` or `DELETED`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, EnumString, IntoStaticStr)]
#[serde(rename_all = "UPPERCASE")]
#[strum(serialize_all = "UPPERCASE")]
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
        match self {
            Self::Draft => next != Self::Draft,
            Self::Published => next == Self::Deleted,
            Self::Deleted => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use FormStatus::{Deleted, Draft, Published};

    const ALL: [FormStatus; 3] = [Draft, Published, Deleted];

    #[test]
    fn a_status_is_one_of_three_exact_words() {
        for status in ALL {
            assert_eq!(status.as_str().parse(), Ok(status));
            let json = serde_json::to_value(status).unwrap();
            assert_eq!(json, status.as_str());
            assert_eq!(serde_json::from_value::<FormStatus>(json).unwrap(), status);
        }
        for text in ["", "draft", "Draft", " DRAFT", "DRAFT ", "ALL"] {
            assert!(text.parse::<FormStatus>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_form_goes_forward_only() {
        let ways = [(Draft, Published), (Draft, Deleted), (Published, Deleted)];
        for from in ALL {
            for to in ALL {
                assert_eq!(from.may_become(to), ways.contains(&(from, to)));
            }
        }
    }
}
