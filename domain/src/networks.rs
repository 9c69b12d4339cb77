//! Networks of addresses.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use ipnet::IpNet;

/// Networks such as `10.0.0.0/8`, and single addresses; as text with commas between.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Networks(Vec<IpNet>);

/// A text that is no network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is neither a network such as 10.0.0.0/8 nor an address")]
pub struct NoNetwork(String);

impl Networks {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether one of them has this address.
    pub fn contains(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|network| network.contains(&address))
    }
}

impl FromStr for Networks {
    type Err = NoNetwork;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty())
            .map(|part| {
                part.parse::<IpNet>()
                    .or_else(|_| part.parse::<IpAddr>().map(IpNet::from))
                    .map_err(|_| NoNetwork(part.to_owned()))
            })
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

impl fmt::Display for Networks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |network: &IpNet| {
            if network.prefix_len() == network.max_prefix_len() {
                network.addr().to_string()
            } else {
                network.to_string()
            }
        };
        let networks: Vec<_> = self.0.iter().map(text).collect();
        f.write_str(&networks.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_and_addresses_are_read_and_shown() {
        let networks: Networks = "10.0.0.0/8, 2001:db8::/48,192.0.2.7".parse().unwrap();
        assert_eq!(networks.to_string(), "10.0.0.0/8,2001:db8::/48,192.0.2.7");
        for (address, expected) in [
            ("10.1.2.3", true),
            ("::ffff:10.1.2.3", true),
            ("2001:db8:0:1::1", true),
            ("192.0.2.7", true),
            ("192.0.2.8", false),
            ("2001:db9::1", false),
        ] {
            assert_eq!(
                networks.contains(address.parse().unwrap()),
                expected,
                "{address}"
            );
        }
        assert!("".parse::<Networks>().unwrap().is_empty());
    }

    #[test]
    fn a_text_that_is_no_network_is_refused() {
        for text in ["10.0.0.0/33", "localhost", "10.0.0.0/8 10.1.0.0/16", "*"] {
            assert!(text.parse::<Networks>().is_err(), "{text}");
        }
    }
}
