//! People who are erased: what waits for them, and all whom an import created.

use anyhow::{Result, ensure};
use domain::campaign::{MessageStatus, SkipReason};

use super::fixture::{Ledger, Row};
use super::waiting::Waiting;

/// Recipients of an import, whom several slices erase.
const PEOPLE: usize = 120;

#[tokio::test]
async fn what_waits_for_whoever_is_erased_is_skipped_whenever_it_is_due() -> Result<()> {
    let waiting = Waiting::begin(&[("a", 1), ("b", 2), ("c", 3), ("d", 4)]).await?;
    let ledger = &waiting.survey.ledger;
    let mut ids = Vec::new();
    // As it was planned; overdue; after what is due between.
    for (docid, due_at) in [
        ("a", None),
        ("b", Some("2020-01-01T00:00:00+00:00")),
        ("c", Some("2090-01-01T00:00:00+00:00")),
        ("d", Some("2080-01-01T00:00:00+00:00")),
    ] {
        let message_id = waiting.id_of(docid).await?;
        if let Some(due_at) = due_at {
            let set = format!("UPDATE message_due SET due_at = '{due_at}'");
            let set = format!("{set} WHERE message_id = {{id}}");
            ledger.damage(&set, message_id).await?;
        }
        ids.push((docid, message_id));
    }
    for docid in ["a", "b", "c"] {
        ledger.erase(docid).await?;
    }
    for (docid, message_id) in ids {
        let message = waiting.message(message_id).await?;
        let expected = if docid == "d" {
            (MessageStatus::Scheduled, None)
        } else {
            (MessageStatus::Skipped, Some(SkipReason::Erased))
        };
        let found = (message.status, message.skipped_reason);
        ensure!(found == expected, "{docid}: {message:?}");
    }
    let drifts = ledger.store.check_campaign(waiting.key).await?;
    ensure!(drifts.is_empty(), "{drifts:?}");
    Ok(())
}

#[tokio::test]
async fn an_import_is_erased_slice_by_slice_and_others_write_between() -> Result<()> {
    let mut ledger = Ledger::open().await?;
    let account_id = ledger.account_id;
    let docids = (0..PEOPLE).map(|number| &*format!("p{number}").leak());
    let rows: Vec<Row> = docids.map(|docid| (docid, 1)).collect();
    let import = ledger.post(&[&rows]).await?;
    ledger.step(ledger.chunk(&import, 0)).await?;
    ledger
        .store
        .erase_created(account_id, import.batch_id)
        .await?;
    let (mut slices, mut erased) = (1, 0);
    while ledger.store.erase_slices(Some(&ledger.pepper)).await? {
        slices += 1;
        let batch = ledger.batch(&import).await?;
        ensure!(batch.erasing && batch.erased > erased, "{batch:?}");
        erased = batch.erased;
        ledger.fresh_account().await?;
        let other = ledger.post(&[&[("a", slices)]]).await?;
        ledger.step(ledger.chunk(&other, 0)).await?;
        ensure!(ledger.value("a").await? == Some(slices), "not stored");
        ledger.account_id = account_id;
    }
    ensure!(slices > 2, "all at once");
    let batch = ledger.batch(&import).await?;
    ensure!(
        !batch.erasing && batch.erased == batch.accepted,
        "{batch:?}"
    );
    ensure!(ledger.counted().await? == 0, "some are left");
    Ok(())
}
