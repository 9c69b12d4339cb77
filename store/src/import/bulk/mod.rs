//! A chunk's rows into `recipient`, each dialect its own way, both with the same outcomes: those of applying the
//! accepted batches one after the other in the order of their `seq`.

use domain::chunk::Chunk;

use super::chunk::{Claim, Outcomes};
use crate::tx::Inner;
use crate::{Error, Tx};

mod binary;
mod postgres;
mod sqlite;

impl Tx {
    /// Stores the rows of a claimed chunk.
    ///
    /// # Errors
    /// [`Error::Conflict`] when another transaction was in the way: roll back and do the same again.
    pub async fn store_chunk(&mut self, claim: &Claim, chunk: &Chunk) -> Result<Outcomes, Error> {
        let outcomes = match &mut self.inner {
            Inner::Postgres(tx) => postgres::store(tx, claim, chunk).await?,
            Inner::Sqlite(tx) => sqlite::store(tx, claim, chunk).await?,
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
