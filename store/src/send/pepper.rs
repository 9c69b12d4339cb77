//! Which pepper made the hashes in this database.

use entity::pepper;
use sea_orm::{ActiveModelTrait, EntityTrait, IntoActiveModel, QuerySelect};

use crate::{Result, Store};

impl Store {
    /// Whether a process may hash with a pepper, of which these are the fingerprints, the one in use first: the database knows one
    /// of them, or none at all. From then on it knows the first.
    pub async fn accept_pepper(&self, fingerprints: &[String]) -> Result<bool> {
        let Some(current) = fingerprints.first() else {
            return Ok(true);
        };
        let tx = self.begin().await?;
        let row = pepper::Model {
            id: 1,
            fingerprint: current.clone(),
        };
        pepper::Entity::insert(row.clone().into_active_model())
            .on_conflict_do_nothing()
            .exec_without_returning(&tx)
            .await?;
        let known = pepper::Entity::find_by_id(row.id)
            .lock_exclusive()
            .one(&tx)
            .await?;
        let is_known = known.is_some_and(|known| fingerprints.contains(&known.fingerprint));
        if is_known {
            pepper::Entity::update(row.into_active_model().reset_all())
                .exec_without_returning(&tx)
                .await?;
            tx.commit_surely().await?;
        }
        Ok(is_known)
    }
}
