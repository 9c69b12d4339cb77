//! From the 201 of an answer until a report has it.

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use futures::future::try_join_all;
use serde_json::Value;

use crate::client::Client;
use crate::visitor::Visitor;

/// Who answers, and who looks for the answers.
#[derive(Debug)]
pub struct Lag<'a> {
    /// Posts answers, without keys.
    pub public: &'a Client,
    /// Reads the report.
    pub owner: &'a Client,
    /// The report's path: its metrics count the answers through the link.
    pub path: &'a str,
    /// What is answered.
    pub link: &'a Value,
    /// With what.
    pub answers: &'a Value,
    /// So many at once.
    pub writers: u32,
    /// Each of whom rests between two answers.
    pub pause: Duration,
}

impl Lag<'_> {
    /// How long each of `count` answers took, in order of length.
    ///
    /// # Errors
    /// When an answer is not taken, or not counted.
    pub async fn measure(&self, count: u32) -> Result<Vec<Duration>> {
        let before = self.responses().await?;
        let committed = RefCell::new(Vec::new());
        let all = Cell::new(false);
        let write = async {
            let writers = (0..self.writers).map(|writer| {
                let mine = count / self.writers + u32::from(writer < count % self.writers);
                self.answer(mine, &committed)
            });
            try_join_all(writers).await?;
            all.set(true);
            anyhow::Ok(())
        };
        let read = async {
            // So many were counted at this moment.
            let mut seen: Vec<(u64, Instant)> = Vec::new();
            loop {
                let counted = self.responses().await? - before;
                let now = Instant::now();
                if seen.last().is_none_or(|(last, _)| *last < counted) {
                    seen.push((counted, now));
                }
                if all.get() && counted >= u64::from(count) {
                    return anyhow::Ok(seen);
                }
            }
        };
        let (seen, ()) = tokio::try_join!(read, write)?;
        let mut lags = Vec::new();
        let mut seen = seen.into_iter().peekable();
        for (number, at) in committed.into_inner().into_iter().enumerate() {
            while seen
                .next_if(|(counted, _)| *counted <= number as u64)
                .is_some()
            {}
            let (_, shown) = seen.peek().context("an answer is not shown")?;
            lags.push(shown.saturating_duration_since(at));
        }
        lags.sort_unstable();
        ensure!(
            lags.len() == usize::try_from(count)?,
            "{} answers",
            lags.len()
        );
        Ok(lags)
    }

    async fn answer(&self, count: u32, committed: &RefCell<Vec<Instant>>) -> Result<()> {
        for _ in 0..count {
            let visitor = Visitor::new(self.public, self.link)?;
            visitor.stored(self.answers).await?;
            committed.borrow_mut().push(Instant::now());
            tokio::time::sleep(self.pause).await;
        }
        Ok(())
    }

    async fn responses(&self) -> Result<u64> {
        let report = self.owner.get(self.path).await?.expect(200)?.json()?;
        let responses = report["metrics"]["responses"].as_u64();
        responses.context("no responses")
    }
}

/// The one of these, in order, that 99 of 100 do not exceed; in milliseconds.
///
/// # Errors
/// When there are none.
pub fn p99(lags: &[Duration]) -> Result<f64> {
    let lag = lags.get(lags.len() * 99 / 100).context("no answers")?;
    Ok(lag.as_secs_f64() * 1_000.0)
}
