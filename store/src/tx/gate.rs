//! Whose turn it is at the connections. What is done on behalf of an account passes a gate, so that an account with a thousand
//! requests does not stand in line a thousand times before another one's first.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::future::BoxFuture;
use tokio::task_local;
use uuid::Uuid;

/// Lets accounts take turns at something.
pub trait Gate: Debug + Send + Sync {
    /// Waits for a turn of the account, which lasts until what is returned is dropped.
    fn enter(&self, account_id: Uuid) -> BoxFuture<'_, Box<dyn Any + Send + Sync>>;
}

/// The gates of a database.
#[derive(Clone, Debug)]
pub struct Gates {
    /// Of the connections; SQLite: of its readers.
    pub connections: Arc<dyn Gate>,
    /// SQLite: of its writer.
    pub writer: Arc<dyn Gate>,
}

task_local! {
    static CALLER: OnBehalfOf;
}

/// For whom a task asks.
#[derive(Clone)]
struct OnBehalfOf {
    account_id: Uuid,
    /// The turns that it has: whoever has one does not wait for one more, behind others who wait for theirs.
    turns: Arc<AtomicUsize>,
}

/// Does work whose statements are the account's, where they pass a gate. What it spawns is nobody's and passes none.
pub fn on_behalf_of<F: Future>(account_id: Uuid, work: F) -> impl Future<Output = F::Output> {
    let turns = Arc::default();
    CALLER.scope(OnBehalfOf { account_id, turns }, work)
}

/// A statement or a transaction that is under way.
#[derive(Debug, Default)]
pub(super) struct UnderWay {
    turns: Option<Arc<AtomicUsize>>,
    #[expect(dead_code, reason = "it lasts until it is dropped")]
    turn: Option<Box<dyn Any + Send + Sync>>,
}

impl Gates {
    /// Waits for the turn of whom the task is for.
    pub(super) async fn pass(&self, writer: bool) -> UnderWay {
        let Ok(caller) = CALLER.try_with(OnBehalfOf::clone) else {
            return UnderWay::default();
        };
        if caller.turns.load(Ordering::Relaxed) > 0 {
            return UnderWay::default();
        }
        let gate = if writer {
            &self.writer
        } else {
            &self.connections
        };
        let turn = gate.enter(caller.account_id).await;
        caller.turns.fetch_add(1, Ordering::Relaxed);
        UnderWay {
            turns: Some(caller.turns),
            turn: Some(turn),
        }
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        if let Some(turns) = &self.turns {
            turns.fetch_sub(1, Ordering::Relaxed);
        }
    }
}
