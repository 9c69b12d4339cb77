//! From where somebody signs in, as the list of their sessions shows it.

use api_http::Network;
use axum::http::HeaderMap;
use axum::http::header::USER_AGENT;

/// What browsers have in what they call themselves, with their names: most have those of others too, which come later.
const BROWSERS: [(&str, &str); 8] = [
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser", "Samsung Internet"),
    ("Firefox", "Firefox"),
    ("FxiOS", "Firefox"),
    ("Chrome", "Chrome"),
    ("CriOS", "Chrome"),
    ("Safari", "Safari"),
];
/// The same of systems.
const SYSTEMS: [(&str, &str); 7] = [
    ("Windows", "Windows"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("CrOS", "ChromeOS"),
    ("Mac OS X", "Mac"),
    ("Linux", "Linux"),
];

/// A browser and its network.
pub struct Visitor {
    /// Such as `Firefox, Windows`; empty: not known.
    browser: String,
    address: String,
}

impl Visitor {
    pub fn new(network: Network, headers: &HeaderMap) -> Self {
        let agent = headers
            .get(USER_AGENT)
            .and_then(|agent| agent.to_str().ok());
        Self {
            browser: in_words(agent.unwrap_or_default()),
            address: network.to_string(),
        }
    }

    pub fn parts(&self) -> (&str, &str) {
        (&self.browser, &self.address)
    }
}

fn in_words(agent: &str) -> String {
    let find = |known: &[(&str, &'static str)]| {
        let mut known = known.iter();
        known.find_map(|&(part, name)| agent.contains(part).then_some(name))
    };
    let words = [find(&BROWSERS), find(&SYSTEMS)];
    words.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_is_named_whomever_it_names_beside_itself() {
        for (agent, words) in [
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0",
                "Firefox, Windows",
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0",
                "Edge, Windows",
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1",
                "Safari, iPhone",
            ),
            (
                "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36",
                "Chrome, Android",
            ),
            ("curl/8.5.0", ""),
        ] {
            assert_eq!(in_words(agent), words, "{agent}");
        }
    }
}
