//! What waits for workers, as metrics have it.

use anyhow::{Context, Result, ensure};
use chrono::TimeDelta;
use domain::campaign::CampaignAction;
use domain::message::Lane;
use serde_json::json;
use store::backlog::{LaneBacklog, SenderBacklog};
use store::report::ScanScope;
use store::send::{CampaignChange, CampaignKey};
use uuid::Uuid;
use worker::roll_up;

use super::fixture::Ledger;
use super::sending::{SENDER, content};
use super::survey::Survey;

const YEAR: TimeDelta = TimeDelta::days(365);

async fn lane(ledger: &Ledger, lane: Lane) -> Result<LaneBacklog> {
    let backlog = ledger.store.backlog(&[]).await?;
    let found = backlog.lanes.into_iter().find(|found| found.lane == lane);
    found.context("no lane")
}

async fn due(ledger: &Ledger) -> Result<SenderBacklog> {
    let senders = [SENDER, "another"].map(str::to_owned);
    let backlog = ledger.store.backlog(&senders).await?;
    ensure!(backlog.senders[1].due == 0, "{backlog:?}");
    Ok(backlog.senders[0])
}

#[tokio::test]
async fn chunks_wait_until_they_are_stored_or_parked() -> Result<()> {
    let ledger = Ledger::open().await?;
    let none = LaneBacklog {
        lane: Lane::Bulk,
        chunks: 0,
        parked: 0,
        oldest: TimeDelta::zero(),
    };
    assert_eq!(lane(&ledger, Lane::Bulk).await?, none);
    let batch = ledger.post(&[&[("a", 1)], &[("b", 1)]]).await?;
    ledger.post(&[&[("c", 1)]]).await?;
    let long_ago =
        "UPDATE import_batch SET queued_at = '2020-01-01T00:00:00+00:00' WHERE batch_id = {id}";
    ledger.damage(long_ago, batch.batch_id).await?;
    let (bulk, small) = (
        lane(&ledger, Lane::Bulk).await?,
        lane(&ledger, Lane::Small).await?,
    );
    assert_eq!(
        (bulk.chunks, bulk.parked, small.chunks, small.parked),
        (2, 0, 1, 0)
    );
    ensure!(
        bulk.oldest > YEAR && small.oldest < YEAR,
        "{bulk:?} {small:?}"
    );
    ledger.step(ledger.chunk(&batch, 0)).await?;
    let bulk = lane(&ledger, Lane::Bulk).await?;
    assert_eq!((bulk.chunks, bulk.parked), (1, 0));
    let last = ledger.chunk(&batch, 1);
    ledger.store.note_failure(last, "a fault", true).await?;
    let parked = LaneBacklog { parked: 1, ..none };
    assert_eq!(lane(&ledger, Lane::Bulk).await?, parked);
    Ok(())
}

#[tokio::test]
async fn counts_wait_until_they_are_rolled_up() -> Result<()> {
    let survey = Survey::open().await?;
    let ledger = &survey.ledger;
    let lag = async || anyhow::Ok(ledger.store.backlog(&[]).await?.roll_up_lag);
    assert_eq!(lag().await?, TimeDelta::zero());
    let sent = survey.send("1").await?;
    let answer = survey.answer(&sent, Uuid::new_v4(), 0, &json!({"nps": 9}));
    survey.record(&[answer]).await?;
    let long_ago =
        "UPDATE pending_delta SET created_at = '2020-01-01T00:00:00+00:00' WHERE form_id = {id}";
    ledger.damage(long_ago, survey.form.form_id).await?;
    ensure!(lag().await? > YEAR, "{}", lag().await?);
    roll_up::run(&ledger.store, survey.form, ScanScope::All).await?;
    assert_eq!(lag().await?, TimeDelta::zero());
    Ok(())
}

#[tokio::test]
async fn messages_are_due_while_their_campaign_runs() -> Result<()> {
    let mut survey = Survey::open().await?;
    let (store, account) = (survey.ledger.store.clone(), survey.form.account_id);
    let content = content(survey.form.form_id, false)?;
    let made = store.create_campaign(account, &content).await?;
    let key = CampaignKey::new(account, made.campaign_id);
    let act = async |action| {
        let done = store.act_on_campaign(key, action).await?;
        ensure!(matches!(done, CampaignChange::Done(_)), "{done:?}");
        Ok(())
    };
    act(CampaignAction::Start).await?;
    survey.ledger.campaign_id = Some(key.campaign_id);
    let ledger = &survey.ledger;
    assert_eq!(due(ledger).await?.due, 0);
    let batch = ledger.post(&[&[("a", 1), ("b", 2), ("c", 3)]]).await?;
    ledger.step(ledger.chunk(&batch, 0)).await?;
    let long_ago =
        "UPDATE message_due SET due_at = '2020-01-01T00:00:00+00:00' WHERE campaign_id = {id}";
    ledger.damage(long_ago, key.campaign_id).await?;
    let waiting = due(ledger).await?;
    ensure!(waiting.due == 3 && waiting.oldest > YEAR, "{waiting:?}");
    act(CampaignAction::Pause).await?;
    let paused = SenderBacklog {
        due: 0,
        oldest: TimeDelta::zero(),
        unmatched_receipts: 0,
    };
    assert_eq!(due(ledger).await?, paused);
    Ok(())
}
