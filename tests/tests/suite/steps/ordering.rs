//! Which value stands: the result equals applying the accepted batches one after the other in the order of their
//! acceptance, whatever order their chunks run in.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use worker::store_chunk::StepOutcome;

use super::fixture::{Ledger, Received, Row};

/// What happens to an account, in the order of acceptance.
#[derive(Clone, Copy, Debug)]
enum Event {
    /// A batch whose chunks each hold these rows.
    Post(&'static [&'static [Row]]),
    Erase(&'static str),
}

const DOCIDS: [&str; 3] = ["a", "b", "c"];

/// A later batch with the same values between two that differ, an erasure, and a batch of two chunks.
const STORY: [Event; 5] = [
    Event::Post(&[&[("a", 1), ("b", 1)]]),
    Event::Post(&[&[("a", 1), ("b", 2), ("c", 2)]]),
    Event::Erase("a"),
    Event::Post(&[&[("b", 2)], &[("c", 3)]]),
    Event::Erase("c"),
];

/// The same, ending with a batch that brings an erased person back.
const RETURN: [Event; 4] = [
    Event::Post(&[&[("a", 1), ("b", 5)]]),
    Event::Erase("a"),
    Event::Post(&[&[("a", 1), ("b", 6)]]),
    Event::Post(&[&[("a", 1), ("b", 5), ("c", 7)]]),
];

/// What a plain map would hold in the end.
fn model(story: &[Event]) -> BTreeMap<&'static str, u32> {
    let mut stored = BTreeMap::new();
    for event in story {
        match event {
            Event::Post(chunks) => {
                stored.extend(chunks.iter().flat_map(|rows| rows.iter().copied()));
            }
            Event::Erase(docid) => drop(stored.remove(docid)),
        }
    }
    stored
}

/// One move of a run: the next event is accepted, or a chunk of an accepted batch is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Move {
    Next,
    Chunk(usize, i64),
}

/// Every order in which the chunks of a story can run: each at any time after its batch was accepted.
fn runs(story: &[Event]) -> Vec<Vec<Move>> {
    fn go(
        story: &[Event],
        done: usize,
        open: &[Move],
        path: &mut Vec<Move>,
        all: &mut Vec<Vec<Move>>,
    ) {
        if done == story.len() && open.is_empty() {
            all.push(path.clone());
            return;
        }
        for (i, chunk) in open.iter().enumerate() {
            let mut rest = open.to_vec();
            rest.remove(i);
            path.push(*chunk);
            go(story, done, &rest, path, all);
            path.pop();
        }
        if let Some(event) = story.get(done) {
            let mut open = open.to_vec();
            if let Event::Post(chunks) = event {
                open.extend((0..).take(chunks.len()).map(|no| Move::Chunk(done, no)));
            }
            path.push(Move::Next);
            go(story, done + 1, &open, path, all);
            path.pop();
        }
    }
    let mut all = Vec::new();
    go(story, 0, &[], &mut Vec::new(), &mut all);
    all
}

async fn play(ledger: &mut Ledger, story: &[Event], run: &[Move]) -> Result<()> {
    ledger.fresh_account().await?;
    let mut posted: Vec<Option<Received>> = Vec::new();
    for step in run {
        match step {
            Move::Next => posted.push(match story[posted.len()] {
                Event::Post(chunks) => Some(ledger.post(chunks).await?),
                Event::Erase(docid) => {
                    ledger.erase(docid).await?;
                    None
                }
            }),
            Move::Chunk(event, no) => {
                let batch = posted[*event].context("a chunk of a batch")?;
                let id = ledger.chunk(&batch, *no);
                let stored = ledger.step(id).await?;
                assert!(
                    matches!(stored, StepOutcome::Stored { .. }),
                    "{stored:?} in {run:?}"
                );
                let again = ledger.step(id).await?;
                assert!(
                    matches!(again, StepOutcome::NotTaken),
                    "redelivered: {again:?} in {run:?}"
                );
            }
        }
    }
    let expected = model(story);
    for docid in DOCIDS {
        assert_eq!(
            ledger.value(docid).await?,
            expected.get(docid).copied(),
            "{docid} in {run:?}"
        );
    }
    assert_eq!(
        ledger.counted().await?,
        i64::try_from(expected.len())?,
        "{run:?}"
    );
    let last = posted.iter().flatten().last().context("a last batch")?;
    let batch = ledger.batch(last).await?;
    assert_eq!(batch.status.as_str(), "completed");
    if matches!(story.last(), Some(Event::Post(_))) {
        assert_eq!(
            batch.outcomes.superseded, 0,
            "nothing came after the last batch: {run:?}"
        );
    }
    Ok(())
}

async fn play_all(story: &[Event]) -> Result<()> {
    let mut ledger = Ledger::open().await?;
    for run in runs(story) {
        play(&mut ledger, story, &run).await?;
    }
    Ok(())
}

#[tokio::test]
async fn every_order_of_chunks_ends_as_if_batches_came_one_after_the_other() -> Result<()> {
    play_all(&STORY).await
}

#[tokio::test]
async fn an_erased_person_comes_back_only_with_a_later_batch_in_every_order() -> Result<()> {
    play_all(&RETURN).await
}

#[tokio::test]
async fn outcomes_are_told_apart() -> Result<()> {
    let ledger = Ledger::open().await?;
    let first = ledger.post(&[&[("a", 1), ("b", 1), ("c", 1)]]).await?;
    let second = ledger.post(&[&[("a", 1), ("b", 2), ("d", 2)]]).await?;
    let late = ledger.post(&[&[("c", 3)]]).await?;
    ledger.step(ledger.chunk(&late, 0)).await?;
    ledger.step(ledger.chunk(&first, 0)).await?;
    ledger.step(ledger.chunk(&second, 0)).await?;
    let counts = async |received| -> Result<[i64; 4]> {
        let batch = ledger.batch(received).await?;
        Ok([
            batch.outcomes.created,
            batch.outcomes.updated,
            batch.outcomes.unchanged,
            batch.outcomes.superseded,
        ])
    };
    assert_eq!(counts(&late).await?, [1, 0, 0, 0]);
    assert_eq!(counts(&first).await?, [2, 0, 0, 1]);
    assert_eq!(counts(&second).await?, [1, 1, 1, 0]);
    Ok(())
}

#[tokio::test]
async fn an_unchanged_record_keeps_the_batch_and_time_of_its_value() -> Result<()> {
    let ledger = Ledger::open().await?;
    let first = ledger.post(&[&[("a", 1)]]).await?;
    ledger.step(ledger.chunk(&first, 0)).await?;
    let before = ledger
        .store
        .recipient(ledger.account_id, "a")
        .await?
        .expect("stored");
    let same = ledger.post(&[&[("a", 1)]]).await?;
    ledger.step(ledger.chunk(&same, 0)).await?;
    let after = ledger
        .store
        .recipient(ledger.account_id, "a")
        .await?
        .expect("stored");
    assert_eq!(ledger.batch(&same).await?.outcomes.unchanged, 1);
    assert_eq!(
        (after.batch_id, after.updated_at),
        (first.batch_id, before.updated_at)
    );
    Ok(())
}
