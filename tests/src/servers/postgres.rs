//! A private PostgreSQL, and `psql` for what a test asks a database itself.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use nix::sys::signal::Signal;
use tempfile::TempDir;

use super::disk::SmallDisk;
use super::held::ServerProcess;
use super::places::{Account, postgres_program};
use super::ports::free_port;
use crate::authority::Authority;
use crate::process::Process;
use crate::wait::{LATER, SOON, eventually};

/// What a commit is worth when the machine itself loses power. Killed servers lose nothing either way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// PostgreSQL's defaults: what production and the benches run with.
    Full,
    /// No fsync: for tests, which make a database each.
    Fast,
}

/// A PostgreSQL on a loopback port, superuser `postgres`, no password.
#[derive(Debug)]
pub struct Postgres {
    held: ServerProcess,
    cluster: Cluster,
}

/// Where its data lies and how it is run.
#[derive(Debug)]
struct Cluster {
    port: u16,
    durability: Durability,
    account: Option<Account>,
    folder: TempDir,
    disk: Option<Arc<SmallDisk>>,
    /// More settings, each as `name=value`.
    settings: &'static [&'static str],
}

impl Postgres {
    /// Makes a cluster and starts it.
    ///
    /// # Errors
    /// When PostgreSQL is not installed or does not answer.
    pub async fn start(durability: Durability) -> Result<Self> {
        Self::start_on(durability, None).await
    }

    /// The same with its data on a small disk.
    ///
    /// # Errors
    /// As [`Self::start`].
    pub async fn on_disk(disk: Arc<SmallDisk>) -> Result<Self> {
        Self::start_on(Durability::Fast, Some(disk)).await
    }

