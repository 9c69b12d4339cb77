//! Limits of open connections, in total and of one address, and the connections that are admitted above them. Requests have
//! the same limits, because a connection of HTTP/2 carries up to a hundred.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use parking_lot::Mutex;

use crate::config::{Config, TrustedProxies};

/// Connections above the limits that may still ask for health and metrics, so that orchestrators do not end a process
/// which is merely full.
const SPARE: usize = 64;
/// The most of these that one site may have, so that others find some.
const SITE_SPARE: usize = 16;
/// Descriptors that are left for the database, the other servers, files and the spare connections.
const RESERVED: u64 = 512;
/// More connections than this take more memory than most machines have, whatever the limit of descriptors.
const MOST: u64 = 16_384;
/// On a listener that is for operators alone.
const OPERATORS: usize = 256;

/// How many connections may be open on one listener.
#[derive(Clone, Debug)]
pub struct Limits {
    whole: usize,
    /// The limit of one IPv4 address, or of one /64.
    address: usize,
    /// They speak for many addresses, so only the whole counts for them.
    proxies: TrustedProxies,
}

impl Limits {
    /// As the settings say, or by the limit of descriptors.
    pub fn of(config: &Config) -> Self {
        let whole = config.connections.unwrap_or_else(by_descriptors);
        let address = config.address_connections.unwrap_or((whole / 4).max(1));
        Self::new(whole, address, config.trusted_proxies.clone())
    }

    pub fn new(whole: usize, address: usize, proxies: TrustedProxies) -> Self {
        Self {
            whole,
            address,
            proxies,
        }
    }

    /// What one address may have at once, connections or requests.
    pub(super) fn requests(&self) -> usize {
        self.address.min(self.whole)
    }

    /// The limits of a listener with health and metrics alone.
    pub fn operators() -> Self {
        Self::new(OPERATORS, OPERATORS, TrustedProxies::default())
    }
}

/// Raises the soft limit of descriptors to the hard one: shells and service managers start processes with 1,024, which one
/// caller could use up.
pub fn raise_descriptors() {
    let raised = getrlimit(Resource::RLIMIT_NOFILE).and_then(|(soft, hard)| {
        if soft < hard {
            setrlimit(Resource::RLIMIT_NOFILE, hard, hard)?;
        }
        Ok((soft, hard))
    });
    match raised {
        Ok((soft, hard)) if soft < hard => {
            tracing::info!(
                before = soft,
                now = hard,
                "the limit of descriptors was raised"
            );
        }
        Ok(_) => {}
        Err(error) => tracing::warn!(%error, "the limit of descriptors is as it was"),
    }
}

fn by_descriptors() -> usize {
    let limit = getrlimit(Resource::RLIMIT_NOFILE).map_or(1_024, |(soft, _)| soft);
    let left = limit.saturating_sub(RESERVED).max(limit / 2);
    usize::try_from(left.clamp(1, MOST)).unwrap_or(usize::MAX)
}

/// The open connections of a listener.
pub(super) struct Connections {
    limits: Limits,
    open: Mutex<OpenCounts>,
}

#[derive(Default)]
struct OpenCounts {
    within: CountByAddress,
    spare: CountByAddress,
    requests: CountByAddress,
}

/// Counts of connections or requests.
#[derive(Default)]
struct CountByAddress {
    whole: usize,
    /// Without those of trusted proxies.
    by_address: HashMap<IpAddr, usize>,
}

/// A connection's place, free again when this is dropped.
pub(super) struct ConnectionPlace {
    connections: Arc<Connections>,
    kind: PlaceKind,
}

/// Each is counted for an address or a site, unless that is a trusted proxy's.
#[derive(Clone, Copy)]
enum PlaceKind {
    Within(Option<IpAddr>),
    /// Above the limits.
    Spare(Option<IpAddr>),
}

/// A request's place, until its answer is over.
pub(super) struct RequestPlace {
    connections: Arc<Connections>,
    counted: Option<IpAddr>,
}

impl Connections {
    pub(super) fn new(limits: Limits) -> Arc<Self> {
        let open = Mutex::default();
        Arc::new(Self { limits, open })
    }

    /// A place for a connection from there; `None`: the spare ones are taken too.
    pub(super) fn admit(self: &Arc<Self>, peer: SocketAddr) -> Option<ConnectionPlace> {
        let is_counted = !self.limits.proxies.contains(peer.ip());
        let address = is_counted.then(|| network(peer.ip()));
        let site = is_counted.then(|| site(peer.ip()));
        let Limits {
            whole,
            address: most,
            ..
        } = self.limits;
        let mut open = self.open.lock();
        let kind = if open.within.add(address, (whole, most)) {
            PlaceKind::Within(address)
        } else if open.spare.add(site, (SPARE, SITE_SPARE)) {
            PlaceKind::Spare(site)
        } else {
            return None;
        };
        drop(open);
        Some(ConnectionPlace {
            connections: Arc::clone(self),
            kind,
        })
    }
}

