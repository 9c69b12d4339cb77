//! Two sides at once, a thousand times each: no deadlock, no batch that never completes.

use anyhow::{Context, Result};
use chrono::{TimeDelta, Utc};
use domain::person::{PersonName, Role};
use domain::scope::Scopes;
use store::account::{Person, PersonChange, hash_secret, random_text};
use uuid::Uuid;
use worker::store_chunk::StepOutcome;

use super::fixture::Ledger;

const TIMES: usize = 1_000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_last_two_chunks_finishing_at_once_complete_the_batch() -> Result<()> {
    let ledger = Ledger::open().await?;
    for _ in 0..TIMES {
        let batch = ledger.post(&[&[("a", 1)], &[("b", 2)]]).await?;
        let (one, two) = tokio::join!(
            ledger.step(ledger.chunk(&batch, 0)),
            ledger.step(ledger.chunk(&batch, 1))
        );
        assert!(matches!(
            (&one?, &two?),
            (StepOutcome::Stored { .. }, StepOutcome::Stored { .. })
        ));
        assert_eq!(ledger.batch(&batch).await?.status.as_str(), "completed");
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancel_against_a_running_worker_leaves_final_counts() -> Result<()> {
    let ledger = Ledger::open().await?;
    let mut cancelled = 0;
    for _ in 0..TIMES {
        let received = ledger.post(&[&[("a", 1)], &[("b", 2)]]).await?;
        let (one, ended, two) = tokio::join!(
            ledger.step(ledger.chunk(&received, 0)),
            ledger
                .store
                .cancel_batch(ledger.account_id, received.batch_id),
            ledger.step(ledger.chunk(&received, 1))
        );
        ended?;
        let stored = [one?, two?]
            .iter()
            .filter(|step| matches!(step, StepOutcome::Stored { .. }))
            .count();
        let batch = ledger.batch(&received).await?;
        assert_eq!(batch.pending, 0);
        assert_eq!(batch.accepted - batch.cancelled, i64::try_from(stored)?);
        cancelled += usize::from(batch.status.as_str() == "cancelled");
    }
    assert!(cancelled > 0, "no cancel ever came in time");
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_chunk_run_by_two_workers_at_once_is_counted_once() -> Result<()> {
    let ledger = Ledger::open().await?;
    for _ in 0..TIMES / 5 {
        let batch = ledger.post(&[&[("a", 1), ("b", 2)]]).await?;
        let id = ledger.chunk(&batch, 0);
        let (one, two) = tokio::join!(ledger.step(id), ledger.step(id));
        let stored = [one?, two?]
            .iter()
            .filter(|step| matches!(step, StepOutcome::Stored { .. }))
            .count();
        assert_eq!(stored, 1);
        ledger.batch(&batch).await?;
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sweep_beside_an_erasure_brings_nobody_back() -> Result<()> {
    let ledger = Ledger::open().await?;
    for _ in 0..TIMES / 5 {
        // An erased row that may be swept, and a batch that waits with the person.
        let before = ledger.post(&[&[("a", 1)]]).await?;
        ledger.erase("a").await?;
        ledger.step(ledger.chunk(&before, 0)).await?;
        let waiting = ledger.post(&[&[("a", 2)]]).await?;
        let (erased, swept) = tokio::join!(ledger.erase("a"), ledger.store.sweep());
        erased?;
        swept?;
        ledger.step(ledger.chunk(&waiting, 0)).await?;
        assert_eq!(ledger.value("a").await?, None);
        assert_eq!(ledger.batch(&waiting).await?.outcomes.superseded, 1);
    }
    assert_eq!(ledger.counted().await?, 0);
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_account_that_ends_gets_neither_key_nor_person() -> Result<()> {
    let ledger = Ledger::open().await?;
    let store = &ledger.store;
    for _ in 0..TIMES / 5 {
        let name = Uuid::new_v4().to_string();
        let account = store.create_key(&name, None, Scopes::ALL).await?;
        let ben = PersonName::parse_new(&format!("ben {name}"))?;
        // Each is refused or goes with the rest.
        let (_, _, _, closed) = tokio::join!(
            store.create_key(&name, None, Scopes::ALL),
            store.create_key(&name, None, Scopes::ALL),
            store.add_person(&name, &ben, Role::Admin, ("", false)),
            store.close_account(account.account_id, |_, _| {}),
        );
        closed?;
        let keys = store.list_keys(Some(account.account_id)).await?;
        assert!(keys.is_empty(), "{keys:?}");
        assert!(store.person(&ben).await?.is_none());
        assert_eq!(store.account_to_end(&name).await?, Some(account.account_id));
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_signs_in_without_a_code_beside_a_second_factor() -> Result<()> {
    let ledger = Ledger::open().await?;
    let store = &ledger.store;
    let name = PersonName::parse_new("ada")?;
    let added = store.add_person("account", &name, Role::Viewer, ("hash", false));
    assert_eq!(added.await?, PersonChange::Done);
    let read = async || store.person(&name).await?.context("nobody");
    let open = async |person: &Person| {
        let hash = hash_secret(&random_text());
        let opened = store.open_session(person, hash, TimeDelta::hours(1), ("", ""));
        Ok::<_, anyhow::Error>(opened.await?.then_some(hash))
    };
    for _ in 0..TIMES / 5 {
        // As whoever signs in has read it, before their password is checked.
        let before = read().await?;
        let here = open(&before).await?.context("no session")?;
        open(&before).await?.context("no session elsewhere")?;
        let (opened, is_set) = tokio::join!(
            open(&before),
            store.set_second_factor(&before, ("nonce", 1), &[], here)
        );
        opened?;
        assert!(is_set?);
        let left = store.sessions(&before, Utc::now() - TimeDelta::hours(1));
        let left: Vec<_> = left.await?.into_iter().map(|left| left.hash).collect();
        assert_eq!(left, [here.to_vec()]);
        assert!(open(&before).await?.is_none(), "signed in without a code");
        assert!(open(&read().await?).await?.is_some(), "signed out for good");
        let removed = store.remove_second_factor(&before).await?;
        assert_eq!(removed, PersonChange::Done);
    }
    Ok(())
}
