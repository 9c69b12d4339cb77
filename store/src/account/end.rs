//! The end of an account: first all that it does, then all that is stored of it, table by table in small transactions. Its own row goes
//! last, so that whoever was stopped in between finds it and goes on. It has another name from the first step on.

#![expect(
    clippy::disallowed_methods,
    reason = "names of tables are no parameters"
)]

use sea_orm::{FromQueryResult, Statement};
use uuid::Uuid;

use super::ending::{ending, is_ending, mark};
use super::person::account_of;
use crate::tx::{self, Dialect, Sql, statement, values};
use crate::{Error, Result, Store, Tx};

/// Rows that one transaction deletes.
const SOME: u64 = 1_000;

/// All tables with rows of accounts whose key begins with them: what is written by work that goes on before what it writes, and what refers
/// to others before them.
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
    "audit_erased",
    "retention",
];

/// Whoever lets somebody in, or programs; of few rows.
const DOORS: [(&str, &tx::Statement); 5] = [
    (
        "session",
        statement!("DELETE FROM session WHERE account_id = $1"),
    ),
    (
        "share",
        statement!("DELETE FROM share WHERE account_id = $1"),
    ),
    (
        "api_secret",
        statement!("DELETE FROM api_secret WHERE account_id = $1"),
    ),
    (
        "api_key",
        statement!("DELETE FROM api_key WHERE account_id = $1"),
    ),
    (
        "person",
        statement!("DELETE FROM person WHERE account_id = $1"),
    ),
];

/// What an account does ends.
const END: [&tx::Statement; 3] = [
    statement!(
        "UPDATE campaign SET status = 'CANCELLED', finished_at = $2 WHERE account_id = $1 AND status IN ('RUNNING', 'PAUSED')"
    ),
    statement!(
        "UPDATE form SET status = 'DELETED', deleted_at = $2 WHERE account_id = $1 AND status <> 'DELETED'"
    ),
    statement!(
        "UPDATE import_batch SET status = 'cancelled', completed_at = $2
          WHERE account_id = $1 AND status IN ('receiving', 'queued', 'processing', 'stalled')"
    ),
];

/// What there is only where accounts lie on several nodes.
const OF_NODES: [(&str, &tx::Statement); 2] = [
    (
        "link_token",
        statement!(citus: "DELETE FROM link_token WHERE account_id = $1"),
    ),
    (
        "account_work",
        statement!(citus: "DELETE FROM account_work WHERE account_id = $1"),
    ),
];

/// Whoever names the account does not find it any more: a provider's people, who would be made anew, and the command line.
const RENAME: &tx::Statement = statement!(
    "UPDATE account SET name = name || '",
    mark!(),
    "' WHERE account_id = $1 AND name NOT LIKE '%",
    mark!(),
    "'"
);

/// Where an id of a provider stands in the order of all.
#[derive(FromQueryResult)]
struct RefPlace {
    sender: String,
    provider_id: String,
}

/// The last of the next ids of providers. No index has their accounts, so all are read, once and in slices.
const SLICE: &tx::Statement = statement!(
    "SELECT sender, provider_id FROM (
            SELECT sender, provider_id FROM provider_ref WHERE (sender, provider_id) > ($1, $2)
             ORDER BY sender, provider_id LIMIT 10000) AS slice
      ORDER BY sender DESC, provider_id DESC LIMIT 1"
);
const DELETE_REFS: &tx::Statement = statement!(
    "DELETE FROM provider_ref
      WHERE account_id = $1 AND (sender, provider_id) > ($2, $3) AND (sender, provider_id) <= ($4, $5)"
);

impl Store {
    /// The account of this name, also where its end has begun.
    ///
    /// # Errors
    /// The database gives no answer.
    pub async fn account_to_end(&self, name: &str) -> Result<Option<Uuid>> {
        for name in [&ending(name), name] {
            if let Some(account) = account_of(self, name).await?
                && is_ending(self, &account).await?
            {
                return Ok(Some(account.account_id));
            }
        }
        self.account_id(name).await
    }

