//! Which docids a body has had so far, in 40 MiB a million, or in 52 MiB with what the records say besides.
//!
//! The sets hold fingerprints, not texts: 96 bits of SipHash-1-3 under a random key, so that nobody can prepare
//! docids that collide, and by chance two of a million do with probability 10⁻¹⁷. A set of texts took 0.8 s a million
//! instead of 0.17 s (release build, one core).

use std::hash::{BuildHasher, Hasher, RandomState};

use hashbrown::hash_table::{Entry, HashTable};
use siphasher::sip128::SipHasher13;

use crate::docid::DocId;
use crate::record::Record;

/// The number of tables that the fingerprints are spread over. A table that grows needs its old memory beside the new; with
/// a single table that would be half of the whole again.
const TABLES: usize = 16;
/// The bytes of a docid's fingerprint.
const DOCID: usize = 12;
/// With those of the fingerprint of a record's values. Of two records of one docid with other values, one in 2³² pairs is taken for
/// the same.
const RECORD: usize = DOCID + 4;

/// A set of docids.
#[derive(Default)]
pub struct DocIdSet(Fingerprints<DOCID>);

/// A set of records, one a docid.
#[derive(Default)]
pub struct RecordSet(Fingerprints<RECORD>);

/// What a set has of a record's docid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// Nothing: the record is in the set now.
    Never,
    /// A record of the same values.
    Same,
    /// A record of other values.
    Other,
}

/// Fingerprints of docids, each with what else is known of it.
struct Fingerprints<const BYTES: usize> {
    key: SipHasher13,
    tables: [HashTable<[u8; BYTES]>; TABLES],
}

impl<const BYTES: usize> Default for Fingerprints<BYTES> {
    fn default() -> Self {
        Self {
            key: SipHasher13::new_with_keys(random(), random()),
            tables: [const { HashTable::new() }; TABLES],
        }
    }
}

impl DocIdSet {
    /// Adds the docid; false if it is in the set already.
    pub fn insert(&mut self, docid: DocId<&str>) -> bool {
        let (table, fingerprint) = self.0.fingerprint(docid.get());
        self.0.insert(table, fingerprint).is_none()
    }
}

impl RecordSet {
    /// Adds the record, unless its docid is in the set already.
    pub fn insert(&mut self, record: &Record<'_>) -> Seen {
        let (table, docid) = self.0.fingerprint(record.docid.get());
        let mut fingerprint = [0; RECORD];
        let (front, back) = fingerprint.split_at_mut(DOCID);
        front.copy_from_slice(&docid);
        back.copy_from_slice(&self.values(record));
        match self.0.insert(table, fingerprint) {
            None => Seen::Never,
            Some(known) if known == fingerprint => Seen::Same,
            Some(_) => Seen::Other,
        }
    }

    /// The fingerprint of all that the record says.
    fn values(&self, record: &Record<'_>) -> [u8; RECORD - DOCID] {
        let mut hasher = self.0.key;
        for text in record.values() {
            hasher.write(text.as_bytes());
            // No text has it.
            hasher.write_u8(0);
        }
        let [values @ .., _, _, _, _] = hasher.finish().to_ne_bytes();
        values
    }
}

impl<const BYTES: usize> Fingerprints<BYTES> {
    /// Of a docid, and the number of the table that it is in.
    fn fingerprint(&self, docid: &str) -> (usize, [u8; DOCID]) {
        let [table, _, _, _, fingerprint @ ..] =
            self.key.hash(docid.as_bytes()).as_u128().to_ne_bytes();
        (usize::from(table) % TABLES, fingerprint)
    }

    /// Adds a docid with what is known of it; what is known of it already.
    fn insert(&mut self, table: usize, fingerprint: [u8; BYTES]) -> Option<[u8; BYTES]> {
        let is_same = |known: &[u8; BYTES]| known[..DOCID] == fingerprint[..DOCID];
        match self.tables[table].entry(place(&fingerprint), is_same, place) {
            Entry::Occupied(known) => Some(*known.get()),
            Entry::Vacant(entry) => {
                entry.insert(fingerprint);
                None
            }
        }
    }
}

/// The hash of a fingerprint in a table: eight bytes of the docid's.
fn place<const BYTES: usize>(fingerprint: &[u8; BYTES]) -> u64 {
    fingerprint
        .first_chunk()
        .map_or(0, |place| u64::from_ne_bytes(*place))
}

/// 64 bits that no caller can know: the standard library's hash keys are random.
fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;
    use crate::phone::PhoneNumber;

    fn docid(text: &str) -> DocId<&str> {
        DocId::parse(text).unwrap()
    }

    #[test]
    fn a_docid_is_new_once() {
        let mut seen = DocIdSet::default();
        assert!(seen.insert(docid("A1")));
        assert!(!seen.insert(docid("A1")));
        assert!(seen.insert(docid("a1")));
    }

    #[test]
    fn every_set_has_its_own_key() {
        let fingerprint = |set: &DocIdSet| set.0.key.hash(b"A1").as_u128();
        assert_ne!(
            fingerprint(&DocIdSet::default()),
            fingerprint(&DocIdSet::default())
        );
    }

    #[test]
    fn tables_share_the_load() {
        let mut seen = DocIdSet::default();
        for n in 0..100_000 {
            assert!(seen.insert(docid(&format!("customer-{n:08}"))));
        }
        for n in 0..100_000 {
            assert!(!seen.insert(docid(&format!("customer-{n:08}"))));
        }
        let entries: usize = seen.0.tables.iter().map(HashTable::len).sum();
        assert_eq!(entries, 100_000);
        let fullest = seen.0.tables.iter().map(HashTable::len).max();
        assert!(fullest < Some(100_000 / TABLES * 2));
    }

    #[test]
    fn a_record_is_new_the_same_or_another() {
        let record = |docid, fields| Record {
            docid: self::docid(docid),
            phone: PhoneNumber::parse("+491701234567").unwrap(),
            fields,
        };
        let mut seen = RecordSet::default();
        assert_eq!(seen.insert(&record("A1", "{}")), Seen::Never);
        assert_eq!(seen.insert(&record("A1", "{}")), Seen::Same);
        assert_eq!(seen.insert(&record("A1", r#"{"a":"1"}"#)), Seen::Other);
        assert_eq!(seen.insert(&record("A2", "{}")), Seen::Never);
        assert_eq!(seen.insert(&record("A1", "{}")), Seen::Same);
    }

    proptest! {
        #[test]
        fn the_set_agrees_with_a_set_of_texts(docids in prop::collection::vec("[a-c]{1,3}", 0..200)) {
            let mut seen = DocIdSet::default();
            let mut texts = HashSet::new();
            for docid in docids {
                prop_assert_eq!(seen.insert(self::docid(&docid)), texts.insert(docid));
            }
        }
    }
}
