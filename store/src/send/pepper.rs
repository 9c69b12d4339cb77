//! Which pepper made the hashes in this database.

use crate::tx::{Sql, values};
use crate::{Result, Store};

impl Store {
    /// Whether a process may hash with a pepper, of which these are the fingerprints, the one in use first: the database knows one
    /// of them, or none at all. From then on it knows the first.
    pub async fn accept_pepper(&self, fingerprints: &[String]) -> Result<bool> {
        let Some(current) = fingerprints.first() else {
            return Ok(true);
        };
        let tx = self.begin().await?;
        let first =
            "INSERT INTO pepper (id, fingerprint) VALUES (1, $1) ON CONFLICT (id) DO NOTHING";
        tx.execute(first, values![current.as_str()]).await?;
        let known = tx.locking("SELECT fingerprint FROM pepper", "FOR UPDATE");
        let known: Option<String> = tx.one(known, vec![]).await?;
        let is_known = known.is_some_and(|known| fingerprints.contains(&known));
        if is_known {
            let change = "UPDATE pepper SET fingerprint = $1";
            tx.execute(change, values![current.as_str()]).await?;
            tx.commit_surely().await?;
        }
        Ok(is_known)
    }
}
