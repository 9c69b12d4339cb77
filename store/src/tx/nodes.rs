//! What this process knows of the nodes of Citus on which accounts lie: which accounts have work, which of them it noted, and which
//! nodes gave no answer.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use sea_orm::Value;
use sea_orm::sea_query::ArrayType;
use tokio::sync::Mutex as AsyncMutex;
use uuid::Uuid;

/// How long a process does not note an account again: less than the note is kept by more than a transaction may take.
const NOTED: Duration = Duration::from_mins(1);
/// How often accounts without work are swept too.
const SWEEP_ALL: Duration = Duration::from_hours(1);

/// Whether the tables lie on several nodes, and what is known of these.
#[derive(Debug, Default)]
pub(super) struct Nodes {
    pub is_distributed: OnceLock<bool>,
    /// Held by who notes accounts: the others have nothing to wait for but that.
    pub noting: AsyncMutex<()>,
    /// The accounts with work, and when they were read.
    pub working: AsyncMutex<Option<(Instant, Arc<[Part]>)>>,
    /// When this process noted accounts.
    noted: Mutex<HashMap<Uuid, Instant>>,
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

/// The accounts of a scan that one statement is about: those of a node, or all.
#[derive(Clone, Debug)]
pub(crate) struct Part(pub(super) Option<OfNode>);

#[derive(Clone, Debug)]
pub(super) struct OfNode {
    pub node: i32,
    pub accounts: Vec<Uuid>,
}

impl Part {
    /// A statement's values with the accounts, if it is about some.
    pub(super) fn values(&self, mut values: Vec<Value>) -> Vec<Value> {
        values.extend(self.0.as_ref().map(|of_node| array(&of_node.accounts)));
        values
    }
}

/// Accounts as one value.
pub(super) fn array(accounts: &[Uuid]) -> Value {
    let accounts = accounts.iter().map(|id| Value::from(*id)).collect();
    Value::Array(ArrayType::Uuid, Some(Box::new(accounts)))
}

/// Accounts with their nodes, a part for each node.
pub(super) fn by_node(placed: Vec<(i32, Uuid)>) -> Arc<[Part]> {
    let mut nodes: BTreeMap<i32, Vec<Uuid>> = BTreeMap::new();
    for (node, account_id) in placed {
        nodes.entry(node).or_default().push(account_id);
    }
    let parts = nodes.into_iter();
    let parts = parts.map(|(node, accounts)| Part(Some(OfNode { node, accounts })));
    parts.collect()
}

impl Nodes {
    /// Those of accounts that this process has not noted lately.
    pub fn not_noted(&self, accounts: &BTreeSet<Uuid>) -> Vec<Uuid> {
        let noted = self.noted.lock();
        let is_noted = |id: &Uuid| noted.get(id).is_some_and(is_recent);
        let accounts = accounts.iter().copied();
        accounts.filter(|id| !is_noted(id)).collect()
    }

    pub fn note(&self, accounts: Vec<Uuid>, at: Instant) {
        let mut noted = self.noted.lock();
        noted.retain(|_, at| is_recent(at));
        noted.extend(accounts.into_iter().map(|account_id| (account_id, at)));
    }

    /// Notes the nodes of accounts that were read.
    pub fn place(&self, placed: &[(i32, Uuid)]) {
        let node_of = placed.iter().map(|(node, account_id)| (*account_id, *node));
        self.away.lock().node_of = node_of.collect();
    }

    pub fn node_of(&self, account_id: Uuid) -> Option<i32> {
        self.away.lock().node_of.get(&account_id).copied()
    }

    pub fn is_away(&self, account_id: Uuid) -> bool {
        let away = self.away.lock();
        let node = away.node_of.get(&account_id);
        node.is_some_and(|node| away.nodes.contains(node))
    }

    /// Those of parts whose nodes are not known to be away.
    pub fn there(&self, parts: &[Part]) -> Vec<Part> {
        let away = self.away.lock();
        let is_there = |part: &&Part| {
            let node = part.0.as_ref().map(|of_node| of_node.node);
            node.is_none_or(|node| !away.nodes.contains(&node))
        };
        parts.iter().filter(is_there).cloned().collect()
    }

    /// Notes that a node gave no answer. Whether that is new.
    pub fn leave_out(&self, node: i32) -> bool {
        self.away.lock().nodes.insert(node)
    }

    /// Notes that it answers again.
    pub fn take_back(&self, node: i32) {
        self.away.lock().nodes.remove(&node);
    }

    /// Whether it is time to sweep all accounts, and not only those with work.
    pub fn begins_sweep_of_all(&self) -> bool {
        let mut swept = self.swept.lock();
        let is_time = swept.is_none_or(|at| at.elapsed() >= SWEEP_ALL);
        if is_time {
            *swept = Some(Instant::now());
        }
        is_time
    }
}

fn is_recent(at: &Instant) -> bool {
    at.elapsed() < NOTED
}
