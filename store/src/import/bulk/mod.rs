//! Stores the records of a chunk in `recipient`: each dialect in its own way, both with the outcomes of applying the
//! accepted batches one after the other in the order of their `seq`.

use domain::chunk::Chunk;

use super::chunk::{Claim, Outcomes};
use crate::tx::Inner;
use crate::{Error, Tx};

mod binary;
pub(super) mod columns;
mod postgres;
mod sqlite;
mod statements;

impl Tx {
    /// Stores the records of a claimed chunk.
    ///
    /// # Errors
    /// [`Error::Conflict`] when another transaction was in the way: roll back and do the same again.
    pub async fn store_chunk(&mut self, claim: &Claim, chunk: &Chunk) -> Result<Outcomes, Error> {
        let records: Vec<_> = chunk.records().collect();
        let outcomes = match self.inner() {
            Inner::Postgres(tx) => postgres::store(tx, claim, &records).await?,
            Inner::Sqlite(_) => sqlite::store(self, claim, &records).await?,
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
