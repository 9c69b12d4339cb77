//! What the ledger does with chunks that fail, and with chunks that take their worker along.

use anyhow::{Context, Result, bail, ensure};
use domain::message::Lane;
use store::import::{FailureOutcome, MAX_FAILURES, MAX_STARTS};
use tests::wait::{SOON, eventually};
use worker::store_chunk::{self, Pick, StepOutcome};

use super::fixture::{Ledger, encode};

#[tokio::test]
async fn a_broken_chunk_is_parked_after_five_failures_and_can_be_retried() -> Result<()> {
    let ledger = Ledger::open().await?;
    let mut broken = encode(&[("a", 1), ("b", 1)])?;
    broken.truncate(broken.len() / 2);
    let batch = ledger
        .receive_payloads(vec![(2, broken), (1, encode(&[("c", 1)])?)])
        .await?;
    ledger.accept(&batch).await?;
    ledger.step(ledger.chunk(&batch, 1)).await?;
    let mut failures = 0;
    let parked = eventually(SOON * 2, async || {
        match ledger.step(ledger.chunk(&batch, 0)).await? {
            StepOutcome::Failed { noted, reason, .. } => {
                failures += 1;
                assert!(!reason.is_empty() && !reason.contains("+49"), "{reason}");
                ensure!(noted == FailureOutcome::Parked, "failed {failures} times");
                Ok(())
            }
            other => bail!("{other:?}"),
        }
    })
    .await;
    parked?;
    assert_eq!(failures, MAX_FAILURES);
    let stalled = ledger.batch(&batch).await?;
    assert_eq!(stalled.status.as_str(), "stalled");
    assert_eq!(
        (stalled.outcomes.created, stalled.failed, stalled.pending),
        (1, 2, 0)
    );

    let retried = ledger
        .store
        .retry_batch(ledger.account_id, batch.batch_id)
        .await?;
    let store::import::BatchChange::Done(retried) = retried else {
        bail!("{retried:?}");
    };
    assert_eq!(retried.batch.status.as_str(), "processing");
    assert_eq!((retried.batch.failed, retried.batch.pending), (0, 2));

    let cancelled = ledger
        .store
        .cancel_batch(ledger.account_id, batch.batch_id)
        .await?;
    assert!(matches!(cancelled, store::import::BatchChange::Done(_)));
    let batch = ledger.batch(&batch).await?;
    assert_eq!((batch.status.as_str(), batch.cancelled), ("cancelled", 2));
    Ok(())
}

#[tokio::test]
async fn an_account_has_its_chunks_stored_in_the_order_of_acceptance_and_no_other_account_waits()
-> Result<()> {
    let mut ledger = Ledger::open().await?;
    let worker_id = ledger.worker_id;
    let first = ledger.post(&[&[("a", 1)], &[("b", 1)]]).await?;
    let second = ledger.post(&[&[("c", 1)], &[("d", 1)]]).await?;
    let small = ledger.post(&[&[("e", 1)]]).await?;
    let one = ledger.account_id;
    ledger.fresh_account().await?;
    let later = ledger.post(&[&[("a", 1)], &[("b", 1)]]).await?;
    let other = ledger.account_id;
    let store = &ledger.store;
    let mut waiting = store.accounts_with_chunks(Lane::Bulk).await?;
    waiting.sort_unstable();
    let mut all = [one, other];
    all.sort_unstable();
    assert_eq!(waiting, all);
    assert_eq!(store.accounts_with_chunks(Lane::Small).await?, [one]);
    let stored = async |account, lane| match store_chunk::run(
        store,
        worker_id,
        None,
        Pick::Due(account, lane),
    )
    .await?
    {
        StepOutcome::Stored { claim, .. } => Ok(Some((claim.id.batch_id, claim.id.chunk_no))),
        StepOutcome::NotTaken => Ok(None),
        step => bail!("{step:?}"),
    };
    for (account, lane, wanted) in [
        (one, Lane::Bulk, Some((first.batch_id, 0))),
        (other, Lane::Bulk, Some((later.batch_id, 0))),
        (one, Lane::Bulk, Some((first.batch_id, 1))),
        (one, Lane::Small, Some((small.batch_id, 0))),
        (one, Lane::Small, None),
        (one, Lane::Bulk, Some((second.batch_id, 0))),
        (other, Lane::Bulk, Some((later.batch_id, 1))),
        (other, Lane::Bulk, None),
    ] {
        assert_eq!(stored(account, lane).await?, wanted);
    }
    assert_eq!(store.accounts_with_chunks(Lane::Bulk).await?, [one]);
    Ok(())
}

#[tokio::test]
async fn a_payload_of_tomorrow_is_left_for_a_worker_of_tomorrow() -> Result<()> {
    let ledger = Ledger::open().await?;
    let mut payload = encode(&[("a", 1)])?;
    payload[0] = 250;
    let batch = ledger.receive_payloads(vec![(1, payload)]).await?;
    ledger.accept(&batch).await?;
    let step = ledger.step(ledger.chunk(&batch, 0)).await?;
    assert!(matches!(step, StepOutcome::PutOff), "{step:?}");
    let batch = ledger.batch(&batch).await?;
    assert_eq!((batch.pending, batch.failed), (1, 0));
    Ok(())
}

