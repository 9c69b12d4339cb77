//! Which pepper made the hashes in this database.

use entity::pepper;
use sea_orm::{EntityTrait, QuerySelect};

use crate::tx::Sql;
use crate::{Result, Store};

/// There is one row.
const ID: i64 = 1;

impl Store {
    /// The fingerprint of the pepper that made the hashes; `None`: nothing is hashed yet.
    pub async fn known_pepper(&self) -> Result<Option<String>> {
        let known = pepper::Entity::find_by_id(ID).one(self).await?;
        Ok(known.map(|known| known.fingerprint))
    }

    /// Whether a process may hash with a pepper, of which these are the fingerprints, the one in use first: the database knows one
    /// of them, or none at all. From then on it knows the first.
    pub async fn accept_pepper(&self, fingerprints: &[String]) -> Result<bool> {
        let Some(current) = fingerprints.first() else {
            return Ok(true);
        };
        let tx = self.begin().await?;
        let row = pepper::Model {
            id: ID,
            fingerprint: current.clone(),
        };
        tx.insert_new(row.clone()).await?;
        let known = pepper::Entity::find_by_id(row.id)
            .lock_exclusive()
            .one(&tx)
            .await?;
        let is_known = known.is_some_and(|known| fingerprints.contains(&known.fingerprint));
        if is_known {
            tx.update(row).await?;
            tx.commit_surely().await?;
        }
        Ok(is_known)
    }
}
