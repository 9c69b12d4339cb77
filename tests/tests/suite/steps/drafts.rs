//! A DRAFT may change its sender while a test of it waits: the test goes through the sender that it was made for. It changes beside
//! older programs too; what was started does not.

use std::sync::atomic::AtomicU16;

use anyhow::{Context, Result, ensure};
use domain::campaign::{CampaignAction, CampaignContent};
use serde_json::json;
use store::Error;
use store::send::drive::{DriveOutcome, Driver, Wanted};
use store::send::lease::Taker;
use store::send::{CampaignChange, CampaignKey};
use uuid::Uuid;

use super::fixture::phone;
use super::survey::Survey;

fn content(form_id: Uuid, sender: &str) -> Result<CampaignContent> {
    let body = json!({
        "name": "Every order", "form_id": form_id, "sender": sender, "text": "Hi: {link}",
        "audience": {"on_import": true}, "send_window": null,
    });
    CampaignContent::parse(&body).map_err(|problems| anyhow::anyhow!("{problems:?}"))
}

/// The tests that the sender of this name is given to hand over.
async fn claimed(survey: &Survey, campaign: CampaignKey, sender: &str) -> Result<usize> {
    let ledger = &survey.ledger;
    let lease = ledger
        .store
        .take_lease(sender, &mut Taker::new(Uuid::new_v4()))
        .await?;
    let driver = Driver {
        lease: &lease.context("no lease")?,
        pepper: &ledger.pepper,
        countries: None,
        types: None,
        link_prefix: "https://feedback.example/f/",
        keeps_ids: false,
        numbers: &AtomicU16::new(0),
        has_receipts: true,
        parts_per_day: None,
        prices: None,
    };
    let wanted = [Wanted {
        campaign,
        messages: 10,
    }];
    match ledger.store.drive(&driver, &[], &wanted).await? {
        DriveOutcome::Done { claimed, .. } => Ok(claimed.len()),
        step => anyhow::bail!("{step:?}"),
    }
}

#[tokio::test]
async fn a_test_goes_through_the_sender_that_its_draft_had() -> Result<()> {
    let survey = Survey::open().await?;
    let received = survey.ledger.post(&[&[("a", 1)]]).await?;
    let ledger = &survey.ledger;
    ledger.step(ledger.chunk(&received, 0)).await?;
    let (store, account, form) = (&ledger.store, survey.form.account_id, survey.form.form_id);
    let (before, after) = (content(form, "before")?, content(form, "after")?);
    let made = store.create_campaign(account, &before).await?;
    let key = CampaignKey::new(account, made.campaign_id);
    let test = store.schedule_test(key, Some("a"), &phone(7)).await?;
    ensure!(test.is_some(), "no test");
    let changed = store.replace_campaign(key, None, &after).await?;
    ensure!(matches!(changed, CampaignChange::Done(_)), "{changed:?}");
    ensure!(
        claimed(&survey, key, "after").await? == 0,
        "through another"
    );
    ensure!(claimed(&survey, key, "before").await? == 1, "not at all");
    Ok(())
}

/// A program of an older release knows of no message that was moved.
#[tokio::test]
async fn what_was_started_is_changed_once_no_older_program_runs() -> Result<()> {
    let survey = Survey::open().await?;
    let (store, account, form) = (
        &survey.ledger.store,
        survey.form.account_id,
        survey.form.form_id,
    );
    let (before, mut after) = (content(form, "demo")?, content(form, "demo")?);
    after.name = "Each order".to_owned();
    let made = store.create_campaign(account, &before).await?;
    let key = CampaignKey::new(account, made.campaign_id);
    let older = "UPDATE schema_version SET version = 10";
    survey.ledger.damage(older, account).await?;
    let draft = store.replace_campaign(key, None, &after).await?;
    ensure!(matches!(draft, CampaignChange::Done(_)), "{draft:?}");
    store.act_on_campaign(key, CampaignAction::Start).await?;
    let started = store.replace_campaign(key, None, &before).await;
    ensure!(
        matches!(started, Err(Error::UpgradeUnfinished)),
        "{started:?}"
    );
    Ok(())
}
