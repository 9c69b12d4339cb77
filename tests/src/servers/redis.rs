//! A private Redis without persistence.

use std::process::Command;

use anyhow::{Context, Result, ensure};
use nix::sys::signal::Signal;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::held::ServerProcess;
use super::places::{Account, plain_program};
use super::ports::free_port;
use crate::authority::Authority;
use crate::process::Process;
use crate::wait::SOON;

const HOST: &str = "127.0.0.1";

/// A Redis on a loopback port. It keeps nothing over a restart: the service may not need it to.
#[derive(Debug)]
pub struct Redis {
    held: ServerProcess,
    port: u16,
    /// Where it takes TLS, if it does.
    tls: Option<u16>,
    folder: TempDir,
}

impl Redis {
    /// Starts one.
    ///
    /// # Errors
    /// When Redis is not installed or does not answer.
    pub async fn start() -> Result<Self> {
        let folder = Account::folder(None, "redis")?;
        Self::start_in(folder, None).await
    }

    /// The same that takes TLS too, with a certificate by this authority.
    ///
    /// # Errors
    /// As [`Self::start`].
    pub async fn with_tls(authority: &Authority) -> Result<Self> {
        let folder = Account::folder(None, "redis")?;
        authority.certify(folder.path())?;
        Self::start_in(folder, Some(free_port()?)).await
    }

    async fn start_in(folder: TempDir, tls: Option<u16>) -> Result<Self> {
        let mut redis = Self {
            held: ServerProcess::new("Redis"),
            port: free_port()?,
            tls,
            folder,
        };
        redis.start_again().await?;
        Ok(redis)
    }

    /// `rediss://…`
    ///
    /// # Errors
    /// When it takes no TLS.
    pub fn tls_url(&self) -> Result<String> {
        let port = self.tls.context("it takes no TLS")?;
        Ok(format!("rediss://{HOST}:{port}"))
    }

    /// `redis://…`
    pub fn url(&self) -> String {
        format!("redis://{HOST}:{}", self.port)
    }

    /// Starts the server on its port, after [`Self::stop`] or [`Self::kill`], and waits until it answers.
    ///
    /// # Errors
    /// When it does not answer.
    pub async fn start_again(&mut self) -> Result<()> {
        let Self {
            held,
            port,
            tls,
            folder,
        } = self;
        let spawn = || {
            let mut command = Command::new(plain_program("redis-server")?);
            command
                .args(["--port", &port.to_string(), "--bind", "127.0.0.1"])
                .args(["--save", "", "--appendonly", "no", "--dir"])
                .arg(folder.path());
            if let Some(tls) = *tls {
                command
                    .args(["--tls-port", &tls.to_string(), "--tls-auth-clients", "no"])
                    .arg("--tls-cert-file")
                    .arg(folder.path().join("server.crt"))
                    .arg("--tls-key-file")
                    .arg(folder.path().join("server.key"));
            }
            Process::start("redis", &mut command, &folder.path().join("log"))
        };
        let ask = async || {
            let answer = command((HOST, *port), "PING").await?;
            ensure!(answer.starts_with("+PONG"), "{answer}");
            Ok(())
        };
        held.start(SOON, spawn, ask).await
    }

    /// One inline command, such as `CONFIG SET maxmemory 1mb`, and the beginning of its answer.
    ///
    /// # Errors
    /// When the server is away.
    pub async fn command(&self, line: &str) -> Result<String> {
        command((HOST, self.port), line).await
    }

    /// SIGTERM, and gone.
    ///
    /// # Errors
    /// When the server does not end.
    pub async fn stop(&mut self) -> Result<()> {
        self.held.stop(Signal::SIGTERM, SOON).await
    }

    /// SIGKILL, and gone.
    ///
    /// # Errors
    /// When it cannot be killed.
    pub fn kill(&mut self) -> Result<()> {
        self.held.kill()
    }

    /// The server's process, to freeze and thaw.
    ///
    /// # Errors
    /// When the server is stopped.
    pub fn process(&self) -> Result<&Process> {
        self.held.process()
    }

    /// Forgets everything.
    ///
    /// # Errors
    /// When the server is away.
    pub async fn delete_data(&self) -> Result<()> {
        flush_redis(&self.url()).await
    }
}

/// The Redis at `url`, which takes no password, forgets everything.
///
/// # Errors
/// When it is away.
pub async fn flush_redis(url: &str) -> Result<()> {
    let url = reqwest::Url::parse(url).context("REDIS_URL")?;
    let host = url.host_str().context("no host")?;
    let place = (host, url.port().unwrap_or(6379));
    let answer = command(place, "FLUSHALL").await?;
    ensure!(answer.starts_with("+OK"), "FLUSHALL: {answer}");
    Ok(())
}

async fn command(place: (&str, u16), line: &str) -> Result<String> {
    let mut socket = TcpStream::connect(place).await?;
    socket.write_all(format!("{line}\r\n").as_bytes()).await?;
    let mut answer = vec![0; 4096];
    let length = socket.read(&mut answer).await?;
    answer.truncate(length);
    Ok(String::from_utf8_lossy(&answer).into_owned())
}
