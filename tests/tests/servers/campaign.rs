//! A campaign of faults of every kind, as the program `faults` runs it: nothing accepted is lost, doubled or outdated.
//!
//! `FEEDBACK_FAULTS` says how many faults (50 if it does not), `FEEDBACK_SEED` which.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

use anyhow::{Context, Result};
use tests::faults;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_fails_nothing_accepted_is_lost_doubled_or_outdated() -> Result<()> {
    let seed = number("FEEDBACK_SEED")?.unwrap_or_else(|| RandomState::new().hash_one(0) >> 32);
    let faults = usize::try_from(number("FEEDBACK_FAULTS")?.unwrap_or(50))?;
    println!("faults --seed {seed} --faults {faults}");
    let plan = faults::plan(seed, faults, false);
    let told = Box::pin(faults::run(seed, &plan, faults)).await?;
    println!("{told}");
    told.is_clean()
        .with_context(|| format!("faults --seed {seed} --faults {faults}"))
}

fn number(variable: &str) -> Result<Option<u64>> {
    match std::env::var(variable) {
        Ok(text) if !text.is_empty() => {
            Ok(Some(text.parse().with_context(|| variable.to_owned())?))
        }
        _ => Ok(None),
    }
}
