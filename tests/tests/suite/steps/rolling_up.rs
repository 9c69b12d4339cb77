//! The roll-up: every delta reaches the rollups exactly once, whoever dies or comes at the same time.

use anyhow::{Result, ensure};
use chrono::NaiveDate;
use platform::cache::Cache;
use serde_json::json;
use store::report::ScanScope;
use tests::wait::{SOON, eventually};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;
use worker::roll_up::{self, RollupJob};

use super::survey::Survey;

const TIMES: usize = 100;

#[tokio::test]
async fn a_roll_up_that_dies_before_its_commit_counts_nothing_and_the_next_counts_all() -> Result<()>
{
    let survey = Survey::open().await?;
    let sent = survey.send("1").await?;
    let answer = survey.answer(&sent, Uuid::new_v4(), 0, &json!({"nps": 9}));
    survey.record(&[answer]).await?;
    let store = &survey.ledger.store;
    let before = survey.rollup(0).await?;
    let mut tx = store.begin().await?;
    assert_eq!(tx.roll_up(survey.form, ScanScope::Recent).await?.rows, 1);
    drop(tx);
    assert_eq!(survey.rollup(0).await?, before);
    let pending = store.pending_forms(0).await?;
    assert!(pending.forms.into_iter().eq([survey.form]));
    // The server ends what was dropped in its own time, and until then a roll-up passes by the form.
    eventually(SOON, async || {
        let rolled_up = roll_up::run(store, survey.form, ScanScope::Recent).await?;
        ensure!(rolled_up.rows == 1, "{rolled_up:?}");
        Ok(())
    })
    .await?;
    assert_eq!(
        roll_up::run(store, survey.form, ScanScope::All).await?.rows,
        0
    );
    assert!(store.pending_forms(0).await?.forms.is_empty());
    let after = survey.rollup(0).await?;
    assert_eq!(after.version.number, before.version.number + 1);
    assert_ne!(after.version.stamp, before.version.stamp);
    assert!(after.as_of >= before.as_of);
    let counts = survey.rolled_up(0).await?;
    assert_eq!((counts.views, counts.responses), (1, 1));
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn roll_ups_of_one_form_at_once_count_each_delta_once() -> Result<()> {
    let survey = Survey::open().await?;
    let sent = survey.send("1").await?;
    let store = &survey.ledger.store;
    let mut version = survey.rollup(0).await?.version.number;
    for _ in 0..TIMES {
        let answer = || [survey.answer(&sent, Uuid::new_v4(), 0, &json!({"mood": 1}))];
        let (one, two) = (answer(), answer());
        store.record_answers(&one).await?;
        let (stored, first, second) = tokio::join!(
            store.record_answers(&two),
            roll_up::run(store, survey.form, ScanScope::Recent),
            roll_up::run(store, survey.form, ScanScope::All)
        );
        stored?;
        assert!(first?.rows + second?.rows > 0);
        let raised = survey.rollup(0).await?.version.number;
        assert!(raised > version, "a version came twice");
        version = raised;
    }
    let counts = survey.rolled_up(0).await?;
    let expected = i64::try_from(TIMES * 2)?;
    assert_eq!((counts.views, counts.responses), (expected, expected));
    Ok(())
}

#[tokio::test]
async fn a_delta_counts_in_the_whole_and_in_each_bus_prop_on_its_own_day() -> Result<()> {
    let survey = Survey::open().await?;
    let (both, none) = (survey.send("1_3").await?, survey.send("").await?);
    let late = survey.answer(&both, Uuid::new_v4(), -40, &json!({"nps": 0}));
    let today = survey.answer(&none, Uuid::new_v4(), 0, &json!({"nps": 9}));
    survey.record(&[today, late]).await?;
    survey.roll_up().await?;
    let days = async |bus_prop_id| -> Result<Vec<(NaiveDate, i64)>> {
        let rollup = survey.rollup(bus_prop_id).await?;
        let counted = rollup.days.iter();
        Ok(counted
            .map(|(day, sum)| (*day, sum.counts.responses))
            .collect())
    };
    let (then, now) = (survey.day(-40), survey.day(0));
    assert_eq!(days(0).await?, [(then, 1), (now, 1)]);
    assert_eq!(days(1).await?, [(then, 1)]);
    assert_eq!(days(2).await?, []);
    assert_eq!(days(3).await?, [(then, 1)]);
    Ok(())
}

#[tokio::test]
async fn the_job_rolls_up_what_it_is_notified_of_and_finds_the_rest_by_itself() -> Result<()> {
    let survey = Survey::open().await?;
    let sent = survey.send("2").await?;
    let store = &survey.ledger.store;
    let answer = || survey.answer(&sent, Uuid::new_v4(), 0, &json!({"nps": 9}));
    let responses = async || -> Result<i64> {
        let days = survey.rollup(2).await?.days;
        Ok(days.iter().map(|(_, sum)| sum.counts.responses).sum())
    };
    survey.record(&[answer()]).await?;
    let job = RollupJob::new(store.clone(), Cache::open(None)?);
    let notifier = job.notifier();
    let shutdown = CancellationToken::new();
    let running = tokio::spawn(job.run(shutdown.clone()));
    for expected in 1..=10 {
        eventually(SOON, async || {
            let counted = responses().await?;
            ensure!(counted == expected, "{counted} of {expected}");
            Ok(())
        })
        .await?;
        survey.record(&[answer()]).await?;
        if expected % 2 == 0 {
            notifier.notify(survey.form);
        }
    }
    shutdown.cancel();
    running.await?;
    Ok(())
}

/// Embedded there is one writer: the order of ids is that of commits.
mod servers_only {
    use super::*;

    #[tokio::test]
    async fn a_row_that_came_below_the_low_bound_is_found_from_zero() -> Result<()> {
        let survey = Survey::open().await?;
        let sent = survey.send("").await?;
        let answer = survey.answer(&sent, Uuid::new_v4(), 0, &json!({"nps": 9}));
        survey.record(&[answer]).await?;
        let passed = "UPDATE form_version SET watermark = 1000000";
        survey.ledger.sql(passed).await?;
        let store = &survey.ledger.store;
        assert_eq!(
            roll_up::run(store, survey.form, ScanScope::Recent)
                .await?
                .rows,
            0
        );
        assert_eq!(
            roll_up::run(store, survey.form, ScanScope::All).await?.rows,
            1
        );
        Ok(())
    }
}
