//! What goes on while faults happen: imports over each other, cancellations, erasures, messages, visits, answers and readers.

use std::cell::Cell;
use std::time::{Duration, Instant};

use crate::check;
use crate::report::Of;
use crate::wait::eventually;
use anyhow::{Context, Result, ensure};
use serde_json::json;
use tokio::time::{MissedTickBehavior, interval};

use super::account::{Account, Answered, Posted, Stand};
use super::lost::When;
use super::plan::Dice;
use super::provider;
use super::slice::{Pool, Slice, Version};

/// The least time between two operations of one task: the processes and their faults share two cores.
const PACE: Duration = Duration::from_millis(250);
/// How many imports of one task may be open before it waits for the oldest.
const OPEN: usize = 3;
/// By when an import is through, whatever happens meanwhile.
const THROUGH: Duration = Duration::from_mins(5);

/// Imports of all sizes into the shared pool, one after the other, until `stop`.
///
/// # Errors
/// When an answer is one that may not be.
pub async fn post(account: &Account<'_>, mut dice: Dice, stop: &Cell<bool>) -> Result<()> {
    // An interval, because it paces a load and waits for nothing.
    let mut pace = interval(PACE);
    pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut open: Vec<Posted> = Vec::new();
    while !stop.get() {
        pace.tick().await;
        let slice = slice(&mut dice);
        let version = if dice.percent(25) {
            Version::Steady
        } else {
            Version::Own
        };
        let broken = if dice.percent(30) {
            dice.between(1, 20)
        } else {
            0
        };
        let mut posted = account.import(slice, version, broken).await?;
        if dice.percent(15) {
            replayed(account, &mut posted).await?;
        }
        if dice.percent(6) {
            posted.cancelled = account.cancel(&posted).await?;
        }
        open.push(posted.clone());
        account.posted.borrow_mut().push(posted);
        if open.len() > OPEN {
            through(account, &open.remove(0)).await?;
        }
    }
    Ok(())
}

/// Half are small, and half of those meet on the same docids; a quarter has two or three chunks.
fn slice(dice: &mut Dice) -> Slice {
    let pool = Pool::Shared;
    let size = dice.between(1, 100);
    let count = match size {
        1..=50 => dice.between(1, 60),
        51..=75 => dice.between(500, 4_000),
        _ => dice.between(5_001, 12_000),
    };
    let crowded = size <= 25;
    Slice {
        pool,
        start: dice.between(0, if crowded { 100 } else { pool.size() - 1 }),
        stride: if crowded {
            1
        } else {
            dice.between(1, pool.size() - 1)
        },
        count,
    }
}

/// Posts it again under its key: it is the same import, unless that was lost.
async fn replayed(account: &Account<'_>, posted: &mut Posted) -> Result<()> {
    let Posted { slice, .. } = *posted;
    let body = slice.body(posted.version, posted.broken, account.number);
    let (batch_id, when) = account.import_body(slice.pool, &posted.key, &body).await?;
    if batch_id != posted.batch_id {
        ensure!(
            account.stage.losses.may_have(posted.when),
            "{} was accepted twice: as {} and as {batch_id}",
            posted.key,
            posted.batch_id
        );
        account.count_lost("imports lost and accepted anew");
        posted.accepted_anew(batch_id, when);
    }
    Ok(())
}

/// Waits until nothing of a batch is pending; what is pending never grows, unless a failover takes what was done.
async fn through(account: &Account<'_>, posted: &Posted) -> Result<()> {
    let (tried, mut least) = (Instant::now(), u64::MAX);
    eventually(THROUGH, async || {
        let looked = account.batch(posted).await.and_then(|batch| {
            let Some(batch) = batch else { return Ok(0) };
            let pending = check::count(&batch, "pending")?;
            let acked = Instant::now();
            let may_grow = account.stage.losses.may_have(When { tried, acked });
            ensure!(
                pending <= least || may_grow,
                "{pending} pending after {least}: {batch}"
            );
            Ok(pending)
        });
        match looked {
            Ok(0) => Ok(Ok(())),
            Ok(pending) => {
                least = pending;
                anyhow::bail!("{pending} are pending in {}", posted.batch_id)
            }
            Err(wrong) => Ok(Err(wrong)),
        }
    })
    .await?
}

/// Imports and erasures in a pool of its own, each after the answer to the one before, until `stop`. Most meet while
/// older imports of the account are open.
///
/// # Errors
/// When an answer is one that may not be.
pub async fn erase(account: &Account<'_>, mut dice: Dice, stop: &Cell<bool>) -> Result<()> {
    let pool = Pool::Erased;
    // See `post`.
    let mut pace = interval(PACE);
    pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while !stop.get() {
        pace.tick().await;
        let start = dice.between(0, pool.size() - 1);
        if dice.percent(40) {
            let when = account.erase(&pool.docid(start)).await?;
            let version = None;
            stands(account, start, Stand { version, when })?;
            continue;
        }
        let slice = Slice {
            pool,
            start,
            stride: 1,
            count: dice.between(1, 8),
        };
        let posted = account.import(slice, Version::Own, 0).await?;
        for number in slice.numbers() {
            let (version, when) = (Some(posted.version), posted.when);
            stands(account, number, Stand { version, when })?;
        }
        account.posted.borrow_mut().push(posted);
    }
    Ok(())
}

