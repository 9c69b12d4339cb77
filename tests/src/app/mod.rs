//! One running service under test, on either set of backends.
//!
//! Embedded: `feedback serve` on a fresh data directory. Servers: `api` and `worker` processes on a fresh database and a
//! fresh virtual host. A test says how many of each it wants and which settings differ; `FEEDBACK_TEST_BACKENDS`
//! says which set it runs on.

mod backends;
mod keys;
mod service;
mod setup;

use std::path::Path;
use std::process::{Output, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use tempfile::TempDir;
use tokio::io::AsyncWriteExt;

pub use backends::{Backends, ServerLease};
pub use keys::IssuedKey;
pub use service::{Program, Service};
pub use setup::{PEPPER, Setup};

use self::service::ProcessSettings;
use crate::client::Client;
use crate::process::Process;
use crate::servers::run;
use crate::wait::{LATER, SOON, eventually};

/// One running service. Its processes, database and virtual host end with it.
#[derive(Debug)]
pub struct App {
    /// What answers HTTP; embedded the one `serve`.
    pub apis: Vec<Service>,
    /// The worker processes; none when embedded.
    pub workers: Vec<Service>,
    backends: Backends,
    settings: ProcessSettings,
    folder: TempDir,
}

impl App {
    /// One api and one worker.
    pub fn setup() -> Setup {
        Setup::default()
    }

    /// One api and one worker, running.
    ///
    /// # Errors
    /// When they do not get ready.
    pub async fn start() -> Result<Self> {
        Self::setup().start().await
    }

    /// Whether the whole service is one process.
    pub fn embedded(&self) -> bool {
        matches!(self.backends, Backends::Embedded)
    }

    /// The backends it runs on.
    pub fn backends(&self) -> &Backends {
        &self.backends
    }

    /// The URL of its database, for a test that does to it what nobody else can.
    pub fn database(&self) -> String {
        match &self.backends {
            Backends::Embedded => {
                let file = self.folder().join("data").join("feedback.db");
                format!("sqlite:{}", file.display())
            }
            Backends::Servers(lease) => lease.database.clone(),
        }
    }

    /// Runs a statement in its database beside the service, and gives what `psql` or Python says: rows are lines, columns
    /// apart by `|`.
    ///
    /// # Errors
    /// What the database says.
    pub async fn sql(&self, statement: &str) -> Result<String> {
        const RUN: &str = "import sqlite3, sys\nc = sqlite3.connect(sys.argv[1], 30)\n\
             for row in c.execute(sys.argv[2]): print(*row, sep='|')\nc.commit()";
        if !self.embedded() {
            return self.backends.sql(statement).await;
        }
        let mut python = std::process::Command::new("python3");
        python
            .args(["-c", RUN])
            .arg(self.folder().join("data").join("feedback.db"))
            .arg(statement);
        let printed = run(python).await?;
        Ok(printed.trim_end().to_owned())
    }

    /// The folder of this service: logs, and embedded also its data.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The first api.
    ///
    /// # Errors
    /// When the test took it away.
    pub fn api(&mut self) -> Result<&mut Service> {
        self.apis.first_mut().context("no api runs")
    }

    /// The first worker: the process that stores, embedded the whole service.
    ///
    /// # Errors
    /// When the test took it away.
    pub fn worker(&mut self) -> Result<&mut Service> {
        if self.embedded() {
            return self.api();
        }
        self.workers.first_mut().context("no worker runs")
    }

    /// Starts one more api (embedded: only the first).
    ///
    /// # Errors
    /// When it does not get ready.
    pub async fn start_api(&mut self) -> Result<()> {
        let program = if self.embedded() {
            if !self.apis.is_empty() {
                return Ok(());
            }
            Program::Serve
        } else {
            Program::Api
        };
        let service = Service::start(program, &self.settings, self.folder.path()).await?;
        self.apis.push(service);
        Ok(())
    }

    /// Starts one more worker (embedded: nothing to do).
    ///
    /// # Errors
    /// When it does not get ready.
    pub async fn start_worker(&mut self) -> Result<()> {
        if !self.embedded() {
            let service =
                Service::start(Program::Worker, &self.settings, self.folder.path()).await?;
            self.workers.push(service);
        }
        Ok(())
    }

    /// Starts a worker with settings of its own.
    ///
    /// # Errors
    /// When it does not get ready.
    pub async fn start_worker_with(&mut self, own: &[(&str, &str)]) -> Result<()> {
        let mut settings = self.settings.clone();
        let own = own
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        settings.variables.extend(own);
        let service = Service::start(Program::Worker, &settings, self.folder.path()).await?;
        self.workers.push(service);
        Ok(())
    }

    /// Starts a worker that is asked for no pages, so that nobody can ask it whether it is ready.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn worker_without_pages(&self) -> Result<Process> {
        let mut command = service::command(Program::Worker, &self.settings)?;
        Process::start("worker", &mut command, &self.folder().join("worker.log"))
    }

    /// Runs `feedback ARGUMENTS` with the service's settings, to its end.
    ///
    /// # Errors
    /// When it cannot be started or hangs.
    pub async fn cli(&self, arguments: &[&str]) -> Result<Output> {
        self.cli_with(arguments, &[]).await
    }

    /// The same with more variables.
    ///
    /// # Errors
    /// When it cannot be started or hangs.
    pub async fn cli_with(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Result<Output> {
        self.cli_within(LATER, arguments, variables).await
    }

    /// The same with a deadline of its own.
    ///
    /// # Errors
    /// When it cannot be started or takes longer.
    pub async fn cli_within(
        &self,
        deadline: Duration,
        arguments: &[&str],
        variables: &[(&str, &str)],
    ) -> Result<Output> {
        self.cli_fed(deadline, arguments, variables, b"").await
    }

    /// The same with bytes on its standard input.
    ///
    /// # Errors
    /// When it cannot be started or takes longer.
    pub async fn cli_fed(
        &self,
        deadline: Duration,
        arguments: &[&str],
        variables: &[(&str, &str)],
        input: &[u8],
    ) -> Result<Output> {
        let command = service::command(Program::Serve, &self.settings)?;
        let mut child = tokio::process::Command::from(command)
            .args(arguments)
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .context("starting feedback")?;
        let mut stdin = child.stdin.take().context("no standard input")?;
        let running = async {
            // It may end without having read all.
            let _ = stdin.write_all(input).await;
            drop(stdin);
            child.wait_with_output().await
        };
        match tokio::time::timeout(deadline, running).await {
            Ok(output) => Ok(output?),
            Err(_) => bail!("feedback {arguments:?} does not end"),
        }
    }

    /// A shell that runs a line with the service's settings, to which `feedback` is a command.
    ///
    /// # Errors
    /// When `feedback` was not built.
    pub fn shell(&self, line: &str) -> Result<tokio::process::Command> {
        let feedback = service::command(Program::Serve, &self.settings)?;
        let mut shell = tokio::process::Command::new("bash");
        for (variable, value) in feedback.get_envs() {
            match value {
                Some(value) => shell.env(variable, value),
                None => shell.env_remove(variable),
            };
        }
        let program = Program::path()?;
        let folder = program.parent().context("a program without a folder")?;
        let path = std::env::var("PATH").unwrap_or_default();
        shell.env("PATH", format!("{}:{path}", folder.display()));
        shell.args(["-euc", line]).kill_on_drop(true);
        Ok(shell)
    }

    /// A client of the first api without keys.
    ///
    /// # Errors
    /// When no api runs.
    pub fn anonymous(&self) -> Result<Client> {
        Client::new(self.apis.first().context("no api runs")?.base())
    }

    /// A client of the first api with a new key, of all scopes, of a new account.
    ///
    /// # Errors
    /// When the key cannot be made.
    pub async fn client(&self) -> Result<Client> {
        let name = format!("account {}", uuid::Uuid::new_v4());
        self.client_of(&name).await
    }

    /// The same of this account, whether it is new or not.
    ///
    /// # Errors
    /// When the command fails.
    pub async fn client_of(&self, account: &str) -> Result<Client> {
        let keys = self.create_key(account, &[]).await?;
        Ok(self.anonymous()?.with_keys(&keys))
    }

    /// Freezes the first worker while it holds a transaction that has written: what it locked stays locked.
    /// For servers, with no other worker running.
    ///
    /// # Errors
    /// When it is never caught in one, which most likely means that it had nothing left to do.
    pub async fn freeze_in_transaction(&mut self) -> Result<()> {
        let open = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
                    AND pid <> pg_backend_pid() AND backend_xid IS NOT NULL";
        eventually(SOON, async || {
            self.worker()?.process.freeze()?;
            if self.backends.sql(open).await? == "0" {
                self.worker()?.process.thaw()?;
                bail!("the worker is in no transaction");
            }
            Ok(())
        })
        .await
    }
}
