//! `FEEDBACK_MEMORY`, and its parts: every pool and cache of a process, whose sizes together are the whole at most.
//!
//! The largest single items come first: an import with its docids, a form in an editor, a page of a list, two passwords. What is
//! left is divided by the shares in [`MemoryParts::divide`], so that more memory makes each pool larger.
//!
//! What is *not* here: who may hold how much of a pool (`api_http::memory`).

/// The default of `FEEDBACK_MEMORY`, in bytes.
pub(super) const DEFAULT: u64 = 256 << 20;
/// The least that is left to be divided, beyond the largest items.
const SHARED: u64 = 24 << 20;

/// What an import needs besides the fingerprints of its docids: chunks on their way, and one large record.
const IMPORT: u64 = 16 << 20;
/// The fingerprint of a record.
const RECORD: u64 = 48;
/// A form, a link, a setting as programs send it.
const BODY: u64 = 2 << 20;
/// The page of the largest form, each `&` of which is five bytes there, with what was typed.
const PUBLIC_BODY: u64 = 8 << 20;
/// The largest form as the editor sends it.
const EDITOR: u64 = 8 << 20;
/// The rows of a page of a list.
const LIST: u64 = 4 << 20;
/// Two hashes of argon2id, of 19 MiB each.
const PASSWORDS: u64 = 38 << 20;
/// What a worker stores at once: three chunks of 4 MiB, as they are and as they are written.
const CHUNKS: u64 = 24 << 20;

/// What bodies share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolPart {
    /// Bytes of all together.
    pub total: u64,
    /// Bytes of one at most. They are kept in reserve besides.
    pub largest: u64,
}

/// The parts, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryParts {
    /// Imports that arrive.
    pub imports: PoolPart,
    /// Small bodies that programs send.
    pub bodies: PoolPart,
    /// What people send behind links, and the pages that give it back.
    pub public_bodies: PoolPart,
    /// What pages of the dashboard send.
    pub page_bodies: PoolPart,
    /// Lists that are read and sent.
    pub lists: PoolPart,
    /// Answers that wait for their commit.
    pub answers: u64,
    /// Views that do.
    pub views: u64,
    /// Receipts of messages that do.
    pub receipts: u64,
    /// Addresses that answered lately, by link.
    pub address_answers: u64,
    /// Links that were opened lately, with their forms, …
    pub links: u64,
    /// … and tokens that opened one within the hour.
    pub tokens: u64,
    /// Pages of forms.
    pub form_pages: u64,
    pub logos: u64,
    /// Reports as they were last answered.
    pub reports: u64,
    /// Shared pages as they were last drawn.
    pub shared_pages: u64,
    /// Chunks that a worker stores.
    pub chunks: u64,
    /// Passwords that are compared.
    pub passwords: u64,
}

impl MemoryParts {
    /// Divides the whole, for imports of at most so many records.
    ///
    /// # Errors
    /// The whole is less than the largest items need.
    pub fn divide(whole: u64, max_records: u64) -> Result<Self, String> {
        let import = RECORD.saturating_mul(max_records).saturating_add(IMPORT);
        let largest = [
            import,
            BODY,
            PUBLIC_BODY,
            EDITOR,
            LIST,
            PASSWORDS,
            CHUNKS,
            SHARED,
        ];
        let least = largest.into_iter().fold(0, u64::saturating_add);
        let Some(more) = whole.checked_sub(least) else {
            let least = least.div_ceil(1 << 20);
            return Err(format!(
                "less than the {least} MiB that an import of FEEDBACK_MAX_RECORDS and the largest of all else need"
            ));
        };
        let shared = SHARED + more;
        let percent = |share| shared / 100 * share;
        let pool = |share, largest| PoolPart {
            total: percent(share),
            largest,
        };
        Ok(Self {
            imports: pool(36, import),
            bodies: pool(4, BODY),
            public_bodies: pool(10, PUBLIC_BODY),
            page_bodies: pool(1, EDITOR),
            lists: pool(16, LIST),
            answers: percent(10),
            views: percent(2),
            receipts: percent(1),
            address_answers: percent(3),
            links: percent(5),
            tokens: percent(2),
            form_pages: percent(5),
            logos: percent(1),
            reports: percent(3),
            shared_pages: percent(1),
            chunks: CHUNKS,
            passwords: PASSWORDS,
        })
    }
}

