//! The fold: every delta reaches the rollups exactly once, whoever dies or comes at the same time.

use std::collections::BTreeMap;

use anyhow::Result;
use chrono::NaiveDate;
use domain::answer::Answers;
use domain::rollup::Delta;
use serde_json::{Value, json};
use store::fold::Reach;
use store::form::FormChange;
use uuid::Uuid;
use worker::fold;

use crate::survey::{Survey, content, stored};

const TIMES: usize = 100;

#[tokio::test]
async fn a_fold_that_dies_before_its_commit_counts_nothing_and_the_next_counts_all() -> Result<()> {
    let survey = Survey::open().await?;
    let sent = survey.send("1").await?;
    let answer = survey.answer(&sent, Uuid::new_v4(), 0, &json!({"nps": 9}));
    survey.record(&[answer]).await?;
    let store = &survey.ledger.store;
    let before = survey.rollup(0).await?;
    let mut tx = store.begin().await?;
    assert_eq!(tx.fold(survey.form, Reach::Recent).await?, 1);
    drop(tx);
    assert_eq!(survey.rollup(0).await?, before);
    assert_eq!(store.forms_waiting(0).await?.forms, [survey.form]);
    assert_eq!(fold::run(store, survey.form, Reach::Recent).await?, 1);
    assert_eq!(fold::run(store, survey.form, Reach::All).await?, 0);
    assert!(store.forms_waiting(0).await?.forms.is_empty());
    let after = survey.rollup(0).await?;
    assert_eq!(after.version, before.version + 1);
    assert!(after.as_of >= before.as_of);
    let counts = survey.folded(0).await?;
    assert_eq!((counts.views, counts.responses), (1, 1));
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn folds_of_one_form_at_once_count_each_delta_once() -> Result<()> {
    let survey = Survey::open().await?;
    let sent = survey.send("1").await?;
    let store = &survey.ledger.store;
    let mut version = survey.rollup(0).await?.version;
    for _ in 0..TIMES {
        let answer = || [survey.answer(&sent, Uuid::new_v4(), 0, &json!({"mood": 1}))];
        let (one, two) = (answer(), answer());
        store.record_answers(&one).await?;
        let (stored, first, second) = tokio::join!(
            store.record_answers(&two),
            fold::run(store, survey.form, Reach::Recent),
            fold::run(store, survey.form, Reach::All)
        );
        stored?;
        let took = first? + second?;
        assert!((1..=2).contains(&took), "{took}");
        let raised = survey.rollup(0).await?.version;
        assert!(raised > version, "a version came twice");
        version = raised;
    }
    let counts = survey.folded(0).await?;
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
    survey.fold().await?;
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

/// A small generator, so that a failing run can be repeated by its seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }
}

fn answers(dice: &mut Dice) -> Value {
    match dice.roll(3) {
        0 => json!({"nps": dice.roll(11)}),
        1 => json!({"mood": 1 + dice.roll(5), "why": "because"}),
        _ => json!({"nps": dice.roll(11), "mood": 1 + dice.roll(5)}),
    }
}

/// Random answers, views, erasures and folds that die or not; in the end the rollups are what a recount gives.
#[tokio::test]
async fn after_any_story_the_rollups_equal_a_recount() -> Result<()> {
    const LINKS: [&str; 3] = ["", "1", "1_2"];
    let survey = Survey::open().await?;
    let mut sent = Vec::new();
    for bus_prop_ids in LINKS {
        sent.push(survey.send(bus_prop_ids).await?);
    }
    let visits: Vec<Uuid> = (0..20).map(|_| Uuid::new_v4()).collect();
    let mut dice = Dice(7);
    let store = &survey.ledger.store;
    let mut seen: BTreeMap<(usize, Uuid, i64), ()> = BTreeMap::new();
    let mut standing: BTreeMap<(usize, Uuid), Option<(Uuid, i64, Value)>> = BTreeMap::new();
    for _ in 0..400 {
        let (link, visit) = (dice.roll(3), visits[dice.roll(visits.len())]);
        let day = [-2, -1, 0][dice.roll(3)];
        match dice.roll(8) {
            0..4 => {
                let given = answers(&mut dice);
                let answer = survey.answer(&sent[link], visit, day, &given);
                let recorded = survey.record(&[answer]).await?[0];
                standing.entry((link, visit)).or_insert_with(|| {
                    seen.insert((link, visit, day), ());
                    Some((stored(recorded), day, given))
                });
            }
            4 | 5 => {
                store
                    .record_views(&[survey.view(&sent[link], visit, day)])
                    .await?;
                seen.insert((link, visit, day), ());
            }
            6 => {
                if let Some(stands) = standing.get_mut(&(link, visit))
                    && let Some((id, ..)) = stands.take()
                {
                    store.erase_feedback(survey.form.account_id, id).await?;
                }
            }
            _ => {
                let mut tx = store.begin().await?;
                tx.fold(survey.form, Reach::Recent).await?;
                if dice.roll(2) == 0 {
                    tx.commit().await?;
                }
            }
        }
    }
    survey.fold().await?;
    for bus_prop_id in [0, 1, 2] {
        let mut recount: BTreeMap<NaiveDate, Delta> = BTreeMap::new();
        let counts =
            |link: usize| bus_prop_id == 0 || LINKS[link].contains(&bus_prop_id.to_string());
        for (link, _, day) in seen.keys().filter(|(link, ..)| counts(*link)) {
            let _ = link;
            let sum = recount.entry(survey.day(*day)).or_default();
            sum.merge(&Delta::view());
        }
        for ((link, _), stands) in &standing {
            if let Some((_, day, given)) = stands
                && counts(*link)
            {
                let answers = Answers::from_json(&content(), given).expect("sound answers");
                let sum = recount.entry(survey.day(*day)).or_default();
                sum.merge(&Delta::answer(&answers));
            }
        }
        let days: BTreeMap<_, _> = survey.rollup(bus_prop_id).await?.days.into_iter().collect();
        assert_eq!(days, recount, "bus_prop {bus_prop_id}");
    }
    Ok(())
}

#[tokio::test]
async fn every_change_of_a_form_raises_its_version_and_follows_its_life() -> Result<()> {
    let survey = Survey::open().await?;
    let (store, account) = (&survey.ledger.store, survey.form.account_id);
    let draft = store.create_form(account, &content()).await?;
    let id = draft.form_id;
    assert_eq!(store.form(account, id).await?.as_ref(), Some(&draft));
    assert_eq!(store.form(Uuid::new_v4(), id).await?, None);
    let mut renamed = content();
    renamed.title = "Renamed".to_owned();
    let stale = store.replace_form(account, id, 2, &renamed).await?;
    assert!(matches!(stale, FormChange::Changed), "{stale:?}");
    let form = done(store.replace_form(account, id, 1, &renamed).await?);
    assert_eq!((form.revision, form.content.title.as_str()), (2, "Renamed"));
    let form = done(store.publish_form(account, id, None).await?);
    assert_eq!(form.published_at, Some(form.updated_at));
    let again = store.publish_form(account, id, Some(3)).await?;
    assert!(matches!(again, FormChange::Refused(_)), "{again:?}");
    let form = done(store.delete_form(account, id, Some(3)).await?);
    assert_eq!(store.form(account, id).await?, Some(form));
    let dead = store.replace_form(account, id, 4, &renamed).await?;
    assert!(matches!(dead, FormChange::Refused(_)), "{dead:?}");
    let foreign = store.delete_form(Uuid::new_v4(), id, None).await?;
    assert!(matches!(foreign, FormChange::NotFound), "{foreign:?}");
    let range = domain::date_range::DateRange::parse("2026-01-01", "2026-01-02")?;
    let key = store::form::FormKey::new(account, id);
    let rollup = store.rollup_days(key, 0, range).await?;
    assert_eq!(rollup.map(|rollup| rollup.version), Some(4));
    Ok(())
}

fn done(change: FormChange) -> store::form::Form {
    match change {
        FormChange::Done(form) => form,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn forms_are_listed_by_status_newest_first() -> Result<()> {
    use domain::form::FormStatus::{Deleted, Draft, Published};
    let survey = Survey::open().await?;
    let (store, account) = (&survey.ledger.store, survey.form.account_id);
    let mut drafts = Vec::new();
    for _ in 0..5 {
        drafts.push(store.create_form(account, &content()).await?.form_id);
    }
    drafts.reverse();
    let ids = async |status, before, limit| -> Result<Vec<Uuid>> {
        let forms = store.forms(account, status, before, limit).await?;
        Ok(forms.iter().map(|form| form.form_id).collect())
    };
    assert_eq!(ids(Draft, None, 50).await?, drafts);
    assert_eq!(ids(Draft, None, 2).await?, drafts[..2]);
    assert_eq!(ids(Draft, Some(drafts[1]), 50).await?, drafts[2..]);
    assert_eq!(ids(Published, None, 50).await?, [survey.form.form_id]);
    assert_eq!(ids(Deleted, None, 50).await?, Vec::<Uuid>::new());
    Ok(())
}
