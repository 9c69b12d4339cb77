//! Cursors: where a list goes on, opaque and bound to the account and the query that they came from.
//!
//! A cursor is the position and a seal over it, in base64url. The seal is no secret, it keeps honest callers from
//! mixing up lists; what a list may show is decided by the account alone.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::error::Problem;

const SEAL_BYTES: usize = 16;

/// The list that a cursor belongs to.
#[derive(Clone, Copy, Debug)]
pub struct List<'a> {
    pub account_id: Uuid,
    /// The operation's name.
    pub operation: &'static str,
    /// Everything that decides which rows there are and in which order, but for the page's size.
    pub query: &'a [u8],
}

impl List<'_> {
    /// The cursor of a position.
    pub fn seal<const N: usize>(&self, position: [u8; N]) -> String {
        let mut bytes = position.to_vec();
        bytes.extend_from_slice(&self.mark(&position));
        BASE64_URL_SAFE_NO_PAD.encode(bytes)
    }

    /// The position of a cursor.
    ///
    /// # Errors
    /// 400 `invalid_parameter` for anything that [`List::seal`] of the same list did not make.
    pub fn open<const N: usize>(&self, cursor: &str) -> Result<[u8; N], Problem> {
        self.read(cursor)
            .ok_or_else(|| Problem::invalid_parameter("cursor is not one of this list"))
    }

    fn read<const N: usize>(&self, cursor: &str) -> Option<[u8; N]> {
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(cursor).ok()?;
        let (position, seal) = bytes.split_first_chunk::<N>()?;
        (seal == self.mark(position)).then_some(*position)
    }

    fn mark(&self, position: &[u8]) -> [u8; SEAL_BYTES] {
        let mut hash = Sha256::new();
        for part in [
            self.account_id.as_bytes(),
            self.operation.as_bytes(),
            self.query,
            position,
        ] {
            // With its length, so that no two lists run together.
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        let mut mark = [0; SEAL_BYTES];
        for (to, from) in mark.iter_mut().zip(hash.finalize()) {
            *to = from;
        }
        mark
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: List<'static> = List {
        account_id: Uuid::from_u128(1),
        operation: "batches",
        query: b"q",
    };

    #[test]
    fn a_cursor_opens_where_it_was_sealed() {
        let cursor = LIST.seal(*b"position");
        assert_eq!(LIST.open::<8>(&cursor).unwrap(), *b"position");
        assert!(
            cursor
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
        );
    }

    #[test]
    fn a_foreign_cursor_is_refused() {
        let cursor = LIST.seal(*b"position");
        let others = [
            List {
                account_id: Uuid::from_u128(2),
                ..LIST
            },
            List {
                operation: "errors",
                ..LIST
            },
            List { query: b"", ..LIST },
        ];
        for other in others {
            assert!(other.open::<8>(&cursor).is_err());
        }
    }

    #[test]
    fn a_forged_cursor_is_refused() {
        let cursor = LIST.seal(*b"position");
        let mut turned = cursor.clone().into_bytes();
        turned[0] ^= 1;
        let turned = String::from_utf8(turned).unwrap();
        let longer = format!("{cursor}AA");
        for forged in [
            "",
            "AAAA",
            "not base64!",
            turned.as_str(),
            longer.as_str(),
            &cursor[..cursor.len() - 2],
        ] {
            assert!(LIST.open::<8>(forged).is_err(), "{forged}");
        }
        assert!(LIST.open::<7>(&cursor).is_err());
    }
}