    /// The same with more settings, each as `name=value`.
    ///
    /// # Errors
    /// As [`Self::start`].
    pub(super) async fn with_settings(
        durability: Durability,
        settings: &'static [&'static str],
    ) -> Result<Self> {
        let mut cluster = Cluster::new(durability, None)?;
        cluster.settings = settings;
        cluster.make().await?;
        Self::start_cluster(cluster).await
    }

    /// The same that takes TLS too, with a certificate by this authority.
    ///
    /// # Errors
    /// As [`Self::start`].
    pub async fn with_tls(authority: &Authority) -> Result<Self> {
        let mut cluster = Cluster::new(Durability::Fast, None)?;
        // Its certificate is `server.crt` of its data.
        cluster.settings = &["ssl=on"];
        cluster.make().await?;
        for file in authority.certify(&cluster.data())? {
            Account::give(cluster.account, &file)?;
        }
        Self::start_cluster(cluster).await
    }

    async fn start_on(durability: Durability, disk: Option<Arc<SmallDisk>>) -> Result<Self> {
        let cluster = Cluster::new(durability, disk)?;
        cluster.make().await?;
        Self::start_cluster(cluster).await
    }

    async fn start_cluster(cluster: Cluster) -> Result<Self> {
        let mut postgres = Self {
            held: ServerProcess::new("PostgreSQL"),
            cluster,
        };
        postgres.start_again().await?;
        Ok(postgres)
    }

    /// Starts a standby of this server, which from now on has a commit before its caller hears of it.
    ///
    /// # Errors
    /// As [`Self::start`], or the standby does not follow.
    pub async fn standby(&self) -> Result<Self> {
        let standby = self.late_standby().await?;
        let url = self.url("postgres");
        psql(&url, "ALTER SYSTEM SET synchronous_standby_names = '*'").await?;
        psql(&url, "SELECT pg_reload_conf()").await?;
        eventually(LATER, async || {
            let state = psql(&url, "SELECT sync_state FROM pg_stat_replication").await?;
            ensure!(state == "sync", "the standby is {state:?}");
            Ok(())
        })
        .await?;
        Ok(standby)
    }

    /// Starts a standby of this server, which has a commit later than its caller hears of it.
    ///
    /// # Errors
    /// As [`Self::start`].
    pub async fn late_standby(&self) -> Result<Self> {
        let disk = match &self.cluster.disk {
            Some(disk) => Some(Arc::new(disk.another().await?)),
            None => None,
        };
        let cluster = Cluster::new(self.cluster.durability, disk)?;
        cluster.copy_of(&self.cluster).await?;
        Self::start_cluster(cluster).await
    }

    /// Lets a standby of this server get nothing more of it.
    ///
    /// # Errors
    /// When it goes on to follow.
    pub async fn lose(&self, standby: &Self) -> Result<()> {
        let url = standby.url("postgres");
        psql(&url, "ALTER SYSTEM SET primary_conninfo = ''").await?;
        psql(&url, "SELECT pg_reload_conf()").await?;
        let admin = self.url("postgres");
        eventually(LATER, async || {
            let following = psql(&admin, "SELECT count(*) FROM pg_stat_replication").await?;
            ensure!(following == "0", "the standby follows");
            Ok(())
        })
        .await
    }

    /// Makes a standby the primary.
    ///
    /// # Errors
    /// When it is none, or does not become the primary.
    pub async fn promote(&self) -> Result<()> {
        let promoted = psql(&self.url("postgres"), "SELECT pg_promote()").await?;
        ensure!(promoted == "t", "not promoted");
        Ok(())
    }

    /// `postgres://…` of a database of this server.
    pub fn url(&self, database: &str) -> String {
        self.cluster.url(database)
    }

    /// The small disk with its data, if it is on one.
    pub fn disk(&self) -> Option<&SmallDisk> {
        self.cluster.disk.as_deref()
    }

    /// Its address and port.
    pub fn address(&self) -> (&'static str, u16) {
        ("127.0.0.1", self.cluster.port)
    }

    /// Starts the server on its port, after [`Self::stop`] or [`Self::kill`], and waits until it answers.
    ///
    /// # Errors
    /// When it does not answer.
    pub async fn start_again(&mut self) -> Result<()> {
        let Self { held, cluster } = self;
        let url = cluster.url("postgres");
        held.start(
            LATER,
            || cluster.spawn(),
            async || psql(&url, "SELECT 1").await.map(drop),
        )
        .await
    }

    /// Fast shutdown: connections are cut, everything is written.
    ///
    /// # Errors
    /// When the server does not end.
    pub async fn stop(&mut self) -> Result<()> {
        self.held.stop(Signal::SIGINT, SOON).await
    }

    /// SIGKILL of the postmaster; its backends notice and end.
    ///
    /// # Errors
    /// When it cannot be killed.
    pub fn kill(&mut self) -> Result<()> {
        self.held.kill()
    }

    /// The postmaster. Frozen, it accepts nobody, while connections that exist go on.
    ///
    /// # Errors
    /// When the server is stopped.
    pub fn process(&self) -> Result<&Process> {
        self.held.process()
    }

    /// SIGSTOP of the postmaster and everybody it started: nobody is accepted, and what runs stands still.
    ///
    /// # Errors
    /// When the server is stopped.
    pub fn freeze(&self) -> Result<()> {
        let postmaster = self.held.process()?;
        postmaster.freeze()?;
        postmaster.signal_children(Signal::SIGSTOP)
    }

    /// SIGCONT, after [`Self::freeze`].
    ///
    /// # Errors
    /// When the server is stopped.
    pub fn thaw(&self) -> Result<()> {
        let postmaster = self.held.process()?;
        postmaster.signal_children(Signal::SIGCONT)?;
        postmaster.thaw()
    }

    /// Kills the server and makes an empty cluster in its place (not started).
    ///
    /// # Errors
    /// When the data cannot be removed.
    pub async fn delete_data(&mut self) -> Result<()> {
        self.kill()?;
        let data = self.cluster.data();
        eventually(SOON, async || Ok(std::fs::remove_dir_all(&data)?)).await?;
        self.cluster.make().await
    }
}

impl Cluster {
    fn new(durability: Durability, disk: Option<Arc<SmallDisk>>) -> Result<Self> {
        let account = Account::for_postgres()?;
        Ok(Self {
            port: free_port()?,
            durability,
            account,
            folder: Account::folder(account, "postgres")?,
            disk,
            settings: &[],
        })
    }

