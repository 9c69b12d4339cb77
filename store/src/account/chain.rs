//! The chain of hashes over an account's audit log.
//!
//! Workers seal rows as they find them. A seal has the SHA-256 of each of its rows, and a hash of these and of the seal before. Writers
//! know nothing of it. Two who seal at once make the same number, and one of them gives up.
//!
//! Of its subject a row's digest has only a salted hash: an erasure replaces the subject and forgets the salt, and the chain holds. Rows
//! that are kept no longer go by whole seals, from the first on. Of the last of these the hash stays, without digests: the chain begins there.
//! No account keeps less than the rows of 90 days, so a chain that begins with a younger hash was cut by somebody else.
//!
//! A row that is sealed long after its moment may have been put there since. The first hour of a chain seals what was there before it.

use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use chrono::{DateTime, SubsecRound, TimeDelta, Utc};
use domain::docid::is_erased;
use domain::retention::KEPT_AUDIT_DAYS;
use entity::audit_seal;
use sea_orm::FromQueryResult;
use serde::Serialize;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::tx::{BatchStatement, Sql, Statement, batch_row, statement, values};
use crate::{Error, Result, Store, Tx};

/// The lowest number of a program that changes no rows. Until all that are admitted are such, nothing is sealed.
const ONLY_ADDS: i64 = 23;
/// Rows of a seal at most.
const ROWS: i64 = 500;
/// Seals of an account, one after the other, before it is another's turn.
const TURN: usize = 100;
/// Seals that are verified at once.
const SEALS: i64 = 20;
/// Bytes of a row in a seal: its id and its SHA-256.
const ENTRY: usize = 16 + 32;
/// Bytes of the digests of a seal that has as many rows as may be.
const FULL: usize = 500 * ENTRY;
/// Rows are sealed within seconds. So much later they were written later than they say, or no worker ran.
const LATE: TimeDelta = TimeDelta::hours(1);
/// Seals that are dropped at once.
const DROPPED: i64 = 2;

macro_rules! rows {
    ($where:literal) => {
        statement!(
            "SELECT audit_id, at, name, address, action, subject, status, outcome_of, changes, seal, salt, subject_hash
               FROM audit WHERE account_id = $1 AND ",
            $where
        )
    };
    (lock $where:literal) => {
        statement!(lock "FOR NO KEY UPDATE SKIP LOCKED":
            "SELECT audit_id, at, name, address, action, subject, status, outcome_of, changes, seal, salt, subject_hash
               FROM audit WHERE account_id = $1 AND ", $where
        )
    };
}

const UNSEALED: &Statement = statement!(accounts "account_id = ANY($1)":
    "SELECT DISTINCT account_id FROM audit WHERE seal IS NULL"; ""
);

/// What an erasure holds just now waits for the next seal.
const UNSEALED_ROWS: &Statement = rows!(lock "seal IS NULL ORDER BY audit_id LIMIT $2");

const SEALED_ROWS: &Statement = rows!("seal > $2 AND seal <= $3");

macro_rules! seals {
    ($which:literal) => {
        statement!(
            "SELECT seal, sealed_at, digests, hash FROM audit_seal WHERE account_id = $1 ",
            $which
        )
    };
}

const LAST_SEAL: &Statement = seals!("ORDER BY seal DESC LIMIT 1");
const NEXT_SEALS: &Statement = seals!("AND seal > $2 ORDER BY seal LIMIT $3");

const HASH_OF: &Statement =
    statement!("SELECT hash FROM audit_seal WHERE account_id = $1 AND seal = $2");

/// Rows of before a moment that no seal has.
const UNSEALED_SINCE: &Statement = statement!(
    "SELECT audit_id FROM audit WHERE account_id = $1 AND seal IS NULL AND at < $2 ORDER BY audit_id LIMIT $3"
);

/// Seals that rows name and that are not there.
const OTHER_SEALS: &Statement = statement!(
    "SELECT DISTINCT seal FROM audit WHERE account_id = $1 AND (seal <= $3 OR seal > $2) ORDER BY seal"
);

