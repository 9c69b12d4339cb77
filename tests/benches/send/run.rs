//! A service with a sender, and campaigns whose messages go out by the clock.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::Value;
use tests::app::{App, Backends};
use tests::bench::frame::{settle, unlimited};
use tests::bench::million;
use tests::campaign::{count, on_import};
use tests::client::Client;
use tests::import::{IMPORT, JSON};

/// How exact an end is seen. It is counted against us; asking more often would cost more than it finds.
const POLL: Duration = Duration::from_millis(50);

/// A campaign that takes this long hangs.
const LONGEST: Duration = Duration::from_mins(30);

/// One api and two workers, or `serve`, with this sender.
pub(super) async fn start(backends: Backends, sender: &str) -> Result<App> {
    let setup = App::setup().workers(2).on(backends);
    let setup = setup.setting("FEEDBACK_SENDERS", sender);
    // Other senders than `demo` refuse links to this machine.
    unlimited(setup.setting("FEEDBACK_PUBLIC_URL", "https://feedback.example")).await
}

/// A campaign under way.
pub(super) struct Run {
    pub(super) client: Client,
    campaign: Value,
    messages: u64,
    pub(super) began: Instant,
}

impl Run {
    /// So many messages of a new account begin to go out through the sender.
    pub(super) async fn begin(app: &App, sender: &str, messages: u32) -> Result<Self> {
        let client = app.client().await?;
        let campaign = client.started(|form| on_import(form, sender)).await?;
        client.act(&campaign, "pause").await?.expect(200)?;
        let id = campaign["campaign_id"].as_str().context("no campaign_id")?;
        let path = format!("{IMPORT}?campaign={id}");
        let body = million::body(&million::at_random(messages));
        let import = client.call(Method::POST, &path).body(JSON, body);
        import.send().await?.expect(202)?;
        let mut run = Self {
            client,
            campaign,
            messages: messages.into(),
            began: Instant::now(),
        };
        let all = run.messages;
        run.until(|now| count(now, "first", "recipients") == all)
            .await?;
        settle(app).await?;
        run.began = Instant::now();
        let resumed = run.client.act(&run.campaign, "resume").await?;
        resumed.expect(200)?;
        Ok(run)
    }

    /// The messages a second until all were accepted.
    pub(super) async fn accepted(&self) -> Result<f64> {
        let counted = ["accepted", "delivered"];
        self.rate(|now| counted.iter().map(|name| count(now, "first", name)).sum())
            .await
    }

    /// The messages a second until all were delivered.
    pub(super) async fn delivered(&self) -> Result<f64> {
        self.rate(|now| count(now, "first", "delivered")).await
    }

    async fn rate(&self, counted: impl Fn(&Value) -> u64) -> Result<f64> {
        self.until(|now| counted(now) == self.messages).await?;
        #[expect(clippy::cast_precision_loss, reason = "a million at most")]
        let messages = self.messages as f64;
        Ok(messages / self.began.elapsed().as_secs_f64())
    }

    /// The campaign once it is as the condition wants it. Its counts add up all the while.
    pub(super) async fn until(&self, condition: impl Fn(&Value) -> bool) -> Result<Value> {
        loop {
            let now = self.now().await?;
            if condition(&now) {
                return Ok(now);
            }
            ensure!(self.began.elapsed() < LONGEST, "it hangs: {now}");
            tokio::time::sleep(POLL).await;
        }
    }

    /// The campaign with its counts, which add up.
    pub(super) async fn now(&self) -> Result<Value> {
        self.client.read_campaign(&self.campaign).await
    }
}
