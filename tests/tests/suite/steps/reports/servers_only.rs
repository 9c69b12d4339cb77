//! What Redis holds: entries that are wrong, and who writes them. Embedded there is no shared cache.

use anyhow::{Context, Result};
use bytes::Bytes;
use chrono::NaiveDate;
use domain::month::Month;
use domain::rollup::Delta;
use report::ReportSource;
use store::report::{Drift, ScanScope, WHOLE};
use tests::wait::{SOON, eventually};
use worker::roll_up;

use super::{answer, cached, expected, series};
use crate::steps::survey::Survey;

/// What Redis has of a month of the survey's form, once it answers: a busy machine may be slower than what a cache is given.
async fn entry(survey: &Survey, bus_prop_id: i64) -> Result<(String, Bytes)> {
    let (account_id, form_id) = (survey.form.account_id, survey.form.form_id);
    let month = Month::of(survey.day(0));
    let key = format!("feedback:{{{account_id}}}:days.v3:{form_id}:{bus_prop_id}:{month}");
    let found = eventually(SOON, async || {
        let found = survey
            .ledger
            .cache
            .get_many(std::slice::from_ref(&key))
            .await?;
        found.into_iter().next().flatten().context("no entry")
    });
    Ok((key.clone(), found.await?))
}

/// Puts other days into an entry, as a fault would: behind the version that it has.
async fn spoil(survey: &Survey, bus_prop_id: i64, days: &[u8]) -> Result<()> {
    let (key, bytes) = entry(survey, bus_prop_id).await?;
    let version = bytes.get(..16).context("no version")?;
    let spoilt = [(key, Bytes::from([version, days].concat()))];
    eventually(SOON, async || {
        Ok(survey.ledger.cache.set_many(&spoilt, SOON).await?)
    })
    .await
}

/// The encoded days of a month with one view.
fn one_view(day: NaiveDate) -> Vec<u8> {
    let days = [(day, &*Delta::view().encode())];
    domain::rollup::month::encode(days.into_iter())
}

async fn drifts(survey: &Survey) -> Result<Vec<Drift>> {
    let (store, cache) = (&survey.ledger.store, &survey.ledger.cache);
    let slices = store.slices(survey.form).await?;
    report::check_months(store, cache, survey.form, &slices).await
}

#[tokio::test]
async fn rubbish_in_the_cache_is_not_read_but_found_and_a_rebuild_voids_it() -> Result<()> {
    let survey = Survey::open().await?;
    answer(&survey, "1", 0).await?;
    survey.roll_up().await?;
    cached(&survey, None).await?;
    spoil(&survey, WHOLE, b"rubbish").await?;
    let counters: Vec<_> = drifts(&survey).await?;
    let counters: Vec<_> = counters.iter().map(|d| d.counter.as_str()).collect();
    assert_eq!(counters, ["unreadable"]);
    let read = series(&survey, None).await?;
    assert_eq!(read.source, ReportSource::Database);
    assert_eq!(read.days, expected(&survey, WHOLE).await?);
    // Whoever read the database has written it anew. Counts that are wrong are not found by reading.
    cached(&survey, None).await?;
    spoil(&survey, WHOLE, &one_view(survey.day(0))).await?;
    assert!(!drifts(&survey).await?.is_empty());
    survey.ledger.store.restamp_form(survey.form).await?;
    assert_eq!(drifts(&survey).await?, []);
    let read = cached(&survey, None).await?;
    assert_eq!(read.days, expected(&survey, WHOLE).await?);
    Ok(())
}

#[tokio::test]
async fn a_wrong_entry_is_found_by_its_numbers() -> Result<()> {
    let survey = Survey::open().await?;
    answer(&survey, "1", 0).await?;
    survey.roll_up().await?;
    cached(&survey, Some("store:S1")).await?;
    let day = survey.day(0);
    spoil(&survey, 1, &one_view(day)).await?;
    let drifts = drifts(&survey).await?;
    let mut responses = drifts.iter().filter(|drift| drift.counter == "responses");
    let responses = responses.next().context("the responses differ")?;
    assert_eq!(
        (responses.part.as_deref(), responses.day),
        (Some("1"), Some(day))
    );
    assert_eq!((responses.stored, responses.recomputed), (0, 1));
    Ok(())
}

#[tokio::test]
async fn the_worker_writes_the_entries_of_what_a_roll_up_touched() -> Result<()> {
    let survey = Survey::open().await?;
    let (store, cache) = (&survey.ledger.store, &survey.ledger.cache);
    answer(&survey, "1_3", 0).await?;
    let rolled_up = roll_up::run(store, survey.form, ScanScope::Recent).await?;
    eventually(SOON, async || Ok(cache.ping().await?)).await?;
    report::refresh_months(store, cache, survey.form, rolled_up.touched).await?;
    for (bus_prop, id) in [(None, WHOLE), (Some("store:S1"), 1), (Some("brand:B"), 3)] {
        entry(&survey, id).await?;
        let series = cached(&survey, bus_prop).await?;
        assert_eq!(series.days, expected(&survey, id).await?);
    }
    Ok(())
}
