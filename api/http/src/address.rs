//! Where a request comes from, and how often requests from there may fail.
//!
//! Only failures count: unknown tokens and keys, refused submissions. An address without failures left can still use valid
//! ones, because many people may share it. All such addresses together get few look-ups at a time, so that their failures
//! are no load on the database.

use std::collections::HashMap;
use std::convert::Infallible;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::NonZeroU32;
use std::time::{Duration, Instant};

use axum::extract::{ConnectInfo, FromRequestParts};
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap, HeaderName};
use moka::sync::Cache;
use parking_lot::Mutex;
use platform::config::TrustedProxies;
use platform::http::connections::network;
use tokio::sync::{Semaphore, SemaphorePermit};
use uuid::Uuid;

use crate::Result;
use crate::rate::{Allowance, Rate};

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The most look-ups at once for all addresses together that have no failures left.
const LOOKUPS: usize = 4;

/// The most hashes of one kind that are kept.
const REMEMBERED: u64 = 10_000;

/// Keys, sessions and the like that were good lately, by their hashes: they are looked up whatever else comes from their address.
#[derive(Clone)]
pub struct GoodLately(Cache<[u8; 32], ()>);

impl GoodLately {
    /// Each is kept for this long after it was last good.
    pub fn new(kept: Duration) -> Self {
        let good = Cache::builder().max_capacity(REMEMBERED);
        Self(good.time_to_live(kept).build())
    }

    pub fn contains(&self, hash: &[u8; 32]) -> bool {
        self.0.contains_key(hash)
    }

    /// Records the result of a look-up.
    pub fn note(&self, hash: [u8; 32], is_good: bool) {
        if is_good {
            self.0.insert(hash, ());
        } else {
            self.0.invalidate(&hash);
        }
    }
}

/// What counts as one address: a [`network`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Network(IpAddr);

impl Network {
    /// Where a request comes from; trusted proxies may name it.
    pub fn of(extensions: &Extensions, headers: &HeaderMap, proxies: &TrustedProxies) -> Self {
        Self::around(address(extensions, headers, proxies))
    }

    pub(crate) fn around(address: IpAddr) -> Self {
        Self(network(address))
    }
}

/// The address that a request comes from; trusted proxies may name it.
pub(crate) fn address(
    extensions: &Extensions,
    headers: &HeaderMap,
    proxies: &TrustedProxies,
) -> IpAddr {
    let peer = extensions
        .get::<ConnectInfo<SocketAddr>>()
        .map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |peer| peer.0.ip());
    let hops = headers
        .get_all(X_FORWARDED_FOR)
        .iter()
        .rev()
        .flat_map(|value| value.to_str().unwrap_or("").rsplit(','));
    proxies.caller(peer, hops)
}

impl Network {
    /// The site that it is part of, which is what one customer of a provider has at most: the /24 of IPv4, the /48 of IPv6.
    pub fn site(self) -> Uuid {
        let bits = match self.0 {
            IpAddr::V4(address) => address.to_ipv6_mapped().to_bits() & !0xff,
            IpAddr::V6(address) => address.to_bits() >> 80 << 80,
        };
        Uuid::from_u128(bits)
    }

    /// Whether it is this machine or within a private network, and none of these proxies: most likely a proxy that nobody named,
    /// from which everybody seems to come.
    pub fn is_unnamed_proxy(self, proxies: &TrustedProxies) -> bool {
        let private = match self.0 {
            IpAddr::V4(address) => {
                address.is_private() || address.is_loopback() || address.is_link_local()
            }
            // The /64 of the loopback address is that of the unspecified one.
            IpAddr::V6(address) => {
                address.is_unique_local()
                    || address.is_unicast_link_local()
                    || address.is_unspecified()
            }
        };
        private && !proxies.contains(self.0)
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<S: Sync> FromRequestParts<S> for Network {
    type Rejection = Infallible;

    /// From the request's extensions, where [`guard`](crate::auth::guard) puts it.
    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let network = parts.extensions.get().copied();
        Ok(network.unwrap_or(Self(Ipv4Addr::UNSPECIFIED.into())))
    }
}

/// How much each address may still get wrong, on this instance.
pub struct FailureLimiter {
    rate: Rate<Network>,
    /// Until when an address has nothing left.
    spent: Mutex<HashMap<Network, Instant>>,
    lookups: Semaphore,
}

impl FailureLimiter {
    /// So many a second of each address, bursts of ten seconds' worth; `None`: no limit.
    pub fn new(per_second: Option<NonZeroU32>) -> Self {
        Self {
            rate: Rate::new(per_second, "this address may get things wrong"),
            spent: Mutex::default(),
            lookups: Semaphore::new(LOOKUPS),
        }
    }

    /// Whether the address has failures left. Takes none.
    ///
    /// # Errors
    /// 429: nothing is.
    pub fn left(&self, network: Network) -> Result<()> {
        let now = Instant::now();
        match self.spent.lock().get(&network) {
            Some(until) if *until > now => Err(self.rate.throttled(*until - now)),
            _ => Ok(()),
        }
    }

