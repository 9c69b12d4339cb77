//! The chain over the audit log: what is changed behind its back is found, an erasure is not, and who seals at once does not seal twice.

use anyhow::{Result, bail, ensure};
use chrono::Utc;
use domain::retention::Retention;
use domain::scope::{Scope, Scopes};
use futures::future::try_join_all;
use store::Error;
use store::account::{AuditFilter, CreateKeyError, Fault, SealHash};
use uuid::Uuid;

use super::fixture::Ledger;

async fn noted(ledger: &Ledger, subject: &str) -> Result<Uuid> {
    let (store, account) = (&ledger.store, ledger.account_id);
    let who = ("ada", "192.0.2.1");
    let noted = store.note_change(account, who, "recipient.erase", subject);
    let noted = noted.await?;
    store.note_outcome(account, noted, 204).await?;
    Ok(noted)
}

async fn seal(ledger: &Ledger) -> Result<()> {
    while ledger.store.seal_audit().await? {}
    Ok(())
}

async fn faults(ledger: &Ledger) -> Result<Vec<Fault>> {
    let chain = ledger.store.verify_audit(ledger.account_id, None).await?;
    Ok(chain.faults.iter().map(|found| found.fault).collect())
}

#[tokio::test]
async fn what_is_changed_behind_the_back_of_the_log_is_found() -> Result<()> {
    let ledger = Ledger::open().await?;
    let first = noted(&ledger, "a").await?;
    seal(&ledger).await?;
    noted(&ledger, "b").await?;
    // Not sealed yet, which is no fault.
    assert_eq!(faults(&ledger).await?, []);
    seal(&ledger).await?;
    ledger.erase("a").await?;
    assert_eq!(faults(&ledger).await?, []);
    let insert = "INSERT INTO audit (account_id, audit_id, at, name, address, action, subject, seal)
        SELECT account_id, account_id, at, name, address, action, subject, seal FROM audit WHERE audit_id = {id}";
    for (damage, repair, expected) in [
        (
            "UPDATE audit SET name = 'eve' WHERE audit_id = {id}",
            "UPDATE audit SET name = 'ada' WHERE audit_id = {id}",
            vec![Fault::RowChanged],
        ),
        (
            "UPDATE audit SET subject = 'c' WHERE audit_id = {id}",
            // As an erasure leaves it.
            "UPDATE audit SET subject = (SELECT max(subject) FROM audit WHERE outcome_of = {id}) WHERE audit_id = {id}",
            vec![Fault::RowChanged],
        ),
        (
            insert,
            "DELETE FROM audit WHERE audit_id = account_id",
            vec![Fault::RowInserted],
        ),
        (
            "UPDATE audit SET seal = 9 WHERE audit_id = {id}",
            "UPDATE audit SET seal = 1 WHERE audit_id = {id}",
            vec![Fault::RowRemoved, Fault::SealRemoved],
        ),
        (
            "UPDATE audit_seal SET seal = 3 WHERE seal = 2",
            "UPDATE audit_seal SET seal = 2 WHERE seal = 3",
            vec![Fault::SealRemoved, Fault::RowRemoved, Fault::RowRemoved],
        ),
        (
            "DELETE FROM audit WHERE outcome_of = {id}",
            "",
            vec![Fault::RowRemoved],
        ),
    ] {
        ledger.damage(damage, first).await?;
        let found = faults(&ledger).await?;
        ensure!(found == expected, "{damage}: {found:?}");
        if !repair.is_empty() {
            ledger.damage(repair, first).await?;
            ensure!(faults(&ledger).await?.is_empty(), "{repair}");
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_beginning_is_missing_only_where_retention_may_have_dropped_it() -> Result<()> {
    let ledger = Ledger::open().await?;
    for subject in ["a", "b"] {
        noted(&ledger, subject).await?;
        seal(&ledger).await?;
    }
    let account = ledger.account_id;
    // As retention does, but by hand.
    ledger
        .damage("DELETE FROM audit WHERE seal = 1", account)
        .await?;
    let emptied = if ledger.is_embedded() { "x''" } else { "''" };
    let cut = format!("UPDATE audit_seal SET digests = {emptied} WHERE seal = 1");
    ledger.damage(&cut, account).await?;
    assert_eq!(faults(&ledger).await?, [Fault::SealRemoved]);
    let long_ago = "UPDATE audit_seal SET sealed_at = '2020-01-01 00:00:00+00:00' WHERE seal = 1";
    ledger.damage(long_ago, account).await?;
    // The account keeps all for ever.
    assert_eq!(faults(&ledger).await?, [Fault::SealRemoved]);
    let retention = Retention {
        audit_days: Some(90),
        ..Retention::default()
    };
    ledger.store.set_retention(account, &retention).await?;
    assert_eq!(faults(&ledger).await?, []);
    let lately = long_ago.replace("2020-01-01", &Utc::now().date_naive().to_string());
    ledger.damage(&lately, account).await?;
    assert_eq!(faults(&ledger).await?, [Fault::SealRemoved]);
    Ok(())
}

#[tokio::test]
async fn rows_that_come_late_and_seals_that_were_noted_elsewhere_are_told() -> Result<()> {
    let ledger = Ledger::open().await?;
    let (store, account) = (&ledger.store, ledger.account_id);
    let first = noted(&ledger, "a").await?;
    seal(&ledger).await?;
    let long_ago = "UPDATE audit_seal SET sealed_at = '2020-01-01 00:00:00+00:00'";
    ledger.damage(long_ago, account).await?;
    noted(&ledger, "b").await?;
    seal(&ledger).await?;
    assert_eq!(faults(&ledger).await?, []);
    let insert = "INSERT INTO audit (account_id, audit_id, at, name, address, action, subject)
        SELECT account_id, account_id, '2021-01-01 00:00:00+00:00', name, address, action, subject
          FROM audit WHERE audit_id = {id}";
    ledger.damage(insert, first).await?;
    assert_eq!(faults(&ledger).await?, [Fault::RowUnsealed]);
    seal(&ledger).await?;
    assert_eq!(faults(&ledger).await?, [Fault::RowLate]);
    let backdated = format!("{long_ago} WHERE seal = 3").replace("2020", "2019");
    ledger.damage(&backdated, account).await?;
    assert_eq!(faults(&ledger).await?, [Fault::SealChanged]);
    let against = async |noted: &SealHash| {
        let chain = store.verify_audit(account, Some(noted)).await?;
        anyhow::Ok(chain.faults.iter().map(|found| found.fault).collect())
    };
    let told = store.last_seals().await?;
    let [(_, last)] = &told[..] else {
        bail!("{told:?}");
    };
    for newest in ["audit", "audit_seal"] {
        let cut = format!("DELETE FROM {newest} WHERE seal = 3");
        ledger.damage(&cut, account).await?;
    }
    // Only what is kept elsewhere shows it.
    assert_eq!(faults(&ledger).await?, []);
    let found: Vec<_> = against(last).await?;
    assert_eq!(found, [Fault::SealRemoved]);
    let mut other = last.clone();
    other.seal = 2;
    let found: Vec<_> = against(&other).await?;
    assert_eq!(found, [Fault::SealChanged]);
    ledger.damage("DELETE FROM audit_seal", account).await?;
    let unsealed = "UPDATE audit SET seal = NULL, at = '2021-01-01 00:00:00+00:00'";
    ledger.damage(unsealed, account).await?;
    assert_eq!(faults(&ledger).await?, [Fault::RowUnsealed; 4]);
    Ok(())
}

#[tokio::test]
async fn docids_of_before_are_hashed_once_and_the_chain_holds() -> Result<()> {
    let ledger = Ledger::open().await?;
    let batch = ledger.post(&[&[("stored", 1)]]).await?;
    ledger.step(ledger.chunk(&batch, 0)).await?;
    for docid in ["stored", "gone"] {
        noted(&ledger, docid).await?;
    }
    seal(&ledger).await?;
    let (store, account) = (&ledger.store, ledger.account_id);
    ensure!(
        store.hash_audit(Some(&ledger.pepper)).await?,
        "none is there"
    );
    ensure!(
        !store.hash_audit(Some(&ledger.pepper)).await?,
        "some are left"
    );
    assert_eq!(faults(&ledger).await?, []);
    let all = AuditFilter::default();
    let rows = store.audit(account, &all, None, 10).await?.rows;
    ensure!(
        rows.iter().all(|row| row.subject.starts_with('\u{1}')),
        "{rows:?}"
    );
    let docids: Vec<_> = rows.iter().map(|row| row.docid.as_deref()).collect();
    assert_eq!(docids, [None, Some("stored")]);
    ledger.erase("stored").await?;
    assert_eq!(faults(&ledger).await?, []);
    Ok(())
}

#[tokio::test]
async fn docids_that_cannot_be_hashed_hold_up_no_other_account() -> Result<()> {
    let mut ledger = Ledger::open().await?;
    if !ledger.is_embedded() {
        return Ok(());
    }
    let broken = "CREATE TRIGGER broken BEFORE UPDATE ON audit WHEN OLD.account_id = {id}
        BEGIN SELECT RAISE(ABORT, 'broken'); END";
    noted(&ledger, "a").await?;
    let account = ledger.account_id;
    // Its name is most likely the first.
    ledger.fresh_account().await?;
    noted(&ledger, "b").await?;
    ledger.damage(broken, ledger.account_id).await?;
    let store = &ledger.store;
    ensure!(store.hash_audit(Some(&ledger.pepper)).await.is_err());
    let all = AuditFilter::default();
    let rows = store.audit(account, &all, None, 10).await?.rows;
    ensure!(rows[0].subject.starts_with('\u{1}'));
    Ok(())
}

#[tokio::test]
async fn of_those_who_seal_at_once_each_row_has_one_seal() -> Result<()> {
    let ledger = Ledger::open().await?;
    for round in 0..5 {
        for n in 0..5 {
            noted(&ledger, &format!("{round} {n}")).await?;
        }
        try_join_all([(); 4].map(|()| seal(&ledger))).await?;
    }
    let chain = ledger.store.verify_audit(ledger.account_id, None).await?;
    ensure!(chain.faults.is_empty() && chain.rows == 50, "{chain:?}");
    Ok(())
}

#[tokio::test]
async fn beside_older_programs_nothing_is_sealed_and_no_key_has_what_they_cannot_read() -> Result<()>
{
    let ledger = Ledger::open().await?;
    let older = "UPDATE schema_version SET version = 20";
    ledger.damage(older, ledger.account_id).await?;
    noted(&ledger, "a").await?;
    seal(&ledger).await?;
    let chain = ledger.store.verify_audit(ledger.account_id, None).await?;
    assert_eq!(chain.seals, 0);
    let store = &ledger.store;
    let key = store.create_key("account", None, Scopes::ALL).await?;
    let known = Scopes::ALL.without(Scope::Audit);
    let known = known.without(Scope::Retention);
    assert_eq!((key.scopes, store.known_scopes().await?), (known, known));
    let fewer = known.without(Scope::Send);
    let key = store.create_key("account", None, fewer).await?;
    assert_eq!(key.scopes, fewer);
    let audit = Scopes::from_iter([Scope::Audit]);
    let refused = store.create_key("account", None, audit).await;
    ensure!(
        matches!(
            refused,
            Err(CreateKeyError::Store(Error::UpgradeUnfinished))
        ),
        "a key was made"
    );
    let all = AuditFilter::default();
    let page = store.audit(ledger.account_id, &all, None, 10);
    let page = page.await?;
    assert_eq!(page.rows.len(), 1);
    assert_eq!(page.rows[0].status, Some(204));
    Ok(())
}
