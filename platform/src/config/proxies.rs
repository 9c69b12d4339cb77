//! Trusted proxies: networks that may name the caller's address in `X-Forwarded-For`.

use std::net::{IpAddr, SocketAddr};

use domain::networks::Networks;

/// The networks of one's own proxies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrustedProxies(Networks);

impl TrustedProxies {
    /// Reads networks such as `10.0.0.0/8` and single addresses, with commas between.
    ///
    /// # Errors
    /// The first entry that is no network.
    pub fn parse(text: &str) -> Result<Self, String> {
        let networks = text.parse::<Networks>();
        networks.map(Self).map_err(|error| error.to_string())
    }

    /// Whether one of them has this address.
    pub fn contains(&self, address: IpAddr) -> bool {
        self.0.contains(address)
    }

    /// The caller's own address: the last hop that is not a trusted proxy. `hops` are the addresses of
    /// `X-Forwarded-For`, the last one first; `peer` comes before them all.
    pub fn caller<'a>(&self, peer: IpAddr, hops: impl Iterator<Item = &'a str>) -> IpAddr {
        let mut caller = peer.to_canonical();
        for hop in hops {
            let trusted = self.contains(caller);
            let Some(before) = address(hop).filter(|_| trusted) else {
                break;
            };
            caller = before;
        }
        caller
    }
}

/// An address as proxies write it: alone, in brackets, or with a port.
fn address(text: &str) -> Option<IpAddr> {
    let text = text.trim();
    let bare = text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'));
    bare.unwrap_or(text)
        .parse()
        .or_else(|_| text.parse().map(|address: SocketAddr| address.ip()))
        .ok()
        .map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller(trusted: &str, peer: &str, forwarded: &str) -> String {
        let proxies = TrustedProxies::parse(trusted).unwrap();
        let peer = peer.parse().unwrap();
        proxies
            .caller(peer, forwarded.rsplit(',').filter(|hop| !hop.is_empty()))
            .to_string()
    }

    #[test]
    fn no_proxy_is_trusted_by_default() {
        assert_eq!(caller("", "192.0.2.1", "203.0.113.9"), "192.0.2.1");
        assert_eq!(
            caller("10.0.0.0/8", "192.0.2.1", "203.0.113.9"),
            "192.0.2.1"
        );
    }

    #[test]
    fn the_last_hop_that_is_not_trusted_is_the_caller() {
        let trusted = "10.0.0.0/8, 2001:db8::/32,192.0.2.7";
        for (peer, forwarded, expected) in [
            ("10.1.2.3", "203.0.113.9", "203.0.113.9"),
            // Whatever a caller writes itself stands before what its proxy added.
            ("10.1.2.3", "198.51.100.1, 203.0.113.9", "203.0.113.9"),
            ("10.1.2.3", "203.0.113.9,192.0.2.7, 10.9.9.9", "203.0.113.9"),
            ("2001:db8::1", "[2001:db9::5]:4711", "2001:db9::5"),
            ("10.1.2.3", "203.0.113.9:4711", "203.0.113.9"),
            ("::ffff:10.1.2.3", "::ffff:203.0.113.9", "203.0.113.9"),
            // Only proxies: the first of them.
            ("10.1.2.3", "10.0.0.1", "10.0.0.1"),
            ("10.1.2.3", "", "10.1.2.3"),
            ("10.1.2.3", "203.0.113.9, unknown", "10.1.2.3"),
        ] {
            assert_eq!(caller(trusted, peer, forwarded), expected, "{forwarded}");
        }
    }
}