/// The first seals that have digests.
const FIRST_SEALS: &Statement = statement!(
    "SELECT seal, sealed_at FROM audit_seal WHERE account_id = $1 AND length(digests) > 0 ORDER BY seal LIMIT $2"
);

#[derive(FromQueryResult)]
struct DatedSeal {
    seal: i64,
    sealed_at: DateTime<Utc>,
}

/// Of an account that ever said how long it keeps what.
const HAS_RETENTION: &Statement =
    statement!("SELECT account_id FROM retention WHERE account_id = $1");

/// Rows up to a seal, and all of the seals up to it but its hash.
const DROP_ROWS: [&Statement; 3] = [
    statement!("DELETE FROM audit WHERE account_id = $1 AND seal <= $2"),
    statement!("DELETE FROM audit_seal WHERE account_id = $1 AND seal < $2"),
    statement!(
        postgres: "UPDATE audit_seal SET digests = '' WHERE account_id = $1 AND seal = $2";
        sqlite: "UPDATE audit_seal SET digests = x'' WHERE account_id = $1 AND seal = $2"
    ),
];

batch_row! {
    struct SealedRow {
        account_id: Uuid,
        audit_id: Uuid,
        seal: i64,
        salt: Vec<u8>,
        subject_hash: Vec<u8>,
    }
}

const SEAL_ROWS: &BatchStatement<SealedRow> = statement!(SealedRow:
    "UPDATE audit AS a SET seal = batch.seal, salt = batch.salt, subject_hash = batch.subject_hash
       FROM batch WHERE a.account_id = batch.account_id AND a.audit_id = batch.audit_id"
);

#[derive(FromQueryResult)]
struct Link {
    seal: i64,
    sealed_at: DateTime<Utc>,
    digests: Vec<u8>,
    hash: Vec<u8>,
}

#[derive(FromQueryResult)]
struct LoggedRow {
    audit_id: Uuid,
    at: DateTime<Utc>,
    name: String,
    address: String,
    action: String,
    subject: String,
    status: Option<i16>,
    outcome_of: Option<Uuid>,
    changes: Option<String>,
    seal: Option<i64>,
    salt: Option<Vec<u8>>,
    subject_hash: Option<Vec<u8>>,
}

/// What is wrong with a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Fault {
    RowChanged,
    RowRemoved,
    RowInserted,
    /// Sealed more than an hour after its moment.
    RowLate,
    /// Older than an hour, and in no seal.
    RowUnsealed,
    SealChanged,
    SealRemoved,
}

/// Where something is wrong with a chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ChainFault {
    pub account_id: Uuid,
    /// `None`: of a row without one.
    pub seal: Option<i64>,
    /// Of a row.
    pub audit_id: Option<Uuid>,
    pub fault: Fault,
}

/// A chain as it was found.
#[derive(Clone, Debug, Default)]
pub struct Chain {
    /// The number of its last seal.
    pub seals: i64,
    /// That of the last one of which the hash alone is kept; 0: none.
    pub dropped: i64,
    /// When that one was made.
    pub dropped_at: Option<DateTime<Utc>>,
    /// Rows that are as they were sealed.
    pub rows: u64,
    /// The hash of the last seal: as long as it is the same, so is all before it.
    pub hash: Vec<u8>,
    pub faults: Vec<ChainFault>,
    /// When its first seal that is known was made, and its last one.
    made: Option<(DateTime<Utc>, DateTime<Utc>)>,
}

/// The number of a seal and its hash; as a text `NUMBER:HASH`, in hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, FromQueryResult)]
pub struct SealHash {
    pub seal: i64,
    pub hash: Vec<u8>,
}

impl Display for SealHash {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.seal, hex::encode(&self.hash))
    }
}

impl FromStr for SealHash {
    type Err = &'static str;

    fn from_str(text: &str) -> std::result::Result<Self, Self::Err> {
        let read = |text: &str| {
            let (seal, hash) = text.split_once(':')?;
            let (seal, hash) = (seal.parse().ok()?, hex::decode(hash).ok()?);
            Some(Self { seal, hash })
        };
        read(text.trim()).ok_or("is not SEAL:HASH, as `feedback audit verify` prints it")
    }
}

