//! What the worker does for those who read: copies of what it changed, ahead of them.

use std::collections::BTreeSet;

use domain::month::Month;
use store::Store;
use store::form::FormKey;
use store::report::WHOLE;

use super::blocks::{self, Copy};
use crate::cache::{Cache, CacheError};

/// Blocks that are rewritten ahead; of more (an answer may name a thousand business properties) only those of the whole,
/// the others when somebody asks.
const AHEAD: usize = 128;

/// Gives the cache the months of a form that a fold touched: `bus_prop_id` and month. The outer error is the database's.
///
/// # Errors
/// The database is unavailable.
pub async fn refresh_months(
    store: &Store,
    cache: &Cache,
    form: FormKey,
    mut touched: BTreeSet<(i64, Month)>,
) -> Result<Result<(), CacheError>, store::Error> {
    if touched.len() > AHEAD {
        touched.retain(|(bus_prop_id, _)| *bus_prop_id == WHOLE);
    }
    let read = store.form_blocks(form, &touched).await?;
    let copies = read.blocks.iter();
    let copies = copies
        .map(|(id, block)| Copy::of(read.epoch, form, *id, block))
        .collect();
    Ok(blocks::put(cache, copies).await)
}
