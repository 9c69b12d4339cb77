//! Migrations of filled databases, and the copies of an embedded database that are made before.
//!
//! `feedback serve` migrates its embedded database when it starts; all else is migrated by `feedback migrate` alone.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use anyhow::Context;
use chrono::Utc;
use store::migration::{MIGRATIONS, Plan, Watch};
use store::{Store, Workload};
use tokio_util::sync::CancellationToken;

use crate::backends::{connect, unusable};
use crate::config::{Config, ConfigError};

/// The number of copies that are kept.
const COPIES: usize = 2;
/// No copy is kept longer, because it holds who was erased since.
const KEPT: Duration = Duration::from_hours(30 * 24);
/// How often copies that are too old are looked for.
const LOOK: Duration = Duration::from_hours(1);
/// Pause before a lock is asked for again.
const LOCKED: Duration = Duration::from_millis(500);
/// The suffix of a copy that is not complete.
const PARTIAL: &str = ".partial";

/// A filled database, to be migrated.
pub struct Migration {
    store: Store,
    config: Config,
}

impl Migration {
    /// Connects, as the role that may change the schema.
    ///
    /// # Errors
    /// The database cannot be reached, or there is none.
    pub fn open(config: &Config) -> anyhow::Result<Self> {
        let mut config = config.clone();
        if let Some(url) = config.migrate_url.take() {
            config.database = url;
            config.database_variable = "FEEDBACK_MIGRATE_URL";
        }
        if let Ok(Some(file)) = Store::file(config.database.expose()) {
            anyhow::ensure!(file.exists(), "there is no database at {}", file.display());
        }
        let store = connect(&config, Workload::Migration)?;
        Ok(Self { store, config })
    }

    /// What is left to do.
    ///
    /// # Errors
    /// The database cannot be reached, or this program cannot migrate it.
    pub async fn plan(&self) -> Result<Plan, ConfigError> {
        let plan = self.store.migration_plan().await;
        plan.map_err(|error| unusable(&self.config, &error))
    }

    /// Applies what the database lacks: all of it, of an empty one. Of an embedded one a copy is kept, which whoever goes on after
    /// a kill finds there.
    ///
    /// # Errors
    /// It failed. Doing it again goes on.
    pub async fn up(&self, watch: &Arc<dyn Watch>) -> anyhow::Result<()> {
        let _alone = self.alone(watch).await?;
        let plan = self.plan().await?;
        if !plan.up.is_empty()
            && !plan.is_half_applied
            && let Some(newest) = plan.newest
            && let Ok(Some(file)) = Store::file(self.config.database.expose())
        {
            let copy = keep_copy(&self.store, &file, newest).await;
            let copy =
                copy.context("no copy of the database could be kept, so it was not migrated")?;
            tracing::info!(file = %copy.display(), "kept a copy of the database from before its migration");
        }
        let done = if plan.newest.is_none() {
            self.store.make_schema().await
        } else {
            self.store.migrate(MIGRATIONS, watch).await
        };
        Ok(done.map_err(|error| unusable(&self.config, &error))?)
    }

    /// Admits programs of this release on and no older ones, and does what those could not do with.
    ///
    /// # Errors
    /// It failed. Doing it again goes on.
    pub async fn finish(&self, watch: &Arc<dyn Watch>) -> anyhow::Result<()> {
        let _alone = self.alone(watch).await?;
        let done = self.store.finish_migration(watch).await;
        Ok(done.map_err(|error| unusable(&self.config, &error))?)
    }

    /// What is left of a distribution to the nodes of a cluster.
    ///
    /// # Errors
    /// The database cannot be distributed.
    pub async fn distribution_plan(&self) -> Result<Vec<&'static str>, ConfigError> {
        let plan = self.store.distribution_plan().await;
        plan.map_err(|error| unusable(&self.config, &error))
    }

    /// Distributes the tables to the nodes of a cluster.
    ///
    /// # Errors
    /// It failed. Doing it again goes on.
    pub async fn distribute(&self, watch: &Arc<dyn Watch>) -> Result<(), ConfigError> {
        let done = self.store.distribute(watch).await;
        done.map_err(|error| unusable(&self.config, &error))
    }

    /// Of an embedded database: a lock on its directory, because no other process may migrate it or keep a copy meanwhile. It ends
    /// with what is returned. A server has a lock of its own.
    async fn alone(&self, watch: &Arc<dyn Watch>) -> anyhow::Result<Option<File>> {
        let Ok(Some(file)) = Store::file(self.config.database.expose()) else {
            return Ok(None);
        };
        loop {
            if let Some(lock) = lock_folder(folder_of(&file))? {
                return Ok(Some(lock));
            }
            watch.waiting("another process migrates the database");
            tokio::time::sleep(LOCKED).await;
        }
    }

    /// Closes the connection, and with it the lock.
    pub async fn close(self) {
        self.store.close().await;
    }
}