#[tokio::test]
async fn a_chunk_that_takes_its_worker_along_is_parked_where_starts_are_kept() -> Result<()> {
    let ledger = Ledger::open().await?;
    let batch = ledger.post(&[&[("a", 1)]]).await?;
    let id = ledger.chunk(&batch, 0);
    for _ in 0..MAX_STARTS {
        // The transaction of the start before may still be rolling back.
        let (tx, claim) = eventually(SOON, async || {
            let mut tx = ledger.store.begin().await?;
            let claim = tx.claim_chunk(id).await?.context("it is held")?;
            Ok((tx, claim))
        })
        .await?;
        ledger.store.note_start(ledger.worker_id, &claim).await?;
        drop(tx);
    }
    // The last start's transaction, too, may still be rolling back.
    let step = eventually(SOON, async || match ledger.step(id).await? {
        StepOutcome::NotTaken => bail!("it is held"),
        step => Ok(step),
    })
    .await?;
    if ledger.is_embedded() {
        // One process: a worker that falls takes the service along, and nobody fails to notice.
        assert!(matches!(step, StepOutcome::Stored { .. }), "{step:?}");
    } else {
        assert!(
            matches!(
                step,
                StepOutcome::Failed {
                    noted: FailureOutcome::Parked,
                    ..
                }
            ),
            "{step:?}"
        );
        assert_eq!(ledger.batch(&batch).await?.failed, 1);
    }
    Ok(())
}

#[tokio::test]
async fn what_the_ledger_holds_must_be_what_the_attempt_claims() -> Result<()> {
    let ledger = Ledger::open().await?;
    let mut short = ledger.receive(&[&[("a", 1)], &[("b", 1)]]).await?;
    short.records += 1;
    assert!(ledger.accept(&short).await.is_err());
    let gone = ledger.receive(&[&[("a", 1)]]).await?;
    ledger.store.abandon_batch(&ledger.attempt(&gone)).await?;
    assert!(ledger.accept(&gone).await.is_err());
    assert_eq!(ledger.counted().await?, 0);
    Ok(())
}

#[tokio::test]
async fn parked_records_of_erased_people_are_gone_after_a_sweep() -> Result<()> {
    let ledger = Ledger::open().await?;
    let both = ledger.post(&[&[("a", 1), ("b", 1)]]).await?;
    let alone = ledger.post(&[&[("a", 2)]]).await?;
    for batch in [&both, &alone] {
        let noted = ledger
            .store
            .note_failure(ledger.chunk(batch, 0), "a fault", true);
        assert_eq!(noted.await?, FailureOutcome::Parked);
    }
    ledger.erase("a").await?;
    ledger.erase("b").await?;
    let later = ledger.post(&[&[("a", 3)]]).await?;
    ledger.store.sweep().await?;
    let now = ledger.batch(&alone).await?;
    assert_eq!(
        (now.status.as_str(), now.outcomes.superseded),
        ("completed", 1)
    );
    let now = ledger.batch(&both).await?;
    assert_eq!(
        (now.status.as_str(), now.outcomes.superseded),
        ("completed", 2)
    );
    ledger.step(ledger.chunk(&later, 0)).await?;
    assert_eq!(ledger.value("a").await?, Some(3));
    Ok(())
}

#[tokio::test]
async fn who_comes_back_before_the_sweep_leaves_nothing_of_before_the_erasure() -> Result<()> {
    let ledger = Ledger::open().await?;
    let before = ledger.post(&[&[("a", 1), ("b", 1)]]).await?;
    let id = ledger.chunk(&before, 0);
    let noted = ledger.store.note_failure(id, "a fault", true).await?;
    assert_eq!(noted, FailureOutcome::Parked);
    ledger.erase("a").await?;
    let back = ledger.post(&[&[("a", 2)]]).await?;
    ledger.step(ledger.chunk(&back, 0)).await?;
    ledger.store.sweep().await?;
    let now = ledger.batch(&before).await?;
    assert_eq!((now.failed, now.outcomes.superseded), (1, 1));
    assert_eq!(ledger.value("a").await?, Some(2));
    Ok(())
}

#[tokio::test]
async fn who_is_not_erased_stays_in_a_parked_chunk() -> Result<()> {
    let ledger = Ledger::open().await?;
    let batch = ledger.post(&[&[("a", 1), ("b", 1), ("c", 1)]]).await?;
    let id = ledger.chunk(&batch, 0);
    ledger.store.note_failure(id, "a fault", true).await?;
    ledger.erase("b").await?;
    ledger.store.sweep().await?;
    let now = ledger.batch(&batch).await?;
    assert_eq!((now.failed, now.outcomes.superseded), (2, 1));
    ledger
        .store
        .retry_batch(ledger.account_id, batch.batch_id)
        .await?;
    let StepOutcome::Stored { outcomes, .. } = ledger.step(id).await? else {
        bail!("not stored");
    };
    assert_eq!(outcomes.created, 2);
    let now = ledger.batch(&batch).await?;
    assert_eq!(
        (now.status.as_str(), now.outcomes.created),
        ("completed", 2)
    );
    assert_eq!(ledger.value("b").await?, None);
    Ok(())
}
