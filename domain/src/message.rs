//! What the queue carries: ids only, never a phone number; and the lanes on which imports are worked.
//!
//! A message only notifies: the ledger in the database is the truth, so a lost or repeated message does no
//! harm. Queue names, delivery and acknowledgement live in `platform`.

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};
use uuid::Uuid;

/// A message of the queue. The version is part of the variant's name: a changed shape is a new variant, which older workers
/// leave to newer ones.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "type")]
pub enum Notification {
    /// The account has chunks to store on a lane. The worker chooses which, because accounts take turns.
    #[serde(rename = "import.v1")]
    ImportV1 { account_id: Uuid, lane: Lane },
    /// This form has pending counts.
    #[serde(rename = "roll_up.v1")]
    RollUpV1 { account_id: Uuid, form_id: Uuid },
}

impl Notification {
    /// The message as JSON, e.g. `{"type":"roll_up.v1","account_id":"…","form_id":"…"}`.
    #[expect(
        clippy::expect_used,
        reason = "strings, ids and numbers always serialise; no input reaches this"
    )]
    pub fn encode(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a message is plain JSON")
    }

    /// Reads what [`Notification::encode`] wrote. Unknown members are skipped; an unknown type is an error.
    pub fn decode(bytes: &[u8]) -> serde_json::Result<Self> {
        serde_json::from_slice(bytes)
    }
}

/// The lanes of imports, by their names in the ledger, in logs and metrics. They are apart so that a giant import never delays a small one.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, EnumString, IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Lane {
    /// Imports of one chunk.
    Small,
    /// All others.
    Bulk,
}

impl Lane {
    pub const ALL: [Lane; 2] = [Lane::Small, Lane::Bulk];
}

#[cfg(test)]
mod tests {
    use super::*;

    fn import() -> Notification {
        Notification::ImportV1 {
            account_id: Uuid::from_u128(1),
            lane: Lane::Small,
        }
    }

    #[test]
    fn a_message_carries_its_version_in_its_type() {
        assert_eq!(
            String::from_utf8_lossy(&import().encode()),
            r#"{"type":"import.v1","account_id":"00000000-0000-0000-0000-000000000001","lane":"small"}"#
        );
    }

    #[test]
    fn messages_survive_the_wire() {
        let roll_up = Notification::RollUpV1 {
            account_id: Uuid::from_u128(7),
            form_id: Uuid::from_u128(8),
        };
        for message in [import(), roll_up] {
            assert_eq!(Notification::decode(&message.encode()).unwrap(), message);
        }
    }

    #[test]
    fn an_unknown_version_and_rubbish_are_refused() {
        for bytes in [
            &br#"{"type":"import.v2","account_id":"00000000-0000-0000-0000-000000000001"}"#[..],
            b"{}",
            b"",
            b"\xff",
        ] {
            assert!(Notification::decode(bytes).is_err());
        }
    }

    #[test]
    fn a_newer_sender_may_add_members() {
        let bytes = br#"{"type":"roll_up.v1","account_id":"00000000-0000-0000-0000-000000000001",
                         "form_id":"00000000-0000-0000-0000-000000000002","more":1}"#;
        assert!(Notification::decode(bytes).is_ok());
    }
}
