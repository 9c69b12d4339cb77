//! What is stored of answers and views: once a visit, never past a link's end or limit, whatever comes at once.

use anyhow::Result;
use chrono::TimeDelta;
use domain::form::FormStatus;
use domain::rollup::DayCounts;
use serde_json::json;
use store::collect::Recorded;
use store::form::FormEdit;
use tokio::task::JoinSet;
use uuid::Uuid;

use super::survey::{Limits, Survey, stored};

const TIMES: usize = 100;

#[tokio::test]
async fn a_visits_first_answer_stands_and_its_repeats_count_nothing() -> Result<()> {
    let survey = Survey::open().await?;
    let sent = survey.send("1").await?;
    let (visit, other) = (Uuid::new_v4(), Uuid::new_v4());
    let nine = survey.answer(&sent, visit, 0, &json!({"nps": 9}));
    let two = survey.answer(&sent, visit, 1, &json!({"nps": 2}));
    let seven = survey.answer(&sent, other, 0, &json!({"nps": 7}));
    let first = survey.record(&[nine.clone(), two.clone(), seven]).await?;
    let id = stored(first[0]);
    assert_eq!(first[1], Recorded::Repeated(id));
    assert_ne!(stored(first[2]), id);
    assert_eq!(survey.record(&[two]).await?, [Recorded::Repeated(id)]);
    // The very same answer again: so the second try after a COMMIT without an answer finds the first.
    assert_eq!(survey.record(&[nine]).await?, [Recorded::Stored(id)]);
    assert_eq!(
        survey.rolled_up(0).await?,
        DayCounts {
            views: 2,
            responses: 2,
            promoters: 1,
            passives: 1,
            nps_answers: 2,
            ..DayCounts::default()
        }
    );
    assert_eq!(survey.rolled_up(1).await?, DayCounts::default());
    let store = &survey.ledger.store;
    assert_eq!(store.first_answer(&sent.link, visit).await?, Some(id));
    assert_eq!(store.first_answer(&sent.link, Uuid::new_v4()).await?, None);
    Ok(())
}

#[tokio::test]
async fn a_visit_is_one_view_on_each_day_on_which_it_is_seen_or_answered() -> Result<()> {
    let survey = Survey::open().await?;
    let sent = survey.send("").await?;
    let store = &survey.ledger.store;
    let visit = Uuid::new_v4();
    let seen = [survey.view(&sent, visit, 0), survey.view(&sent, visit, 0)];
    assert_eq!(store.record_views(&seen).await?, 1);
    assert_eq!(store.record_views(&seen).await?, 0);
    let answer = survey.answer(&sent, visit, 0, &json!({"mood": 5}));
    survey.record(&[answer]).await?;
    let next = survey.view(&sent, visit, 1);
    assert_eq!(store.record_views(&[next]).await?, 1);
    let unseen = survey.answer(&sent, Uuid::new_v4(), 1, &json!({"mood": 3, "why": "late"}));
    survey.record(&[unseen]).await?;
    let today = survey.rolled_up(0).await?;
    assert_eq!((today.views, today.responses, today.happy), (1, 1, 1));
    let tomorrow = survey.rolled_up(1).await?;
    assert_eq!((tomorrow.views, tomorrow.responses), (2, 1));
    assert_eq!((tomorrow.happiness_answers, tomorrow.comments), (1, 1));
    let link = survey.read_link(&sent).await?;
    assert_eq!((link.views, link.responses), (3, 2));
    Ok(())
}

