//! Whether the database lost commits that this process knows of, as a standby does that is promoted without the last ones of its
//! primary. Once a second something is committed, and found again or not.

use std::future;
use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use metrics::gauge;
use parking_lot::Mutex;
use platform::health::Check;
use store::Store;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

const TICK: Duration = Duration::from_secs(1);
/// Pulses that are older may be swept.
const SWEPT: TimeDelta = TimeDelta::hours(12);
/// How long a loss is told.
const TOLD: Duration = Duration::from_hours(1);

/// What this process knows of losses. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct History(Arc<Mutex<Option<Loss>>>);

/// What was committed between two moments, by the database's clock, may be gone.
#[derive(Clone, Copy)]
struct Loss {
    from: DateTime<Utc>,
    until: DateTime<Utc>,
    noticed_at: Instant,
}

impl History {
    /// Whether nothing was lost lately. Not required for readiness, because all goes on.
    pub(crate) fn check(&self) -> Check {
        Check::new("worker history", self.clone(), |history| {
            let told = history.loss().map(|loss| {
                let [from, until] = [loss.from, loss.until]
                    .map(|at| at.to_rfc3339_opts(SecondsFormat::Millis, true));
                format!("the database lost commits between {from} and {until}")
            });
            future::ready(told.map_or(Ok(()), Err))
        })
        .optional()
    }

    /// Looks for losses, until `shutdown`.
    pub(crate) async fn watch(self, store: Store, shutdown: CancellationToken) {
        let id = Uuid::now_v7();
        let (mut began, mut last) = (None, None);
        while !shutdown.is_cancelled() {
            let told = self.loss().map(|loss| loss.until - loss.from);
            gauge!("feedback_history_lost_seconds").set(told.unwrap_or_default().as_seconds_f64());
            match store.record_pulse(id).await {
                Ok(Some(pulse)) => {
                    let began = *began.get_or_insert(pulse.at);
                    // One that is older was swept.
                    let is_swept = last.is_some_and(|last| pulse.at - last > SWEPT);
                    if pulse.found < last && !(pulse.found.is_none() && is_swept) {
                        let (from, until) = (pulse.found.unwrap_or(began), pulse.at);
                        tracing::error!(lost.from = %from, lost.until = %until, "the database lost commits");
                        let noticed_at = Instant::now();
                        *self.0.lock() = Some(Loss {
                            from,
                            until,
                            noticed_at,
                        });
                    }
                    last = Some(pulse.at);
                }
                // An embedded database.
                Ok(None) => return,
                Err(error) => tracing::debug!(%error, "no pulse"),
            }
            shutdown.run_until_cancelled(sleep(TICK)).await;
        }
    }

    /// The last loss, while it is told.
    fn loss(&self) -> Option<Loss> {
        self.0
            .lock()
            .filter(|loss| loss.noticed_at.elapsed() < TOLD)
    }
}
