//! Which accounts have work, by the node of Citus on which they lie.
//!
//! Loops that look for work ask each node about its accounts with work and no others, so that a node which is away takes nothing from
//! accounts on others, and nothing is asked while there is no work. Whoever makes work notes the account on the coordinator, in a
//! commit of its own, before the commit that makes it. Noted accounts stay for [`KEPT`] and then for as long as they have work.
//!
//! A database on one node has none of that: there a scan is one statement.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::error::Error as _;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use sea_orm::sea_query::ArrayType;
use sea_orm::{FromQueryResult, TryGetable, Value};
use tokio::sync::Mutex as AsyncMutex;
use tokio::time::sleep;
use tracing::field::display;
use uuid::Uuid;

use super::pool::{Pool, Workload};
use super::sql::{Sql, values};
use super::statement::{Statement, statement};
use super::store::Store;
use super::{Error, Result, Tx};

/// How long a process does not note an account again: less than [`KEPT`] by more than a transaction may take.
const NOTED: Duration = Duration::from_secs(60);
/// How long an account stays after it was noted, in seconds, also where no work is found.
const KEPT: i64 = 300;
/// How old what is known of accounts with work may be.
const FRESH: Duration = Duration::from_millis(250);
/// How often accounts without work are swept too.
const SWEEP_ALL: Duration = Duration::from_hours(1);
/// How long a question to a node may take, so that one that is frozen is left out soon. (Each reads a little by indexes.)
const QUICK: &str = "SET LOCAL statement_timeout = 3000;";
/// The pause before a node that gave no answer is asked again.
const AGAIN: Duration = Duration::from_secs(1);

const NOTE: &Statement = statement!(citus:
    "INSERT INTO account_work (account_id, since) SELECT account_id, clock_timestamp() FROM unnest(CAST($1 AS uuid[])) account_id
      ORDER BY account_id ON CONFLICT (account_id) DO UPDATE SET since = excluded.since"
);

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

/// Accounts with something that a worker is to do, now or later.
const HAVE_WORK: &Statement = statement!(citus:
    "SELECT account_id FROM import_batch WHERE account_id = ANY($1) AND status IN ('receiving', 'queued', 'processing', 'stalled')
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
     SELECT account_id FROM reply WHERE account_id = ANY($1) AND sender IS NOT NULL"
);

/// Of accounts that were asked: without work, and noted so long ago that no transaction is under way which makes some.
const NO_WORK: &Statement = statement!(citus:
    "DELETE FROM account_work WHERE account_id = ANY($1) AND since < clock_timestamp() - make_interval(secs => $2)"
);

const ANSWERS: &Statement = statement!(citus:
    "SELECT count(*) FROM import_batch WHERE account_id = $1 AND status = 'receiving'"
);

/// Whether the tables lie on several nodes, and what is known of these.
#[derive(Debug, Default)]
pub(super) struct Nodes {
    pub is_distributed: OnceLock<bool>,
    /// When this process noted accounts.
    noted: Mutex<HashMap<Uuid, Instant>>,
    /// Held by who notes one: the others have nothing to wait for but that.
    noting: AsyncMutex<()>,
    /// The accounts with work, and when they were read.
    working: AsyncMutex<Option<(Instant, Arc<[Part]>)>>,
    away: Mutex<Away>,
    /// When this process last swept all accounts.
    swept: Mutex<Option<Instant>>,
}

/// The nodes that gave no answer.
#[derive(Debug, Default)]
struct Away {
    nodes: BTreeSet<i32>,
    /// Of accounts that were read lately.
    node_of: HashMap<Uuid, i32>,
}

/// Which accounts a scan is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Accounts {
    WithWork,
    All,
}

/// The accounts of a scan that one statement is about: those of a node, or all.
#[derive(Clone, Debug)]
pub(crate) struct Part(Option<OfNode>);

#[derive(Clone, Debug)]
struct OfNode {
    node: i32,
    accounts: Vec<Uuid>,
}

#[derive(FromQueryResult)]
struct Placed {
    node: i32,
    account_id: Uuid,
}

impl Part {
    /// A statement's values with the accounts, if it is about some.
    fn values(&self, mut values: Vec<Value>) -> Vec<Value> {
        values.extend(self.0.as_ref().map(|of_node| array(&of_node.accounts)));
        values
    }
}

fn array(accounts: &[Uuid]) -> Value {
    let accounts = accounts.iter().map(|id| Value::from(*id)).collect();
    Value::Array(ArrayType::Uuid, Some(Box::new(accounts)))
}

