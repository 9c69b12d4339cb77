//! Counts made anew from what is stored, slice by slice. To check the rollups ([`Store::check_slice`]), and to mend them
//! ([`Store::rebuild_slice`]), both beside a running service.
//!
//! Rollup and pending counts together are what is stored, at every moment. A check reads all of them in one snapshot. A
//! rebuild holds the form, so that nobody rolls up, and reads pending counts and what they count in one statement: of whatever
//! commits at the same time it sees the effect and the pending count, or neither. What is missing it adds to the rollup. Either
//! reads a slice of any size in bounded memory, and none holds a snapshot longer than a slice.
//!
//! What is sealed (`retention`) is left as it is. The seals are read last: of a row that is gone they tell.

mod links;
mod recipients;
mod slice;

use std::fmt;

use chrono::NaiveDate;
use uuid::Uuid;

pub use self::slice::{Slice, Slices};
use crate::form::FormKey;
use crate::tx::{Sql, statement};
use crate::{Result, Store};

/// A stored number that counting does not give. As text a line of `feedback verify`.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Drift {
    /// What counts: `rollup`, `cache`, `link`, `recipients`, `campaign`, `message` or `contact`.
    pub of: &'static str,
    /// Of the form, link, account, campaign or message.
    pub id: Uuid,
    /// A business property, or a kind of messages; `None`: the whole.
    pub part: Option<String>,
    pub day: Option<NaiveDate>,
    /// Of a rollup as [`domain::rollup::Delta::differences`] names it.
    pub counter: String,
    pub stored: i64,
    pub recomputed: i64,
}

impl Drift {
    /// Of the whole of what counts, on no one day: with what is stored, and what counting gives.
    pub fn new(of: &'static str, id: Uuid, counter: &str, found: (i64, i64)) -> Self {
        Self {
            of,
            id,
            part: None,
            day: None,
            counter: counter.to_owned(),
            stored: found.0,
            recomputed: found.1,
        }
    }
}

impl fmt::Display for Drift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = self.part.as_deref().unwrap_or("-");
        let day = self.day.map_or("-".to_owned(), |day| day.to_string());
        let (stored, recomputed) = (self.stored, self.recomputed);
        let (of, id, counter) = (self.of, self.id, &self.counter);
        write!(
            f,
            "{of}\t{id}\t{part}\t{day}\t{counter}\t{stored}\t{recomputed}"
        )
    }
}

impl Store {
    /// Every account.
    pub async fn all_accounts(&self) -> Result<Vec<Uuid>> {
        let accounts = statement!("SELECT account_id FROM account ORDER BY account_id");
        self.fetch_values(accounts, vec![]).await
    }

    /// Every form of every account, deleted ones too.
    pub async fn all_forms(&self) -> Result<Vec<FormKey>> {
        let forms = statement!("SELECT account_id, form_id FROM form ORDER BY account_id, form_id");
        self.fetch_all(forms, vec![]).await
    }
}
