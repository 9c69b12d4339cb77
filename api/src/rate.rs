//! How often a key may ask, and the fields that tell it (draft-ietf-httpapi-ratelimit-headers).

use std::num::NonZeroU32;
use std::time::Duration;

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};
use governor::clock::{Clock, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::state::keyed::DefaultKeyedStateStore;
use governor::{Quota, RateLimiter};

use crate::error::{Code, Problem};

const RATELIMIT: HeaderName = HeaderName::from_static("ratelimit");
const RATELIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// A burst may spend what so many seconds give.
const BURST_SECONDS: u32 = 10;

type Limiter =
    RateLimiter<String, DefaultKeyedStateStore<String>, DefaultClock, StateInformationMiddleware>;

/// The rate of every key, on this instance.
pub struct KeyRate {
    /// `None`: no limit.
    limiter: Option<Limiter>,
    clock: DefaultClock,
    per_second: u32,
}

/// What a key has left.
#[derive(Debug, PartialEq, Eq)]
pub struct Allowance {
    per_second: u32,
    remaining: u32,
}

/// A key that has nothing left.
#[derive(Debug)]
pub struct Throttled {
    per_second: u32,
    wait: Duration,
}

impl KeyRate {
    /// `per_second` requests of one key, bursts of ten seconds' worth; `None`: no limit.
    pub fn new(per_second: Option<NonZeroU32>) -> Self {
        let limiter = per_second.map(|rate| {
            let burst = NonZeroU32::new(quota(rate.get())).unwrap_or(rate);
            RateLimiter::keyed(Quota::per_second(rate).allow_burst(burst)).with_middleware()
        });
        Self {
            limiter,
            clock: DefaultClock::default(),
            per_second: per_second.map_or(0, NonZeroU32::get),
        }
    }

    /// Takes one request of the key.
    ///
    /// # Errors
    /// There is none left.
    pub fn check(&self, key: &String) -> Result<Option<Allowance>, Throttled> {
        let Some(limiter) = &self.limiter else {
            return Ok(None);
        };
        match limiter.check_key(key) {
            Ok(state) => Ok(Some(Allowance {
                per_second: self.per_second,
                remaining: state.remaining_burst_capacity(),
            })),
            Err(until) => Err(Throttled {
                per_second: self.per_second,
                wait: until.wait_time_from(self.clock.now()),
            }),
        }
    }

    /// Forgets keys that have their whole burst again.
    pub fn forget_idle(&self) {
        if let Some(limiter) = &self.limiter {
            limiter.retain_recent();
            limiter.shrink_to_fit();
        }
    }
}

impl Allowance {
    /// Writes the fields: what is left, and in how many seconds the whole burst is there again.
    pub fn write(&self, headers: &mut HeaderMap) {
        let spent = quota(self.per_second).saturating_sub(self.remaining);
        write(
            headers,
            self.per_second,
            self.remaining,
            spent.div_ceil(self.per_second).into(),
        );
    }
}

impl IntoResponse for Throttled {
    fn into_response(self) -> Response {
        let seconds = self.wait.as_secs() + u64::from(self.wait.subsec_nanos() > 0);
        let seconds = seconds.max(1);
        let problem = Problem::new(
            Code::RateLimited,
            format!(
                "this key may ask {} times a second, ten times that in a burst",
                self.per_second
            ),
        );
        let mut response = problem.retry_after(seconds).into_response();
        write(response.headers_mut(), self.per_second, 0, seconds);
        response
    }
}

fn quota(per_second: u32) -> u32 {
    per_second.saturating_mul(BURST_SECONDS)
}

fn write(headers: &mut HeaderMap, per_second: u32, remaining: u32, reset: u64) {
    let fields = [
        (RATELIMIT, format!("\"default\";r={remaining};t={reset}")),
        (
            RATELIMIT_POLICY,
            format!("\"default\";q={};w={BURST_SECONDS}", quota(per_second)),
        ),
    ];
    for (name, value) in fields {
        if let Ok(value) = HeaderValue::from_str(&value) {
            headers.insert(name, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::http::header::RETRY_AFTER;

    use super::*;

    #[test]
    fn a_burst_is_ten_seconds_worth_and_each_key_has_its_own() {
        let rate = KeyRate::new(NonZeroU32::new(2));
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
        let throttled = rate.check(&one).unwrap_err();
        assert!(throttled.wait <= Duration::from_millis(500));
        assert!(rate.check(&two).is_ok());
    }

    #[test]
    fn no_limit_never_ends() {
        let rate = KeyRate::new(None);
        for _ in 0..100_000 {
            assert_eq!(rate.check(&"one".to_owned()).unwrap(), None);
        }
    }

    #[test]
    fn the_largest_rate_does_not_overflow() {
        let left = KeyRate::new(Some(NonZeroU32::MAX))
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
        let response = Throttled {
            per_second: 1,
            wait,
        }
        .into_response();
        assert_eq!(response.headers()[RATELIMIT], "\"default\";r=0;t=2");
        assert_eq!(response.headers()[RETRY_AFTER], "2");
    }
}