    /// A permit to look something up, held until the look-up ends. `None` (no permit is needed) for what `was_good` lately
    /// and for an address that has failures left; otherwise one of the few permits that all other addresses share. Never
    /// waits.
    ///
    /// # Errors
    /// 429: the address has no failures left, and no permit is free.
    pub fn lookup_permit(
        &self,
        network: Network,
        was_good: bool,
    ) -> Result<Option<SemaphorePermit<'_>>> {
        match self.left(network) {
            Err(problem) if !was_good => {
                let permit = self.lookups.try_acquire();
                permit.map(Some).map_err(|_| problem)
            }
            _ => Ok(None),
        }
    }

    /// Takes one.
    ///
    /// # Errors
    /// 429: there is none left.
    pub fn take(&self, network: Network) -> Result<()> {
        let taken = self.rate.take(&network);
        let empty_for = match &taken {
            Ok(allowance) => allowance.as_ref().and_then(Allowance::empty_for),
            Err(wait) => Some(*wait),
        };
        if let Some(wait) = empty_for {
            self.spent.lock().insert(network, Instant::now() + wait);
        }
        taken.map(drop).map_err(|wait| self.rate.throttled(wait))
    }

    /// Forgets addresses that have failures left again.
    pub fn forget_idle(&self) {
        self.rate.forget_idle();
        let now = Instant::now();
        let mut spent = self.spent.lock();
        spent.retain(|_, until| *until > now);
        spent.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn network(address: &str) -> Network {
        Network::around(address.parse().unwrap())
    }

    #[test]
    fn an_ipv6_address_counts_as_its_64() {
        assert_eq!(network("2001:db8:1:2::1"), network("2001:db8:1:2:f::9"));
        assert_ne!(network("2001:db8:1:2::1"), network("2001:db8:1:3::1"));
        assert_ne!(network("192.0.2.1"), network("192.0.2.2"));
    }

    #[test]
    fn neighbours_are_one_site() {
        let site = |address| network(address).site();
        assert_eq!(site("2001:db8:1:2::1"), site("2001:db8:1:ffff::1"));
        assert_ne!(site("2001:db8:1::1"), site("2001:db8:2::1"));
        assert_eq!(site("192.0.2.1"), site("192.0.2.255"));
        assert_ne!(site("192.0.2.1"), site("192.0.3.1"));
    }

    #[test]
    fn a_private_address_is_a_proxy_that_nobody_named() {
        let proxies = TrustedProxies::parse("10.1.0.0/16").unwrap();
        let unnamed = |address| network(address).is_unnamed_proxy(&proxies);
        for address in ["127.0.0.1", "::1", "10.2.0.1", "172.17.0.1", "192.168.0.1"] {
            assert!(unnamed(address), "{address}");
        }
        for address in ["169.254.0.1", "fd00:1::1", "fe80::1"] {
            assert!(unnamed(address), "{address}");
        }
        for address in ["10.1.0.1", "203.0.113.9", "2001:db8::1"] {
            assert!(!unnamed(address), "{address}");
        }
    }

    #[test]
    fn the_hops_of_several_lines_are_one_list() {
        let proxies = TrustedProxies::parse("10.0.0.0/8").unwrap();
        let mut extensions = Extensions::new();
        let peer: SocketAddr = "10.0.0.1:5000".parse().unwrap();
        extensions.insert(ConnectInfo(peer));
        let mut headers = HeaderMap::new();
        for line in ["198.51.100.7, 203.0.113.9", "10.0.0.2,10.0.0.3"] {
            headers.append(X_FORWARDED_FOR, HeaderValue::from_static(line));
        }
        let of = |proxies: &TrustedProxies| Network::of(&extensions, &headers, proxies);
        assert_eq!(of(&proxies), network("203.0.113.9"));
        assert_eq!(of(&TrustedProxies::default()), network("10.0.0.1"));
    }

    #[test]
    fn an_address_that_has_nothing_left_is_known_before_it_takes() {
        let failures = FailureLimiter::new(NonZeroU32::new(1));
        let (one, two) = (network("192.0.2.1"), network("192.0.2.2"));
        for _ in 0..10 {
            assert!(failures.left(one).is_ok());
            assert!(failures.take(one).is_ok());
        }
        assert!(failures.left(one).is_err());
        assert!(failures.take(one).is_err());
        assert!(failures.left(two).is_ok());
        failures.forget_idle();
        assert!(failures.left(one).is_err());
    }

    #[test]
    fn spent_addresses_look_up_few_things_at_a_time() {
        let failures = FailureLimiter::new(NonZeroU32::new(1));
        let (one, two) = (network("192.0.2.1"), network("192.0.2.2"));
        while failures.take(one).is_ok() {}
        let leaves: Vec<_> = (0..LOOKUPS)
            .map(|_| failures.lookup_permit(one, false).unwrap())
            .collect();
        assert!(leaves.iter().all(Option::is_some));
        assert!(failures.lookup_permit(one, false).is_err());
        assert!(failures.lookup_permit(two, false).unwrap().is_none());
        drop(leaves);
        assert!(failures.lookup_permit(one, false).is_ok());
    }

    #[test]
    fn no_limit_never_ends() {
        let failures = FailureLimiter::new(None);
        for _ in 0..10_000 {
            assert!(failures.take(network("192.0.2.1")).is_ok());
        }
        assert!(failures.left(network("192.0.2.1")).is_ok());
        assert!(
            failures
                .lookup_permit(network("192.0.2.1"), false)
                .unwrap()
                .is_none()
        );
    }
}