fn by_node(placed: Vec<Placed>) -> Vec<Part> {
    let mut nodes: BTreeMap<i32, Vec<Uuid>> = BTreeMap::new();
    for row in placed {
        nodes.entry(row.node).or_default().push(row.account_id);
    }
    let parts = nodes.into_iter();
    let parts = parts.map(|(node, accounts)| Part(Some(OfNode { node, accounts })));
    parts.collect()
}

impl Nodes {
    /// Those of accounts that are not noted.
    fn not_noted(&self, accounts: &BTreeSet<Uuid>) -> Vec<Uuid> {
        let noted = self.noted.lock();
        let is_noted = |id: &Uuid| {
            noted
                .get(id)
                .is_some_and(|at: &Instant| at.elapsed() < NOTED)
        };
        let accounts = accounts.iter().copied();
        accounts.filter(|id| !is_noted(id)).collect()
    }

    fn note(&self, accounts: Vec<Uuid>, at: Instant) {
        let mut noted = self.noted.lock();
        noted.retain(|_, at| at.elapsed() < NOTED);
        noted.extend(accounts.into_iter().map(|account_id| (account_id, at)));
    }
}

impl Pool {
    /// Notes accounts before work is made for them, on several nodes: by a connection that no transaction holds.
    async fn note_work(&self, accounts: &BTreeSet<Uuid>) -> Result<()> {
        let Self::Postgres { nodes, notes, .. } = self else {
            return Ok(());
        };
        if nodes.is_distributed.get() != Some(&true) || nodes.not_noted(accounts).is_empty() {
            return Ok(());
        }
        let _one = nodes.noting.lock().await;
        let new = nodes.not_noted(accounts);
        if !new.is_empty() {
            let at = Instant::now();
            let notes = notes.get_or_init(|| self.for_workload(Workload::Notes));
            let store = Store::on(notes.clone());
            store.execute(NOTE, vec![array(&new)]).await?;
            nodes.note(new, at);
        }
        Ok(())
    }
}

impl Tx {
    /// Notes that this transaction makes work for workers.
    pub(crate) async fn note_work(&self, account_id: Uuid) -> Result<()> {
        self.note_work_of(&BTreeSet::from([account_id])).await
    }

    /// The same for several accounts.
    pub(crate) async fn note_work_of(&self, accounts: &BTreeSet<Uuid>) -> Result<()> {
        self.pool().note_work(accounts).await
    }
}

impl Store {
    /// Notes that the statement which follows makes work for workers.
    pub(crate) async fn note_work(&self, account_id: Uuid) -> Result<()> {
        self.find_dialect().await;
        self.pool.note_work(&BTreeSet::from([account_id])).await
    }

    /// Whether an account lies on a node that is known to be away.
    pub fn is_away(&self, account_id: Uuid) -> bool {
        let Pool::Postgres { nodes, .. } = &self.pool else {
            return false;
        };
        let away = nodes.away.lock();
        let node = away.node_of.get(&account_id);
        node.is_some_and(|node| away.nodes.contains(node))
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
        let Some(nodes) = self.nodes().filter(|_| error.is_of_a_node()) else {
            return false;
        };
        let node = nodes.away.lock().node_of.get(&account_id).copied();
        if let Some(node) = node {
            self.note_away(
                nodes,
                OfNode {
                    node,
                    accounts: vec![account_id],
                },
                error,
            );
        }
        node.is_some()
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
        if self.nodes().is_some() {
            return self.scan(statement, values).await;
        }
        let tx = self.snapshot().await?;
        tx.fetch_all(statement, values).await
    }

