//! Makes the schema in an empty database and refuses a database that has another one.

use sea_orm::ConnectionTrait;

use super::{Error, Result, Sql, Store};

const POSTGRES: &str = include_str!("../../schema/postgres.sql");
const SQLITE: &str = include_str!("../../schema/sqlite.sql");

/// A database from before `schema_version` was a table has an `account` all the same.
const TABLES_POSTGRES: &str = "SELECT to_regclass('schema_version') IS NOT NULL AS has_version,
                                      to_regclass('account') IS NOT NULL AS is_used";
const TABLES_SQLITE: &str =
    "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'schema_version') AS has_version,
            EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'account') AS is_used";

impl Store {
    /// Makes the schema where there is none. Of several processes that start at once, one makes it and the others wait.
    ///
    /// # Errors
    /// [`Error::Schema`] where another version of this program made the database. See [`Error`].
    pub async fn make_schema(&self) -> Result<()> {
        let tx = self.begin_long().await?;
        if !tx.is_sqlite() {
            tx.execute_unprepared("SELECT pg_advisory_xact_lock(7021402611212)")
                .await?;
        }
        let tables = tx.dialect(TABLES_POSTGRES, TABLES_SQLITE);
        let found = match tx.one(tables, vec![]).await? {
            Some((true, _)) => tx.one("SELECT version FROM schema_version", vec![]).await?,
            Some((false, true)) => None,
            _ => {
                tx.execute_unprepared(tx.dialect(POSTGRES, SQLITE)).await?;
                return tx.commit_surely().await;
            }
        };
        let (found, known) = (found.unwrap_or(0), version(tx.dialect(POSTGRES, SQLITE)));
        if found == known {
            Ok(())
        } else {
            Err(Error::Schema { found, known })
        }
    }
}

/// The version that a script writes into `schema_version`.
fn version(script: &str) -> i64 {
    let (_, after) = script
        .split_once("INTO schema_version (version) VALUES (")
        .unwrap_or_default();
    let (number, _) = after.split_once(')').unwrap_or_default();
    number.parse().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_scripts_write_the_same_version() {
        assert_eq!(version(POSTGRES), version(SQLITE));
        assert!(version(POSTGRES) > 0);
    }
}
