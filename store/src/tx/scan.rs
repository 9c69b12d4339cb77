//! Scans for work over all accounts: on several nodes of Citus one statement for each node, about its accounts that have work.
//!
//! So a node that is away takes nothing from accounts on others. One whose statement fails, or takes too long, is left out until it
//! answers a question of its own. A database on one node is asked once.

use std::error::Error as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use sea_orm::{FromQueryResult, TryGetable, Value};
use tokio::time::sleep;
use tracing::field::display;
use uuid::Uuid;

use super::nodes::{Nodes, OfNode, Part, by_node};
use super::pool::Pool;
use super::sql::{Sql, values};
use super::statement::{Statement, statement};
use super::store::Store;
use super::{Error, Result, Tx};

/// How old what is known of accounts with work may be.
const FRESH: Duration = Duration::from_millis(250);
/// How long a question to a node may take, so that one that is frozen is left out soon. (Each reads a little by indexes.)
const QUICK: &str = "SET LOCAL statement_timeout = 3000;";
/// The pause before a node that gave no answer is asked again.
const AGAIN: Duration = Duration::from_secs(1);

macro_rules! placed {
    ($table:literal) => {
        statement!(citus:
            "SELECT p.groupid AS node, w.account_id FROM ", $table, " w
               JOIN pg_dist_placement p ON p.shardid = get_shard_id_for_distribution_column('import_batch', w.account_id)
              ORDER BY w.account_id"
        )
    };
}
const WITH_WORK: &Statement = placed!("account_work");
const ALL: &Statement = placed!("account");

const ANSWERS: &Statement = statement!(citus:
    "SELECT count(*) FROM import_batch WHERE account_id = $1 AND status = 'receiving'"
);

#[derive(FromQueryResult)]
struct Placed {
    node: i32,
    account_id: Uuid,
}

/// Which accounts a scan is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Accounts {
    WithWork,
    All,
}

/// What a scan asks.
pub(crate) struct Parts {
    /// Of nodes that are not known to be away.
    pub there: Vec<Part>,
    /// Whether these are all.
    pub are_all: bool,
}

impl Store {
    /// Whether an account lies on a node that is known to be away.
    pub fn is_away(&self, account_id: Uuid) -> bool {
        self.nodes().is_some_and(|nodes| nodes.is_away(account_id))
    }

    /// What became of an account's work: nothing, where its node gives no answer. Others' work goes on, and the node is left out
    /// until it answers.
    ///
    /// # Errors
    /// Those that are not of a node.
    pub fn unless_away<T: Default>(&self, account_id: Uuid, done: Result<T>) -> Result<T> {
        match done {
            Err(error) if self.leave_out(account_id, &error) => Ok(T::default()),
            done => done,
        }
    }

    /// Leaves the node of an account out, if an error is of it. Whether it is.
    pub fn leave_out(&self, account_id: Uuid, error: &Error) -> bool {
        let nodes = self.nodes().filter(|_| error.is_of_a_node());
        let Some((nodes, node)) = nodes.and_then(|nodes| Some((nodes, nodes.node_of(account_id)?)))
        else {
            return false;
        };
        let accounts = vec![account_id];
        self.note_away(nodes, OfNode { node, accounts }, error);
        true
    }

    /// The rows of a statement about accounts with work, each node's in their order. Nodes that are away are left out. On several
    /// nodes the statement's last parameter is the accounts. It has to be said of each table that its rows are joined or looked for
    /// in: of one without it Citus asks all nodes.
    pub(crate) async fn scan<T: FromQueryResult>(
        &self,
        statement: &'static Statement,
        values: Vec<Value>,
    ) -> Result<Vec<T>> {
        Ok(self.scan_all(statement, values).await?.0)
    }

    /// The same for a statement whose plan has to look up by key.
    pub(crate) async fn scan_by_key<T: FromQueryResult>(
        &self,
        statement: &'static Statement,
        values: Vec<Value>,
    ) -> Result<Vec<T>> {
        if self.is_distributed() {
            return self.scan(statement, values).await;
        }
        let tx = self.snapshot().await?;
        tx.fetch_all(statement, values).await
    }

    /// The same, and whether all nodes with such accounts answered.
    pub(crate) async fn scan_all<T: FromQueryResult>(
        &self,
        statement: &'static Statement,
        values: Vec<Value>,
    ) -> Result<(Vec<T>, bool)> {
        let Parts { there, mut are_all } = self.parts(Accounts::WithWork).await?;
        let mut rows = Vec::new();
        for part in there {
            let of_part = self.scan_part(&part, statement, values.clone()).await?;
            are_all &= of_part.is_some();
            rows.extend(of_part.unwrap_or_default());
        }
        Ok((rows, are_all))
    }

