//! A small disk that a test fills: a tmpfs in a mount namespace of its own, which goes with the test however that ends.

use std::fs::{File, Permissions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;

use super::places::Account;
use crate::process::Process;
use crate::wait::{SOON, eventually};

/// The disk. Only programs that were sent there see it, and this process, through `/proc`.
#[derive(Debug)]
pub struct SmallDisk {
    /// Holds the namespace: dropped before the folder that it mounts over.
    holder: Process,
    folder: TempDir,
    mebibytes: u64,
}

impl SmallDisk {
    /// A disk of so many MiB.
    ///
    /// # Errors
    /// When we are not root and the system gives nobody else namespaces.
    pub async fn new(mebibytes: u64) -> Result<Self> {
        let folder = Account::folder(None, "disk")?;
        // Whoever is sent there goes through.
        std::fs::set_permissions(folder.path(), Permissions::from_mode(0o711))?;
        let mut command = Command::new("unshare");
        command.args(Self::unshared(&["--map-current-user", "--keep-caps"])?);
        command
            .args(["--", "sh", "-c"])
            .arg(format!("mount -t tmpfs -o size={mebibytes}m,mode=1777 feedback \"$0\" && exec sleep infinity"))
            .arg(folder.path());
        let log = folder.path().join("log");
        let mut disk = Self {
            holder: Process::start("the holder of a small disk", &mut command, &log)?,
            folder,
            mebibytes,
        };
        eventually(SOON, async || {
            let ended = disk.holder.ended()?;
            ensure!(ended.is_none(), "no small disk: {}", disk.holder.log_tail());
            let mounts = std::fs::read_to_string(disk.proc("mounts")?)?;
            let path = disk.path().to_str().context("a path")?.to_owned();
            ensure!(mounts.contains(&format!("{path} tmpfs")), "not mounted");
            Ok(())
        })
        .await?;
        Ok(disk)
    }

    /// Another one of this size.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub async fn another(&self) -> Result<Self> {
        Self::new(self.mebibytes).await
    }

    /// Where it is, for those who were sent there.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// `program` where the disk is, under `account`, with the same process id as the command itself.
    ///
    /// # Errors
    /// When the disk is gone.
    pub fn command(&self, account: Option<Account>, program: &Path) -> Result<Command> {
        let mut command = Command::new("nsenter");
        command.args(["--target", &self.holder.pid()?.to_string()]);
        command.args(Self::unshared(&["--preserve-credentials"])?);
        if let Some(account) = account {
            command.args(account.entering());
        }
        command.arg("--").arg(program);
        Ok(command)
    }

    /// Fills it to the last byte.
    ///
    /// # Errors
    /// When the disk is gone.
    pub fn fill(&self) -> Result<()> {
        let mut ballast = File::create(self.ballast()?)?;
        for size in [1 << 20, 4096, 1] {
            let block = vec![1; size];
            loop {
                match ballast.write(&block) {
                    Ok(_) => {}
                    Err(full) if full.kind() == ErrorKind::StorageFull => break,
                    Err(error) => return Err(error.into()),
                }
            }
        }
        Ok(())
    }

    /// Makes room again.
    ///
    /// # Errors
    /// When the disk is gone or was not filled.
    pub fn free(&self) -> Result<()> {
        Ok(std::fs::remove_file(self.ballast()?)?)
    }

    /// Where it is for this process.
    ///
    /// # Errors
    /// When the disk is gone.
    pub fn seen_from_here(&self) -> Result<PathBuf> {
        let inside = self.path().strip_prefix("/")?;
        Ok(self.proc("root")?.join(inside))
    }

    fn ballast(&self) -> Result<PathBuf> {
        Ok(self.seen_from_here()?.join("ballast"))
    }

    fn proc(&self, entry: &str) -> Result<PathBuf> {
        Ok(format!("/proc/{}/{entry}", self.holder.pid()?).into())
    }

    /// What a namespace takes: root has the right to mount, everybody else only as the owner of a user namespace.
    fn unshared<'a>(unprivileged: &'a [&'a str]) -> Result<Vec<&'a str>> {
        let mut arguments = vec!["--mount"];
        if !Account::is_root()? {
            arguments.push("--user");
            arguments.extend(unprivileged);
        }
        Ok(arguments)
    }
}
