//! `verify` and `rebuild`: what they find, what they repair, and that neither loses or doubles anything beside answers,
//! erasures and roll-ups.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use domain::rollup::Delta;
use serde_json::json;
use store::report::{Drift, ScanScope, Version};
use uuid::Uuid;
use worker::roll_up;

use super::survey::{Survey, stored};

/// Drifts of all days of the survey's form.
pub(super) async fn check(survey: &Survey) -> Result<Vec<Drift>> {
    let store = &survey.ledger.store;
    let slices = store.slices(survey.form).await?;
    let mut drifts = Vec::new();
    for slice in slices.iter() {
        drifts.extend(store.check_slice(survey.form, &slices, slice).await?);
    }
    Ok(drifts)
}

/// Rebuilds all slices; how many changed.
pub(super) async fn rebuild(survey: &Survey) -> Result<usize> {
    let store = &survey.ledger.store;
    let slices = store.slices(survey.form).await?;
    let mut changed = 0;
    for slice in slices.iter() {
        changed += usize::from(store.rebuild_slice(survey.form, &slices, slice).await?);
    }
    Ok(changed)
}

async fn version(survey: &Survey) -> Result<Version> {
    let version = survey.ledger.store.form_data_version(survey.form).await?;
    version.context("a form without a version")
}

/// Counts what nobody answered, as a fault would.
pub(super) async fn spoil(survey: &Survey, bus_prop_ids: &str) -> Result<()> {
    let other = survey.send(bus_prop_ids).await?;
    let answer = survey.answer(&other, Uuid::new_v4(), 0, &json!({"nps": 3}));
    let id = stored(survey.record(&[answer]).await?[0]);
    survey
        .ledger
        .damage("DELETE FROM feedback WHERE feedback_id = {id}", id)
        .await
}

#[tokio::test]
async fn what_is_not_stored_is_found_and_rebuilt() -> Result<()> {
    let survey = Survey::open().await?;
    let sent = survey.send("1_2").await?;
    let given = json!({"nps": 9, "mood": 5, "why": "Good."});
    let answers = [0, -1, -40].map(|days| survey.answer(&sent, Uuid::new_v4(), days, &given));
    survey.record(&answers[..2]).await?;
    survey.roll_up().await?;
    survey.record(&answers[2..]).await?;
    assert_eq!(check(&survey).await?, [], "what waits is counted too");
    spoil(&survey, "2").await?;
    for _ in 0..2 {
        let drifts = check(&survey).await?;
        let of = |counter: &str, bus_prop: Option<&str>| {
            let mut found = drifts
                .iter()
                .filter(|d| d.counter == counter && d.part.as_deref() == bus_prop);
            found.next().map(|d| (d.day, d.stored, d.recomputed))
        };
        let day = Some(survey.day(0));
        assert_eq!(of("responses", None), Some((day, 2, 1)));
        assert_eq!(of("nps=3", Some("store:S2")), Some((day, 1, 0)));
        assert_eq!(of("responses", Some("store:S1")), None);
        assert_eq!(of("views", None), None, "the visit was there");
        survey.roll_up().await?;
    }
    let before = version(&survey).await?;
    assert_eq!(rebuild(&survey).await?, 1, "one day was wrong");
    assert_eq!(check(&survey).await?, []);
    assert_eq!(rebuild(&survey).await?, 0);
    let after = version(&survey).await?;
    assert_eq!(after.number, before.number + 1);
    assert_ne!(after.stamp, before.stamp);
    let counts = survey.rolled_up(0).await?;
    assert_eq!(
        (counts.views, counts.responses, counts.promoters),
        (2, 1, 1)
    );
    Ok(())
}

#[tokio::test]
async fn what_did_not_come_through_a_link_is_found_and_rebuilt() -> Result<()> {
    let survey = Survey::open().await?;
    let store = &survey.ledger.store;
    let sent = survey.send("1").await?;
    let answers = [0, 1].map(|day| survey.answer(&sent, Uuid::new_v4(), day, &json!({"nps": 9})));
    survey.record(&answers).await?;
    assert_eq!(
        store.check_links(survey.form).await?,
        [],
        "what waits is counted too"
    );
    spoil(&survey, "2").await?;
    for _ in 0..2 {
        let drifts = store.check_links(survey.form).await?;
        let found = drifts.iter().map(|d| (&*d.counter, d.stored, d.recomputed));
        assert_eq!(found.collect::<Vec<_>>(), [("responses", 1, 0)]);
        survey.roll_up().await?;
    }
    assert!(store.rebuild_links(survey.form).await?);
    assert_eq!(store.check_links(survey.form).await?, []);
    assert!(!store.rebuild_links(survey.form).await?);
    let link = survey.read_link(&sent).await?;
    assert_eq!((link.views, link.responses), (2, 2));
    Ok(())
}

