//! What goes on beside the drivers: audiences are planned slice by slice, pending counts are added to the tallies, what waits for a
//! sender that is away goes to the next, and campaigns end.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use domain::pepper::Pepper;
use platform::health::Heartbeat;
use store::send::CampaignKey;
use store::{Error, Store};
use tokio_util::sync::CancellationToken;

/// The time between two looks.
const TICK: Duration = Duration::from_millis(500);

/// The time between two looks for senders that are away: one that is has the time to try what is new.
const LOOK_FOR_AWAY: Duration = Duration::from_secs(5);

/// The loop that plans, counts and ends campaigns. Several workers may do so at once.
pub(crate) struct PlanningJob {
    pub store: Store,
    pub pepper: Arc<Pepper>,
    pub heartbeat: Heartbeat,
}

impl PlanningJob {
    /// Runs until `shutdown`.
    pub(crate) async fn run(self, shutdown: CancellationToken) {
        // A large audience does not hold up what waits for a sender that is away.
        tokio::join!(self.plan(&shutdown), self.watch_senders(&shutdown));
    }

    async fn plan(&self, shutdown: &CancellationToken) {
        while !shutdown.is_cancelled() {
            self.heartbeat.record();
            if let Err(error) = self.tick(shutdown).await {
                tracing::debug!(%error, "campaigns wait for the database");
            }
            shutdown.run_until_cancelled(tokio::time::sleep(TICK)).await;
        }
    }

    /// Lets the next senders take what waits for those that are away.
    async fn watch_senders(&self, shutdown: &CancellationToken) {
        while !shutdown.is_cancelled() {
            if let Err(error) = self.fall_over(shutdown).await {
                tracing::debug!(%error, "what waits for a sender stays there");
            }
            let wait = tokio::time::sleep(LOOK_FOR_AWAY);
            shutdown.run_until_cancelled(wait).await;
        }
    }

    async fn fall_over(&self, shutdown: &CancellationToken) -> Result<(), Error> {
        let mut messages = 0;
        while !shutdown.is_cancelled() {
            let moved = self.store.fall_over().await?;
            messages += moved;
            if moved == 0 {
                break;
            }
        }
        if messages > 0 {
            tracing::warn!(
                messages,
                "a sender is away, and the next one takes what waits"
            );
        }
        Ok(())
    }

    async fn tick(&self, shutdown: &CancellationToken) -> Result<(), Error> {
        self.store.roll_up_campaign_counts().await?;
        // A slice of each campaign in turn, so that a large audience does not hold up a small one.
        let mut campaigns: VecDeque<CampaignKey> = self.store.campaigns_to_plan().await?.into();
        let mut looked = Instant::now();
        while let Some(key) = campaigns.pop_front() {
            if shutdown.is_cancelled() {
                return Ok(());
            }
            self.heartbeat.record();
            let planned = self.store.plan_audience(key, &self.pepper).await;
            let planned = self.store.unless_away(key.account_id, planned)?;
            if planned.is_some() {
                campaigns.push_back(key);
            }
            if looked.elapsed() >= TICK {
                looked = Instant::now();
                self.store.roll_up_campaign_counts().await?;
                let newer = self.store.campaigns_to_plan().await?;
                let newer: Vec<_> = newer
                    .into_iter()
                    .filter(|key| !campaigns.contains(key))
                    .collect();
                campaigns.extend(newer);
            }
        }
        while self.store.end_cancelled_messages().await? > 0 && !shutdown.is_cancelled() {
            self.heartbeat.record();
        }
        let finished = self.store.finish_campaigns().await?;
        if finished > 0 {
            tracing::info!(campaigns = finished, "campaigns finished");
        }
        Ok(())
    }
}
