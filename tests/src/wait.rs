//! Waiting for a condition: the only place in the tests that sleeps.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};

/// Deadline for things that take well under a second on an idle machine; tests share two cores, so it is generous.
pub const SOON: Duration = Duration::from_secs(30);

/// Deadline for imports of many records by a debug build, and for what a fault delays.
pub const LATER: Duration = Duration::from_mins(2);

const FIRST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_millis(200);

/// Something that is tried until a deadline, with growing pauses: where [`eventually`] cannot be, in a task of its own.
#[derive(Debug)]
pub struct Tries {
    end: Instant,
    pause: Duration,
}

impl Tries {
    /// The first of them is now.
    pub fn within(deadline: Duration) -> Self {
        Self {
            end: Instant::now() + deadline,
            pause: FIRST_PAUSE,
        }
    }

    fn left(&self) -> Duration {
        self.end.saturating_duration_since(Instant::now())
    }

    /// Waits until it is to be tried again: false if the deadline has passed.
    pub async fn another(&mut self) -> bool {
        if self.left().is_zero() {
            return false;
        }
        tokio::time::sleep(self.pause).await;
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        true
    }
}

/// Waits for a moment of a plan: it says when things are done and how long they last, and there is no condition to wait for.
pub async fn pause(length: Duration) {
    tokio::time::sleep(length).await;
}

/// Tries `condition` until it succeeds.
///
/// # Errors
/// The condition's last error, once `deadline` has passed.
pub async fn eventually<T>(
    deadline: Duration,
    mut condition: impl AsyncFnMut() -> Result<T>,
) -> Result<T> {
    let mut tries = Tries::within(deadline);
    let mut before = None;
    loop {
        // A condition that itself hangs must not outlive the deadline by much.
        let left = tries.left() + LONGEST_PAUSE;
        let outcome =
            match tokio::time::timeout(left, condition()).await {
                Ok(outcome) => outcome,
                // What the attempt before it said tells more than that the last one was cut off.
                Err(_) => Err(before
                    .unwrap_or_else(|| anyhow::anyhow!("one attempt took the whole deadline"))),
            };
        match outcome {
            Ok(value) => return Ok(value),
            Err(error) if !tries.another().await => {
                return Err(error).with_context(|| format!("not within {deadline:?}"));
            }
            Err(error) => before = Some(error),
        }
    }
}
