//! A campaign of faults: two apis and three workers on servers of their own are killed, frozen and cut off all the time,
//! while imports, cancellations, erasures, messages, visits and answers go on. In the end nothing accepted is lost, nothing is
//! stored, counted or sent twice, no older value stands over a newer one, reports are what is stored, and no more messages
//! are unknown than takeovers and the provider explain.
//!
//! `FEEDBACK_FAULTS` says how many faults (50 if it does not), `FEEDBACK_SEED` which: the same seed gives the same faults
//! at the same moments and the same load. What the processes make of it is up to them.

mod account;
mod harm;
mod load;
mod plan;
mod provider;
mod sent;
mod slice;
mod stage;
mod stored;
mod verdict;

use std::cell::Cell;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::time::Instant;

use account::Account;
use anyhow::{Context, Result, ensure};
use futures::future::try_join_all;
use plan::{Dice, Fault};
use stage::Stage;

const ACCOUNTS: u64 = 3;
/// Tasks of an account that import; one more imports and erases, one visits, and one imports for its campaign.
const POSTERS: u64 = 3;
/// The stream of the provider's dice; 0 is the plan's, those of the accounts come after it.
const PROVIDER: u64 = u64::MAX;

#[tokio::test]
async fn whatever_fails_nothing_accepted_is_lost_doubled_or_outdated() -> Result<()> {
    let seed = number("FEEDBACK_SEED")?.unwrap_or_else(|| RandomState::new().hash_one(0) >> 32);
    let faults = usize::try_from(number("FEEDBACK_FAULTS")?.unwrap_or(50))?;
    let replay = format!("FEEDBACK_SEED={seed} FEEDBACK_FAULTS={faults}");
    println!("a campaign of {replay}");
    let plan = plan::plan(seed, faults, stage::APIS, stage::WORKERS);
    let dice = Dice::new(seed, PROVIDER);
    let mut stage = Stage::start(dice).await.with_context(|| replay.clone())?;
    let outcome = campaign(&stage, seed, &plan).await;
    if outcome.is_ok() {
        stage.hide_logs();
    }
    outcome.with_context(|| format!("{replay}\nThe faults were:\n{}\n", stage.journal()))
}

fn number(variable: &str) -> Result<Option<u64>> {
    match std::env::var(variable) {
        Ok(text) if !text.is_empty() => {
            Ok(Some(text.parse().with_context(|| variable.to_owned())?))
        }
        _ => Ok(None),
    }
}

async fn campaign(stage: &Stage, seed: u64, plan: &[Fault]) -> Result<()> {
    let mut accounts = Vec::new();
    for number in 0..ACCOUNTS {
        accounts.push(Account::new(stage, &format!("account {number}")).await?);
    }
    let stop = Cell::new(false);
    let began = Instant::now();
    stage.begin();
    let faults = async {
        try_join_all(plan.iter().map(|fault| stage.inject(fault))).await?;
        stage.all_ready().await?;
        stop.set(true);
        stage.provider.calm_down();
        anyhow::Ok(Instant::now())
    };
    let dice = |account: usize, task: u64| Dice::new(seed, 1 + account as u64 * 16 + task);
    let tasks = (0..POSTERS).flat_map(|task| accounts.iter().enumerate().map(move |at| (task, at)));
    let posts = tasks.map(|(task, (which, account))| load::post(account, dice(which, task), &stop));
    let tasks = accounts.iter().enumerate();
    let erasures = tasks.map(|(which, account)| load::erase(account, dice(which, POSTERS), &stop));
    let tasks = accounts.iter().enumerate();
    let visits =
        tasks.map(|(which, account)| load::visit(account, dice(which, POSTERS + 1), &stop));
    let tasks = accounts.iter().enumerate();
    let sending =
        tasks.map(|(which, account)| load::send(account, dice(which, POSTERS + 2), &stop));
    let (healed, ..) = tokio::try_join!(
        faults,
        try_join_all(posts),
        try_join_all(erasures),
        try_join_all(visits),
        try_join_all(sending)
    )?;
    for account in &accounts {
        account.late_answers().await?;
    }
    verdict::settled(stage).await?;
    let settled = Instant::now();

    let mut violations = Vec::new();
    for account in &accounts {
        violations.extend(verdict::violations(account).await?);
    }
    let sent = sent::judge(stage, &accounts, &stage.provider, &mut violations).await?;
    for verdict in [
        verdict::cleared(stage).await,
        stage.verified().await,
        stage.names_nobody().await,
    ] {
        violations.extend(verdict.err().map(|wrong| format!("{wrong:#}")));
    }
    println!(
        "faults until {:.1} s, settled {:.1} s later, judged {:.1} s later",
        (healed - began).as_secs_f64(),
        (settled - healed).as_secs_f64(),
        settled.elapsed().as_secs_f64()
    );
    println!("{sent:?}");
    figures(stage, &accounts, violations.len());
    ensure!(
        violations.is_empty(),
        "violations:\n{}",
        violations.join("\n")
    );
    Ok(())
}

fn figures(stage: &Stage, accounts: &[Account<'_>], violations: usize) {
    for (kind, count) in stage.done() {
        println!("{count:6} {}", kind.name());
    }
    let (mut imports, mut records, mut cancelled, mut requests) = (0, 0, 0, 0);
    let (mut visits, mut answers) = (0, 0);
    for account in accounts {
        for posted in account.posted.borrow().iter() {
            imports += 1;
            records += posted.slice.count;
            cancelled += u64::from(posted.cancelled.is_some());
        }
        requests += account.asked.get();
        visits += account.seen.borrow().len();
        answers += account.answered.borrow().len();
    }
    println!("{answers:6} answers of {visits} visits");
    println!(
        "{imports:6} imports of {records} records, {cancelled} cancelled; {requests} requests"
    );
    let mut resumed = stage.resumed();
    resumed.sort();
    if let (Some(middle), Some(longest)) = (resumed.get(resumed.len() / 2), resumed.last()) {
        println!(
            "{:6} killed workers had chunks in hand: resumed after {:.1} s (median), {:.1} s (longest), other faults included",
            resumed.len(),
            middle.as_secs_f64(),
            longest.as_secs_f64()
        );
    }
    println!("{violations:6} violations");
}
