//! The embedded store and its pepper in one file, and back.
//!
//! A backup is a tar archive under zstd, so that it can be opened without this program too. It holds `feedback.db`, as it was at one
//! moment, and `pepper`, where the data directory has one.
//!
//! Both are made beside their place, in a folder that the next run removes where this one is killed, and put in place by one link:
//! there is a whole one or none.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail, ensure};
use chrono::{DateTime, Utc};
use domain::pepper::Pepper;
use store::{Store, Workload};
use tokio::task::spawn_blocking;

use crate::backends::{connect, open_existing_store};
use crate::config::{Config, write_private};
use crate::migrate::{folder_of, lock_folder, migrate_embedded, with_end};

// The names of the entries.
const STORE: &[u8] = b"feedback.db";
const PEPPER: &[u8] = b"pepper";
/// The bytes of a pepper's file, at most: several secrets have room.
const MOST_PEPPER: u64 = 64 << 10;

/// What SQLite has beside a database. A log of another one would be applied to it.
const BESIDE: [&str; 3] = ["-wal", "-shm", "-journal"];

const ON_SERVER: &str =
    "the database is a server's: back it up with its own tools, such as pg_basebackup or pg_dump";

/// Writes everything that is stored to a new file for its owner alone. The service may run meanwhile. Returns whether there was a pepper
/// to write.
///
/// # Errors
/// There is no embedded database, the file is there already, or the disk is full. Then no file is left.
pub async fn backup(config: &Config, file: PathBuf) -> anyhow::Result<bool> {
    let database = embedded(config)?;
    ensure!(
        database.exists(),
        "there is no database at {}",
        database.display()
    );
    ensure!(!file.exists(), "{} is there already", file.display());
    let staging = Staging::at(with_end(&file, ".partial"))?;
    let copy = staging.0.join("copy");
    let store = connect(config, Workload::Maintenance(1))?;
    let copied = store.copy_into(&copy).await;
    store.close().await;
    copied.context("the database could not be copied")?;
    let pepper = config.pepper_file().filter(|pepper| pepper.exists());
    let has_pepper = pepper.is_some();
    let archive = staging.0.join("archive");
    spawn_blocking(move || {
        write(&copy, pepper.as_deref(), &archive)?;
        put(&archive, &file)
    })
    .await??;
    Ok(has_pepper)
}

/// What a restore found and did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Restored {
    /// The moment as of which it is.
    pub made_at: DateTime<Utc>,
    /// Whether its pepper is in the data directory now.
    pub has_pepper: bool,
    /// Campaigns that were running: what they sent since the backup they would send again.
    pub paused_campaigns: usize,
}

/// Puts what a backup holds into the data directory, which has no database, migrated to this release. Before it is there, running
/// campaigns are paused, and replies that waited are dropped.
///
/// # Errors
/// There is a database or another pepper, the file is no backup or damaged, or a newer release made it. Then there is none.
pub async fn restore(config: &Config, file: PathBuf) -> anyhow::Result<Restored> {
    let database = embedded(config)?;
    ensure_free(&database)?;
    config.make_data_dir()?;
    let folder = folder_of(&database);
    let _alone = lock_folder(folder)?.context("another process migrates or restores there")?;
    let staging = Staging::at(folder.join("restoring"))?;
    let staged = staging.0.join(OsStr::from_bytes(STORE));
    let unpacking = (file, staged.clone());
    let unpacked = spawn_blocking(move || unpack(&unpacking.0, &unpacking.1)).await??;

    let staged_config = config.with_file(&staged)?;
    let store = connect(&staged_config, Workload::Maintenance(1))?;
    let newest = store.migration_plan().await?.newest;
    ensure!(
        newest.is_some(),
        "the backup holds no database of this service"
    );
    ensure!(
        store.is_whole().await?,
        "the database in the backup is damaged"
    );
    store.close().await;
    migrate_embedded(&staged_config).await?;
    let store = open_existing_store(&staged_config, Workload::Maintenance(1)).await?;
    let paused_campaigns = store.hold_what_was_under_way().await?;
    store.close().await;

    let has_pepper = match (config.pepper_file(), &unpacked.pepper) {
        (Some(file), Some(text)) => {
            put_pepper(text.trim_end(), &file)?;
            true
        }
        (None, Some(text)) => {
            ensure_same(config, text)?;
            false
        }
        (_, None) => false,
    };
    ensure_free(&database)?;
    put(&staged, &database)?;
    Ok(Restored {
        made_at: unpacked.made_at,
        has_pepper,
        paused_campaigns,
    })
}

fn embedded(config: &Config) -> anyhow::Result<PathBuf> {
    Store::file(config.database.expose())?.context(ON_SERVER)
}

