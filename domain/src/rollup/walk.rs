//! Lists that are sorted by key.

use std::borrow::Borrow;

/// Finds or inserts the entries of ascending keys. Each search starts where the last one ended: lists of one form mostly
/// have the same keys, so the next entry mostly is the one.
pub(super) struct Walk<'a, K, V> {
    entries: &'a mut Vec<(K, V)>,
    next: usize,
}

impl<'a, K, V: Default> Walk<'a, K, V> {
    /// The entries are in the order of their keys.
    pub(super) fn along(entries: &'a mut Vec<(K, V)>) -> Self {
        Self { entries, next: 0 }
    }

    /// The value of the key, inserted if it is new. The key is greater than those of earlier calls.
    pub(super) fn at<Q>(&mut self, key: &Q) -> &mut V
    where
        K: Borrow<Q>,
        Q: ToOwned<Owned = K> + Ord + ?Sized,
    {
        let index = index(self.entries, self.next, key);
        self.next = index + 1;
        &mut self.entries[index].1
    }
}

/// The value of any key, inserted if it is new.
pub(super) fn entry<'a, K, V, Q>(entries: &'a mut Vec<(K, V)>, key: &Q) -> &'a mut V
where
    K: Borrow<Q>,
    V: Default,
    Q: ToOwned<Owned = K> + Ord + ?Sized,
{
    let index = index(entries, 0, key);
    &mut entries[index].1
}

/// The index of the key, inserted if it is new; not before `from`.
fn index<K, V, Q>(entries: &mut Vec<(K, V)>, from: usize, key: &Q) -> usize
where
    K: Borrow<Q>,
    V: Default,
    Q: ToOwned<Owned = K> + Ord + ?Sized,
{
    let ahead = entries.get(from..).unwrap_or_default();
    let found = match ahead.first() {
        Some((first, _)) if first.borrow() == key => Ok(0),
        _ => ahead.binary_search_by(|(k, _)| k.borrow().cmp(key)),
    };
    let index = from + found.unwrap_or_else(|index| index);
    if found.is_err() {
        entries.insert(index, (key.to_owned(), V::default()));
    }
    index
}
