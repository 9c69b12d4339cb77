//! A campaign of faults: two apis and three workers on servers of their own are killed, stopped, frozen, starved and cut off all
//! the time, their servers too, disks and memories are full, a clock steps, a standby takes over, while imports, cancellations,
//! erasures, messages through every kind of sender, visits, answers and readers go on. At quiet points nothing accepted is lost, nothing
//! is stored, counted or sent twice, no older value stands over a newer one, reports are what is counted anew, and no more messages
//! are unknown than takeovers and the provider explain. Where the standby lagged, what it lacks is told, and is gone as a whole.
//!
//! The same seed gives the same faults at the same moments and the same load; what the processes make of it is up to them.
//!
//! - `plan`: which faults, and when; `harm` does them, to what is on the `stage`.
//! - `account`: what one account was told; `slice`: what it says; `load`: what all do meanwhile.
//! - `provider`, `senders`: who takes messages.
//! - `verdict`, `stored`, `sent`: what must hold in the end; `lost`: what need not.
//! - [`Told`]: what came of it; `times`: how long it took.

mod account;
mod harm;
mod load;
mod lost;
mod plan;
mod provider;
mod senders;
mod sent;
mod slice;
mod stage;
mod stored;
mod times;
mod told;
mod verdict;

use std::cell::Cell;

use anyhow::{Context, Result};
use futures::future::{LocalBoxFuture, try_join_all};

use self::account::Account;
use self::plan::Dice;
pub use self::plan::{Fault, plan};
use self::stage::Stage;
pub use self::told::Told;

/// Accounts that do everything, through the provider that misbehaves. Each other sender has one that only sends.
const ACCOUNTS: usize = 3;
/// Tasks of an account that import; one more imports and erases, one visits, one imports for its campaign, and one reads.
const POSTERS: u64 = 3;
/// The stream of the provider's dice; 0 is the plan's, those of the accounts come after it.
const PROVIDER: u64 = u64::MAX;
/// Streams of one account.
const STREAMS: u64 = 16;

/// Does these faults of a seed's plan on servers of its own, which are gone in the end. Each `every` faults it is quiet, and all is
/// judged; the first violation ends it.
///
/// # Errors
/// When something does not start.
pub async fn run(seed: u64, faults: &[Fault], every: usize) -> Result<Told> {
    let first = faults.first().context("no fault")?.number as u64;
    let dice = Dice::new(seed, PROVIDER - first);
    let mut stage = Box::pin(Stage::start(dice)).await?;
    let mut told = Told::default();
    let outcome = Box::pin(campaign(&stage, seed, faults, every, &mut told)).await;
    told.stage(&stage);
    told.violations
        .extend(outcome.err().map(|wrong| format!("{wrong:#}")));
    if told.violations.is_empty() {
        stage.hide_logs();
    }
    Ok(told)
}

/// How many faults of a failing run are enough for it to fail: each try is a run of its own, judged after each `every`, too.
///
/// # Errors
/// When something does not start.
pub async fn shortest(seed: u64, faults: &[Fault], every: usize) -> Result<usize> {
    let (mut passes, mut fails) = (0, faults.len());
    while fails - passes > 1 {
        let middle = usize::midpoint(passes, fails);
        let part = faults.get(..middle).unwrap_or_default();
        let told = Box::pin(run(seed, part, every)).await?;
        println!("{middle} faults: {} violations", told.violations.len());
        if told.violations.is_empty() {
            passes = middle;
        } else {
            fails = middle;
        }
    }
    Ok(fails)
}

async fn campaign(
    stage: &Stage,
    seed: u64,
    faults: &[Fault],
    every: usize,
    told: &mut Told,
) -> Result<()> {
    let mut accounts = Vec::new();
    let whole = std::iter::repeat_n(provider::NAME, ACCOUNTS);
    for (number, sender) in whole.chain(senders::NAMES).enumerate() {
        let number = number as u64;
        accounts.push(Box::pin(Account::new(stage, number, sender)).await?);
    }
    for part in faults.chunks(every.max(1)) {
        let first = part.first().context("no fault")?;
        stage.begin(first.at);
        Box::pin(under_faults(stage, seed, part, &accounts)).await?;
        Box::pin(quiet(stage, &accounts, told)).await?;
        if !told.violations.is_empty() {
            break;
        }
    }
    Ok(())
}

/// Everything goes on until a part of the plan is done, and all that it broke is whole again.
async fn under_faults(
    stage: &Stage,
    seed: u64,
    part: &[Fault],
    accounts: &[Account<'_>],
) -> Result<()> {
    let stop = Cell::new(false);
    let first = part.first().context("no fault")?.number as u64;
    stage.provider.misbehave();
    let faults = async {
        let done = try_join_all(part.iter().map(|fault| stage.inject(fault))).await;
        stage.tell("all faults are done");
        stop.set(true);
        stage.provider.calm_down();
        done?;
        stage.all_ready().await
    };
    let mut load: Vec<LocalBoxFuture<'_, Result<()>>> = vec![Box::pin(faults)];
    for (number, account) in accounts.iter().enumerate() {
        let dice = |task: u64| {
            let stream = (first * accounts.len() as u64 + number as u64) * STREAMS;
            Dice::new(seed, 1 + stream + task)
        };
        load.push(Box::pin(load::send(account, dice(POSTERS + 2), &stop)));
        if number >= ACCOUNTS {
            continue;
        }
        for task in 0..POSTERS {
            load.push(Box::pin(load::post(account, dice(task), &stop)));
        }
        load.push(Box::pin(load::erase(account, dice(POSTERS), &stop)));
        load.push(Box::pin(load::visit(account, dice(POSTERS + 1), &stop)));
        load.push(Box::pin(load::look(account, dice(POSTERS + 3), &stop)));
    }
    try_join_all(load).await?;
    stage.tell("all is asked for");
    Ok(())
}

/// Waits until all is through, and adds all that is wrong then.
async fn quiet(stage: &Stage, accounts: &[Account<'_>], told: &mut Told) -> Result<()> {
    for account in accounts {
        account.late_answers().await?;
    }
    stage.tell("all is answered");
    verdict::settled(stage).await?;
    stage.tell("all is settled");
    for account in accounts {
        account.forgive().await?;
    }
    for account in accounts {
        told.violations.extend(verdict::violations(account).await?);
    }
    let messages = sent::judge(stage, accounts, &mut told.violations).await?;
    for verdict in [
        verdict::cleared(stage).await,
        stage.verified().await,
        stage.audit_is_sealed().await,
        stage.names_nobody().await,
    ] {
        told.violations
            .extend(verdict.err().map(|wrong| format!("{wrong:#}")));
    }
    told.accepted(accounts, &messages);
    stage.tell("all is judged");
    Ok(())
}
