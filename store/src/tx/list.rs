//! How much of a list is read at once.

use uuid::Uuid;

/// The rows of a page have about this many bytes at most: with the row that reaches them the page ends.
pub const PAGE_BYTES: usize = 4 << 20;

/// A page of a list, in its order. `P` is a position in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListPage<T, P = Uuid> {
    pub rows: Vec<T>,
    /// The position after which the next page begins; `None` at the end.
    pub next: Option<P>,
}

impl<T, P> ListPage<T, P> {
    /// The page of at most `limit` of these rows; `has_more` if rows follow them.
    pub(crate) fn new(
        mut rows: Vec<T>,
        limit: usize,
        has_more: bool,
        position: impl FnOnce(&T) -> P,
    ) -> Self {
        let has_more = has_more || rows.len() > limit;
        rows.truncate(limit);
        let next = rows.last().filter(|_| has_more).map(position);
        Self { rows, next }
    }

    /// The same page of what `show` makes of its rows.
    pub fn map<U>(self, show: impl FnMut(T) -> U) -> ListPage<U, P> {
        ListPage {
            rows: self.rows.into_iter().map(show).collect(),
            next: self.next,
        }
    }
}

/// How many of the rows of these sizes, in bytes, fit into a page that has `left` bytes.
pub(crate) fn rows_that_fit(sizes: &[i32], mut left: usize) -> usize {
    let fitting = sizes.iter().take_while(|size| {
        let fits = left > 0;
        left = left.saturating_sub(usize::try_from(**size).unwrap_or(usize::MAX));
        fits
    });
    fitting.count()
}
