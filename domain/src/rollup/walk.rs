//! Lists that are sorted by key.

use std::borrow::Borrow;

/// Finds or makes the entries of ascending keys, each search from where the last one ended. Lists of one form have
/// mostly the same keys, so that the next entry is mostly the one.
pub(super) struct Walk<'a, K, V> {
    entries: &'a mut Vec<(K, V)>,
    next: usize,
}

impl<'a, K, V: Default> Walk<'a, K, V> {
    /// Of entries in the order of their keys.
    pub(super) fn along(entries: &'a mut Vec<(K, V)>) -> Self {
        Self { entries, next: 0 }
    }

    /// The value of the key, made if it is new. The key comes after those asked for before.
    pub(super) fn at<Q>(&mut self, key: &Q) -> &mut V
    where
        K: Borrow<Q>,
        Q: ToOwned<Owned = K> + Ord + ?Sized,
    {
        let place = place(self.entries, self.next, key);
        self.next = place + 1;
        &mut self.entries[place].1
    }
}

/// The value of any key, made if it is new.
pub(super) fn entry<'a, K, V, Q>(entries: &'a mut Vec<(K, V)>, key: &Q) -> &'a mut V
where
    K: Borrow<Q>,
    V: Default,
    Q: ToOwned<Owned = K> + Ord + ?Sized,
{
    let place = place(entries, 0, key);
    &mut entries[place].1
}

/// Where the key is, made if it is new; it is not before `from`.
fn place<K, V, Q>(entries: &mut Vec<(K, V)>, from: usize, key: &Q) -> usize
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
    let place = from + found.unwrap_or_else(|place| place);
    if found.is_err() {
        entries.insert(place, (key.to_owned(), V::default()));
    }
    place
}
