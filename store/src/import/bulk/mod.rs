//! Stores the records of a chunk in `recipient`: each dialect in its own way, both with the outcomes of applying the
//! accepted batches one after the other in the order of their `seq`.

use domain::chunk::Chunk;
use sea_orm::FromQueryResult;

use super::chunk::{Claim, Outcomes};
use crate::tx::Sql;
use crate::{Error, Tx};

mod binary;
pub(super) mod columns;
mod postgres;
mod sqlite;
mod statements;

/// What the records of a chunk come to whose docids were stored before.
#[derive(Default, FromQueryResult)]
struct StoredBefore {
    superseded: i64,
    /// The person was erased.
    revived: i64,
    unchanged: i64,
    updated: i64,
}

impl Outcomes {
    fn add(&mut self, before: &StoredBefore) {
        self.superseded += before.superseded;
        self.created += before.revived;
        self.unchanged += before.unchanged;
        self.updated += before.updated;
    }
}

impl Tx {
    /// Stores the records of a claimed chunk.
    ///
    /// # Errors
    /// [`Error::Conflict`] when another transaction was in the way: roll back and do the same again.
    pub async fn store_chunk(&mut self, claim: &Claim, chunk: &Chunk) -> Result<Outcomes, Error> {
        let records: Vec<_> = chunk.records().collect();
        let outcomes = if self.is_sqlite() {
            sqlite::store(self, claim, &records).await?
        } else {
            let host = self.host();
            host.wait(postgres::store(self, claim, &records)).await??
        };
        let sum = outcomes.created + outcomes.updated + outcomes.unchanged + outcomes.superseded;
        if sum != claim.records {
            // A tombstone was cleared between two statements: the next run sees one state.
            return Err(Error::Conflict(
                "a row vanished between two statements".into(),
            ));
        }
        Ok(outcomes)
    }
}
