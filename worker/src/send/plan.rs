//! What goes on beside the drivers: audiences are planned slice by slice, pending counts are added to the tallies, and campaigns
//! end.

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

/// Plans, counts and ends campaigns until `shutdown`. Several workers may do so at once.
pub(crate) async fn run(
    store: Store,
    pepper: Arc<Pepper>,
    heartbeat: Heartbeat,
    shutdown: CancellationToken,
) {
    while !shutdown.is_cancelled() {
        heartbeat.record();
        if let Err(error) = tick(&store, &pepper, &heartbeat, &shutdown).await {
            tracing::debug!(%error, "campaigns wait for the database");
        }
        shutdown.run_until_cancelled(tokio::time::sleep(TICK)).await;
    }
}

async fn tick(
    store: &Store,
    pepper: &Pepper,
    heartbeat: &Heartbeat,
    shutdown: &CancellationToken,
) -> Result<(), Error> {
    store.roll_up_campaign_counts().await?;
    // A slice of each campaign in turn, so that a large audience does not hold up a small one.
    let mut campaigns: VecDeque<CampaignKey> = store.campaigns_to_plan().await?.into();
    let mut looked = Instant::now();
    while let Some(key) = campaigns.pop_front() {
        if shutdown.is_cancelled() {
            return Ok(());
        }
        heartbeat.record();
        if store.plan_audience(key, pepper).await?.is_some() {
            campaigns.push_back(key);
        }
        if looked.elapsed() >= TICK {
            looked = Instant::now();
            store.roll_up_campaign_counts().await?;
            let newer = store.campaigns_to_plan().await?;
            let newer: Vec<_> = newer
                .into_iter()
                .filter(|key| !campaigns.contains(key))
                .collect();
            campaigns.extend(newer);
        }
    }
    while store.end_cancelled_messages().await? > 0 && !shutdown.is_cancelled() {
        heartbeat.record();
    }
    let finished = store.finish_campaigns().await?;
    if finished > 0 {
        tracing::info!(campaigns = finished, "campaigns finished");
    }
    Ok(())
}
