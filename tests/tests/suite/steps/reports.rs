//! Reports read through the cache: always what the rollups have at the version that they are labelled with, whatever the
//! cache holds.

use std::collections::BTreeSet;

use anyhow::{Context, Error, Result, bail, ensure};
use bytes::Bytes;
use chrono::NaiveDate;
use domain::date_range::DateRange;
use domain::month::Month;
use domain::rollup::Delta;
use platform::cache::{Cache, CacheKey};
use platform::config::RedisUrl;
use platform::reports::{self, FormSeries, Found, Source};
use serde_json::json;
use store::report::{ScanScope, WHOLE};
use tests::wait::{SOON, eventually};
use uuid::Uuid;
use worker::refresh::RefreshNotifier;
use worker::roll_up;

use super::survey::{Survey, stored};

/// From 40 days ago to the day after, on which it is now in the account's zone.
pub fn range(survey: &Survey) -> Result<DateRange> {
    Ok(DateRange::parse(
        &survey.day(-40).to_string(),
        &survey.day(1).to_string(),
    )?)
}

async fn series(survey: &Survey, bus_prop: Option<&str>) -> Result<FormSeries> {
    let (store, cache) = (&survey.ledger.store, &survey.ledger.cache);
    let found = reports::form_series(store, cache, survey.form, bus_prop, range(survey)?).await?;
    match found {
        Found::Is(series) => Ok(series),
        other => bail!("{other:?}"),
    }
}

/// The same, once the cache has it.
async fn cached(survey: &Survey, bus_prop: Option<&str>) -> Result<FormSeries> {
    eventually(SOON, async || {
        let series = series(survey, bus_prop).await?;
        ensure!(series.source == Source::Cache, "the cache does not have it");
        Ok(series)
    })
    .await
}

/// Once the cache answers: a busy machine may be slower than what a cache is given.
async fn cache_is_there(survey: &Survey) -> Result<()> {
    eventually(SOON, async || Ok(survey.ledger.cache.ping().await?)).await
}

/// Puts a copy into the cache, likewise.
async fn put(survey: &Survey, key: &CacheKey, version: i64, copy: Bytes) -> Result<()> {
    eventually(SOON, async || {
        // One that was told too late may have been kept: then the next is not newer.
        let cache = &survey.ledger.cache;
        cache.set_if_newer(key, version, copy.clone(), SOON).await?;
        Ok(())
    })
    .await
}

/// What the rollups have in the range.
async fn expected(survey: &Survey, bus_prop_id: i64) -> Result<Vec<(NaiveDate, Delta)>> {
    let days = survey.rollup(bus_prop_id).await?.days;
    let range = range(survey)?;
    Ok(days
        .into_iter()
        .filter(|(day, _)| range.contains(*day))
        .collect())
}

async fn answer(survey: &Survey, bus_prop_ids: &str, days: i64) -> Result<Uuid> {
    let sent = survey.send(bus_prop_ids).await?;
    let given = json!({"nps": 9, "why": "Good."});
    let answer = survey.answer(&sent, Uuid::new_v4(), days, &given);
    Ok(stored(survey.record(&[answer]).await?[0]))
}

#[tokio::test]
async fn a_series_is_the_rollups_from_the_database_and_then_from_the_cache() -> Result<()> {
    let survey = Survey::open().await?;
    for days in [0, -1, -35, -40, -41] {
        answer(&survey, "1", days).await?;
    }
    survey.roll_up().await?;
    for (bus_prop, id) in [(None, WHOLE), (Some("store:S1"), 1), (Some("store:S2"), 2)] {
        let first = series(&survey, bus_prop).await?;
        assert_eq!((first.source, first.bus_prop_id), (Source::Database, id));
        assert_eq!(first.days, expected(&survey, id).await?);
        assert_eq!(first.days.len(), if id == 2 { 0 } else { 4 });
        let again = cached(&survey, bus_prop).await?;
        assert_eq!(again.days, first.days);
        assert_eq!((again.version, again.as_of), (first.version, first.as_of));
    }
    let version = survey.ledger.store.form_data_version(survey.form).await?;
    assert_eq!(version, Some(series(&survey, None).await?.version));
    Ok(())
}

