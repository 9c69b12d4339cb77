//! How many answers one address may give a link that is no kiosk's within an hour, and how many of its views count, on this instance:
//! enough for the guests of a house, and too few to decide what a report says.

use std::collections::VecDeque;
use std::num::NonZeroU32;
use std::sync::{Arc, Once};
use std::time::Duration;

use api_http::{AppState, Code, Network, Problem, Result};
use moka::policy::EvictionPolicy;
use moka::sync::Cache;
use parking_lot::Mutex;
use platform::config::TrustedProxies;
use tokio::time::Instant;
use uuid::Uuid;

/// Answers are counted by intervals of this length.
const INTERVAL: Duration = Duration::from_mins(5);
/// The intervals that any hour touches: it ends in the twelfth after the one in which it begins.
const INTERVALS: u64 = 13;
/// Views of an address for each answer that it may give.
const VIEWS: NonZeroU32 = NonZeroU32::new(10).unwrap();
/// The bytes of an address of a link, about.
const ENTRY: u64 = 512;

pub struct AddressAnswers {
    /// `None`: no limit.
    most: Option<NonZeroU32>,
    proxies: TrustedProxies,
    given: Cache<(Uuid, Network), Arc<Mutex<AnswersByInterval>>>,
    /// The begin of interval 0.
    begin: Instant,
    warned: Once,
}

/// Numbers of intervals, ascending, each with the answers that one address gave a link in it.
type AnswersByInterval = VecDeque<(u64, u32)>;

/// The right to one answer. It stays used unless it is given back, so that a client cannot get it back by disconnecting
/// before the commit.
#[must_use]
pub struct AnswerPermit(Option<(Arc<Mutex<AnswersByInterval>>, u64)>);

impl AddressAnswers {
    pub fn new(app: &AppState) -> Self {
        let (most, proxies) = (app.address_answers, app.trusted_proxies.clone());
        Self::of(most, proxies, app.parts.address_answers / 2)
    }

    /// The same of views, of which there may be ten times as many: more are not counted.
    pub fn of_views(app: &AppState) -> Self {
        let (most, proxies) = (app.address_answers, app.trusted_proxies.clone());
        let most = most.map(|most| most.saturating_mul(VIEWS));
        let views = Self::of(most, proxies, app.parts.address_answers / 2);
        // Of answers it is told.
        views.warned.call_once(|| {});
        views
    }

    fn of(most: Option<NonZeroU32>, proxies: TrustedProxies, bytes: u64) -> Self {
        let given = Cache::builder()
            .max_capacity(bytes / ENTRY)
            // With the default policy a new address would be evicted at once when there are many.
            .eviction_policy(EvictionPolicy::lru())
            .time_to_idle(Duration::from_hours(2));
        Self {
            most,
            proxies,
            given: given.build(),
            begin: Instant::now(),
            warned: Once::new(),
        }
    }

    /// Takes the place of an answer to a link that is about to be stored; `is_kiosk`: many people answer there from one address.
    ///
    /// # Errors
    /// 429: there is none left.
    pub fn take(&self, link_id: Uuid, is_kiosk: bool, network: Network) -> Result<AnswerPermit> {
        let Some(most) = self.most.filter(|_| !is_kiosk) else {
            return Ok(AnswerPermit(None));
        };
        if network.is_unnamed_proxy(&self.proxies) {
            self.warned.call_once(|| {
                tracing::warn!(
                    client.address = %network,
                    "answers come from a private address, so FEEDBACK_ADDRESS_ANSWERS does not hold: if it is a proxy's, \
                     FEEDBACK_TRUSTED_PROXIES must name it"
                );
            });
            return Ok(AnswerPermit(None));
        }
        let given = self.given.get_with((link_id, network), Arc::default);
        let mut intervals = given.lock();
        // The clock is read under the lock, so that it does not go back.
        let now = self.begin.elapsed().as_secs();
        let interval = now / INTERVAL.as_secs();
        intervals.retain(|(past, answers)| past + INTERVALS > interval && *answers > 0);
        let answers: u32 = intervals.iter().map(|(_, answers)| answers).sum();
        if let Some((oldest, _)) = intervals.front()
            && answers >= most.get()
        {
            let free = (oldest + INTERVALS) * INTERVAL.as_secs();
            let detail = format!("one address may give a link {most} answers an hour");
            let problem = Problem::new(Code::RateLimited, detail);
            return Err(problem.retry_after(free.saturating_sub(now)));
        }
        match intervals.back_mut() {
            Some((last, answers)) if *last == interval => *answers += 1,
            _ => intervals.push_back((interval, 1)),
        }
        drop(intervals);
        Ok(AnswerPermit(Some((given, interval))))
    }
}

