//! What a campaign came to, in words and in a file.

use std::collections::BTreeMap;
use std::fmt;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::account::Account;
use super::stage::Stage;
use super::times::Times;

/// What was done, what was accepted meanwhile, and what of that is wrong.
#[derive(Clone, Debug, Default)]
pub struct Told {
    /// The faults, by kind.
    done: BTreeMap<String, u64>,
    /// What was accepted and judged.
    accepted: BTreeMap<String, u64>,
    times: Times,
    last: usize,
    /// What was done when; not kept in a file.
    journal: Vec<String>,
    /// What may not be, each in words.
    pub violations: Vec<String>,
}

impl Told {
    /// The number of the last fault of the plan that was begun.
    pub fn last(&self) -> usize {
        self.last
    }

    /// Adds what another part of the plan came to.
    pub fn add(&mut self, more: Self) {
        for (all, more) in [
            (&mut self.done, more.done),
            (&mut self.accepted, more.accepted),
        ] {
            for (name, count) in more {
                *all.entry(name).or_default() += count;
            }
        }
        self.times.add(more.times);
        self.last = more.last;
        self.journal = more.journal;
        self.violations.extend(more.violations);
    }

    /// Whether nothing is wrong.
    ///
    /// # Errors
    /// All that is, and the faults.
    pub fn is_clean(&self) -> Result<()> {
        ensure!(
            self.violations.is_empty(),
            "violations:\n{}\nThe faults were:\n{}",
            self.violations.join("\n"),
            self.journal.join("\n")
        );
        Ok(())
    }

    /// Without journal and violations.
    pub fn to_json(&self) -> Value {
        json!({"done": self.done, "accepted": self.accepted, "times": self.times.to_json()})
    }

    /// What [`Self::to_json`] made.
    ///
    /// # Errors
    /// When it is anything else.
    pub fn of_json(json: &Value) -> Result<Self> {
        let counts = |name: &str| {
            let counts = json[name].as_object().context("no counts")?;
            let counts = counts.iter().map(|(name, count)| {
                let count = count.as_u64().context("no count")?;
                Ok((name.clone(), count))
            });
            counts.collect::<Result<BTreeMap<_, _>>>()
        };
        Ok(Self {
            done: counts("done")?,
            accepted: counts("accepted")?,
            times: Times::of_json(&json["times"]),
            ..Self::default()
        })
    }

    /// What was done to a stage.
    pub(super) fn stage(&mut self, stage: &Stage) {
        let done = stage.done().into_iter();
        self.done = done
            .map(|(kind, count)| (kind.name().to_owned(), count))
            .collect();
        self.times = stage.times.borrow().clone();
        self.last = stage.last.get();
        self.journal = stage.journal();
    }

    /// What accounts were answered so far.
    pub(super) fn accepted(&mut self, accounts: &[Account<'_>], messages: &BTreeMap<String, u64>) {
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        let mut count = |name: &str, more: u64| *counts.entry(name.to_owned()).or_default() += more;
        for account in accounts {
            for posted in account.posted.borrow().iter() {
                count("imports", 1);
                count("records", posted.slice.count);
                count("cancelled imports", u64::from(posted.cancelled.is_some()));
            }
            count("requests", account.asked.get());
            count("erasures", account.erasures.get());
            let exports = account.exported.borrow().len();
            count("exports of the audit log", exports as u64);
            count("visits", account.seen.borrow().len() as u64);
            count("answers", account.answered.borrow().len() as u64);
            for (what, lost) in account.lost.borrow().iter() {
                count(what, *lost);
            }
        }
        for (status, messages) in messages {
            count(&format!("messages {status}"), *messages);
        }
        self.accepted = counts;
    }
}

impl fmt::Display for Told {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for counts in [&self.done, &self.accepted] {
            for (name, count) in counts {
                writeln!(out, "{count:6} {name}")?;
            }
            writeln!(out)?;
        }
        write!(out, "{}", self.times)?;
        writeln!(out, "{:6} faults", self.done.values().sum::<u64>())?;
        writeln!(out, "{:6} violations", self.violations.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_that_was_kept_adds_up_with_the_next() -> Result<()> {
        let told = Told {
            done: [("kill api".to_owned(), 2)].into(),
            accepted: [("imports".to_owned(), 3)].into(),
            ..Told::default()
        };
        let mut read = Told::of_json(&told.to_json())?;
        read.add(told);
        let all = read.to_string();
        ensure!(
            all.contains("     4 kill api\n") && all.contains("     6 imports\n"),
            "{all}"
        );
        read.violations.push("lost".to_owned());
        ensure!(read.is_clean().is_err());
        Ok(())
    }
}
