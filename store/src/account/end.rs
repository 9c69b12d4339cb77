//! The end of an account: first all that it does, then all that is stored of it, table by table in small transactions. Its own row goes
//! last, so that whoever was stopped in between finds it and goes on.

#![expect(
    clippy::disallowed_methods,
    reason = "names of tables are no parameters"
)]

use sea_orm::Statement;
use uuid::Uuid;

use crate::tx::{self, Dialect, Sql, statement, values};
use crate::{Error, Result, Store};

/// Rows that one transaction deletes.
const SOME: u64 = 1_000;

/// All tables with rows of accounts: what is written by work that goes on before what it writes, and what refers to others before them.
const TABLES: [&str; 47] = [
    "session",
    "share",
    "api_secret",
    "api_key",
    "person",
    "branding",
    "upload",
    "import_choice",
    "import_payload",
    "import_chunk",
    "import_start",
    "import_error",
    "import_batch",
    "idempotency",
    "erasure",
    "message_due",
    "reply",
    "receipt",
    "provider_ref",
    "message",
    "contact",
    "campaign_quota",
    "campaign_delta",
    "campaign_tally",
    "send_usage",
    "sender_usage",
    "send_setting",
    "campaign",
    "feedback",
    "visit_view",
    "visit",
    "pending_delta",
    "link_rollup",
    "link_track_field",
    "link",
    "rollup",
    "rollup_month",
    "form_version",
    "form",
    "recipient",
    "recipient_rollup",
    "recipient_version",
    "import_counter",
    "audit",
    "audit_seal",
    "audit_recipient",
    "retention",
];

/// What an account does ends.
const END: [&tx::Statement; 4] = [
    statement!("DELETE FROM session WHERE account_id = $1"),
    statement!("UPDATE api_key SET revoked_at = $2 WHERE account_id = $1 AND revoked_at IS NULL"),
    statement!(
        "UPDATE campaign SET status = 'CANCELLED', finished_at = $2 WHERE account_id = $1 AND status IN ('RUNNING', 'PAUSED')"
    ),
    statement!("UPDATE form SET status = 'DELETED', deleted_at = $2 WHERE account_id = $1"),
];

/// What there is only where accounts lie on several nodes.
const OF_NODES: [&tx::Statement; 2] = [
    statement!(citus: "DELETE FROM link_token WHERE account_id = $1"),
    statement!(citus: "DELETE FROM account_work WHERE account_id = $1"),
];

impl Store {
    /// Ends what an account does: nobody signs in or uses a key of it, nothing is sent, and no link of it takes an answer. Each process
    /// knows within seconds.
    ///
    /// # Errors
    /// Doing it again is safe.
    pub async fn close_account(&self, account_id: Uuid) -> Result<()> {
        let tx = self.begin().await?;
        let now = tx.now().await?;
        let [sessions, others @ ..] = END;
        tx.execute(sessions, values![account_id]).await?;
        for end in others {
            tx.execute(end, values![account_id, now]).await?;
        }
        tx.commit_surely().await
    }

    /// Deletes all rows of a closed account, and tells of each table how many went, as often as some did. What some process still wrote
    /// meanwhile goes too.
    ///
    /// # Errors
    /// Doing it again goes on.
    pub async fn delete_account(
        &self,
        account_id: Uuid,
        mut tell: impl FnMut(&'static str, u64),
    ) -> Result<()> {
        self.find_dialect().await;
        loop {
            let mut gone = 0;
            for table in TABLES {
                let delete = self.deletion(table)?;
                loop {
                    let deleted = self.retry(|| self.delete_some(&delete, account_id)).await?;
                    if deleted == 0 {
                        break;
                    }
                    gone += deleted;
                    tell(table, deleted);
                }
            }
            if gone == 0 {
                break;
            }
        }
        if self.is_distributed() {
            for delete in OF_NODES {
                self.execute(delete, values![account_id]).await?;
            }
        }
        let account = statement!("DELETE FROM account WHERE account_id = $1");
        tell("account", self.execute(account, values![account_id]).await?);
        Ok(())
    }

    /// The text that deletes some rows of an account.
    fn deletion(&self, table: &str) -> Result<String> {
        let of_account = format!("FROM {table} WHERE account_id = $1");
        // On PostgreSQL what goes is found once, whatever its statistics say.
        if self.dialect() == Dialect::Postgres {
            return Ok(format!(
                "DELETE {of_account} AND ctid = ANY (ARRAY(SELECT ctid {of_account} LIMIT {SOME}))"
            ));
        }
        let tables = entity::tables();
        let found = tables.iter().find(|other| other.name == table);
        let found = found.ok_or_else(|| Error::broken("a table without an entity"))?;
        let key = found.key.join(", ");
        Ok(format!(
            "DELETE {of_account} AND ({key}) IN (SELECT {key} {of_account} LIMIT {SOME})"
        ))
    }

    async fn delete_some(&self, delete: &str, account_id: Uuid) -> Result<u64> {
        // By index: of a table that is read whole, each time more would be gone before what is left.
        let tx = self.begin_by_key().await?;
        let backend = sea_orm::ConnectionTrait::get_database_backend(&tx);
        let delete = Statement::from_sql_and_values(backend, delete, values![account_id]);
        let deleted = sea_orm::ConnectionTrait::execute_raw(&tx, delete).await?;
        tx.commit_surely().await?;
        Ok(deleted.rows_affected())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_table_with_rows_of_accounts_is_left_out() {
        let tables = entity::tables();
        let of_accounts = tables.iter().filter(|table| {
            let mut columns = table.columns.iter();
            table.name != "account" && columns.any(|column| column.name == "account_id")
        });
        let of_accounts: BTreeSet<&str> = of_accounts.map(|table| &*table.name).collect();
        assert_eq!(BTreeSet::from(TABLES), of_accounts);
    }
}