impl AnswerPermit {
    /// Nothing new was stored.
    pub fn give_back(self) {
        let Some((given, interval)) = self.0 else {
            return;
        };
        let mut intervals = given.lock();
        let of_it = intervals.iter_mut().find(|(past, _)| *past == interval);
        if let Some((_, answers)) = of_it {
            *answers -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::extract::ConnectInfo;
    use axum::http::{Extensions, HeaderMap};
    use std::net::SocketAddr;
    use tokio::time::advance;

    use super::*;

    const LINK: Uuid = Uuid::from_u128(1);

    fn limited(most: u32) -> AddressAnswers {
        AddressAnswers::of(NonZeroU32::new(most), TrustedProxies::default(), 1 << 20)
    }

    fn network(address: &str) -> Network {
        let mut extensions = Extensions::new();
        let peer = SocketAddr::new(address.parse().unwrap(), 1);
        extensions.insert(ConnectInfo(peer));
        Network::of(&extensions, &HeaderMap::new(), &TrustedProxies::default())
    }

    /// The seconds after which another answer may come; 0: it was taken.
    fn wait(answers: &AddressAnswers, address: &str) -> u64 {
        match answers.take(LINK, false, network(address)) {
            Ok(_) => 0,
            Err(problem) => {
                assert_eq!(problem.code(), Code::RateLimited);
                let wait = &problem.headers()["retry-after"];
                wait.to_str().unwrap().parse().unwrap()
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn in_no_hour_are_there_more_and_the_wait_is_told() {
        let answers = limited(200);
        let mut taken: Vec<Instant> = Vec::new();
        let hour = Duration::from_hours(1);
        // As many as there may be, again and again, beginning at any second of an interval.
        for pause in [0, 299, 1, 3_599, 3_600, 7, 3_599, 1_800, 3_900, 61] {
            advance(Duration::from_secs(pause)).await;
            loop {
                let wait = wait(&answers, "192.0.2.1");
                if wait > 0 {
                    assert!(wait <= 3_900, "{wait}");
                    break;
                }
                taken.push(Instant::now());
                advance(Duration::from_millis(700)).await;
            }
        }
        for (place, first) in taken.iter().enumerate() {
            let within = taken[place..].iter();
            let within = within.take_while(|later| **later - *first <= hour);
            assert!(within.count() <= 200);
        }
        advance(Duration::from_secs(wait(&answers, "192.0.2.1"))).await;
        assert_eq!(wait(&answers, "192.0.2.1"), 0);
        assert!(taken.len() >= 600, "{}", taken.len());
    }

    #[tokio::test(start_paused = true)]
    async fn a_place_that_is_given_back_is_free_and_a_household_has_one_limit() {
        let answers = limited(2);
        let place = answers.take(LINK, false, network("2001:db8::1")).unwrap();
        assert_eq!(wait(&answers, "2001:db8::2"), 0);
        assert_ne!(wait(&answers, "2001:db8:0:0:ffff::3"), 0);
        advance(INTERVAL).await;
        place.give_back();
        assert_eq!(wait(&answers, "2001:db8::4"), 0);
        assert_ne!(wait(&answers, "2001:db8::4"), 0);
        assert_eq!(wait(&answers, "2001:db8:0:1::1"), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn a_private_address_has_no_limit() {
        let answers = limited(1);
        for address in ["10.0.0.1", "::ffff:10.0.0.1", "127.0.0.1", "fd00::1", "::1"] {
            assert_eq!([wait(&answers, address), wait(&answers, address)], [0, 0]);
        }
        for address in ["192.0.2.1", "2001:db8::1"] {
            assert_eq!(wait(&answers, address), 0);
            assert_ne!(wait(&answers, address), 0);
        }
        // An IPv4 address that comes over IPv6 is itself.
        assert_ne!(wait(&answers, "::ffff:192.0.2.1"), 0);
    }
}
