//! Rate limits, and the header fields that state them (draft-ietf-httpapi-ratelimit-headers).

use std::hash::Hash;
use std::num::NonZeroU32;
use std::time::Duration;

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use governor::clock::{Clock, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::state::keyed::DefaultKeyedStateStore;
use governor::{Quota, RateLimiter};

use crate::{Code, Problem, Result};

const RATELIMIT: HeaderName = HeaderName::from_static("ratelimit");
const RATELIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// The size of a burst, in seconds of the rate.
const BURST_SECONDS: u32 = 10;

type Limiter<K> =
    RateLimiter<K, DefaultKeyedStateStore<K>, DefaultClock, StateInformationMiddleware>;

/// The rate of everyone who has a `K`, on this instance.
pub struct Rate<K: Hash + Eq + Clone> {
    /// `None`: no limit.
    limiter: Option<Limiter<K>>,
    clock: DefaultClock,
    per_second: u32,
    /// Who is limited, for people.
    who: &'static str,
}

/// What somebody has left.
#[derive(Debug, PartialEq, Eq)]
pub struct Allowance {
    per_second: u32,
    remaining: u32,
}

impl<K: Hash + Eq + Clone> Rate<K> {
    /// `per_second` requests of each, bursts of ten seconds' worth; `None`: no limit. `who` is limited, in a sentence.
    pub fn new(per_second: Option<NonZeroU32>, who: &'static str) -> Self {
        let limiter = per_second.map(|rate| {
            let burst = NonZeroU32::new(quota(rate.get())).unwrap_or(rate);
            RateLimiter::keyed(Quota::per_second(rate).allow_burst(burst)).with_middleware()
        });
        Self {
            limiter,
            clock: DefaultClock::default(),
            per_second: per_second.map_or(0, NonZeroU32::get),
            who,
        }
    }

    /// Takes one request.
    ///
    /// # Errors
    /// 429: there is none left.
    pub fn check(&self, key: &K) -> Result<Option<Allowance>> {
        self.take(key).map_err(|wait| self.throttled(wait))
    }

    /// Takes one request.
    ///
    /// # Errors
    /// When there is one again: none is left.
    pub fn take(&self, key: &K) -> Result<Option<Allowance>, Duration> {
        let Some(limiter) = &self.limiter else {
            return Ok(None);
        };
        match limiter.check_key(key) {
            Ok(state) => Ok(Some(Allowance {
                per_second: self.per_second,
                remaining: state.remaining_burst_capacity(),
            })),
            Err(until) => Err(until.wait_time_from(self.clock.now())),
        }
    }

    /// The problem for a caller who has nothing left for `wait`.
    pub fn throttled(&self, wait: Duration) -> Problem {
        let (who, per_second) = (self.who, self.per_second);
        let seconds = (wait.as_secs() + u64::from(wait.subsec_nanos() > 0)).max(1);
        let detail = format!("{who} {per_second} times a second, ten times that in a burst");
        Problem::new(Code::RateLimited, detail)
            .retry_after(seconds)
            .with(fields(per_second, 0, seconds))
    }

    /// Forgets those who have their whole burst again.
    pub fn forget_idle(&self) {
        if let Some(limiter) = &self.limiter {
            limiter.retain_recent();
            limiter.shrink_to_fit();
        }
    }
}

impl Allowance {
    /// The time until the next request is allowed, if this was the last one.
    pub fn empty_for(&self) -> Option<Duration> {
        (self.remaining == 0).then(|| Duration::from_secs(1) / self.per_second)
    }

    /// Writes the fields: what is left, and in how many seconds the whole burst is there again.
    pub fn write(&self, headers: &mut HeaderMap) {
        let spent = quota(self.per_second).saturating_sub(self.remaining);
        let reset = spent.div_ceil(self.per_second).into();
        headers.extend(fields(self.per_second, self.remaining, reset));
    }
}

fn quota(per_second: u32) -> u32 {
    per_second.saturating_mul(BURST_SECONDS)
}

/// The two fields, for what is left and the seconds until all is there again.
fn fields(per_second: u32, remaining: u32, reset: u64) -> [(HeaderName, HeaderValue); 2] {
    let burst = quota(per_second);
    let left = format!("\"default\";r={remaining};t={reset}");
    let policy = format!("\"default\";q={burst};w={BURST_SECONDS}");
    // Letters, digits and signs of ASCII are always a header's value.
    let value = |text: String| HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static(""));
    [(RATELIMIT, value(left)), (RATELIMIT_POLICY, value(policy))]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(per_second: Option<NonZeroU32>) -> Rate<String> {
        Rate::new(per_second, "this key may ask")
    }

    #[test]
    fn a_burst_is_ten_seconds_worth_and_each_key_has_its_own() {
        let rate = rate(NonZeroU32::new(2));
        let (one, two) = ("one".to_owned(), "two".to_owned());
        for left in (0..20).rev() {
            assert_eq!(
                rate.check(&one).unwrap(),
                Some(Allowance {
                    per_second: 2,
                    remaining: left
                })
            );
        }
        assert!(rate.take(&one).unwrap_err() <= Duration::from_millis(500));
        assert_eq!(rate.check(&one).unwrap_err().code(), Code::RateLimited);
        assert!(rate.check(&two).is_ok());
    }

    #[test]
    fn no_limit_never_ends() {
        let rate = rate(None);
        for _ in 0..100_000 {
            assert_eq!(rate.check(&"one".to_owned()).unwrap(), None);
        }
    }

    #[test]
    fn the_largest_rate_does_not_overflow() {
        let left = rate(Some(NonZeroU32::MAX))
            .check(&"one".to_owned())
            .unwrap();
        let mut headers = HeaderMap::new();
        left.unwrap().write(&mut headers);
        assert!(headers.contains_key(RATELIMIT));
    }

    #[test]
    fn the_fields_are_structured() {
        let mut headers = HeaderMap::new();
        Allowance {
            per_second: 500,
            remaining: 4_999,
        }
        .write(&mut headers);
        assert_eq!(headers[RATELIMIT], "\"default\";r=4999;t=1");
        assert_eq!(headers[RATELIMIT_POLICY], "\"default\";q=5000;w=10");
        let wait = Duration::from_millis(1_200);
        let headers = rate(NonZeroU32::new(1)).throttled(wait).headers();
        assert_eq!(headers[RATELIMIT], "\"default\";r=0;t=2");
        assert_eq!(headers["retry-after"], "2");
    }
}
