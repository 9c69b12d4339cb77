//! The process of a server that is stopped, killed and started again.

use std::time::Duration;

use anyhow::{Context, Result};
use nix::sys::signal::Signal;

use crate::process::Process;
use crate::wait::eventually;

/// A server's process, if it runs.
#[derive(Debug)]
pub(super) struct ServerProcess {
    name: &'static str,
    process: Option<Process>,
}

impl ServerProcess {
    pub(super) fn new(name: &'static str) -> Self {
        Self {
            name,
            process: None,
        }
    }

    /// Starts the server with `spawn` and waits until it answers `ask`. One that ends meanwhile is started again: what
    /// a kill left behind may keep a new one from starting for a moment.
    pub(super) async fn start(
        &mut self,
        patience: Duration,
        spawn: impl Fn() -> Result<Process>,
        ask: impl AsyncFn() -> Result<()>,
    ) -> Result<()> {
        let started = eventually(patience, async || {
            let running = match &mut self.process {
                Some(process) => process.ended()?.is_none(),
                None => false,
            };
            if !running {
                self.process = Some(spawn()?);
            }
            ask().await
        })
        .await;
        started.with_context(|| {
            let log = self.process.as_ref().map(Process::log_tail);
            format!(
                "{} does not answer:\n{}",
                self.name,
                log.unwrap_or_default()
            )
        })
    }

    /// Asks it to end, and waits until it has.
    pub(super) async fn stop(&mut self, signal: Signal, patience: Duration) -> Result<()> {
        match self.process.take() {
            Some(mut process) => process.stop(signal, patience).await.map(drop),
            None => Ok(()),
        }
    }

    pub(super) fn kill(&mut self) -> Result<()> {
        self.process
            .take()
            .map_or(Ok(()), |mut process| process.kill().map(drop))
    }

    pub(super) fn process(&self) -> Result<&Process> {
        self.process
            .as_ref()
            .with_context(|| format!("{} is stopped", self.name))
    }
}
