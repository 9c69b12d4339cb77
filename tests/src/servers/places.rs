//! Where the servers' programs are, who runs them and where their data goes.

use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use tempfile::TempDir;

/// The newest `/usr/lib/postgresql/*/bin`, else what `PATH` holds.
pub(crate) fn postgres_program(name: &str) -> Result<PathBuf> {
    let mut versions: Vec<(u32, PathBuf)> = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let version = entry.file_name().to_str()?.parse().ok()?;
            Some((version, entry.path().join("bin")))
        })
        .collect();
    versions.sort();
    let folders = versions.into_iter().rev().map(|(_, folder)| folder);
    program(name, folders.chain(path()))
}

/// RabbitMQ's own scripts: Debian's wrapper around them insists on its own user and folders.
pub(super) fn rabbit_program(name: &str) -> Result<PathBuf> {
    let own = PathBuf::from("/usr/lib/rabbitmq/bin");
    program(name, std::iter::once(own).chain(path()))
}

/// A program of `PATH`, or of the folders that hold daemons.
pub(super) fn plain_program(name: &str) -> Result<PathBuf> {
    program(name, path())
}

fn path() -> impl Iterator<Item = PathBuf> {
    let listed = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&listed).collect();
    folders.extend(["/usr/local/sbin", "/usr/sbin", "/usr/bin"].map(PathBuf::from));
    folders.into_iter()
}

fn program(name: &str, folders: impl Iterator<Item = PathBuf>) -> Result<PathBuf> {
    for folder in folders {
        let candidate = folder.join(name);
        if candidate.is_file() {
            return Ok(candidate);
        }
    }
    bail!("{name} is not installed; `tests/run` installs what the tests need")
}

/// The account a server runs under: PostgreSQL refuses to run as root.
#[derive(Clone, Copy, Debug)]
pub struct Account {
    uid: u32,
    gid: u32,
}

impl Account {
    /// `postgres` when we are root, otherwise ourselves (`None`).
    ///
    /// # Errors
    /// When we are root and there is no such user.
    pub fn for_postgres() -> Result<Option<Self>> {
        if !Self::is_root()? {
            return Ok(None);
        }
        Ok(Some(Self {
            uid: id(&["-u", "postgres"])?,
            gid: id(&["-g", "postgres"])?,
        }))
    }

    /// Whether we are root ourselves.
    ///
    /// # Errors
    /// When `id` cannot be asked.
    pub fn is_root() -> Result<bool> {
        Ok(id(&["-u"])? == 0)
    }

    /// What `nsenter` is told, to go on under this account.
    pub(super) fn entering(self) -> [String; 2] {
        [
            format!("--setuid={}", self.uid),
            format!("--setgid={}", self.gid),
        ]
    }

    /// `program` under `account`, with the same process id as the command itself.
    pub fn command(account: Option<Self>, program: &Path) -> Command {
        let mut command = Command::new(program);
        if let Some(Self { uid, gid }) = account {
            command.uid(uid).gid(gid);
        }
        command
    }

    /// Gives a file or folder to `account`; `None`: it stays ours.
    ///
    /// # Errors
    /// When it cannot be given.
    pub(super) fn give(account: Option<Self>, file: &Path) -> Result<()> {
        if let Some(Self { uid, gid }) = account {
            chown(file, Some(uid), Some(gid))?;
        }
        Ok(())
    }

    /// A new temporary folder that `account` can write to.
    ///
    /// # Errors
    /// When it cannot be made or given away.
    pub fn folder(account: Option<Self>, name: &str) -> Result<TempDir> {
        let folder = tempfile::Builder::new()
            .prefix(&format!("feedback-{name}-"))
            .permissions(std::fs::Permissions::from_mode(0o700))
            .tempdir()
            .context("making a temporary folder")?;
        Self::give(account, folder.path())?;
        Ok(folder)
    }
}

fn id(arguments: &[&str]) -> Result<u32> {
    let output = Command::new("id").args(arguments).output()?;
    ensure!(
        output.status.success(),
        "id {arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(String::from_utf8(output.stdout)?.trim().parse()?)
}
