//! What goes on in the demo while somebody looks: guests come, get their message, and some of them answer. All of it through the
//! API, as a customer's programs would.

use std::time::Duration;

use anyhow::Context;
use platform::config::{Config, ConfigError};
use rand::RngExt;
use rand::seq::IndexedRandom;
use reqwest::Method;
use serde_json::{Value, json};
use store::account::IssuedKey;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::company::{RUNNING, SENDER, STORES};
use super::past::{NAMES, comment, grade, mood};
use crate::output::{list, word};
use crate::service::{Connection, ServiceClient, ask};

/// The time between two things that happen.
const PACE: Duration = Duration::from_secs(2);
/// Guests come in groups, each time after so many things.
const IMPORTS_EVERY: u64 = 20;

/// Lives on beside the service.
pub(super) struct Live(ServiceClient);

impl Live {
    pub(super) fn new(config: &Config, key: IssuedKey) -> anyhow::Result<Self> {
        if config.tls.is_some() {
            let reason = "the demo calls itself without TLS";
            return Err(ConfigError::new("FEEDBACK_TLS", reason).into());
        }
        let connection = Connection {
            url: format!("http://{}", config.listen),
            api_key: Some(key.api_key),
            secret_key: Some(key.secret_key),
        };
        Ok(Self(ServiceClient::new(&connection, false)?))
    }

    /// Until the service ends. What fails is tried again with the next thing that happens.
    pub(super) async fn run(self, shutdown: CancellationToken) {
        let mut tick: u64 = 0;
        while shutdown.run_until_cancelled(sleep(PACE)).await.is_some() {
            let guests = match tick {
                0 => Some(batch(200, 0)),
                1 => Some(batch(60, 5)),
                tick => (tick % IMPORTS_EVERY == 0).then(|| batch(12, 0)),
            };
            tick += 1;
            if let Err(error) = self.happen(guests).await {
                tracing::debug!(%error, "nothing happened in the demo");
            }
        }
    }

    async fn happen(&self, guests: Option<Value>) -> anyhow::Result<()> {
        let campaigns = self.0.get("/api_v1/sms/campaign").await?;
        // Nothing of a demo is to reach a real phone, and no guests come to the campaigns of whoever looks.
        let is_own = |campaign: &&Value| {
            campaign["status"] == "RUNNING"
                && campaign["sender"] == SENDER
                && campaign["name"] == RUNNING
        };
        let running = list(&campaigns["items"]).iter().find(is_own);
        let running = running.context("no campaign runs")?;
        if let Some(guests) = guests {
            let import = self.0.call(Method::POST, "/api_v1/sms/import");
            let import = import.query(&[("campaign", &running["campaign_id"])]);
            ask(import.json(&guests)).await?;
        }
        // Somebody whose message arrived opens one of the newest links, and perhaps answers.
        let links = format!("/api_v1/form/{}/link?limit=100", word(&running["form_id"]));
        let links = self.0.get(&links).await?;
        if let Some((link, docid)) = unseen(list(&links["items"])) {
            let messages = format!("/api_v1/sms/recipient/{docid}/message");
            let messages = self.0.get(&messages).await?;
            let mut messages = list(&messages["items"]).iter();
            if messages.any(|message| message["status"] == "delivered") {
                let (path, body) = visit(link);
                ask(self.0.call(Method::POST, &path).json(&body)).await?;
            }
        }
        Ok(())
    }
}

/// One of the links that nobody has seen, and who got it.
fn unseen(links: &[Value]) -> Option<(&Value, &str)> {
    let unseen = links.iter().filter(|link| link["views"] == 0);
    let unseen = unseen.filter_map(|link| Some((link, link["track_fields"]["docid"].as_str()?)));
    let unseen: Vec<_> = unseen.collect();
    unseen.choose(&mut rand::rng()).copied()
}

/// What somebody sends who opens a link.
fn visit(link: &Value) -> (String, Value) {
    let (mut rng, token) = (rand::rng(), word(&link["token"]));
    if rng.random_bool(0.4) {
        let seen = json!({"visit": Uuid::new_v4()});
        return (format!("/f/{token}/view"), seen);
    }
    let mut stores = STORES.iter();
    let store = stores.find(|(store, _)| link["track_fields"]["store"] == *store);
    // As on the days before, so that no chart ends with a jump.
    let mood = mood(store.map_or("", |(store, _)| store), 0, &mut rng);
    let mut answers = json!({"recommend": grade(mood, 0, 10), "mood": grade(mood, 1, 5)});
    if let Some((_, language)) = store
        && rng.random_bool(0.35)
        && let Some(written) = comment(mood, language, &mut rng)
    {
        answers["more"] = written;
    }
    (format!("/f/{token}"), json!({"answers": answers}))
}

/// Guests of the last minutes; the first `rejected` have no phone that could be one.
fn batch(guests: usize, rejected: usize) -> Value {
    let mut rng = rand::rng();
    let guest = |place: usize| {
        let (store, _) = STORES.choose(&mut rng).copied().unwrap_or_default();
        let name = NAMES.choose(&mut rng).copied().unwrap_or_default();
        let number = rng.random_range(20_000_000..99_999_999);
        let phone = if place < rejected {
            "unknown".to_owned()
        } else {
            format!("+49151{number}")
        };
        json!({"docid": format!("order-{}", Uuid::now_v7().simple()), "phone": phone, "store": store, "first_name": name})
    };
    (0..guests).map(guest).collect()
}