#[tokio::test]
async fn a_rebuild_leaves_what_waits_to_the_roll_up() -> Result<()> {
    let survey = Survey::open().await?;
    let sent = survey.send("1").await?;
    let days = [0, 0, -1];
    let answers = days.map(|days| survey.answer(&sent, Uuid::new_v4(), days, &json!({"mood": 2})));
    let first = stored(survey.record(&answers).await?[0]);
    survey
        .ledger
        .store
        .record_views(&[survey.view(&sent, Uuid::new_v4(), 0)])
        .await?;
    assert_eq!(rebuild(&survey).await?, 0);
    let counts = survey.rolled_up(0).await?;
    assert_eq!((counts.views, counts.responses), (3, 2));
    let link = survey.read_link(&sent).await?;
    assert_eq!((link.views, link.responses), (4, 3), "of all days");
    survey
        .ledger
        .store
        .erase_feedback(survey.form.account_id, first)
        .await?;
    assert_eq!(rebuild(&survey).await?, 0);
    assert_eq!(check(&survey).await?, []);
    assert_eq!(survey.rolled_up(0).await?.responses, 1);
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn beside_answers_erasures_and_roll_ups_nothing_is_lost_or_counted_twice() -> Result<()> {
    const TIMES: usize = 60;
    let survey = Survey::open().await?;
    let sent = survey.send("1_3").await?;
    let store = &survey.ledger.store;
    let answering = async {
        let mut last = None;
        for n in 0..TIMES {
            let day = i64::try_from(n % 3)? - 2;
            let answer = survey.answer(&sent, Uuid::new_v4(), day, &json!({"nps": n % 11}));
            let id = stored(survey.record(&[answer]).await?[0]);
            if let Some(erased) = last.replace(id).filter(|_| n % 4 == 0) {
                store.erase_feedback(survey.form.account_id, erased).await?;
            }
        }
        anyhow::Ok(())
    };
    let rolling_up = async {
        for _ in 0..TIMES {
            roll_up::run(store, survey.form, ScanScope::Recent).await?;
            tokio::task::yield_now().await;
        }
        anyhow::Ok(())
    };
    let rebuilding = async {
        for _ in 0..TIMES / 3 {
            rebuild(&survey).await?;
            assert_eq!(check(&survey).await?, [], "in the middle of it");
        }
        anyhow::Ok(())
    };
    tokio::try_join!(answering, rolling_up, rebuilding)?;
    survey.roll_up().await?;
    assert_eq!(check(&survey).await?, []);
    let days: BTreeMap<_, Delta> = survey.rollup(3).await?.days.into_iter().collect();
    let responses: i64 = days.values().map(|day| day.counts.responses).sum();
    assert_eq!(responses, i64::try_from(TIMES - (TIMES - 1) / 4)?);
    Ok(())
}

#[tokio::test]
async fn recipients_are_checked_and_rebuilt() -> Result<()> {
    let ledger = super::fixture::Ledger::open().await?;
    let (store, account) = (&ledger.store, ledger.account_id);
    assert!(!store.rebuild_recipients(account).await?);
    let batch = ledger.post(&[&[("a", 1), ("b", 1)]]).await?;
    ledger.step(ledger.chunk(&batch, 0)).await?;
    assert_eq!(store.check_recipients(account).await?, []);
    assert!(!store.rebuild_recipients(account).await?);
    ledger
        .damage(
            "DELETE FROM recipient WHERE docid = 'a' AND account_id = {id}",
            account,
        )
        .await?;
    let drifts = store.check_recipients(account).await?;
    assert_eq!(
        drifts
            .iter()
            .map(|d| (d.stored, d.recomputed))
            .collect::<Vec<_>>(),
        [(2, 1)]
    );
    let before = store.account_data_version(account).await?;
    assert!(store.rebuild_recipients(account).await?);
    assert_ne!(store.account_data_version(account).await?, before);
    assert_eq!(store.check_recipients(account).await?, []);
    assert_eq!(ledger.counted().await?, 1);
    Ok(())
}
