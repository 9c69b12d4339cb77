//! One process of the service: its program, port, log and life.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use nix::sys::signal::Signal;
use serde_json::Value;
use uuid::Uuid;

use crate::check;
use crate::client::http;
use crate::process::Process;
use crate::servers::{SmallDisk, free_port};
use crate::wait::eventually;

/// How long a debug build may take to its first ready answer, on a machine that is busy with other tests.
const START: Duration = Duration::from_mins(1);

/// An orderly end takes 25 s at most, and a little more to see it.
const STOP: Duration = Duration::from_secs(27);

/// A way to run the service's binary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// `feedback`: all in one process, and its commands.
    Serve,
    /// `feedback api`
    Api,
    /// `feedback worker`
    Worker,
}

impl Program {
    fn name(self) -> &'static str {
        match self {
            Self::Serve => "feedback",
            Self::Api => "api",
            Self::Worker => "worker",
        }
    }

    /// What the binary is told to be that, if it has to be told.
    pub fn argument(self) -> Option<&'static str> {
        (self != Self::Serve).then(|| self.name())
    }

    /// The binary, beside this one or beside a test's own folder (`target/debug/deps/…` → `target/debug/…`).
    ///
    /// # Errors
    /// When it was not built.
    pub fn path() -> Result<PathBuf> {
        let own = std::env::current_exe()?;
        let folders = own.ancestors().skip(1).take(2);
        let mut paths = folders.map(|folder| folder.join("feedback"));
        let path = paths.find(|path| path.is_file());
        path.with_context(|| {
            let own = own.display();
            format!("no `feedback` beside {own}: `tests/run` builds it, or `cargo build --workspace --bins`")
        })
    }
}

/// What every process of a service is given.
#[derive(Clone, Debug)]
pub(super) struct ProcessSettings {
    pub(super) variables: Vec<(String, String)>,
    /// The disk on which they run, if it is a small one.
    pub(super) disk: Option<Arc<SmallDisk>>,
}

/// `program` with these settings and no others of ours.
pub(super) fn command(program: Program, settings: &ProcessSettings) -> Result<Command> {
    let path = Program::path()?;
    let mut command = match &settings.disk {
        Some(disk) => disk.command(None, &path)?,
        None => Command::new(path),
    };
    command.args(program.argument());
    for (variable, _) in std::env::vars_os() {
        let name = variable.to_string_lossy();
        if name.starts_with("FEEDBACK_") || name.starts_with("OTEL_") || name.ends_with("_URL") {
            command.env_remove(&variable);
        }
    }
    for (variable, value) in &settings.variables {
        command.env(variable, value);
    }
    Ok(command)
}

/// One running (or killed) process of the service.
#[derive(Debug)]
pub struct Service {
    /// The process: kill it, freeze it, thaw it.
    pub process: Process,
    program: Program,
    settings: ProcessSettings,
    port: u16,
    log: PathBuf,
}

