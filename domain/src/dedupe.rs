//! Which docids a body has already shown, in about 36 MB a million.
//!
//! Kept are fingerprints, not texts: 128 bits of SipHash-1-3 under a random key, so that nobody can prepare
//! docids that collide, and by chance two of a million do with probability 10⁻²⁷.
//!
//! The set grows by extendible hashing (Fagin, Nievergelt, Pippenger, Strong 1979): a leaf that is full is split into
//! two of the same size. So memory that a leaf gives back is just what the next split needs; tables that double would
//! leave as much again behind them.

use std::collections::HashSet;
use std::hash::{BuildHasher, BuildHasherDefault, Hash, Hasher, RandomState};

use siphasher::sip128::{Hasher128, SipHasher13};

/// Entries to a leaf: what a table of 4,096 places holds.
const LEAF: usize = 3_584;

/// A set of docids.
pub struct DocIdSet {
    key: SipHasher13,
    leaves: Vec<Leaf>,
    /// Which leaf a fingerprint is in, by its last bits; a power of two.
    directory: Vec<usize>,
}

struct Leaf {
    entries: HashSet<Fingerprint, BuildHasherDefault<Taken>>,
    /// So many last bits are the same in all of its fingerprints.
    depth: u32,
}

impl Leaf {
    fn new(depth: u32) -> Self {
        let entries = HashSet::with_capacity_and_hasher(LEAF, BuildHasherDefault::default());
        Self { entries, depth }
    }
}

impl DocIdSet {
    pub fn new() -> Self {
        Self {
            key: SipHasher13::new_with_keys(random(), random()),
            leaves: vec![Leaf::new(0)],
            directory: vec![0],
        }
    }

    /// Adds the docid; false when it was there already.
    pub fn insert(&mut self, docid: &str) -> bool {
        let mut hasher = self.key;
        hasher.write(docid.as_bytes());
        let hash = hasher.finish128();
        let fingerprint = Fingerprint([hash.h1, hash.h2]);
        loop {
            let place = fingerprint.place(self.directory.len());
            let Some(&at) = self.directory.get(place) else {
                return false;
            };
            let Some(leaf) = self.leaves.get_mut(at) else {
                return false;
            };
            if leaf.entries.len() < LEAF {
                return leaf.entries.insert(fingerprint);
            }
            if leaf.entries.contains(&fingerprint) {
                return false;
            }
            self.split(at);
        }
    }

    /// Splits a leaf by one more bit.
    fn split(&mut self, at: usize) {
        let new_at = self.leaves.len();
        let Some(leaf) = self.leaves.get_mut(at) else {
            return;
        };
        let bit = 1_usize << leaf.depth;
        leaf.depth += 1;
        let mut new = Leaf::new(leaf.depth);
        // Both anew: a table keeps the places of entries that left it.
        let old = std::mem::replace(leaf, Leaf::new(leaf.depth));
        for entry in old.entries {
            let goes = entry.place(bit << 1) & bit != 0;
            let half = if goes { &mut new } else { &mut *leaf };
            half.entries.insert(entry);
        }
        self.leaves.push(new);
        if bit == self.directory.len() {
            self.directory.extend_from_within(..);
        }
        for (place, leaf) in self.directory.iter_mut().enumerate() {
            if *leaf == at && place & bit != 0 {
                *leaf = new_at;
            }
        }
    }

    pub fn len(&self) -> usize {
        self.leaves.iter().map(|leaf| leaf.entries.len()).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Default for DocIdSet {
    fn default() -> Self {
        Self::new()
    }
}

/// 64 bits that no caller can know, from the standard library's own hash keys.
fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

#[derive(PartialEq, Eq)]
struct Fingerprint([u64; 2]);

impl Fingerprint {
    /// Its place among `places` (a power of two). A leaf's table takes its places from the other half.
    fn place(&self, places: usize) -> usize {
        #[expect(clippy::cast_possible_truncation, reason = "only the last bits count")]
        let last = self.0[1] as usize;
        last & (places - 1)
    }
}

impl Hash for Fingerprint {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0[0]);
    }
}

/// A fingerprint is a hash already; it is taken as it is.
#[derive(Default)]
struct Taken(u64);

impl Hasher for Taken {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_docid_is_new_once() {
        let mut seen = DocIdSet::new();
        assert!(seen.is_empty());
        assert!(seen.insert("A1"));
        assert!(!seen.insert("A1"));
        assert!(seen.insert("a1"));
        assert_eq!(seen.len(), 2);
    }

    #[test]
    fn every_set_has_its_own_key() {
        let fingerprint = |set: &DocIdSet| set.key.hash(b"A1").as_u128();
        assert_ne!(fingerprint(&DocIdSet::new()), fingerprint(&DocIdSet::new()));
    }

    #[test]
    fn leaves_share_the_load_and_none_outgrows_its_table() {
        let mut seen = DocIdSet::new();
        for n in 0..100_000 {
            assert!(seen.insert(&format!("customer-{n:08}")));
        }
        for n in 0..100_000 {
            assert!(!seen.insert(&format!("customer-{n:08}")));
        }
        assert_eq!(seen.len(), 100_000);
        assert!(
            seen.leaves
                .iter()
                .all(|leaf| leaf.entries.capacity() == LEAF)
        );
        assert!(seen.leaves.len() < 100_000 / LEAF * 3);
    }

    proptest! {
        #[test]
        fn the_set_agrees_with_a_set_of_texts(docids in prop::collection::vec("[a-c]{0,3}", 0..200)) {
            let mut seen = DocIdSet::new();
            let mut texts = HashSet::new();
            for docid in docids {
                prop_assert_eq!(seen.insert(&docid), texts.insert(docid));
            }
        }
    }
}
