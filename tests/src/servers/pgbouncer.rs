//! A private pgbouncer before a private PostgreSQL.

use std::path::PathBuf;

use anyhow::{Context, Result};
use tempfile::TempDir;

use super::held::ServerProcess;
use super::places::{Account, plain_program};
use super::ports::free_port;
use super::postgres::{Postgres, psql};
use super::set::given;
use crate::process::Process;
use crate::wait::SOON;

/// How many sessions it opens to a database: in session mode as many as the service has connections, else far fewer.
const SESSIONS: [(&str, u8); 2] = [(SESSION, 100), ("transaction", 12)];
const SESSION: &str = "session";
/// A pgbouncer in the mode that the environment names.
#[derive(Debug)]
pub struct PgBouncer {
    held: ServerProcess,
    port: u16,
    account: Option<Account>,
    folder: TempDir,
    mode: &'static str,
}

impl PgBouncer {
    /// The variable with its `pool_mode`, `session` unless set.
    pub const MODE: &str = "FEEDBACK_TEST_POOL_MODE";

    /// Starts one.
    ///
    /// # Errors
    /// When it is not installed or does not answer.
    pub async fn before(postgres: &Postgres) -> Result<Self> {
        // It refuses to run as root.
        let account = Account::for_postgres()?;
        let mode = given(Self::MODE).unwrap_or_else(|| SESSION.to_owned());
        let known = SESSIONS.into_iter().find(|(known, _)| *known == mode);
        let (mode, sessions) = known.with_context(|| format!("{}: {mode}?", Self::MODE))?;
        let mut pgbouncer = Self {
            held: ServerProcess::new("pgbouncer"),
            port: free_port()?,
            account,
            folder: Account::folder(account, "pgbouncer")?,
            mode,
        };
        let (host, port) = postgres.address();
        // Before 1.21 it does not know it.
        let prepared = if mode == SESSION {
            ""
        } else {
            "max_prepared_statements = 1000\n"
        };
        let settings = format!(
            "[databases]\n* = host={host} port={port}\n\
             [pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {}\nunix_socket_dir =\n\
             auth_type = trust\nauth_file = {}\npool_mode = {mode}\ndefault_pool_size = {sessions}\n\
             max_client_conn = 2000\n{prepared}",
            pgbouncer.port,
            pgbouncer.file("users").display()
        );
        std::fs::write(pgbouncer.file("settings"), settings)?;
        std::fs::write(pgbouncer.file("users"), "\"postgres\" \"\"\n")?;
        pgbouncer.start_again().await?;
        Ok(pgbouncer)
    }

    /// Its address and port.
    pub fn address(&self) -> (&'static str, u16) {
        ("127.0.0.1", self.port)
    }

    /// The URL of a database through it.
    pub fn url(&self, database: &str) -> String {
        let (host, port) = self.address();
        let mode = self.mode;
        format!("postgres://postgres@{host}:{port}/{database}?pool_mode={mode}")
    }

    /// Starts it on its port, after [`Self::kill`], and waits until it answers.
    ///
    /// # Errors
    /// When it does not answer.
    pub async fn start_again(&mut self) -> Result<()> {
        let (host, port) = self.address();
        let url = format!("postgres://postgres@{host}:{port}/postgres");
        let (account, settings, log) = (self.account, self.file("settings"), self.file("log"));
        let spawn = || {
            let mut command = Account::command(account, &plain_program("pgbouncer")?);
            command.arg(&settings);
            Process::start("pgbouncer", &mut command, &log)
        };
        let ask = async || psql(&url, "SELECT 1").await.map(drop);
        self.held.start(SOON, spawn, ask).await
    }

    /// SIGKILL, and gone, with all connections through it.
    ///
    /// # Errors
    /// When it cannot be killed.
    pub fn kill(&mut self) -> Result<()> {
        self.held.kill()
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}