impl Store {
    /// Seals what audit logs have that is not sealed yet. Safe to run anywhere, any number of times at once. Whether there may be
    /// more.
    ///
    /// # Errors
    /// Doing it again is safe.
    pub async fn seal_audit(&self) -> Result<bool> {
        let accounts: Vec<Uuid> = self.scan_values(UNSEALED, vec![]).await?;
        let mut are_more = false;
        if !accounts.is_empty() && self.snapshot().await?.admits_only_from(ONLY_ADDS).await? {
            for account_id in accounts {
                let sealed = self.seal_many(account_id).await;
                are_more |= self.unless_away(account_id, sealed)?;
            }
        }
        Ok(are_more)
    }

    /// Some seals of an account, which has many rows to seal where it has them from before.
    async fn seal_many(&self, account_id: Uuid) -> Result<bool> {
        for _ in 0..TURN {
            if !self.seal_rows(account_id).await? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// One seal of an account.
    async fn seal_rows(&self, account_id: Uuid) -> Result<bool> {
        let tx = self.begin_by_keys().await?;
        let last: Option<Link> = tx.fetch_one(LAST_SEAL, values![account_id]).await?;
        let rows = values![account_id, ROWS];
        let rows: Vec<LoggedRow> = tx.fetch_all(UNSEALED_ROWS, rows).await?;
        if rows.is_empty() {
            return Ok(false);
        }
        let (before, last) = last.map_or((Vec::new(), 0), |last| (last.hash, last.seal));
        let seal = last + 1;
        let mut digests = Vec::with_capacity(rows.len() * ENTRY);
        let mut sealed = Vec::with_capacity(rows.len());
        for row in &rows {
            let salt = Uuid::new_v4().into_bytes().to_vec();
            let subject_hash = hash(&[&salt, row.subject.as_bytes()]);
            digests.extend(row.audit_id.as_bytes());
            digests.extend(row.digest(&subject_hash, row.stands_in()));
            sealed.push(SealedRow {
                account_id,
                audit_id: row.audit_id,
                seal,
                salt,
                subject_hash: subject_hash.to_vec(),
            });
        }
        let made = audit_seal::Model {
            account_id,
            seal,
            sealed_at: tx.now().await?,
            hash: hash_of(account_id, seal, &before, &digests).to_vec(),
            digests,
        };
        if !tx.insert_new(made).await? {
            return Ok(true);
        }
        tx.execute_batch(SEAL_ROWS, sealed).await?;
        tx.commit_surely().await?;
        Ok(i64::try_from(rows.len()) == Ok(ROWS))
    }

    /// The last seal of each account that has one.
    ///
    /// # Errors
    /// The database is unavailable.
    pub async fn last_seals(&self) -> Result<Vec<(Uuid, SealHash)>> {
        let mut seals = Vec::new();
        for (account_id, _) in self.accounts().await? {
            let last = self.fetch_one(LAST_SEAL, values![account_id]).await;
            let last: Option<SealHash> = self.unless_away(account_id, last)?;
            seals.extend(last.map(|last| (account_id, last)));
        }
        Ok(seals)
    }

    /// Computes an account's chain anew, and compares it with what is stored, and with a seal that was noted elsewhere.
    ///
    /// # Errors
    /// The database is unavailable.
    pub async fn verify_audit(&self, account_id: Uuid, noted: Option<&SealHash>) -> Result<Chain> {
        let tx = self.long_snapshot().await?;
        let mut chain = Chain::default();
        loop {
            let next = values![account_id, chain.seals, SEALS];
            let mut seals: Vec<Link> = tx.fetch_all(NEXT_SEALS, next).await?;
            // Rows can be large, so those of one full seal are enough.
            let mut bytes = 0;
            seals.retain(|seal| {
                let is_first = bytes == 0;
                bytes += seal.digests.len();
                is_first || bytes <= FULL
            });
            let Some(end) = seals.last().map(|last| last.seal) else {
                break;
            };
            let rows = values![account_id, chain.seals, end];
            let rows: Vec<LoggedRow> = tx.fetch_all(SEALED_ROWS, rows).await?;
            let mut by_seal = BTreeMap::<_, BTreeMap<_, _>>::new();
            for row in rows {
                let of_seal = by_seal.entry(row.seal).or_default();
                of_seal.insert(row.audit_id, row);
            }
            for seal in seals {
                let rows = by_seal.remove(&Some(seal.seal));
                chain.add(account_id, seal, rows.unwrap_or_default());
            }
        }
        let other: Vec<i64> = tx
            .fetch_values(OTHER_SEALS, values![account_id, chain.seals, chain.dropped])
            .await?;
        for seal in other {
            chain.find(account_id, seal, None, Fault::SealRemoved);
        }
        if let Some(at) = chain.dropped_at {
            let keeps: Option<Uuid> = tx.fetch_value(HAS_RETENTION, values![account_id]).await?;
            let kept = TimeDelta::days((*KEPT_AUDIT_DAYS.start()).into());
            if keeps.is_none() || at > tx.now().await? - kept {
                chain.find(account_id, chain.dropped, None, Fault::SealRemoved);
            }
        }
        let late = values![account_id, tx.now().await? - LATE, ROWS];
        for audit_id in tx.fetch_values(UNSEALED_SINCE, late).await? {
            chain.find(account_id, None, Some(audit_id), Fault::RowUnsealed);
        }
        // Of what is kept no longer the last hash alone is there.
        if let Some(noted) = noted.filter(|noted| noted.seal >= chain.dropped) {
            let stored = values![account_id, noted.seal];
            let stored: Option<Vec<u8>> = tx.fetch_value(HASH_OF, stored).await?;
            match stored {
                Some(hash) if hash == noted.hash => {}
                Some(_) => chain.find(account_id, noted.seal, None, Fault::SealChanged),
                None => chain.find(account_id, noted.seal, None, Fault::SealRemoved),
            }
        }
        Ok(chain)
    }
}

impl Tx {
    /// Drops the first seals of an account, if they were made before a moment, with their rows. Whether there were any.
    pub(crate) async fn drop_audit(&self, account_id: Uuid, before: DateTime<Utc>) -> Result<bool> {
        let first = values![account_id, DROPPED];
        let first: Vec<DatedSeal> = self.fetch_all(FIRST_SEALS, first).await?;
        let old = first.iter().take_while(|seal| seal.sealed_at < before);
        let Some(last) = old.last() else {
            return Ok(false);
        };
        for drop_rows in DROP_ROWS {
            self.execute(drop_rows, values![account_id, last.seal])
                .await?;
        }
        Ok(true)
    }

    /// How many rows of an account's log were sealed before a moment.
    pub(crate) async fn audit_rows_before(
        &self,
        account_id: Uuid,
        before: DateTime<Utc>,
    ) -> Result<i64> {
        let bytes = statement!(
            "SELECT CAST(coalesce(sum(length(digests)), 0) AS bigint) FROM audit_seal WHERE account_id = $1 AND sealed_at < $2"
        );
        let bytes: Option<i64> = self.fetch_value(bytes, values![account_id, before]).await?;
        Ok(bytes.unwrap_or_default() / i64::try_from(ENTRY).map_err(Error::broken)?)
    }
}

impl Chain {
    /// Its last seal; `None`: it has none.
    pub fn last(&self) -> Option<SealHash> {
        (self.seals > 0).then(|| SealHash {
            seal: self.seals,
            hash: self.hash.clone(),
        })
    }

    /// Compares the next seal with what is before it, and with its rows.
    fn add(&mut self, account_id: Uuid, seal: Link, mut rows: BTreeMap<Uuid, LoggedRow>) {
        let (number, at) = (seal.seal, seal.sealed_at);
        let (began, before) = self.made.unwrap_or((at, at));
        self.made = Some((began, at));
        let is_late = |row: &LoggedRow| at > began + LATE && at > row.at + LATE;
        if self.seals == 0 && seal.digests.is_empty() {
            (self.dropped, self.dropped_at) = (number, Some(seal.sealed_at));
        } else if number != self.seals + 1 {
            self.find(account_id, self.seals + 1, None, Fault::SealRemoved);
        } else if seal.hash != hash_of(account_id, number, &self.hash, &seal.digests)
            // Its moment, which the hash does not have, would hide that rows are late.
            || at + LATE < before
        {
            self.find(account_id, number, None, Fault::SealChanged);
        }
        let (entries, _) = seal.digests.as_chunks::<ENTRY>();
        for entry in entries {
            let (id, digest) = entry.split_at(16);
            let audit_id = Uuid::from_slice(id).unwrap_or_default();
            match rows.remove(&audit_id) {
                Some(row) if row.is_as_sealed(digest) => {
                    self.rows += 1;
                    if is_late(&row) {
                        self.find(account_id, number, Some(audit_id), Fault::RowLate);
                    }
                }
                Some(_) => self.find(account_id, number, Some(audit_id), Fault::RowChanged),
                None => self.find(account_id, number, Some(audit_id), Fault::RowRemoved),
            }
        }
        for audit_id in rows.into_keys() {
            self.find(account_id, number, Some(audit_id), Fault::RowInserted);
        }
        self.seals = number;
        self.hash = seal.hash;
    }

    fn find(
        &mut self,
        account_id: Uuid,
        seal: impl Into<Option<i64>>,
        audit_id: Option<Uuid>,
        fault: Fault,
    ) {
        self.faults.push(ChainFault {
            account_id,
            seal: seal.into(),
            audit_id,
            fault,
        });
    }
}

impl LoggedRow {
    /// Whether a stand-in is where a docid was.
    fn stands_in(&self) -> bool {
        self.action.starts_with("recipient.") && is_erased(&self.subject)
    }

    /// `is_final`: its subject is a stand-in already, which no erasure replaces. Programs before schema 28 did not tell that.
    fn digest(&self, subject_hash: &[u8], is_final: bool) -> [u8; 32] {
        // Where rows were copied, times are whole microseconds.
        let at = self.at.round_subsecs(6).timestamp_micros().to_be_bytes();
        let status = self.status.map(i16::to_be_bytes);
        let mut parts = vec![
            &self.audit_id.as_bytes()[..],
            &at,
            self.name.as_bytes(),
            self.address.as_bytes(),
            self.action.as_bytes(),
            subject_hash,
            status.as_ref().map_or(&[][..], |status| &status[..]),
            self.outcome_of
                .as_ref()
                .map_or(&[][..], |id| &id.as_bytes()[..]),
        ];
        // Rows without it were sealed by programs that did not know it.
        parts.extend(self.changes.as_ref().map(String::as_bytes));
        parts.extend(is_final.then_some(b"final".as_slice()));
        hash(&parts)
    }

    /// Whether it has this digest, and the subject that was sealed, or that of a recipient who was erased since.
    fn is_as_sealed(&self, digest: &[u8]) -> bool {
        let subject_hash = self.subject_hash.as_deref().unwrap_or_default();
        let fits = |is_final| self.digest(subject_hash, is_final) == *digest;
        match &self.salt {
            Some(salt) => {
                let has_subject = hash(&[salt, self.subject.as_bytes()]) == *subject_hash;
                has_subject && (fits(self.stands_in()) || fits(false))
            }
            None => self.stands_in() && fits(false),
        }
    }
}

fn hash_of(account_id: Uuid, seal: i64, before: &[u8], digests: &[u8]) -> [u8; 32] {
    hash(&[account_id.as_bytes(), &seal.to_be_bytes(), before, digests])
}

/// SHA-256 of parts, each behind its length.
fn hash(parts: &[&[u8]]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(n: u128) -> (LoggedRow, Vec<u8>) {
        let salt = vec![7; 16];
        let subject_hash = hash(&[&salt, b"order-1"]);
        let row = LoggedRow {
            audit_id: Uuid::from_u128(n),
            at: DateTime::UNIX_EPOCH,
            name: "ada".to_owned(),
            address: "192.0.2.1".to_owned(),
            action: "recipient.erase".to_owned(),
            subject: "order-1".to_owned(),
            status: Some(204),
            outcome_of: None,
            changes: Some("{}".to_owned()),
            seal: Some(1),
            salt: Some(salt),
            subject_hash: Some(subject_hash.to_vec()),
        };
        let mut entry = row.audit_id.as_bytes().to_vec();
        entry.extend(row.digest(&subject_hash, false));
        (row, entry)
    }

    /// What is found of a seal of two rows that are stored so.
    fn found(change: impl FnOnce(&mut Link, &mut BTreeMap<Uuid, LoggedRow>)) -> Vec<Fault> {
        let account_id = Uuid::nil();
        let (one, mut digests) = row(1);
        let (two, entry) = row(2);
        digests.extend(entry);
        let hash = hash_of(account_id, 1, &[], &digests).to_vec();
        let mut seal = Link {
            seal: 1,
            sealed_at: DateTime::UNIX_EPOCH,
            digests,
            hash,
        };
        let mut rows = BTreeMap::from([(one.audit_id, one), (two.audit_id, two)]);
        change(&mut seal, &mut rows);
        let mut chain = Chain::default();
        chain.add(account_id, seal, rows);
        chain.faults.iter().map(|found| found.fault).collect()
    }

    #[test]
    fn what_is_not_as_it_was_sealed_is_found() {
        let first = Uuid::from_u128(1);
        let changed = |change: fn(&mut LoggedRow)| {
            found(|_, rows| rows.get_mut(&first).into_iter().for_each(change))
        };
        assert!(found(|_, _| {}).is_empty());
        for change in [
            (|row| row.name.push('x')) as fn(&mut LoggedRow),
            |row| row.subject.push('x'),
            |row| row.status = None,
            |row| row.salt = None,
            |row| row.at += TimeDelta::microseconds(1),
            |row| row.outcome_of = Some(Uuid::nil()),
            |row| row.changes = None,
            |row| row.changes = Some("{ }".to_owned()),
        ] {
            assert_eq!(changed(change), [Fault::RowChanged]);
        }
        let erased = changed(|row| {
            row.subject = "\u{1}0a".to_owned();
            row.salt = None;
        });
        assert!(erased.is_empty());
        let (mut later, _) = row(1);
        later.subject = "\u{1}0a".to_owned();
        let salt = later.salt.clone().unwrap_or_default();
        later.subject_hash = Some(hash(&[&salt, later.subject.as_bytes()]).to_vec());
        let subject_hash = later.subject_hash.clone().unwrap_or_default();
        let digests = [true, false].map(|is_final| later.digest(&subject_hash, is_final));
        assert!(digests.iter().all(|digest| later.is_as_sealed(digest)));
        (later.subject, later.salt) = ("\u{1}0b".to_owned(), None);
        assert!(!later.is_as_sealed(&digests[0]));
        let removed = found(|_, rows| drop(rows.remove(&first)));
        assert_eq!(removed, [Fault::RowRemoved]);
        let inserted = found(|_, rows| {
            let (other, _) = row(3);
            rows.insert(other.audit_id, other);
        });
        assert_eq!(inserted, [Fault::RowInserted]);
        let resealed = found(|seal, rows| {
            seal.digests.truncate(ENTRY);
            rows.remove(&Uuid::from_u128(2));
        });
        assert_eq!(resealed, [Fault::SealChanged]);
        assert_eq!(found(|seal, _| seal.seal = 2), [Fault::SealRemoved]);
        let noted = "7:0aff".parse::<SealHash>().unwrap();
        assert_eq!((noted.seal, &*noted.to_string()), (7, "7:0aff"));
        assert!(
            ["7", ":", "7:x", "x:0a"]
                .iter()
                .all(|text| text.parse::<SealHash>().is_err())
        );
        // The first one that is left may be the last one that was dropped.
        let dropped = found(|seal, rows| {
            (seal.seal, seal.digests) = (7, Vec::new());
            rows.clear();
        });
        assert!(dropped.is_empty());
    }
}
