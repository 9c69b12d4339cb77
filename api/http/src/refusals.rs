//! How many changes of one caller may be refused within a minute, on this instance. Each is two rows of the audit log, which nobody can
//! delete for 90 days.

use std::sync::Arc;
use std::time::Duration;

use moka::sync::Cache;
use parking_lot::Mutex;
use tokio::time::Instant;

use crate::{Code, Problem, Result};

/// Changes of a caller that may be refused within a [`MINUTE`].
const MOST: u32 = 100;
const MINUTE: Duration = Duration::from_mins(1);
/// So many callers are remembered.
const REMEMBERED: u64 = 10_000;

/// What was refused lately, by the name of the person or key.
pub struct RefusalLimiter(Cache<String, Arc<Mutex<Refused>>>);

struct Refused {
    since: Instant,
    count: u32,
}

impl Default for RefusalLimiter {
    fn default() -> Self {
        let refused = Cache::builder().max_capacity(REMEMBERED);
        // By then its minute is over.
        Self(refused.time_to_idle(MINUTE).build())
    }
}

impl RefusalLimiter {
    /// Whether a caller may go on to change something.
    ///
    /// # Errors
    /// 429 until the minute of the first refusal is over: too many followed.
    pub fn check(&self, name: &str) -> Result<()> {
        let Some(refused) = self.0.get(name) else {
            return Ok(());
        };
        let refused = refused.lock();
        let wait = MINUTE.saturating_sub(refused.since.elapsed());
        if refused.count < MOST || wait.is_zero() {
            return Ok(());
        }
        let detail = format!(
            "{MOST} changes of this key or person were refused within a minute; wait until it is over"
        );
        let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
        Err(Problem::new(Code::RateLimited, detail).retry_after(seconds))
    }

    /// Counts a change of a caller that was refused. Those that are under way at once may be a few more than there may be.
    pub fn count(&self, name: &str) {
        let first = || {
            Arc::new(Mutex::new(Refused {
                since: Instant::now(),
                count: 0,
            }))
        };
        let refused = self.0.get_with(name.to_owned(), first);
        let mut refused = refused.lock();
        if refused.since.elapsed() >= MINUTE {
            refused.since = Instant::now();
            refused.count = 0;
        }
        refused.count += 1;
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    /// The seconds after which a caller may change something; 0: at once.
    fn wait(refusals: &RefusalLimiter, name: &str) -> u64 {
        match refusals.check(name) {
            Ok(()) => 0,
            Err(problem) => {
                assert_eq!(problem.code(), Code::RateLimited);
                let wait = &problem.headers()["retry-after"];
                wait.to_str().unwrap().parse().unwrap()
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn after_a_hundred_refusals_a_caller_waits_until_the_minute_is_over() {
        let refusals = RefusalLimiter::default();
        for _ in 0..MOST {
            assert_eq!(wait(&refusals, "ada"), 0);
            refusals.count("ada");
        }
        assert_eq!(wait(&refusals, "ada"), 60);
        assert_eq!(wait(&refusals, "ben"), 0);
        advance(Duration::from_millis(59_500)).await;
        assert_eq!(wait(&refusals, "ada"), 1);
        advance(Duration::from_millis(500)).await;
        assert_eq!(wait(&refusals, "ada"), 0);
        // The next minute begins with what is refused next.
        advance(Duration::from_secs(30)).await;
        for _ in 0..MOST {
            refusals.count("ada");
        }
        assert_eq!(wait(&refusals, "ada"), 60);
    }
}