impl Service {
    /// Starts `program` on a free port and waits until it is ready.
    ///
    /// # Errors
    /// When it ends or does not get ready; its log is in the message.
    pub(super) async fn start(
        program: Program,
        settings: &ProcessSettings,
        folder: &Path,
    ) -> Result<Self> {
        let name = program.name();
        let log = folder.join(format!("{name}-{}.log", Uuid::new_v4().simple()));
        let mut tries = 0;
        loop {
            let port = free_port()?;
            let process = spawn(program, settings, port, &log)?;
            let mut service = Self {
                process,
                program,
                settings: settings.clone(),
                port,
                log: log.clone(),
            };
            match service.ready(START).await {
                Ok(()) => return Ok(service),
                // Another test was faster to take the port.
                Err(error) if tries < 5 && format!("{error:#}").contains("in use") => tries += 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// `http://127.0.0.1:PORT`, or `https://` of a service with a certificate.
    pub fn base(&self) -> String {
        let mut variables = self.settings.variables.iter();
        let has_tls = variables.any(|(name, _)| name == "FEEDBACK_TLS");
        let is_https = has_tls && self.program != Program::Worker;
        let scheme = if is_https { "https" } else { "http" };
        format!("{scheme}://127.0.0.1:{}", self.port)
    }

    /// The id that a worker gave itself when it last started.
    ///
    /// # Errors
    /// When it never started.
    pub fn worker_id(&self) -> Result<String> {
        let log = self.process.log()?;
        let started = log
            .lines()
            .rfind(|line| line.contains("worker started"))
            .context("a worker that never started")?;
        let line: Value = serde_json::from_str(started)?;
        let id = line["worker.id"].as_str().context("no worker.id")?;
        Ok(id.to_owned())
    }

    /// Waits until `/health/ready` answers 200.
    ///
    /// # Errors
    /// When the process ends, or is not ready by the deadline; its log is in the message.
    pub async fn ready(&mut self, deadline: Duration) -> Result<()> {
        let url = format!("{}/health/ready", self.base());
        let http = http()?;
        let outcome = eventually(deadline, async || {
            if let Some(status) = self.process.ended()? {
                return Ok(Err(anyhow::anyhow!("it ended: {status}")));
            }
            let answer = http.get(&url).send().await?;
            let status = answer.status();
            ensure!(status == 200, "{status}: {}", answer.text().await?);
            // Another test's process may have been faster to take the port.
            let own = self.process.listeners()? > 0;
            ensure!(own, "somebody else answers at {url}");
            Ok(Ok(()))
        })
        .await;
        match outcome {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) | Err(error) => {
                let (name, log) = (self.program.name(), self.process.log_tail());
                Err(error).with_context(|| format!("{name} does not get ready:\n{log}"))
            }
        }
    }

    /// Starts it again on the same port, after it was killed or stopped, and waits until it is ready.
    ///
    /// # Errors
    /// When it still runs or does not get ready.
    pub async fn start_again(&mut self) -> Result<()> {
        if self.process.ended()?.is_none() {
            bail!("{} still runs", self.program.name());
        }
        // The log goes on in the same file, and the next process shows all of it.
        self.process.hide_log();
        self.process = spawn(self.program, &self.settings, self.port, &self.log)?;
        self.ready(START).await
    }

    /// Neither what it logged nor its metrics hold a phone or one of these secrets.
    ///
    /// # Errors
    /// When they do, or cannot be read.
    pub async fn names_nobody(&self, secrets: &[&str]) -> Result<()> {
        check::names_nobody(&self.process.log()?, secrets).context("in the log")?;
        let metrics = http()?
            .get(format!("{}/metrics", self.base()))
            .send()
            .await?;
        check::names_nobody(&metrics.text().await?, secrets).context("in the metrics")
    }

    /// Changes a variable for when it is started again.
    pub fn set(&mut self, variable: &str, value: &str) {
        let setting = (variable.to_owned(), value.to_owned());
        self.settings.variables.push(setting);
    }

    /// SIGKILL, and gone.
    ///
    /// # Errors
    /// When it cannot be killed.
    pub fn kill(&mut self) -> Result<()> {
        self.process.kill().map(|_| ())
    }

    /// SIGTERM, and an orderly end.
    ///
    /// # Errors
    /// When it still runs after that.
    pub async fn stop(&mut self) -> Result<ExitStatus> {
        self.process.stop(Signal::SIGTERM, STOP).await
    }
}

fn spawn(program: Program, settings: &ProcessSettings, port: u16, log: &Path) -> Result<Process> {
    let mut command = command(program, settings)?;
    if program == Program::Serve {
        command.arg("serve");
    }
    let address = format!("127.0.0.1:{port}");
    command.env("FEEDBACK_LISTEN", &address);
    if !settings
        .variables
        .iter()
        .any(|(name, _)| name == "FEEDBACK_OPS_LISTEN")
    {
        command.env("FEEDBACK_OPS_LISTEN", &address);
    }
    Process::start(program.name(), &mut command, log).map(Process::showing_log)
}