/// Reads a size: bytes, or a number with `KiB`, `MiB` or `GiB` behind it.
///
/// # Errors
/// It is none.
pub(super) fn size(text: &str) -> Result<u64, String> {
    let wrong = || format!("{text:?} is not a size such as 256 MiB, 1 GiB or 268435456");
    let (number, unit) = match text.find(|char: char| !char.is_ascii_digit()) {
        None => (text, 1),
        Some(at) => {
            let (number, unit) = text.split_at(at);
            let unit: u64 = match unit.trim() {
                "KiB" => 1 << 10,
                "MiB" => 1 << 20,
                "GiB" => 1 << 30,
                _ => return Err(wrong()),
            };
            (number, unit)
        }
    };
    let number: u64 = number.parse().map_err(|_| wrong())?;
    number.checked_mul(unit).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All parts: a new one does not compile until it is counted.
    fn sum(parts: MemoryParts) -> u64 {
        let MemoryParts {
            imports,
            bodies,
            public_bodies,
            page_bodies,
            lists,
            answers,
            views,
            receipts,
            address_answers,
            links,
            tokens,
            form_pages,
            logos,
            reports,
            shared_pages,
            chunks,
            passwords,
        } = parts;
        let pools = [imports, bodies, public_bodies, page_bodies, lists];
        let pools = pools.map(|pool| pool.total + pool.largest);
        let others = [
            answers,
            views,
            receipts,
            address_answers,
            links,
            tokens,
            form_pages,
            logos,
            reports,
            shared_pages,
            chunks,
            passwords,
        ];
        pools.into_iter().chain(others).sum()
    }

    #[test]
    fn the_parts_are_the_whole_at_most_and_nearly_all_of_it() {
        for whole in [DEFAULT, DEFAULT + 77, 1 << 30, 1 << 40] {
            let sum = sum(MemoryParts::divide(whole, 1_000_000).unwrap());
            assert!(sum <= whole, "{sum} of {whole}");
            assert!(sum > whole - 100, "{sum} of {whole}");
        }
    }

    #[test]
    fn a_whole_that_the_largest_items_do_not_fit_into_is_refused() {
        let refused = |whole, records| MemoryParts::divide(whole, records).err();
        let needed = 170;
        let reason = "less than the 170 MiB that an import of FEEDBACK_MAX_RECORDS and the largest of all else need";
        assert_eq!(
            refused((needed - 1) << 20, 1_000_000).as_deref(),
            Some(reason)
        );
        assert!(refused(needed << 20, 1_000_000).is_none());
        assert!(refused((needed - 1) << 20, 900_000).is_none());
        assert!(refused(DEFAULT, 10_000_000).is_some());
        assert!(refused(u64::MAX - 1, u64::MAX).is_some());
    }

    #[test]
    fn a_size_is_bytes_or_has_a_binary_unit() {
        for (text, bytes) in [
            ("268435456", Some(DEFAULT)),
            ("256 MiB", Some(DEFAULT)),
            ("256MiB", Some(DEFAULT)),
            ("1 GiB", Some(1 << 30)),
            ("7 KiB", Some(7 << 10)),
            ("256 MB", None),
            ("256m", None),
            ("-1", None),
            ("1.5 GiB", None),
            ("MiB", None),
            ("", None),
            ("99999999999 GiB", None),
        ] {
            assert_eq!(size(text).ok(), bytes, "{text:?}");
        }
    }
}
