//! The embedded store and its pepper in one file, and back.
//!
//! A backup is a tar archive under zstd, so that it can be opened without this program too. It holds `feedback.db`, as it was at one
//! moment, and `pepper`, where the data directory has one.

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use domain::campaign::{CampaignAction, CampaignStatus};
use store::{Store, Workload};
use tempfile::NamedTempFile;
use tokio::task::spawn_blocking;

use crate::backends::{connect, open_existing_store};
use crate::config::{Config, write_private};
use crate::migrate::{folder_of, migrate_embedded};

// The names of the entries.
const STORE: &[u8] = b"feedback.db";
const PEPPER: &[u8] = b"pepper";
/// The bytes of a pepper's file, at most: several secrets have room.
const MOST_PEPPER: u64 = 64 << 10;

const ON_SERVER: &str =
    "the database is a server's: back it up with its own tools, such as pg_basebackup or pg_dump";

/// Writes everything that is stored to a new file for its owner alone. The service may run meanwhile.
///
/// # Errors
/// There is no embedded database, the file is there already, or the disk is full. Then no file is left.
pub async fn backup(config: &Config, file: PathBuf) -> anyhow::Result<()> {
    let database = embedded(config)?;
    ensure!(
        database.exists(),
        "there is no database at {}",
        database.display()
    );
    ensure!(!file.exists(), "{} is there already", file.display());
    let copy = temporary_in(folder_of(&file))?;
    let store = connect(config, Workload::Maintenance(1))?;
    let copied = store.copy_into(copy.path()).await;
    store.close().await;
    copied.context("the database could not be copied")?;
    let pepper = config.pepper_file().filter(|pepper| pepper.exists());
    spawn_blocking(move || write(copy.path(), pepper.as_deref(), &file)).await?
}

/// What a restore found and did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Restored {
    pub has_pepper: bool,
    /// Campaigns that were running: what they sent since the backup they would send again.
    pub paused_campaigns: u32,
}

/// Puts what a backup holds into the data directory, which has no database, and migrates it to this release. Running campaigns are
/// paused.
///
/// # Errors
/// There is a database or another pepper, the file is no backup, or a newer release made it.
pub async fn restore(config: &Config, file: PathBuf) -> anyhow::Result<Restored> {
    let database = embedded(config)?;
    ensure!(
        !database.exists(),
        "there is a database at {}: move it away, or name another directory by --data-dir",
        database.display()
    );
    config.make_data_dir()?;
    let pepper = config.pepper_file();
    let unpacking = spawn_blocking(move || unpack(&file, &database, pepper.as_deref()));
    let has_pepper = unpacking.await??;
    migrate_embedded(config).await?;
    let store = open_existing_store(config, Workload::Maintenance(1)).await?;
    let mut paused_campaigns = 0;
    for key in store.all_campaigns().await? {
        let campaign = store.campaign(key).await?;
        if campaign.is_some_and(|campaign| campaign.status == CampaignStatus::Running) {
            store.act_on_campaign(key, CampaignAction::Pause).await?;
            paused_campaigns += 1;
        }
    }
    store.close().await;
    Ok(Restored {
        has_pepper,
        paused_campaigns,
    })
}

fn embedded(config: &Config) -> anyhow::Result<PathBuf> {
    Store::file(config.database.expose())?.context(ON_SERVER)
}

/// A file for its owner alone, which goes unless it gets a name.
fn temporary_in(folder: &Path) -> anyhow::Result<NamedTempFile> {
    let file = NamedTempFile::with_prefix_in(".feedback-", folder);
    file.with_context(|| folder.display().to_string())
}

fn write(store: &Path, pepper: Option<&Path>, file: &Path) -> anyhow::Result<()> {
    let archive = temporary_in(folder_of(file))?;
    let compressed = zstd::Encoder::new(archive.as_file(), zstd::DEFAULT_COMPRESSION_LEVEL)?;
    let mut entries = tar::Builder::new(compressed);
    entries.append_path_with_name(store, OsStr::from_bytes(STORE))?;
    if let Some(pepper) = pepper {
        entries.append_path_with_name(pepper, OsStr::from_bytes(PEPPER))?;
    }
    entries.into_inner()?.finish()?.sync_all()?;
    archive.persist_noclobber(file)?;
    Ok(())
}

/// Puts the entries of a backup in place; returns whether there is a pepper among them. The database is the last: until it is there
/// nothing was restored.
fn unpack(file: &Path, database: &Path, pepper: Option<&Path>) -> anyhow::Result<bool> {
    let opened = File::open(file).with_context(|| file.display().to_string())?;
    let (mut store, mut kept_pepper) = (None, None);
    let unreadable = || format!("{} is no backup, or not all of one", file.display());
    let mut archive = tar::Archive::new(zstd::Decoder::new(opened)?);
    for entry in archive.entries().with_context(unreadable)? {
        let mut entry = entry.with_context(unreadable)?;
        match entry.path_bytes().as_ref() {
            STORE => {
                let mut unpacked = temporary_in(folder_of(database))?;
                io::copy(&mut entry, unpacked.as_file_mut()).with_context(unreadable)?;
                unpacked.as_file().sync_all()?;
                store = Some(unpacked);
            }
            PEPPER => {
                let mut text = String::new();
                entry.take(MOST_PEPPER).read_to_string(&mut text)?;
                kept_pepper = Some(text);
            }
            _ => bail!(unreadable()),
        }
    }
    let store = store.with_context(unreadable)?;
    if let (Some(text), Some(pepper)) = (&kept_pepper, pepper) {
        put_pepper(text.trim_end(), pepper)?;
    }
    store.persist_noclobber(database)?;
    Ok(kept_pepper.is_some())
}

/// One that is there already must be the same.
fn put_pepper(text: &str, pepper: &Path) -> anyhow::Result<()> {
    match fs::read_to_string(pepper) {
        Ok(there) => ensure!(
            there.trim_end() == text,
            "{} is another one than the backup's: move it away",
            pepper.display()
        ),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            write_private(pepper, OpenOptions::new().create_new(true), text)?;
        }
        Err(error) => return Err(error).context(pepper.display().to_string()),
    }
    Ok(())
}
