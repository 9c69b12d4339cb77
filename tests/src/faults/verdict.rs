//! What must be so in the end, whatever happened: read from the service and, where it says more, from the database.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use crate::check;
use crate::wait::{LATER, eventually};
use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::account::{Account, Cancelled, Posted};
use super::stage::Stage;
use super::stored;

/// By when everything accepted is through once the faults are over.
const SETTLED: Duration = Duration::from_mins(4);
/// More violations of one account are counted, not shown.
const SHOWN: usize = 20;

/// Waits until no import and no message is under way.
///
/// # Errors
/// When one still is, or was parked: no fault counts as a chunk's own failure.
pub async fn settled(stage: &Stage) -> Result<()> {
    let open = "SELECT batch_id, status, open_chunks, parked_chunks FROM import_batch \
                WHERE status IN ('queued', 'processing', 'stalled')";
    eventually(SETTLED, async || {
        let open = stage.sql(open).await?;
        if open.contains("|stalled|") {
            return Ok(Err(anyhow::anyhow!("parked:\n{open}")));
        }
        ensure!(open.is_empty(), "still open:\n{open}");
        let due =
            "SELECT sender, fence, due_at, failures, count(*) FROM message_due GROUP BY 1, 2, 3, 4";
        let due = stage.sql(due).await?;
        ensure!(due.is_empty(), "still due:\n{due}");
        Ok(Ok(()))
    })
    .await?
}

/// What the database tells of a batch that does not get through: its chunks, who began them, and the sessions that are at something.
pub async fn why_open(stage: &Stage, batch_id: &str) -> String {
    let [chunks, starts] = ["import_chunk", "import_start"].map(|table| {
        format!("SELECT to_jsonb(found) FROM {table} found WHERE batch_id = '{batch_id}'")
    });
    let sessions = "SELECT pid, state, wait_event, now() - xact_start, pg_blocking_pids(pid), left(query, 200) \
                    FROM pg_stat_activity WHERE state <> 'idle' AND pid <> pg_backend_pid()";
    let mut told = String::new();
    for question in ["SELECT now()", &chunks, &starts, sessions] {
        let answer = stage.sql(question).await;
        told.push_str(&answer.unwrap_or_else(|error| format!("{error:#}")));
        told.push('\n');
    }
    told
}

/// Nothing is left of the way in. What a killed attempt left goes a minute and a half after its last heartbeat.
///
/// # Errors
/// When something stays.
pub async fn cleared(stage: &Stage) -> Result<()> {
    eventually(LATER, async || {
        let left = "SELECT (SELECT count(*) FROM import_chunk), (SELECT count(*) FROM import_payload), \
                    (SELECT count(*) FROM import_batch WHERE status = 'receiving')";
        let left = stage.sql(left).await?;
        ensure!(left == "0|0|0", "chunks|payloads|receiving: {left}");
        Ok(())
    })
    .await
}

/// Whether the audit log has every export of it that was answered, and none that nobody asked for.
async fn audited(account: &Account<'_>) -> Result<()> {
    let rows = format!(
        "SELECT count(*) FROM audit WHERE account_id = '{}' AND action = 'audit.export' AND outcome_of IS NULL",
        account.id
    );
    let rows: u64 = account.stage.sql(&rows).await?.parse()?;
    let asked = account.exporting.get();
    let losses = &account.stage.losses;
    let exported = account.exported.borrow();
    let done = exported.iter().filter(|when| !losses.may_have(**when));
    let done = done.count() as u64;
    ensure!(
        (done..=asked).contains(&rows),
        "{rows} exports are in the audit log, of {asked} asked for and {done} done"
    );
    Ok(())
}

/// All that is wrong with an account.
///
/// # Errors
/// When it cannot be found out.
pub async fn violations(account: &Account<'_>) -> Result<Vec<String>> {
    let mut found = Vec::new();
    let posted = account.posted.borrow().clone();
    let ledger = ledger(account, &posted, &mut found).await?;
    let mut batches = HashMap::new();
    for one in &posted {
        let batch = account.batch(one).await?.context("lost meanwhile")?;
        if let Err(wrong) = batch_is(one, &batch) {
            found.push(format!("{wrong:#} (of {one:?})"));
        }
        batches.insert(one.batch_id.clone(), batch);
    }
    in_order(&posted, &ledger, &mut found);
    if let Err(wrong) = audited(account).await {
        found.push(format!("{wrong:#}"));
    }
    stored::judge(account, &posted, &ledger, &batches, &mut found).await?;
    if found.len() > SHOWN {
        let more = found.len() - SHOWN;
        found.truncate(SHOWN);
        found.push(format!("and {more} more"));
    }
    Ok(found)
}

/// The `seq` of each batch. There are just those which were answered 202.
async fn ledger(
    account: &Account<'_>,
    posted: &[Posted],
    found: &mut Vec<String>,
) -> Result<HashMap<String, u64>> {
    let select = format!(
        "SELECT batch_id, seq FROM import_batch WHERE account_id = '{}' AND seq IS NOT NULL",
        account.id
    );
    let answered: HashSet<&str> = posted.iter().map(|one| one.batch_id.as_str()).collect();
    let mut ledger = HashMap::new();
    for row in account.stage.sql(&select).await?.lines() {
        let (batch_id, seq) = row.split_once('|').context("no row")?;
        ledger.insert(batch_id.to_owned(), seq.parse()?);
        if !answered.contains(batch_id) {
            found.push(format!(
                "batch {batch_id} was never answered: twice under one key"
            ));
        }
    }
    for one in posted {
        if !ledger.contains_key(&one.batch_id) {
            found.push(format!("lost: {one:?}"));
        }
    }
    Ok(ledger)
}

/// A batch is through, with the counts of its body; a cancelled one has those that its cancellation answered.
fn batch_is(one: &Posted, batch: &Value) -> Result<()> {
    ensure!(
        check::count(batch, "accepted")? == one.slice.count
            && check::count(batch, "rejected")? == one.broken,
        "other counts: {batch}"
    );
    ensure!(
        check::count(batch, "pending")? + check::count(batch, "failed")? == 0,
        "not through: {batch}"
    );
    let status = batch["status"].as_str().unwrap_or_default();
    let Some(Cancelled { counts, .. }) = &one.cancelled else {
        ensure!(status == "completed", "not completed: {batch}");
        return Ok(());
    };
    ensure!(status == "cancelled", "not cancelled: {batch}");
    for member in ["outcomes", "cancelled", "failed", "pending"] {
        ensure!(
            batch[member] == counts[member],
            "other counts than the cancellation answered, {counts}: {batch}"
        );
    }
    Ok(())
}

/// An import that was sent after another had its answer was accepted after it.
fn in_order(posted: &[Posted], ledger: &HashMap<String, u64>, found: &mut Vec<String>) {
    let seq = |one: &Posted| ledger.get(&one.batch_id).copied().unwrap_or_default();
    let mut answered: Vec<&Posted> = posted.iter().collect();
    answered.sort_by_key(|one| one.when.acked);
    let mut sent: Vec<&Posted> = posted.iter().collect();
    sent.sort_by_key(|one| one.sent);
    let mut answered = answered.into_iter().peekable();
    let mut newest = 0;
    for one in sent {
        while let Some(before) = answered.next_if(|before| before.when.acked < one.sent) {
            newest = newest.max(seq(before));
        }
        if seq(one) <= newest {
            found.push(format!(
                "accepted out of order, {} <= {newest}: {one:?}",
                seq(one)
            ));
        }
    }
}
