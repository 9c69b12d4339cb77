//! What goes on in the demo while somebody looks: guests come, get their message, and some of them answer. All of it through the
//! API, as a customer's programs would.

use std::time::Duration;

use anyhow::Context;
use platform::config::Config;
use rand::RngExt;
use rand::seq::IndexedRandom;
use reqwest::{Client, RequestBuilder};
use serde_json::{Value, json};
use store::account::IssuedKey;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::company::{RUNNING, SENDER, STORES};

/// The time between two things that happen.
const PACE: Duration = Duration::from_secs(2);
/// Guests come in groups, each time after so many things.
const IMPORTS_EVERY: u64 = 20;

/// Lives on beside the service.
pub(crate) struct Live {
    client: Client,
    base: String,
    key: IssuedKey,
}

impl Live {
    pub(super) fn new(config: &Config, key: IssuedKey) -> Self {
        Self {
            client: Client::new(),
            base: format!("http://{}", config.listen),
            key,
        }
    }

    /// Until the service ends. What fails is tried again with the next thing that happens.
    pub(crate) async fn run(self, shutdown: CancellationToken) {
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
        let campaigns = self.read("/api_v1/sms/campaign").await?;
        let campaigns = campaigns["items"].as_array().context("no campaigns")?;
        // Nothing of a demo is to reach a real phone, and no guests come to the campaigns of whoever looks.
        let is_own = |campaign: &&Value| {
            campaign["status"] == "RUNNING"
                && campaign["sender"] == SENDER
                && campaign["name"] == RUNNING
        };
        let running = campaigns.iter().find(is_own);
        let running = running.context("no campaign runs")?;
        if let Some(guests) = guests {
            let id = running["campaign_id"].as_str().unwrap_or_default();
            let url = format!("{}/api_v1/sms/import?campaign={id}", self.base);
            let import = self.signed(self.client.post(url).json(&guests));
            import.send().await?.error_for_status()?;
        }
        let form = running["form_id"].as_str().unwrap_or_default();
        self.answer(form).await
    }

    /// Somebody opens one of the newest links, and perhaps answers.
    async fn answer(&self, form: &str) -> anyhow::Result<()> {
        let links = self
            .read(&format!("/api_v1/form/{form}/link?limit=100"))
            .await?;
        let links = links["items"].as_array().context("no links")?;
        let Some((path, body)) = visit(links) else {
            return Ok(());
        };
        let visit = self.client.post(format!("{}{path}", self.base)).json(&body);
        visit.send().await?.error_for_status()?;
        Ok(())
    }

    async fn read(&self, path: &str) -> anyhow::Result<Value> {
        let answer = self.signed(self.client.get(format!("{}{path}", self.base)));
        Ok(answer.send().await?.error_for_status()?.json().await?)
    }

    fn signed(&self, request: RequestBuilder) -> RequestBuilder {
        let request = request.header("x-api-key", &self.key.api_key);
        request.header("x-secret-key", &self.key.secret_key)
    }
}

/// What somebody sends who opens one of the links that nobody has seen.
fn visit(links: &[Value]) -> Option<(String, Value)> {
    let unseen = links.iter().filter(|link| link["views"] == 0);
    let unseen: Vec<_> = unseen.filter_map(|link| link["token"].as_str()).collect();
    let mut rng = rand::rng();
    let token = unseen.choose(&mut rng)?;
    if rng.random_bool(0.4) {
        let seen = json!({"visit": Uuid::new_v4()});
        return Some((format!("/f/{token}/view"), seen));
    }
    let recommend = *[10, 10, 9, 9, 9, 8, 8, 7, 6, 3].choose(&mut rng)?;
    let answers = json!({"answers": {"recommend": recommend, "mood": recommend / 2}});
    Some((format!("/f/{token}"), answers))
}

/// Guests of the last minutes; the first `rejected` have no phone that could be one.
fn batch(guests: usize, rejected: usize) -> Value {
    let mut rng = rand::rng();
    let guest = |place: usize| {
        let (store, _) = STORES.choose(&mut rng).copied().unwrap_or_default();
        let number = rng.random_range(20_000_000..99_999_999);
        let phone = if place < rejected {
            "unknown".to_owned()
        } else {
            format!("+49151{number}")
        };
        json!({"docid": format!("order-{}", Uuid::now_v7().simple()), "phone": phone, "store": store})
    };
    (0..guests).map(guest).collect()
}
