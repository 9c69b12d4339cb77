//! Reports read through the cache: always what the rollups have at the version that they are labelled with, whatever the
//! cache holds.

use std::collections::BTreeSet;

use anyhow::{Context, Error, Result, bail, ensure};
use chrono::NaiveDate;
use chrono_tz::Tz;
use domain::date_range::DateRange;
use domain::month::Month;
use domain::rollup::Delta;
use platform::cache::Cache;
use platform::config::RedisUrl;
use report::{FormLookup, FormQuery, FormSeries, ReportSource};
use serde_json::json;
use store::report::{ScanScope, WHOLE};
use tests::wait::{SOON, eventually};
use uuid::Uuid;
use worker::roll_up;

use super::survey::{Survey, stored};

mod servers_only;

/// From 40 days ago to the day after, on which it is now in the account's zone.
pub fn range(survey: &Survey) -> Result<DateRange> {
    Ok(DateRange::parse(
        &survey.day(-40).to_string(),
        &survey.day(1).to_string(),
    )?)
}

async fn series(survey: &Survey, bus_prop: Option<&str>) -> Result<FormSeries> {
    let (store, cache) = (&survey.ledger.store, &survey.ledger.cache);
    let query = FormQuery {
        form: survey.form,
        bus_prop,
        range: range(survey)?,
        time_zone: Tz::Pacific__Kiritimati,
        comments: 20,
        texts: 0,
    };
    match report::form_series(store, cache, query).await? {
        FormLookup::Is(series) => Ok(series),
        other => bail!("{other:?}"),
    }
}

/// The same, once Redis has it, where there is one.
async fn cached(survey: &Survey, bus_prop: Option<&str>) -> Result<FormSeries> {
    let expected = if survey.ledger.is_embedded() {
        ReportSource::Database
    } else {
        ReportSource::Cache
    };
    eventually(SOON, async || {
        let series = series(survey, bus_prop).await?;
        ensure!(series.source == expected, "from {:?}", series.source);
        Ok(series)
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
        assert_eq!(first.source, ReportSource::Database);
        assert_eq!(first.days, expected(&survey, id).await?);
        let days = if id == 2 { 0 } else { 4 };
        assert_eq!((first.days.len(), first.comments.len()), (days, days));
        let mut again = cached(&survey, bus_prop).await?;
        again.source = first.source;
        assert_eq!(again, first);
    }
    let version = survey.ledger.store.form_data_version(survey.form).await?;
    assert_eq!(version, Some(series(&survey, None).await?.version));
    Ok(())
}

#[tokio::test]
async fn an_entry_of_another_version_is_not_used_and_months_without_change_keep_theirs()
-> Result<()> {
    let survey = Survey::open().await?;
    for days in [0, -40] {
        answer(&survey, "1", days).await?;
    }
    survey.roll_up().await?;
    let before = cached(&survey, None).await?;
    answer(&survey, "1", 0).await?;
    let waiting = series(&survey, None).await?;
    assert_eq!(waiting.days, before.days, "not rolled up yet");
    assert_ne!(waiting.comments, before.comments, "told at once");
    let rolled_up = roll_up::run(&survey.ledger.store, survey.form, ScanScope::Recent).await?;
    let month = Month::of(survey.day(0));
    assert_eq!(
        rolled_up.touched,
        BTreeSet::from([(WHOLE, month), (1, month)])
    );
    let after = series(&survey, None).await?;
    assert_eq!(after.source, ReportSource::Database);
    assert_eq!(after.version.number, before.version.number + 1);
    assert_eq!(after.days, expected(&survey, WHOLE).await?);
    assert_eq!(cached(&survey, None).await?.days, after.days);
    let mut snapshot = survey.ledger.store.snapshot().await?;
    let months = (Month::of(survey.day(-40)), month);
    let months = snapshot.form_months(survey.form, months).await?;
    assert_eq!(months.last(), Some(&(month, after.version)));
    assert_ne!(months[0].1, after.version, "nothing changed 40 days ago");
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
    let checked = report::check_months(store, &away, survey.form, &slices).await;
    assert!(checked.is_err(), "{checked:?}");
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
    let first = report::account_series(store, cache, account, range).await?;
    assert_eq!(first.source, ReportSource::Database);
    assert_eq!(first.version, store.account_data_version(account).await?);
    let ids: Vec<Uuid> = first.forms.iter().map(|form| form.form_id).collect();
    assert_eq!(ids, [survey.form.form_id, other.form_id]);
    let counts = expected(&survey, WHOLE).await?.into_iter();
    let counts: Vec<_> = counts
        .map(|(day, delta)| (survey.form.form_id, day, delta.counts))
        .collect();
    assert_eq!(first.days, counts);
    let recipients = first.recipients.iter().map(|(_, recipients)| recipients);
    assert_eq!(recipients.sum::<i64>(), 2);
    let mut again = eventually(SOON, async || {
        let again = report::account_series(store, cache, account, range).await?;
        let from_cache = again.source == ReportSource::Cache;
        ensure!(
            from_cache != survey.ledger.is_embedded(),
            "from {:?}",
            again.source
        );
        Ok(again)
    })
    .await?;
    again.source = ReportSource::Database;
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
        let mut last = first.number;
        while last < first.number + TIMES {
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
            assert!(series.version.number >= last, "it went back");
            last = series.version.number;
        }
        anyhow::Ok(())
    };
    tokio::try_join!(rolling_up, reading)?;
    Ok(())
}