    /// Ends what an account does: nobody signs in or uses a key of it, nobody finds it by its name, no import is taken, nothing is sent,
    /// and no link of it shows a form. Each process knows within seconds. Tells how many rows of which table went.
    ///
    /// # Errors
    /// Doing it again is safe.
    pub async fn close_account(
        &self,
        account_id: Uuid,
        mut tell: impl FnMut(&'static str, u64),
    ) -> Result<()> {
        for (table, deleted) in self.retry(|| self.shut(account_id)).await? {
            tell(table, deleted);
        }
        for end in END {
            self.retry(|| self.end(end, account_id)).await?;
        }
        Ok(())
    }

    async fn shut(&self, account_id: Uuid) -> Result<Vec<(&'static str, u64)>> {
        let tx = self.begin_long().await?;
        // First: whoever is adding a person is waited for.
        tx.execute(RENAME, values![account_id]).await?;
        let mut gone = Vec::new();
        for (table, delete) in DOORS {
            gone.push((table, tx.execute(delete, values![account_id]).await?));
        }
        tx.commit_surely().await?;
        gone.retain(|(_, deleted)| *deleted > 0);
        Ok(gone)
    }

    /// Each in a transaction of its own: the work that it waits for may hold rows of the others.
    async fn end(&self, end: &'static tx::Statement, account_id: Uuid) -> Result<()> {
        let tx = self.begin_long().await?;
        let now = tx.now().await?;
        tx.execute(end, values![account_id, now]).await?;
        tx.commit_surely().await
    }

    /// Deletes a closed account, with all rows that it has, and tells of each table how many went, as often as some did. What some
    /// process still did or wrote meanwhile goes too.
    ///
    /// # Errors
    /// Doing it again goes on.
    pub async fn delete_account(
        &self,
        account_id: Uuid,
        mut tell: impl FnMut(&'static str, u64),
    ) -> Result<()> {
        self.find_dialect().await;
        // Of those who did not know yet.
        self.close_account(account_id, &mut tell).await?;
        self.delete_rows(account_id, &mut tell).await?;
        // One that is written later goes by its age.
        let refs = self.delete_refs(account_id).await?;
        if refs > 0 {
            tell("provider_ref", refs);
        }
        for (table, deleted) in self.retry(|| self.delete_last(account_id)).await? {
            tell(table, deleted);
        }
        // What was being written by whoever does not look at the account's row.
        self.delete_rows(account_id, &mut tell).await
    }

    /// Deletes all rows but the account's own, until there are none.
    async fn delete_rows(
        &self,
        account_id: Uuid,
        tell: &mut impl FnMut(&'static str, u64),
    ) -> Result<()> {
        loop {
            let mut gone = Vec::new();
            for table in TABLES {
                let delete = self.deletion(table)?;
                loop {
                    let deleted = self.retry(|| self.delete_some(&delete, account_id)).await?;
                    if deleted == 0 {
                        break;
                    }
                    gone.push((table, deleted));
                }
            }
            if self.is_distributed() {
                for (table, delete) in OF_NODES {
                    gone.push((table, self.execute(delete, values![account_id]).await?));
                }
            }
            gone.retain(|(_, deleted)| *deleted > 0);
            if gone.is_empty() {
                return Ok(());
            }
            for (table, deleted) in gone {
                tell(table, deleted);
            }
        }
    }

    /// Deletes the account's row in one transaction with what is left then: whoever adds what refers to it waits, and then finds it gone.
    async fn delete_last(&self, account_id: Uuid) -> Result<Vec<(&'static str, u64)>> {
        let tx = self.begin_by_key().await?;
        let lock =
            statement!(lock "FOR UPDATE": "SELECT account_id FROM account WHERE account_id = $1");
        tx.fetch_value::<Uuid>(lock, values![account_id]).await?;
        let mut gone = Vec::new();
        for table in TABLES.into_iter().chain(["account"]) {
            let delete = format!("DELETE FROM {table} WHERE account_id = $1");
            gone.push((table, run(&tx, &delete, account_id).await?));
        }
        tx.commit_surely().await?;
        gone.retain(|(_, deleted)| *deleted > 0);
        Ok(gone)
    }

    async fn delete_refs(&self, account_id: Uuid) -> Result<u64> {
        let mut after = RefPlace {
            sender: String::new(),
            provider_id: String::new(),
        };
        let mut gone = 0;
        loop {
            let slice = self.retry(|| self.delete_refs_after(account_id, &after));
            let Some((end, deleted)) = slice.await? else {
                return Ok(gone);
            };
            after = end;
            gone += deleted;
        }
    }

    /// Those of the next slice: where that ends, and how many they were; `None`: there is none.
    async fn delete_refs_after(
        &self,
        account_id: Uuid,
        after: &RefPlace,
    ) -> Result<Option<(RefPlace, u64)>> {
        let tx = self.begin_by_key().await?;
        let (sender, id) = (after.sender.as_str(), after.provider_id.as_str());
        let end: Option<RefPlace> = tx.fetch_one(SLICE, values![sender, id]).await?;
        let Some(end) = end else {
            return Ok(None);
        };
        let (last_sender, last_id) = (end.sender.as_str(), end.provider_id.as_str());
        let slice = values![account_id, sender, id, last_sender, last_id];
        let deleted = tx.execute(DELETE_REFS, slice).await?;
        tx.commit_surely().await?;
        Ok(Some((end, deleted)))
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
        let deleted = run(&tx, delete, account_id).await?;
        tx.commit_surely().await?;
        Ok(deleted)
    }
}

/// Runs a text about an account; how many rows it deleted.
async fn run(tx: &Tx, text: &str, account_id: Uuid) -> Result<u64> {
    let backend = sea_orm::ConnectionTrait::get_database_backend(tx);
    let statement = Statement::from_sql_and_values(backend, text, values![account_id]);
    let done = sea_orm::ConnectionTrait::execute_raw(tx, statement).await?;
    Ok(done.rows_affected())
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
        let mut all = BTreeSet::from(TABLES);
        all.insert("provider_ref");
        assert_eq!(all, of_accounts);
    }
}
