//! `faults --seed N --faults N [--round N] [--every N] [--resume FILE] [--shrink] [--lose-commits]`: faults of every kind beside load, and whether
//! anything that was accepted suffered.
//!
//! The seed is the plan, which is printed. Each `--round` (200) of its faults is done on fresh servers of its own, and after every
//! `--every` (100) it is quiet and all is judged. `--resume` keeps what the rounds came to in a file, and goes on after the last one that
//! is in it. `--shrink` looks for the shortest beginning of a failing round that fails, which takes many runs. With
//! `--lose-commits` one fault in 51 is a failover to a standby that lags, after which the judge forgives what was accepted meanwhile.
//!
//! The programs are those beside this one: `cargo build --workspace --bins`, with `--release` if this one has it.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use tests::faults::{self, Fault, Told};
use tokio::signal::unix::{SignalKind, signal};

/// What the arguments say.
struct Wanted {
    seed: u64,
    faults: usize,
    round: usize,
    every: usize,
    resume: Option<PathBuf>,
    is_shrunk: bool,
    loses_commits: bool,
}

#[tokio::main]
async fn main() -> ExitCode {
    let run = async {
        let wanted = Wanted::of(std::env::args().skip(1))?;
        let (mut interrupt, mut terminate) = (
            signal(SignalKind::interrupt())?,
            signal(SignalKind::terminate())?,
        );
        // What was started ends with the run.
        tokio::select! {
            outcome = Box::pin(run(&wanted)) => outcome,
            _ = interrupt.recv() => bail!("interrupted"),
            _ = terminate.recv() => bail!("terminated"),
        }
    };
    match run.await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("faults: {error:#}");
            ExitCode::FAILURE
        }
    }
}

impl Wanted {
    fn of(mut arguments: impl Iterator<Item = String>) -> Result<Self> {
        let mut wanted = Self {
            seed: 1,
            faults: 50,
            round: 200,
            every: 100,
            resume: None,
            is_shrunk: false,
            loses_commits: false,
        };
        while let Some(name) = arguments.next() {
            let mut value = || arguments.next().with_context(|| format!("{name} of what?"));
            match name.as_str() {
                "--seed" => wanted.seed = value()?.parse()?,
                "--faults" => wanted.faults = value()?.parse()?,
                "--round" => wanted.round = value()?.parse()?,
                "--every" => wanted.every = value()?.parse()?,
                "--resume" => wanted.resume = Some(value()?.into()),
                "--shrink" => wanted.is_shrunk = true,
                "--lose-commits" => wanted.loses_commits = true,
                _ => bail!(
                    "usage: faults --seed N --faults N [--round N] [--every N] [--resume FILE] [--shrink] [--lose-commits]"
                ),
            }
        }
        ensure!(wanted.round > 0 && wanted.every > 0, "not even one fault");
        Ok(wanted)
    }
}

async fn run(wanted: &Wanted) -> Result<()> {
    let seed = wanted.seed;
    let plan = faults::plan(seed, wanted.faults, wanted.loses_commits);
    println!("faults --seed {seed} --faults {}", plan.len());
    for fault in &plan {
        println!("{:7.1} s  {fault}", fault.at.as_secs_f64());
    }
    let (mut done, mut all) = (0, Told::default());
    if let Some(file) = wanted.resume.as_deref().filter(|file| file.exists()) {
        (done, all) = kept(file, seed)?;
        println!("{done} faults are done");
    }
    for round in plan.get(done..).unwrap_or_default().chunks(wanted.round) {
        let told = Box::pin(faults::run(seed, round, wanted.every)).await?;
        println!("\n{told}");
        if let Err(wrong) = told.is_clean() {
            if wanted.is_shrunk {
                // It takes long, and may be ended before it is done.
                eprintln!("{wrong:#}");
                shrink(wanted, round, &told).await?;
            }
            return Err(wrong);
        }
        done += round.len();
        all.add(told);
        if let Some(file) = &wanted.resume {
            keep(file, seed, done, &all)?;
        }
    }
    println!("\nAll of seed {seed}:\n{all}");
    Ok(())
}

/// How many faults of the seed were done without a violation, and what they came to.
fn kept(file: &Path, seed: u64) -> Result<(usize, Told)> {
    let kept: Value = serde_json::from_slice(&std::fs::read(file)?)?;
    ensure!(
        kept["seed"] == seed,
        "{} is of another seed",
        file.display()
    );
    let done = kept["done"].as_u64().context("no count")?;
    Ok((usize::try_from(done)?, Told::of_json(&kept["told"])?))
}

/// Keeps that, whole also if this is killed meanwhile.
fn keep(file: &Path, seed: u64, done: usize, all: &Told) -> Result<()> {
    let kept = json!({"seed": seed, "done": done, "told": all.to_json()});
    let new = file.with_added_extension("new");
    std::fs::write(&new, kept.to_string())?;
    Ok(std::fs::rename(&new, file)?)
}

async fn shrink(wanted: &Wanted, round: &[Fault], told: &Told) -> Result<()> {
    // What was not done yet had no part in it.
    let begun = round.partition_point(|fault| fault.number <= told.last());
    let failing = round.get(..begun).unwrap_or(round);
    let shortest = faults::shortest(wanted.seed, failing, wanted.every).await?;
    println!("\nThe first {shortest} faults of the round are enough:");
    for fault in failing.iter().take(shortest) {
        println!("{:7.1} s  {fault}", fault.at.as_secs_f64());
    }
    Ok(())
}