    /// The same for the values of the only column.
    pub(crate) async fn scan_values<T: TryGetable>(
        &self,
        statement: &'static Statement,
        values: Vec<Value>,
    ) -> Result<Vec<T>> {
        let mut found = Vec::new();
        for part in self.parts(Accounts::WithWork).await?.there {
            let values = part.values(values.clone());
            let of_part = match self.question().await? {
                Some(tx) => tx.fetch_values(statement, values).await,
                None => self.fetch_values(statement, values).await,
            };
            found.extend(self.found(&part, of_part)?.unwrap_or_default());
        }
        Ok(found)
    }

    /// The rows of a statement about one part; `None`: its node is away.
    pub(crate) async fn scan_part<T: FromQueryResult>(
        &self,
        part: &Part,
        statement: &'static Statement,
        values: Vec<Value>,
    ) -> Result<Option<Vec<T>>> {
        let values = part.values(values);
        let rows = match self.question().await? {
            Some(tx) => tx.fetch_all(statement, values).await,
            None => self.fetch_all(statement, values).await,
        };
        self.found(part, rows)
    }

    /// Runs a statement about accounts at each node that is there.
    pub(crate) async fn execute_at_nodes(
        &self,
        accounts: Accounts,
        statement: &'static Statement,
        values: Vec<Value>,
    ) -> Result<()> {
        for part in self.parts(accounts).await?.there {
            let done = self.execute(statement, part.values(values.clone())).await;
            self.found(&part, done)?;
        }
        Ok(())
    }

    /// The parts that a scan is of.
    pub(crate) async fn parts(&self, accounts: Accounts) -> Result<Parts> {
        self.find_dialect().await;
        let Some(nodes) = self.nodes() else {
            return Ok(Parts {
                there: vec![Part(None)],
                are_all: true,
            });
        };
        let parts = match accounts {
            Accounts::WithWork => self.working(nodes).await?,
            Accounts::All => by_node(self.placed(ALL).await?),
        };
        let there = nodes.there(&parts);
        Ok(Parts {
            are_all: there.len() == parts.len(),
            there,
        })
    }

    /// The accounts whose turn it is to be swept.
    pub(crate) fn accounts_to_sweep(&self) -> Accounts {
        match self.nodes() {
            Some(nodes) if !nodes.begins_sweep_of_all() => Accounts::WithWork,
            _ => Accounts::All,
        }
    }

    fn nodes(&self) -> Option<&Nodes> {
        match &self.pool {
            Pool::Postgres(pool) if self.is_distributed() => Some(&pool.nodes),
            _ => None,
        }
    }

    async fn placed(&self, accounts: &'static Statement) -> Result<Vec<(i32, Uuid)>> {
        let placed: Vec<Placed> = self.fetch_all(accounts, vec![]).await?;
        let placed = placed.into_iter().map(|row| (row.node, row.account_id));
        Ok(placed.collect())
    }

    async fn working(&self, nodes: &Nodes) -> Result<Arc<[Part]>> {
        let mut working = nodes.working.lock().await;
        if let Some((at, parts)) = &*working
            && at.elapsed() < FRESH
        {
            return Ok(Arc::clone(parts));
        }
        let at = Instant::now();
        let placed = self.placed(WITH_WORK).await?;
        nodes.place(&placed);
        let parts = by_node(placed);
        *working = Some((at, Arc::clone(&parts)));
        Ok(parts)
    }

    /// On several nodes a transaction to ask one of them.
    async fn question(&self) -> Result<Option<Tx>> {
        if self.is_distributed() {
            self.open_snapshot(&[QUICK]).await.map(Some)
        } else {
            Ok(None)
        }
    }

    /// What a part's statement found; `None`: its node gave no answer, and is left out until it does.
    fn found<T>(&self, part: &Part, found: Result<T>) -> Result<Option<T>> {
        match (found, self.nodes(), &part.0) {
            (Err(error), Some(nodes), Some(of_node)) if error.is_of_a_node() => {
                self.note_away(nodes, of_node.clone(), &error);
                Ok(None)
            }
            (found, ..) => found.map(Some),
        }
    }

    fn note_away(&self, nodes: &Nodes, of_node: OfNode, error: &Error) {
        if nodes.leave_out(of_node.node) {
            let cause = error.source().map(display);
            tracing::warn!(
                node = of_node.node,
                cause,
                "a node gives no answer; work of its accounts waits"
            );
            tokio::spawn(self.clone().wait_for_node(of_node));
        }
    }

    async fn wait_for_node(self, of_node: OfNode) {
        let Some((nodes, account_id)) = self.nodes().zip(of_node.accounts.first()) else {
            return;
        };
        loop {
            sleep(AGAIN).await;
            let pool = self.pool.postgres_pool();
            if pool.is_none_or(|pool| pool.is_closed()) {
                return;
            }
            let Ok(Some(tx)) = self.question().await else {
                continue;
            };
            let answer: Result<Option<i64>> = tx.fetch_value(ANSWERS, values![*account_id]).await;
            if answer.is_ok() {
                break;
            }
        }
        nodes.take_back(of_node.node);
        tracing::info!(node = of_node.node, "the node answers again");
    }
}