#[tokio::test]
async fn a_copy_of_another_version_is_not_believed_and_months_without_change_are() -> Result<()> {
    let survey = Survey::open().await?;
    for days in [0, -40] {
        answer(&survey, "1", days).await?;
    }
    survey.roll_up().await?;
    let before = cached(&survey, None).await?;
    answer(&survey, "1", 0).await?;
    assert_eq!(
        series(&survey, None).await?.days,
        before.days,
        "not rolled up yet"
    );
    let rolled_up = roll_up::run(&survey.ledger.store, survey.form, ScanScope::Recent).await?;
    let month = Month::of(survey.day(0));
    assert_eq!(
        rolled_up.touched,
        BTreeSet::from([(WHOLE, month), (1, month)])
    );
    let after = series(&survey, None).await?;
    assert_eq!(after.source, Source::Database);
    assert!(after.version > before.version);
    assert_eq!(after.days, expected(&survey, WHOLE).await?);
    assert_eq!(cached(&survey, None).await?.days, after.days);
    let head = survey
        .ledger
        .store
        .form_head(survey.form, range(&survey)?)
        .await?;
    let versions: Vec<i64> = head
        .context("a head")?
        .months
        .iter()
        .map(|month| month.1)
        .collect();
    assert_eq!(versions.last(), Some(&after.version.number));
    assert!(
        versions[0] < after.version.number,
        "the month of 40 days ago did not change"
    );
    Ok(())
}

#[tokio::test]
async fn rubbish_in_the_cache_is_not_read_and_another_epoch_begins_anew() -> Result<()> {
    let survey = Survey::open().await?;
    answer(&survey, "1", 0).await?;
    survey.roll_up().await?;
    let version = series(&survey, Some("store:S2")).await?.version;
    let of_form = |epoch: i64| {
        let key = CacheKey::new(survey.form.account_id, "days.v1").with(epoch);
        key.with(survey.form.form_id)
            .with(WHOLE)
            .with(Month::of(survey.day(0)))
    };
    let cache = &survey.ledger.cache;
    let rubbish = Bytes::from_static(b"rubbish");
    put(&survey, &of_form(version.epoch), version.number, rubbish).await?;
    let read = series(&survey, None).await?;
    assert_eq!(
        (read.source, read.days),
        (Source::Database, expected(&survey, WHOLE).await?)
    );
    let slices = survey.ledger.store.slices(survey.form).await?;
    let drifts = reports::check_months(&survey.ledger.store, cache, survey.form, &slices).await?;
    let counters: Vec<_> = drifts
        .iter()
        .map(|d| d.difference.counter.as_str())
        .collect();
    assert_eq!(counters, ["unreadable"]);
    survey.ledger.store.raise_epoch().await?;
    assert_eq!(
        cached(&survey, None).await?.days,
        expected(&survey, WHOLE).await?
    );
    let drifts = reports::check_months(&survey.ledger.store, cache, survey.form, &slices).await?;
    assert_eq!(drifts, []);
    Ok(())
}

#[tokio::test]
async fn a_wrong_copy_is_found_by_its_numbers() -> Result<()> {
    let survey = Survey::open().await?;
    answer(&survey, "1", 0).await?;
    survey.roll_up().await?;
    let (store, cache) = (&survey.ledger.store, &survey.ledger.cache);
    let version = store
        .form_data_version(survey.form)
        .await?
        .context("a version")?;
    let day = survey.day(0);
    let key = CacheKey::new(survey.form.account_id, "days.v1").with(version.epoch);
    let key = key.with(survey.form.form_id).with(1).with(Month::of(day));
    let copy = domain::rollup::month::encode([(day, &Delta::view())].into_iter());
    put(&survey, &key, version.number, copy.into()).await?;
    let slices = store.slices(survey.form).await?;
    let drifts = reports::check_months(store, cache, survey.form, &slices).await?;
    let responses = drifts
        .iter()
        .find(|drift| drift.difference.counter == "responses");
    let responses = responses.context("the responses differ")?;
    assert_eq!((responses.bus_prop_id, responses.day), (1, day));
    assert_eq!(
        (responses.difference.left, responses.difference.right),
        (0, 1)
    );
    Ok(())
}

