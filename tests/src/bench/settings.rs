//! What the environment and the command line say of a run.

use std::str::FromStr;

use anyhow::{Result, ensure};

/// One import may not hold more by default.
const MOST_RECORDS: u32 = 1_000_000;

/// How large and how often a bench measures.
#[derive(Clone, Debug)]
pub struct Settings {
    /// `FEEDBACK_BENCH_RECORDS`: records of the large import, 1,000,000 unless told.
    pub records: u32,
    /// `FEEDBACK_BENCH_ROUNDS`: measured rounds of each row, 3 unless told; one more comes first and is not counted.
    pub rounds: u32,
    /// `FEEDBACK_BENCH_FEEDBACKS`: stored feedbacks of the large account, 5,000,000 unless told.
    pub feedbacks: u32,
    /// `FEEDBACK_BENCH_RECIPIENTS`: stored recipients of the large account, 1,000,000 unless told.
    pub recipients: u32,
    /// `FEEDBACK_BENCH_COMMITS`: answers by which freshness is measured, 10,000 unless told.
    pub commits: u32,
    /// `FEEDBACK_BENCH_MESSAGES`: messages whose rate is measured, 50,000 unless told.
    pub messages: u32,
    /// Only these parts of the bench; empty: all.
    parts: Vec<String>,
}

impl Settings {
    /// Reads them. `None` when cargo does not measure but test or list (`--bench` is not there): a bench is no test.
    ///
    /// # Errors
    /// A setting out of range, or a part that is none of `parts`.
    pub fn read(parts: &[&str]) -> Result<Option<Self>> {
        let arguments: Vec<String> = std::env::args().skip(1).collect();
        if !arguments.iter().any(|argument| argument == "--bench") {
            return Ok(None);
        }
        let chosen: Vec<String> = arguments
            .into_iter()
            .filter(|argument| !argument.starts_with("--"))
            .collect();
        for part in &chosen {
            ensure!(
                parts.contains(&part.as_str()),
                "no part {part}: there are {}",
                parts.join(", ")
            );
        }
        let settings = Self {
            records: number("FEEDBACK_BENCH_RECORDS", MOST_RECORDS)?,
            rounds: number("FEEDBACK_BENCH_ROUNDS", 3)?,
            feedbacks: number("FEEDBACK_BENCH_FEEDBACKS", 5_000_000)?,
            recipients: number("FEEDBACK_BENCH_RECIPIENTS", 1_000_000)?,
            commits: number("FEEDBACK_BENCH_COMMITS", 10_000)?,
            messages: number("FEEDBACK_BENCH_MESSAGES", 50_000)?,
            parts: chosen,
        };
        ensure!(
            (1_000..=MOST_RECORDS).contains(&settings.records),
            "FEEDBACK_BENCH_RECORDS: not from 1000 to {MOST_RECORDS}"
        );
        ensure!(
            (40_000..=30_000_000).contains(&settings.feedbacks),
            "FEEDBACK_BENCH_FEEDBACKS: not from 40000 to 30000000"
        );
        ensure!(
            (100_000..=50_000_000).contains(&settings.recipients),
            "FEEDBACK_BENCH_RECIPIENTS: not from 100000 to 50000000"
        );
        ensure!(
            settings.commits >= 100,
            "FEEDBACK_BENCH_COMMITS: not 100 or more"
        );
        ensure!(
            (500..=MOST_RECORDS / 2).contains(&settings.messages),
            "FEEDBACK_BENCH_MESSAGES: not from 500 to {}",
            MOST_RECORDS / 2
        );
        ensure!(settings.rounds > 0, "FEEDBACK_BENCH_ROUNDS: not 1 or more");
        Ok(Some(settings))
    }

    /// Whether `part` is to be measured.
    pub fn wants(&self, part: &str) -> bool {
        self.parts.is_empty() || self.parts.iter().any(|chosen| chosen == part)
    }
}

fn number<T: FromStr>(variable: &str, default: T) -> Result<T> {
    match std::env::var(variable) {
        Err(_) => Ok(default),
        Ok(text) if text.is_empty() => Ok(default),
        Ok(text) => text
            .parse()
            .map_err(|_| anyhow::anyhow!("{variable}: {text:?} is not a whole number")),
    }
}
