//! Whatever happens in whatever order, the rollups are what counting the stored feedbacks and visits gives.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use chrono::NaiveDate;
use domain::rollup::Delta;
use serde_json::{Value, json};
use store::report::ScanScope;
use uuid::Uuid;

use super::survey::{Survey, content, read_answers, stored};

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

/// A visit's feedback, with the day of its answer as an offset.
struct StoredAnswer {
    id: Uuid,
    day: i64,
    given: Value,
}

/// Random answers, views, erasures and roll-ups that die or not; in the end the rollups are what a recount gives.
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
    let mut seen: BTreeSet<(usize, Uuid, i64)> = BTreeSet::new();
    // Without feedback where it was erased: a visit answers once.
    let mut stored_answers: BTreeMap<(usize, Uuid), Option<StoredAnswer>> = BTreeMap::new();
    for _ in 0..400 {
        let (link, visit) = (dice.roll(3), visits[dice.roll(visits.len())]);
        let day = [-2, -1, 0][dice.roll(3)];
        match dice.roll(8) {
            0..4 => {
                let given = answers(&mut dice);
                let answer = survey.answer(&sent[link], visit, day, &given);
                let recorded = survey.record(&[answer]).await?[0];
                stored_answers.entry((link, visit)).or_insert_with(|| {
                    seen.insert((link, visit, day));
                    let id = stored(recorded);
                    Some(StoredAnswer { id, day, given })
                });
            }
            4 | 5 => {
                store
                    .record_views(&[survey.view(&sent[link], visit, day)])
                    .await?;
                seen.insert((link, visit, day));
            }
            6 => {
                if let Some(answer) = stored_answers.get_mut(&(link, visit))
                    && let Some(answer) = answer.take()
                {
                    let account = survey.form.account_id;
                    store.erase_feedback(account, answer.id).await?;
                }
            }
            _ => {
                let mut tx = store.begin().await?;
                tx.roll_up(survey.form, ScanScope::Recent).await?;
                if dice.roll(2) == 0 {
                    tx.commit().await?;
                } else {
                    // Dropped, it would keep the form a moment longer, and the last roll-up passes by a form that is held.
                    tx.rollback().await?;
                }
            }
        }
    }
    survey.roll_up().await?;
    for bus_prop_id in [0, 1, 2] {
        let mut recount: BTreeMap<NaiveDate, Delta> = BTreeMap::new();
        let counts =
            |link: usize| bus_prop_id == 0 || LINKS[link].contains(&bus_prop_id.to_string());
        for (_, _, day) in seen.iter().filter(|(link, ..)| counts(*link)) {
            let sum = recount.entry(survey.day(*day)).or_default();
            sum.merge(&Delta::view());
        }
        for ((link, _), answer) in &stored_answers {
            if let Some(answer) = answer
                && counts(*link)
            {
                let answers = read_answers(&content(), &answer.given);
                let sum = recount.entry(survey.day(answer.day)).or_default();
                sum.merge(&Delta::answer(&content(), &answers));
            }
        }
        let days: BTreeMap<_, _> = survey.rollup(bus_prop_id).await?.days.into_iter().collect();
        assert_eq!(days, recount, "bus_prop {bus_prop_id}");
    }
    Ok(())
}