    fn url(&self, database: &str) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{database}", self.port)
    }

    fn data(&self) -> PathBuf {
        match &self.disk {
            Some(disk) => disk.path().join("postgres"),
            None => self.folder.path().join("data"),
        }
    }

    fn command(&self, program: &str) -> Result<Command> {
        let program = postgres_program(program)?;
        match &self.disk {
            Some(disk) => disk.command(self.account, &program),
            None => Ok(Account::command(self.account, &program)),
        }
    }

    async fn make(&self) -> Result<()> {
        let mut initdb = self.command("initdb")?;
        initdb
            .arg("--pgdata")
            .arg(self.data())
            .args(["--username=postgres", "--auth=trust", "--no-sync"])
            .args(["--encoding=UTF8", "--locale=C.UTF-8"])
            .current_dir(self.folder.path());
        if self.disk.is_some() {
            // Without room for its log PostgreSQL ends, and does not come back: that is a server that is killed.
            initdb.arg("--waldir").arg(self.folder.path().join("wal"));
        }
        run(initdb).await.map(|_| ()).context("initdb")
    }

    /// Copies a running server's data, to follow it.
    async fn copy_of(&self, primary: &Self) -> Result<()> {
        let mut copy = self.command("pg_basebackup")?;
        copy.args(["--dbname", &primary.url("postgres"), "--pgdata"])
            .arg(self.data())
            .args(["--write-recovery-conf", "--checkpoint=fast", "--no-sync"])
            .current_dir(self.folder.path());
        if self.disk.is_some() {
            copy.arg("--waldir").arg(self.folder.path().join("wal"));
        }
        run(copy).await.map(drop).context("pg_basebackup")
    }

    fn spawn(&self) -> Result<Process> {
        let mut postgres = self.command("postgres")?;
        postgres
            .arg("-D")
            .arg(self.data())
            .args(["-p", &self.port.to_string()])
            .args(["-c", "listen_addresses=127.0.0.1"])
            .args(["-c", "unix_socket_directories="])
            .args(["-c", "max_connections=200"])
            .current_dir(self.folder.path());
        if self.durability == Durability::Fast {
            for setting in ["fsync=off", "full_page_writes=off"] {
                postgres.args(["-c", setting]);
            }
        }
        for setting in self.settings {
            postgres.args(["-c", setting]);
        }
        Process::start("postgres", &mut postgres, &self.folder.path().join("log"))
    }
}

/// Runs `sql` in the database at `url`: rows as lines, columns apart by `|`.
///
/// # Errors
/// What `psql` says when the server is away or refuses the statement.
pub async fn psql(url: &str, sql: &str) -> Result<String> {
    psql_within(LATER, url, sql).await
}

/// The same with a deadline of its own.
///
/// # Errors
/// As [`psql`].
pub async fn psql_within(deadline: Duration, url: &str, sql: &str) -> Result<String> {
    let mut psql = Command::new(postgres_program("psql")?);
    psql.args(["-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1"])
        .args(["-d", url, "-c", sql])
        .env("PGCONNECT_TIMEOUT", "5");
    let rows = run_within(deadline, psql).await?;
    Ok(rows.trim_end().to_owned())
}

/// Runs a program to its end, for at most two minutes, and returns its standard output.
pub(crate) async fn run(command: Command) -> Result<String> {
    run_within(LATER, command).await
}

async fn run_within(deadline: Duration, command: Command) -> Result<String> {
    let program = Path::new(command.get_program()).to_owned();
    let mut command = tokio::process::Command::from(command);
    command.kill_on_drop(true);
    let Ok(output) = tokio::time::timeout(deadline, command.output()).await else {
        bail!("{} does not end", program.display());
    };
    let output = output.with_context(|| format!("starting {}", program.display()))?;
    ensure!(
        output.status.success(),
        "{} ended with {}: {}{}",
        program.display(),
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(String::from_utf8(output.stdout)?)
}
