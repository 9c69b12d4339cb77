//! A private Redis without persistence.

use std::process::Command;

use anyhow::{Context, Result, ensure};
use nix::sys::signal::Signal;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::places::{Account, plain_program};
use super::ports::free_port;
use crate::process::Process;
use crate::wait::{SOON, eventually};

/// A Redis on a loopback port. It keeps nothing over a restart: the service may not need it to.
#[derive(Debug)]
pub struct Redis {
    process: Option<Process>,
    port: u16,
    folder: TempDir,
}

impl Redis {
    /// Starts one.
    ///
    /// # Errors
    /// When Redis is not installed or does not answer.
    pub async fn start() -> Result<Self> {
        let mut redis = Self {
            process: None,
            port: free_port()?,
            folder: Account::folder(None, "redis")?,
        };
        redis.start_again().await?;
        Ok(redis)
    }

    /// `redis://…`
    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    /// Starts the server on its port, after [`Self::stop`] or [`Self::kill`], and waits until it answers.
    ///
    /// # Errors
    /// When it does not answer.
    pub async fn start_again(&mut self) -> Result<()> {
        let mut command = Command::new(plain_program("redis-server")?);
        command
            .args(["--port", &self.port.to_string(), "--bind", "127.0.0.1"])
            .args(["--save", "", "--appendonly", "no", "--dir"])
            .arg(self.folder.path());
        let log = self.folder.path().join("log");
        self.process = Some(Process::start("redis", &mut command, &log)?);
        eventually(SOON, async || {
            let answer = self.command("PING").await?;
            ensure!(answer.starts_with("+PONG"), "{answer}");
            Ok(())
        })
        .await
        .context("Redis does not answer")
    }

    /// One inline command, such as `CONFIG SET maxmemory 1mb`, and the beginning of its answer.
    ///
    /// # Errors
    /// When the server is away.
    pub async fn command(&self, line: &str) -> Result<String> {
        let mut socket = TcpStream::connect(("127.0.0.1", self.port)).await?;
        socket.write_all(format!("{line}\r\n").as_bytes()).await?;
        let mut answer = vec![0; 4096];
        let length = socket.read(&mut answer).await?;
        answer.truncate(length);
        Ok(String::from_utf8_lossy(&answer).into_owned())
    }

    /// SIGTERM, and gone.
    ///
    /// # Errors
    /// When the server does not end.
    pub async fn stop(&mut self) -> Result<()> {
        if let Some(mut process) = self.process.take() {
            process.stop(Signal::SIGTERM, SOON).await?;
        }
        Ok(())
    }

    /// SIGKILL, and gone.
    ///
    /// # Errors
    /// When it cannot be killed.
    pub fn kill(&mut self) -> Result<()> {
        if let Some(mut process) = self.process.take() {
            process.kill()?;
        }
        Ok(())
    }

    /// The server's process, to freeze and thaw.
    ///
    /// # Errors
    /// When the server is stopped.
    pub fn process(&self) -> Result<&Process> {
        self.process.as_ref().context("Redis is stopped")
    }

    /// Forgets everything.
    ///
    /// # Errors
    /// When the server is away.
    pub async fn delete_data(&self) -> Result<()> {
        let answer = self.command("FLUSHALL").await?;
        ensure!(answer.starts_with("+OK"), "FLUSHALL: {answer}");
        Ok(())
    }
}
