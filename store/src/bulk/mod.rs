//! A chunk's rows into `recipient`, each dialect its own way, both with the same outcomes: those of applying the
//! accepted batches one after the other in the order of their `seq`.

use domain::chunk::Chunk;

use crate::chunk::Claim;
use crate::tx::Inner;
use crate::{Error, Tx};

mod binary;
mod postgres;
mod sqlite;

/// What became of a chunk's records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcomes {
    pub created: i64,
    pub updated: i64,
    pub unchanged: i64,
    /// A batch accepted later had stored the docid, or the person was erased since.
    pub superseded: i64,
    /// Some docid was stored already: the batch's other chunks will likely meet the same.
    pub conflicted: bool,
}

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