#[tokio::test]
async fn a_cache_that_does_not_answer_is_not_taken_for_one_without_drift() -> Result<()> {
    let survey = Survey::open().await?;
    answer(&survey, "1", 0).await?;
    survey.roll_up().await?;
    let store = &survey.ledger.store;
    let slices = store.slices(survey.form).await?;
    // Nobody listens on port 1.
    let away = Cache::open(Some(
        &RedisUrl::parse("redis://127.0.0.1:1").map_err(Error::msg)?,
    ))?;
    let checked = reports::check_months(store, &away, survey.form, &slices).await;
    assert!(checked.is_err(), "{checked:?}");
    let account_id = survey.form.account_id;
    let checked = reports::check_recipient_days(store, &away, account_id).await;
    assert!(checked.is_err(), "{checked:?}");
    Ok(())
}

#[tokio::test]
async fn the_worker_gives_the_cache_what_a_roll_up_touched() -> Result<()> {
    let survey = Survey::open().await?;
    let (store, cache) = (&survey.ledger.store, &survey.ledger.cache);
    answer(&survey, "1_3", 0).await?;
    let rolled_up = roll_up::run(store, survey.form, ScanScope::Recent).await?;
    cache_is_there(&survey).await?;
    let (notifier, job) = RefreshNotifier::new(store.clone(), cache.clone());
    notifier.notify_months(survey.form, rolled_up.touched);
    drop(notifier);
    job.run().await;
    for (bus_prop, id) in [(None, WHOLE), (Some("store:S1"), 1), (Some("brand:B"), 3)] {
        let series = cached(&survey, bus_prop).await?;
        assert_eq!(series.days, expected(&survey, id).await?);
    }
    Ok(())
}

#[tokio::test]
async fn an_account_has_all_its_forms_and_recipients() -> Result<()> {
    let survey = Survey::open().await?;
    let (store, cache) = (&survey.ledger.store, &survey.ledger.cache);
    let account = survey.form.account_id;
    let other = survey.another_form().await?;
    answer(&survey, "1", -40).await?;
    survey.roll_up().await?;
    let batch = survey.ledger.post(&[&[("a", 1), ("b", 2)]]).await?;
    survey.ledger.step(survey.ledger.chunk(&batch, 0)).await?;
    let range = range(&survey)?;
    let first = reports::account_series(store, cache, account, range).await?;
    assert_eq!(first.source, Source::Database);
    assert_eq!(first.version, store.account_data_version(account).await?);
    let ids: Vec<Uuid> = first.forms.iter().map(|form| form.form_id).collect();
    assert_eq!(ids, [survey.form.form_id, other.form_id]);
    let counts = expected(&survey, WHOLE).await?;
    let counts: Vec<_> = counts
        .into_iter()
        .map(|(day, delta)| (day, delta.counts))
        .collect();
    assert_eq!(first.forms[0].days, counts);
    assert_eq!(first.forms[1].days, []);
    let recipients: i64 = first
        .recipients
        .iter()
        .map(|(_, recipients)| recipients)
        .sum();
    assert_eq!(recipients, 2);
    let mut again = eventually(SOON, async || {
        let again = reports::account_series(store, cache, account, range).await?;
        ensure!(
            again.source == Source::Cache,
            "the cache does not have all of it"
        );
        Ok(again)
    })
    .await?;
    again.source = Source::Database;
    assert_eq!(again, first);
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn beside_roll_ups_every_series_is_of_the_version_that_it_says() -> Result<()> {
    const TIMES: i64 = 60;
    let survey = Survey::open().await?;
    let sent = survey.send("1").await?;
    // Each roll-up takes one answer, so the version tells how many are counted.
    let first = survey
        .ledger
        .store
        .form_data_version(survey.form)
        .await?
        .context("a version")?;
    let rolling_up = async {
        for _ in 0..TIMES {
            let answer = survey.answer(&sent, Uuid::new_v4(), 0, &json!({"nps": 9}));
            survey.record(&[answer]).await?;
            roll_up::run(&survey.ledger.store, survey.form, ScanScope::Recent).await?;
        }
        anyhow::Ok(())
    };
    let reading = async {
        let mut last = first;
        while last.number < first.number + TIMES {
            let series = series(&survey, None).await?;
            let counted: i64 = series
                .days
                .iter()
                .map(|(_, day)| day.counts.responses)
                .sum();
            assert_eq!(
                counted,
                series.version.number - first.number,
                "{:?}",
                series.source
            );
            assert!(series.version >= last, "it went back");
            last = series.version;
        }
        anyhow::Ok(())
    };
    tokio::try_join!(rolling_up, reading)?;
    Ok(())
}