/// Neither a database, nor what one leaves beside it.
fn ensure_free(database: &Path) -> anyhow::Result<()> {
    let beside = BESIDE.map(|end| with_end(database, end));
    let there = [database.to_owned()].into_iter().chain(beside);
    let there: Vec<_> = there.filter(|file| file.exists()).collect();
    let named = there.iter().map(|file| file.display().to_string());
    ensure!(
        there.is_empty(),
        "there is a database: stop its service and move {} away, or name another directory by --data-dir",
        named.collect::<Vec<_>>().join(" and ")
    );
    Ok(())
}

/// A folder for its owner alone, of files that are not complete. It goes with all that is in it.
struct Staging(PathBuf);

impl Staging {
    /// What a run left there that was killed is removed.
    fn at(path: PathBuf) -> anyhow::Result<Self> {
        let made = || {
            if path.exists() {
                fs::remove_dir_all(&path)?;
            }
            DirBuilder::new().mode(0o700).create(&path)
        };
        made().with_context(|| path.display().to_string())?;
        Ok(Self(path))
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            tracing::warn!(folder = %self.0.display(), %error, "a folder of incomplete files is left");
        }
    }
}

/// Gives a whole file its name, where there is none of that name, for good.
fn put(file: &Path, name: &Path) -> anyhow::Result<()> {
    fs::hard_link(file, name).with_context(|| name.display().to_string())?;
    Ok(File::open(folder_of(name))?.sync_all()?)
}

fn private_file(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
}

fn write(store: &Path, pepper: Option<&Path>, archive: &Path) -> anyhow::Result<()> {
    let archive = private_file(archive)?;
    let mut compressed = zstd::Encoder::new(archive, zstd::DEFAULT_COMPRESSION_LEVEL)?;
    compressed.include_checksum(true)?;
    let mut entries = tar::Builder::new(compressed);
    entries.append_path_with_name(store, OsStr::from_bytes(STORE))?;
    if let Some(pepper) = pepper {
        entries.append_path_with_name(pepper, OsStr::from_bytes(PEPPER))?;
    }
    Ok(entries.into_inner()?.finish()?.sync_all()?)
}

struct Unpacked {
    made_at: DateTime<Utc>,
    pepper: Option<String>,
}

/// Unpacks the database to `store`.
fn unpack(file: &Path, store: &Path) -> anyhow::Result<Unpacked> {
    let opened = File::open(file).with_context(|| file.display().to_string())?;
    let unreadable = || {
        format!(
            "{} is no backup, or not all of one, or damaged",
            file.display()
        )
    };
    let (mut made_at, mut pepper) = (None, None);
    let mut archive = tar::Archive::new(zstd::Decoder::new(opened)?);
    for entry in archive.entries().with_context(unreadable)? {
        let mut entry = entry.with_context(unreadable)?;
        ensure!(entry.header().entry_type().is_file(), unreadable());
        match entry.path_bytes().as_ref() {
            STORE if made_at.is_none() => {
                let mut unpacked = private_file(store)?;
                let copied = io::copy(&mut entry, &mut unpacked);
                let copied = copied.map_err(|error| match error.kind() {
                    io::ErrorKind::StorageFull => {
                        anyhow!("there is no room for the database: {error}")
                    }
                    _ => anyhow::Error::new(error).context(unreadable()),
                })?;
                ensure!(copied == entry.size(), unreadable());
                unpacked.sync_all()?;
                let seconds = i64::try_from(entry.header().mtime()?)?;
                made_at = Some(DateTime::from_timestamp(seconds, 0).with_context(unreadable)?);
            }
            PEPPER if pepper.is_none() => {
                let mut text = String::new();
                let read = entry.take(MOST_PEPPER).read_to_string(&mut text);
                read.with_context(unreadable)?;
                pepper = Some(text);
            }
            _ => bail!(unreadable()),
        }
    }
    // To the end, where the checksum is.
    io::copy(&mut archive.into_inner(), &mut io::sink()).with_context(unreadable)?;
    let made_at = made_at.with_context(unreadable)?;
    Ok(Unpacked { made_at, pepper })
}

/// The pepper of the settings must be the backup's.
fn ensure_same(config: &Config, text: &str) -> anyhow::Result<()> {
    let backed_up = Pepper::parse(text.trim_end()).map_err(anyhow::Error::msg)?;
    let given = config.pepper()?.context("no pepper")?;
    let is_same = given
        .fingerprints()
        .any(|given| backed_up.fingerprints().any(|known| known == given));
    ensure!(
        is_same,
        "FEEDBACK_PEPPER is another one than the backup's: leave it out, and the backup's is put into the data directory"
    );
    Ok(())
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
