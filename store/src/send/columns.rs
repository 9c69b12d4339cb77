//! The columns that an account's recipients have: their tracking fields, which a campaign can keep and group answers by.

use uuid::Uuid;

use crate::tx::{Sql, Statement, statement, values};
use crate::{Result, Store};

/// So many recipients are looked at from each end of the key, and so many names are told at most.
const LOOKED_AT: i64 = 500;
const MOST: i64 = 200;

const NAMES: &Statement = statement!(
    postgres: "SELECT DISTINCT jsonb_object_keys(looked.fields) AS name FROM (
            (SELECT fields FROM recipient WHERE account_id = $1 AND phone IS NOT NULL ORDER BY docid LIMIT $2)
            UNION ALL
            (SELECT fields FROM recipient WHERE account_id = $1 AND phone IS NOT NULL ORDER BY docid DESC LIMIT $2)) AS looked
          ORDER BY name LIMIT $3";
    sqlite: "SELECT DISTINCT field.key AS name FROM (
            SELECT * FROM (SELECT fields FROM recipient WHERE account_id = $1 AND phone IS NOT NULL ORDER BY docid LIMIT $2)
            UNION ALL
            SELECT * FROM (SELECT fields FROM recipient WHERE account_id = $1 AND phone IS NOT NULL ORDER BY docid DESC LIMIT $2)) AS looked,
            json_each(looked.fields) AS field
          ORDER BY name LIMIT $3"
);

impl Store {
    /// The names of columns that recipients of an account have, in their order: of those with the first and with the last docids.
    pub async fn recipient_columns(&self, account_id: Uuid) -> Result<Vec<String>> {
        self.fetch_values(NAMES, values![account_id, LOOKED_AT, MOST])
            .await
    }
}
