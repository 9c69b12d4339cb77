//! Notes of accounts that have work, on the coordinator of several nodes: so nothing is asked of nodes while there is none.
//!
//! Whoever makes work notes the account in a commit of its own, before the commit that makes it. A noted account stays for [`KEPT`],
//! and then for as long as it has work.

use std::collections::BTreeSet;
use std::time::Instant;

use sea_orm::FromQueryResult;
use uuid::Uuid;

use super::nodes::array;
use super::pool::{Pool, PostgresPool, Workload};
use super::scan::Accounts;
use super::sql::{Sql, values};
use super::statement::{Statement, statement};
use super::store::Store;
use super::{Result, Tx};

/// How long an account stays after it was noted, in seconds, also where no work is found.
const KEPT: i64 = 300;

const NOTE: &Statement = statement!(citus:
    "INSERT INTO account_work (account_id, since) SELECT account_id, clock_timestamp() FROM unnest(CAST($1 AS uuid[])) account_id
      ORDER BY account_id ON CONFLICT (account_id) DO UPDATE SET since = excluded.since"
);

/// Accounts with something that a worker is to do, now or later.
const HAVE_WORK: &Statement = statement!(citus:
    "SELECT account_id FROM import_batch WHERE account_id = ANY($1) AND status IN ('receiving', 'queued', 'processing', 'stalled')
      UNION
     SELECT account_id FROM import_batch WHERE account_id = ANY($1) AND erase_seq IS NOT NULL
      UNION
     SELECT account_id FROM form f WHERE f.account_id = ANY($1) AND EXISTS (
            SELECT 1 FROM pending_delta d WHERE d.account_id = ANY($1) AND d.account_id = f.account_id AND d.form_id = f.form_id)
      UNION
     SELECT account_id FROM campaign c WHERE c.account_id = ANY($1) AND (c.status IN ('RUNNING', 'PAUSED') OR EXISTS (
            SELECT 1 FROM message_due d
             WHERE d.account_id = ANY($1) AND d.account_id = c.account_id AND d.campaign_id = c.campaign_id) OR EXISTS (
            SELECT 1 FROM campaign_delta d
             WHERE d.account_id = ANY($1) AND d.account_id = c.account_id AND d.campaign_id = c.campaign_id))
      UNION
     SELECT account_id FROM erasure WHERE account_id = ANY($1)
      UNION
     SELECT account_id FROM reply WHERE account_id = ANY($1) AND sender IS NOT NULL
      UNION
     SELECT account_id FROM audit WHERE account_id = ANY($1) AND seal IS NULL"
);

#[derive(FromQueryResult)]
struct Working {
    account_id: Uuid,
}

/// Of accounts that were asked: without work, and noted so long ago that no transaction is under way which makes some.
const NO_WORK: &Statement = statement!(citus:
    "DELETE FROM account_work WHERE account_id = ANY($1) AND since < clock_timestamp() - make_interval(secs => $2)"
);

/// By a connection that no transaction holds.
async fn note(pool: &Pool, accounts: &BTreeSet<Uuid>) -> Result<()> {
    let Pool::Postgres(PostgresPool { nodes, notes, .. }) = pool else {
        return Ok(());
    };
    if nodes.is_distributed.get() != Some(&true) || nodes.not_noted(accounts).is_empty() {
        return Ok(());
    }
    let _one = nodes.noting.lock().await;
    let new = nodes.not_noted(accounts);
    if !new.is_empty() {
        let at = Instant::now();
        let notes = notes.get_or_init(|| pool.for_workload(Workload::Notes));
        let store = Store::on(notes.clone());
        store.execute(NOTE, vec![array(&new)]).await?;
        nodes.note(new, at);
    }
    Ok(())
}

impl Tx {
    /// Notes that this transaction makes work for workers.
    pub(crate) async fn note_work(&self, account_id: Uuid) -> Result<()> {
        self.note_work_of([account_id]).await
    }

    /// The same for several accounts, some of them perhaps more than once.
    pub(crate) async fn note_work_of(
        &self,
        accounts: impl IntoIterator<Item = Uuid>,
    ) -> Result<()> {
        if !self.is_distributed() {
            return Ok(());
        }
        let accounts = accounts.into_iter().collect();
        note(self.pool(), &accounts).await
    }
}

impl Store {
    /// Notes that the statement which follows makes work for workers.
    pub(crate) async fn note_work(&self, account_id: Uuid) -> Result<()> {
        self.find_dialect().await;
        note(&self.pool, &BTreeSet::from([account_id])).await
    }

    /// Keeps the accounts that have work, and forgets those that have none any more. Of all accounts it finds those too whose note
    /// was lost, as with a coordinator that was set back.
    pub(crate) async fn keep_work(&self, accounts: Accounts) -> Result<()> {
        if !self.is_distributed() {
            return Ok(());
        }
        for part in self.parts(accounts).await?.there {
            let working = self.scan_part(&part, HAVE_WORK, vec![]).await?;
            let (Some(working), Some(of_node)) = (working, &part.0) else {
                continue;
            };
            let working = working.into_iter().map(|row: Working| row.account_id);
            let working: BTreeSet<Uuid> = working.collect();
            let (working, idle): (Vec<Uuid>, Vec<Uuid>) =
                of_node.accounts.iter().partition(|id| working.contains(id));
            self.execute(NOTE, vec![array(&working)]).await?;
            let idle = values![array(&idle), KEPT];
            self.execute(NO_WORK, idle).await?;
        }
        Ok(())
    }
}