/// Imports for the account's campaign, one after the other, until `stop`: most of people who have no message yet. What a failover may
/// have lost is posted again, as a client does.
///
/// # Errors
/// When an answer is one that may not be.
pub async fn send(account: &Account<'_>, mut dice: Dice, stop: &Cell<bool>) -> Result<()> {
    // See `post`. There are more of the others than of the one that misbehaves.
    let is_other = account.sender != provider::NAME;
    let mut pace = interval(PACE * if is_other { 8 } else { 1 });
    pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let losses = &account.stage.losses;
    let mut known = losses.ended();
    while !stop.get() {
        pace.tick().await;
        if losses.ended() > known {
            known = losses.ended();
            posted_again(account).await?;
            losses.posted_again.set(losses.posted_again.get() + 1);
        }
        if losses.comes_back.get() {
            continue;
        }
        let new = account.unsent.get();
        let is_again = new > 0 && dice.percent(25);
        let slice = Slice {
            pool: Pool::Sent,
            start: if is_again {
                dice.between(0, new - 1)
            } else {
                new
            },
            stride: 1,
            count: dice.between(1, 12),
        };
        let mut posted = account.import(slice, Version::Own, 0).await?;
        if dice.percent(15) {
            replayed(account, &mut posted).await?;
        }
        account.unsent.set(new.max(slice.start + slice.count));
        account.posted.borrow_mut().push(posted);
    }
    Ok(())
}

async fn posted_again(account: &Account<'_>) -> Result<()> {
    // Others add to them meanwhile.
    let count = account.posted.borrow().len();
    for place in 0..count {
        let one = account.posted.borrow().get(place).cloned();
        let mut one = one.context("no such import")?;
        if one.slice.pool == Pool::Sent && account.stage.losses.may_have(one.when) {
            replayed(account, &mut one).await?;
            if let Some(posted) = account.posted.borrow_mut().get_mut(place) {
                *posted = one;
            }
        }
    }
    Ok(())
}

/// Visits of the account's link until `stop`: most are seen, most are answered, some of them again with other answers.
///
/// # Errors
/// When an answer is one that may not be.
pub async fn visit(account: &Account<'_>, mut dice: Dice, stop: &Cell<bool>) -> Result<()> {
    // See `post`.
    let mut pace = interval(PACE);
    pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while !stop.get() {
        pace.tick().await;
        let visit = dice.uuid();
        let answers =
            json!({"recommend": dice.between(0, 10), "mood": dice.between(1, 5), "more": "a word"});
        if dice.percent(80) {
            let when = account.view(&visit).await?;
            account.seen.borrow_mut().insert(visit.clone(), when);
        }
        if dice.percent(80) {
            let (feedback_id, when) = account.answer(&visit, &answers).await?;
            account
                .seen
                .borrow_mut()
                .entry(visit.clone())
                .or_insert(when);
            account.answered.borrow_mut().push(Answered {
                visit,
                feedback_id,
                answers,
                when,
            });
        }
        if dice.percent(20) {
            answered_again(account, &mut dice).await?;
        }
    }
    Ok(())
}

/// An earlier visit answers again: the first answer stands.
async fn answered_again(account: &Account<'_>, dice: &mut Dice) -> Result<()> {
    let count = account.answered.borrow().len() as u64;
    if count == 0 {
        return Ok(());
    }
    let which = usize::try_from(dice.between(0, count - 1))?;
    let earlier = account.answered.borrow().get(which).cloned();
    let Answered {
        visit,
        feedback_id,
        when,
        ..
    } = earlier.context("no such answer")?;
    if account.stage.losses.may_have(when) {
        return Ok(());
    }
    let (again, _) = account.answer(&visit, &json!({"recommend": 0})).await?;
    ensure!(
        again == feedback_id,
        "{visit} was stored as {feedback_id} and as {again}"
    );
    Ok(())
}

/// Pages and reports, one after the other, until `stop`.
///
/// # Errors
/// When one is answered as it may not be, or shows what is not there.
pub async fn look(account: &Account<'_>, mut dice: Dice, stop: &Cell<bool>) -> Result<()> {
    let today = chrono::Utc::now().date_naive();
    let [from, to] = [-2, 2].map(|days| (today + chrono::TimeDelta::days(days)).to_string());
    let days = (from.as_str(), to.as_str());
    let report = Of::Form.path(&account.form, days, "");
    let campaign = account.campaign["campaign_id"].as_str().unwrap_or_default();
    let campaign = format!("/dashboard/campaigns/{campaign}");
    let pages = [
        "/dashboard",
        "/dashboard/imports",
        "/dashboard/campaigns",
        &campaign,
    ];
    // See `post`.
    let mut pace = interval(2 * PACE);
    pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while !stop.get() {
        pace.tick().await;
        if dice.percent(60) {
            account.read_report(&report).await?;
            continue;
        }
        if dice.percent(20) {
            account.export_audit().await?;
            continue;
        }
        let chosen = usize::try_from(dice.between(0, pages.len() as u64 - 1))?;
        account
            .look_at(pages.get(chosen).context("no page")?)
            .await?;
    }
    Ok(())
}

fn stands(account: &Account<'_>, number: u64, stand: Stand) -> Result<()> {
    let mut erased = account.erased.borrow_mut();
    let stands = erased.get_mut(usize::try_from(number)?);
    stands.context("no such docid")?.push(stand);
    Ok(())
}