#[tokio::test]
async fn what_is_gone_takes_no_answer_but_knows_its_repeats() -> Result<()> {
    let survey = Survey::open().await?;
    let store = &survey.ledger.store;
    let account = survey.form.account_id;
    let hour = Limits {
        expires_at: Some(survey.noon + TimeDelta::hours(1)),
        ..Limits::default()
    };
    let doomed = survey.another_form().await?;
    let expiring = survey.send_limited(survey.form, "", hour).await?;
    let deleted = survey.send("1_3").await?;
    let orphan = survey.send_limited(doomed, "", Limits::default()).await?;
    let visit = Uuid::new_v4();
    let all = [&expiring, &deleted, &orphan];
    let in_time = all.map(|sent| survey.answer(sent, visit, 0, &json!({"nps": 9})));
    let ids: Vec<Uuid> = survey
        .record(&in_time)
        .await?
        .into_iter()
        .map(stored)
        .collect();

    assert!(!deleted.link.is_gone(survey.noon));
    let link = store.delete_link(account, &deleted.token).await?;
    let again = store.delete_link(account, &deleted.token).await?;
    assert_eq!((link, again), (Some(deleted.link.link_id), link));
    let foreign = store.delete_link(Uuid::new_v4(), &deleted.token).await?;
    assert!(foreign.is_none());
    store
        .edit_form(account, doomed.form_id, None, FormEdit::Delete)
        .await?;
    assert_eq!(
        survey.open_link(orphan.token).await?.status,
        FormStatus::Deleted
    );
    for sent in all {
        let link = survey.open_link(sent.token).await?;
        assert!(link.is_gone(survey.noon + TimeDelta::hours(1)));
    }
    let late = all.map(|sent| survey.answer(sent, Uuid::new_v4(), 1, &json!({"nps": 9})));
    assert_eq!(survey.record(&late).await?, [Recorded::Gone; 3]);
    let repeats = all.map(|sent| survey.answer(sent, visit, 1, &json!({"nps": 1})));
    let mixed = [late.as_slice(), repeats.as_slice()].concat();
    let recorded = survey.record(&mixed).await?;
    assert_eq!(recorded[..3], [Recorded::Gone; 3]);
    let repeated: Vec<_> = ids.into_iter().map(Recorded::Repeated).collect();
    assert_eq!(recorded[3..], repeated);
    assert_eq!(survey.rolled_up(0).await?.responses, 2);
    assert_eq!(survey.rolled_up(1).await?, DayCounts::default());
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_at_once_on_a_link_with_one_left_give_one_answer() -> Result<()> {
    let survey = Survey::open().await?;
    let two = Limits {
        max_responses: Some(2),
        ..Limits::default()
    };
    let sent = survey.send_limited(survey.form, "2", two).await?;
    let early = Uuid::new_v4();
    let first = survey.answer(&sent, early, 0, &json!({"nps": 10}));
    let first = stored(survey.record(&[first]).await?[0]);
    let mut posts = JoinSet::new();
    for _ in 0..100 {
        let answer = survey.answer(&sent, Uuid::new_v4(), 0, &json!({"nps": 10}));
        let repeat = survey.answer(&sent, early, 0, &json!({"nps": 0}));
        let store = survey.ledger.store.clone();
        posts.spawn(async move { store.record_answers(&[answer, repeat]).await });
    }
    let mut taken = 0;
    while let Some(recorded) = posts.join_next().await {
        let recorded = recorded??;
        assert_eq!(recorded[1], Recorded::Repeated(first));
        match recorded[0] {
            Recorded::Stored(_) => taken += 1,
            other => assert_eq!(other, Recorded::Gone),
        }
    }
    assert_eq!(taken, 1);
    assert_eq!(survey.rolled_up(0).await?.responses, 2);
    let link = survey.open_link(sent.token).await?;
    assert_eq!(link.used, 2);
    assert!(link.is_gone(survey.noon));
    Ok(())
}

#[tokio::test]
async fn one_batch_fills_limited_links_exactly_and_the_others_freely() -> Result<()> {
    let survey = Survey::open().await?;
    let three = Limits {
        max_responses: Some(3),
        ..Limits::default()
    };
    let limited = survey.send_limited(survey.form, "1", three).await?;
    let free = survey.send("1").await?;
    let batch: Vec<_> = (0..20)
        .map(|n| {
            let sent = if n % 2 == 0 { &limited } else { &free };
            survey.answer(sent, Uuid::new_v4(), 0, &json!({"nps": n % 11}))
        })
        .collect();
    let recorded = survey.record(&batch).await?;
    let taken = |side: usize| {
        let side = recorded.iter().skip(side).step_by(2);
        side.filter(|r| matches!(r, Recorded::Stored(_))).count()
    };
    assert_eq!((taken(0), taken(1)), (3, 10));
    assert_eq!(survey.open_link(limited.token).await?.used, 3);
    assert_eq!(survey.open_link(free.token).await?.used, 0);
    assert_eq!(survey.rolled_up(0).await?.responses, 13);
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn batches_that_overlap_in_opposite_orders_store_each_visit_once() -> Result<()> {
    let survey = Survey::open().await?;
    let many = Limits {
        max_responses: Some(1_000_000),
        ..Limits::default()
    };
    let other = survey.another_form().await?;
    let sent = [
        survey.send("1").await?,
        survey.send_limited(survey.form, "2", many).await?,
        survey.send_limited(other, "", many).await?,
    ];
    for _ in 0..TIMES {
        let visits: Vec<Uuid> = (0..6).map(|_| Uuid::new_v4()).collect();
        let batch = |reverse: bool| {
            let mut batch: Vec<_> = visits
                .iter()
                .flat_map(|visit| {
                    sent.iter()
                        .map(|sent| survey.answer(sent, *visit, 0, &json!({"mood": 4})))
                })
                .collect();
            if reverse {
                batch.reverse();
            }
            batch
        };
        let views: Vec<_> = visits
            .iter()
            .rev()
            .map(|visit| survey.view(&sent[0], *visit, 0))
            .collect();
        let (one, two) = (batch(false), batch(true));
        let store = &survey.ledger.store;
        let (one, two, views) = tokio::join!(
            store.record_answers(&one),
            store.record_answers(&two),
            store.record_views(&views)
        );
        views?;
        for (a, b) in one?.into_iter().zip(two?.into_iter().rev()) {
            let pair = [a, b];
            assert!(
                matches!(
                    pair,
                    [Recorded::Stored(a), Recorded::Repeated(b)]
                    | [Recorded::Repeated(a), Recorded::Stored(b)] if a == b
                ),
                "{pair:?}"
            );
        }
    }
    let counts = survey.rolled_up(0).await?;
    let expected = i64::try_from(TIMES * 6 * 2)?;
    assert_eq!((counts.views, counts.responses), (expected, expected));
    Ok(())
}

#[tokio::test]
async fn an_erased_feedback_leaves_every_count_but_its_view_and_its_visit() -> Result<()> {
    let survey = Survey::open().await?;
    let sent = survey.send("1_2").await?;
    let visit = Uuid::new_v4();
    let answer = survey.answer(&sent, visit, 0, &json!({"nps": 3, "mood": 4, "why": "no"}));
    let id = stored(survey.record(&[answer]).await?[0]);
    // Rolled up or not when it is erased: a delta of its own takes it back.
    assert_eq!(survey.rolled_up(0).await?.comments, 1);
    let (store, form) = (&survey.ledger.store, survey.form);
    assert_eq!(store.erase_feedback(Uuid::new_v4(), id).await?, None);
    let erased = store.erase_feedback(form.account_id, id).await?;
    assert_eq!(erased, Some(form.form_id));
    assert_eq!(store.erase_feedback(form.account_id, id).await?, None);
    assert_eq!(
        survey.rolled_up(0).await?,
        DayCounts {
            views: 1,
            ..DayCounts::default()
        }
    );
    for bus_prop_id in 0..3 {
        for (_, day) in survey.rollup(bus_prop_id).await?.days {
            assert!(day.fields.is_empty(), "{day:?}");
        }
    }
    let again = survey.answer(&sent, visit, 0, &json!({"nps": 9}));
    assert_eq!(survey.record(&[again]).await?, [Recorded::Repeated(id)]);
    let link = survey.read_link(&sent).await?;
    assert_eq!((link.views, link.responses), (1, 0));
    Ok(())
}