    /// The same, and whether all nodes with such accounts are there.
    pub(crate) async fn scan_all<T: FromQueryResult>(
        &self,
        statement: &'static Statement,
        values: Vec<Value>,
    ) -> Result<(Vec<T>, bool)> {
        let (mut rows, mut are_all) = (Vec::new(), self.all_are_there());
        for part in self.parts(Accounts::WithWork).await? {
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
        for part in self.parts(Accounts::WithWork).await? {
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

    /// On several nodes a transaction to ask one of them.
    async fn question(&self) -> Result<Option<Tx>> {
        if self.is_distributed() {
            self.open_snapshot(&[QUICK]).await.map(Some)
        } else {
            Ok(None)
        }
    }

    /// Runs a statement about accounts at each node that is there.
    pub(crate) async fn execute_at_nodes(
        &self,
        accounts: Accounts,
        statement: &'static Statement,
        values: Vec<Value>,
    ) -> Result<()> {
        for part in self.parts(accounts).await? {
            let done = self.execute(statement, part.values(values.clone())).await;
            self.found(&part, done)?;
        }
        Ok(())
    }

    /// The parts that a scan asks: those of nodes that are not known to be away.
    pub(crate) async fn parts(&self, accounts: Accounts) -> Result<Vec<Part>> {
        self.find_dialect().await;
        let Some(nodes) = self.nodes() else {
            return Ok(vec![Part(None)]);
        };
        let parts = match accounts {
            Accounts::WithWork => self.working(nodes).await?,
            Accounts::All => by_node(self.fetch_all(ALL, vec![]).await?).into(),
        };
        let away = nodes.away.lock();
        let is_there = |part: &&Part| {
            let node = part.0.as_ref().map(|of_node| of_node.node);
            node.is_none_or(|node| !away.nodes.contains(&node))
        };
        Ok(parts.iter().filter(is_there).cloned().collect())
    }

    /// The accounts whose turn it is to be swept.
    pub(crate) fn accounts_to_sweep(&self) -> Accounts {
        let Some(nodes) = self.nodes() else {
            return Accounts::All;
        };
        let mut swept = nodes.swept.lock();
        if swept.is_some_and(|at| at.elapsed() < SWEEP_ALL) {
            return Accounts::WithWork;
        }
        *swept = Some(Instant::now());
        Accounts::All
    }

    /// Whether all nodes are there, as far as it is known.
    pub(crate) fn all_are_there(&self) -> bool {
        self.nodes()
            .is_none_or(|nodes| nodes.away.lock().nodes.is_empty())
    }

    /// Keeps the accounts that have work, and forgets those that have none any more. Of all accounts it finds those too whose note
    /// was lost, as with a coordinator that was set back.
    pub(crate) async fn keep_work(&self, accounts: Accounts) -> Result<()> {
        if !self.is_distributed() {
            return Ok(());
        }
        for part in self.parts(accounts).await? {
            let working = self.fetch_values(HAVE_WORK, part.values(vec![])).await;
            let (Some(working), Some(of_node)) = (self.found(&part, working)?, &part.0) else {
                continue;
            };
            let working: BTreeSet<Uuid> = working.into_iter().collect();
            let (working, idle): (Vec<Uuid>, Vec<Uuid>) =
                of_node.accounts.iter().partition(|id| working.contains(id));
            self.execute(NOTE, vec![array(&working)]).await?;
            let idle = values![array(&idle), KEPT];
            self.execute(NO_WORK, idle).await?;
        }
        Ok(())
    }

    fn nodes(&self) -> Option<&Arc<Nodes>> {
        match &self.pool {
            Pool::Postgres { nodes, .. } if self.is_distributed() => Some(nodes),
            _ => None,
        }
    }

    async fn working(&self, nodes: &Nodes) -> Result<Arc<[Part]>> {
        let mut working = nodes.working.lock().await;
        if let Some((at, parts)) = &*working
            && at.elapsed() < FRESH
        {
            return Ok(Arc::clone(parts));
        }
        let at = Instant::now();
        let placed: Vec<Placed> = self.fetch_all(WITH_WORK, vec![]).await?;
        let node_of = placed.iter().map(|row| (row.account_id, row.node));
        nodes.away.lock().node_of = node_of.collect();
        let parts: Arc<[Part]> = by_node(placed).into();
        *working = Some((at, Arc::clone(&parts)));
        Ok(parts)
    }

    /// What a part's statement found; `None`: its node gave no answer, and is left out until it does.
    fn found<T>(&self, part: &Part, found: Result<T>) -> Result<Option<T>> {
        let (Some(nodes), Some(of_node)) = (self.nodes(), &part.0) else {
            return found.map(Some);
        };
        match found {
            Err(error) if error.is_of_a_node() => {
                self.note_away(nodes, of_node.clone(), &error);
                Ok(None)
            }
            found => found.map(Some),
        }
    }

    fn note_away(&self, nodes: &Nodes, of_node: OfNode, error: &Error) {
        let is_new = nodes.away.lock().nodes.insert(of_node.node);
        if is_new {
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
            if self
                .pool
                .postgres_pool()
                .is_none_or(|pool| pool.is_closed())
            {
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
        nodes.away.lock().nodes.remove(&of_node.node);
        tracing::info!(node = of_node.node, "the node answers again");
    }
}