impl ConnectionPlace {
    pub(super) fn is_spare(&self) -> bool {
        matches!(self.kind, PlaceKind::Spare(_))
    }

    /// A place for one of the requests that the connection carries at once; `None`: there are as many as there may be.
    pub(super) fn request(&self) -> Option<RequestPlace> {
        let Limits { whole, address, .. } = self.connections.limits;
        let counted = match self.kind {
            PlaceKind::Within(counted) => counted,
            PlaceKind::Spare(_) => None,
        };
        let mut open = self.connections.open.lock();
        open.requests
            .add(counted, (whole, address))
            .then(|| RequestPlace {
                connections: Arc::clone(&self.connections),
                counted,
            })
    }
}

impl Drop for ConnectionPlace {
    fn drop(&mut self) {
        let mut open = self.connections.open.lock();
        match self.kind {
            PlaceKind::Within(counted) => open.within.remove(counted),
            PlaceKind::Spare(counted) => open.spare.remove(counted),
        }
    }
}

impl Drop for RequestPlace {
    fn drop(&mut self) {
        self.connections.open.lock().requests.remove(self.counted);
    }
}

impl CountByAddress {
    /// Counts one more, unless there are as many as there may be, whole or of the address.
    fn add(&mut self, counted: Option<IpAddr>, (whole, most): (usize, usize)) -> bool {
        if self.whole >= whole {
            return false;
        }
        if let Some(address) = counted {
            let of_address = self.by_address.entry(address).or_default();
            if *of_address >= most {
                return false;
            }
            *of_address += 1;
        }
        self.whole += 1;
        true
    }

    fn remove(&mut self, counted: Option<IpAddr>) {
        self.whole -= 1;
        if let Some(address) = counted
            && let Some(left) = self.by_address.get_mut(&address)
        {
            *left -= 1;
            if *left == 0 {
                self.by_address.remove(&address);
            }
        }
    }
}

/// An IPv4 address, or the /64 of an IPv6 one, which is what one household has.
pub fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into()
        }
        address @ IpAddr::V4(_) => address,
    }
}

/// The site of an address: the /24 of an IPv4 address, or the /48 of an IPv6 one.
fn site(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, ..] = address.segments();
            Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0).into()
        }
        IpAddr::V4(address) => {
            let [a, b, c, _] = address.octets();
            Ipv4Addr::new(a, b, c, 0).into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admit(connections: &Arc<Connections>, address: &str) -> Option<ConnectionPlace> {
        connections.admit(SocketAddr::new(address.parse().unwrap(), 1))
    }

    #[test]
    fn an_address_has_its_part_of_the_whole_and_proxies_have_all() {
        let proxies = TrustedProxies::parse("10.0.0.0/8").unwrap();
        let connections = Connections::new(Limits::new(4, 2, proxies));
        let of = |address| admit(&connections, address).map(|place| (place.is_spare(), place));
        let held: Vec<_> = ["2001:db8::1", "2001:db8::2"]
            .map(of)
            .into_iter()
            .flatten()
            .collect();
        assert!(held.iter().all(|(spare, _)| !spare));
        assert!(of("2001:db8::3").unwrap().0, "the /64 has its share");
        let proxy = ["10.0.0.1"; 2].map(of);
        assert!(proxy.iter().flatten().all(|(spare, _)| !spare));
        assert!(of("192.0.2.1").unwrap().0, "all are open");
        drop(held);
        assert!(!of("192.0.2.1").unwrap().0);
        assert!(!of("2001:db8::3").unwrap().0);
    }

    #[test]
    fn above_the_limits_few_are_let_in() {
        let connections = Connections::new(Limits::new(0, 0, TrustedProxies::default()));
        let of_site = |number| format!("192.0.2.{number}");
        let mut held: Vec<_> = (0..SITE_SPARE)
            .map(|number| admit(&connections, &of_site(number)))
            .collect();
        assert!(held.iter().all(Option::is_some));
        let of_one = admit(&connections, "192.0.2.200");
        assert!(of_one.is_none(), "one site has them all");
        held.extend((SITE_SPARE..SPARE).map(|other| {
            let address = format!("198.51.{other}.1");
            admit(&connections, &address)
        }));
        assert!(held.iter().all(Option::is_some));
        assert!(admit(&connections, "203.0.113.1").is_none());
        drop(held);
        assert!(admit(&connections, "192.0.2.1").is_some());
    }

    #[test]
    fn requests_have_the_limits_of_connections() {
        let connections = Connections::new(Limits::new(3, 2, TrustedProxies::default()));
        let one = admit(&connections, "192.0.2.1").unwrap();
        let held = [one.request(), one.request()];
        assert!(held.iter().all(Option::is_some));
        assert!(one.request().is_none(), "the address has its share");
        let other = admit(&connections, "192.0.2.2").unwrap();
        let last = other.request();
        assert!(last.is_some() && other.request().is_none(), "all are taken");
        drop(held);
        assert!(one.request().is_some());
    }
}
