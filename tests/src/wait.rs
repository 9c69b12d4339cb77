//! Waiting for a condition: the only place in the tests that sleeps.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// Deadline for things that take well under a second on an idle machine; tests share two cores, so it is generous.
pub const SOON: Duration = Duration::from_secs(30);

/// Deadline for imports of many records by a debug build, and for what a fault delays.
pub const LATER: Duration = Duration::from_mins(2);

const FIRST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_millis(200);

/// Tries `condition` until it succeeds, with growing pauses.
///
/// # Errors
/// The condition's last error, once `deadline` has passed.
pub async fn eventually<T>(
    deadline: Duration,
    mut condition: impl AsyncFnMut() -> Result<T>,
) -> Result<T> {
    let end = Instant::now() + deadline;
    let mut pause = FIRST_PAUSE;
    loop {
        // A condition that itself hangs must not outlive the deadline by much.
        let left = end.saturating_duration_since(Instant::now()) + LONGEST_PAUSE;
        let outcome = match tokio::time::timeout(left, condition()).await {
            Ok(outcome) => outcome,
            Err(_) => Err(anyhow::anyhow!("one attempt took the whole deadline")),
        };
        match outcome {
            Ok(value) => return Ok(value),
            Err(error) if Instant::now() >= end => {
                return Err(error).with_context(|| format!("not within {deadline:?}"));
            }
            Err(_) => tokio::time::sleep(pause).await,
        }
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}
