//! What an import says, and of which docids: enough to know later what should stand.

use std::fmt::Write;

use bytes::Bytes;

/// The docids of an import: every `stride`-th of a pool, round and round. Both numbers have no common divisor with the
/// pool's size, so none comes twice.
#[derive(Clone, Copy, Debug)]
pub struct Slice {
    pub pool: Pool,
    pub start: u64,
    pub stride: u64,
    pub count: u64,
}

/// The docids of an account, in two kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pool {
    /// Imported over each other by everybody, never erased.
    Shared,
    /// Imported and erased by one task, one operation after the other.
    Erased,
    /// Imported to be sent a message each, most of them once.
    Sent,
}

impl Pool {
    /// How many docids it has: a prime.
    pub fn size(self) -> u64 {
        match self {
            Self::Shared => 14_983,
            Self::Erased => 41,
            Self::Sent => 99_991,
        }
    }

    /// One of its docids.
    pub fn docid(self, number: u64) -> String {
        match self {
            Self::Shared => format!("S-{number}"),
            Self::Erased => format!("E-{number}"),
            Self::Sent => format!("M-{number}"),
        }
    }

    /// The phone of a docid in a version: a row of two versions would show. Who gets messages keeps theirs, which no other account has:
    /// two to one phone would show.
    pub fn phone(self, number: u64, version: u64, account: u64) -> String {
        let more = match self {
            Self::Shared | Self::Erased => version % 100_000,
            Self::Sent => account,
        };
        format!("+49{:011}", number * 100_000 + more)
    }
}

impl Slice {
    /// The numbers of the docids.
    pub fn numbers(self) -> impl Iterator<Item = u64> {
        (0..self.count).map(move |index| (self.start + index * self.stride) % self.pool.size())
    }

    /// A body of an account with a record of this version for each, and so many broken ones.
    pub fn body(self, version: u64, broken: u64, account: u64) -> Bytes {
        let mut text = String::from("[");
        for number in self.numbers() {
            let docid = self.pool.docid(number);
            let phone = self.pool.phone(number, version, account);
            // Writing to a string cannot fail.
            let _ = write!(
                text,
                r#"{{"docid":"{docid}","phone":"{phone}","store_code":"S1","version":"{version}"}},"#
            );
        }
        for number in 0..broken {
            let _ = write!(text, r#"{{"docid":"B-{number}","phone":"none"}},"#);
        }
        text.truncate(text.trim_end_matches(',').len());
        text.push(']');
        text.into()
    }
}

/// What an import says of its docids.
#[derive(Clone, Copy, Debug)]
pub enum Version {
    /// What no other says.
    Own,
    /// What all of these say: on each other they change nothing.
    Steady,
}

/// The number of the docid that a phone is of.
pub fn number_of(phone: &str) -> Option<u64> {
    let digits = phone.trim_start_matches('+').strip_prefix("49")?;
    Some(digits.parse::<u64>().ok()? / 100_000)
}