/// Says in the log what is done.
struct Logged;

impl Watch for Logged {
    fn step(&self, migration: &str, step: &str) {
        tracing::info!(
            migration.name = migration,
            migration.step = step,
            "migrating the database"
        );
    }

    fn rows(&self, _: u64, _: u64) {}

    fn waiting(&self, reason: &str) {
        tracing::info!(
            migration.waiting = reason,
            "waiting to migrate the database"
        );
    }
}

/// Migrates an embedded database that is filled, and finishes at once: nobody else runs on it.
///
/// # Errors
/// It failed. Doing it again goes on.
pub async fn migrate_embedded(config: &Config) -> anyhow::Result<()> {
    let watch: &Arc<dyn Watch> = &(Arc::new(Logged) as Arc<dyn Watch>);
    let file = Store::file(config.database.expose());
    let Some(file) = file.map_err(|error| unusable(config, &error))? else {
        return Ok(());
    };
    if !file.exists() {
        return Ok(());
    }
    let store = connect(config, Workload::Migration)?;
    let migration = Migration {
        store,
        config: config.clone(),
    };
    let plan = migration.plan().await?;
    if plan.newest.is_some() && !plan.is_empty() {
        migration.up(watch).await?;
        migration.finish(watch).await?;
    }
    migration.close().await;
    Ok(())
}

/// Removes copies of an embedded database that are too many or too old, until `shutdown`.
pub async fn remove_old_copies(config: Config, shutdown: CancellationToken) {
    let Ok(Some(file)) = Store::file(config.database.expose()) else {
        return;
    };
    loop {
        if let Err(error) = remove_copies(&file) {
            tracing::warn!(%error, "copies of the database from before migrations cannot be removed");
        }
        let pause = tokio::time::sleep(LOOK);
        if shutdown.run_until_cancelled(pause).await.is_none() {
            return;
        }
    }
}

/// A copy beside the database, named after its schema and the time.
async fn keep_copy(store: &Store, file: &Path, newest: u32) -> anyhow::Result<PathBuf> {
    let at = Utc::now().format("%Y%m%dT%H%M%SZ");
    let copy = with_end(file, &format!(".schema-{newest}-{at}"));
    let partial = with_end(&copy, PARTIAL);
    // SQLite would make it for all to read.
    OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&partial)?;
    let copied = async {
        store.copy_into(&partial).await?;
        File::open(&partial)?.sync_all()?;
        anyhow::Ok(fs::rename(&partial, &copy)?)
    };
    let copied = copied.await;
    if copied.is_err() {
        // An incomplete copy is of no use, and the disk is full.
        let _ = fs::remove_file(&partial);
    }
    copied?;
    remove_copies(file)?;
    Ok(copy)
}

/// Keeps the latest copies that are not too old. Removes all others, and incomplete ones of killed processes.
fn remove_copies(file: &Path) -> io::Result<()> {
    let name = with_end(Path::new(file.file_name().unwrap_or_default()), ".schema-");
    let mut copies = Vec::new();
    for entry in fs::read_dir(folder_of(file))? {
        let entry = entry?;
        if !entry
            .file_name()
            .as_encoded_bytes()
            .starts_with(name.as_os_str().as_encoded_bytes())
        {
            continue;
        }
        if entry
            .file_name()
            .as_encoded_bytes()
            .ends_with(PARTIAL.as_bytes())
        {
            fs::remove_file(entry.path())?;
        } else {
            copies.push((entry.metadata()?.modified()?, entry.path()));
        }
    }
    copies.sort();
    let too_many = copies.len().saturating_sub(COPIES);
    let now = SystemTime::now();
    for (at, (modified, path)) in copies.into_iter().enumerate() {
        let age = now.duration_since(modified).unwrap_or_default();
        if at < too_many || age > KEPT {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

/// A lock on a folder, until it is dropped; `None`: another process has it.
pub(crate) fn lock_folder(folder: &Path) -> io::Result<Option<File>> {
    let folder = File::open(folder)?;
    match folder.try_lock() {
        Ok(()) => Ok(Some(folder)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Marks the file of an embedded database as served by this process, until what is returned is dropped, which may not be before
/// the database is closed. Says so in the log where another process serves it: both work on it, and neither hears of what the other
/// was told.
pub fn mark_served(config: &Config) -> Option<File> {
    let file = Store::file(config.database.expose()).ok()??;
    let served = File::open(&file).ok()?;
    if let Err(TryLockError::WouldBlock) = served.try_lock() {
        tracing::warn!(
            file = %file.display(),
            "another `feedback serve` runs on this database: stop it, or give this one a directory of its own (FEEDBACK_DATA_DIR)"
        );
    }
    Some(served)
}

/// The folder in which a file is, or will be.
pub(crate) fn folder_of(file: &Path) -> &Path {
    let folder = file
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// The path with more at its end.
pub(crate) fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}
