//! The reference load of PostgreSQL: `psql`'s `\copy` of the rows we stored, in the same order, into an empty copy of
//! the same table in the same database.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use super::rows;
use crate::app::Backends;

/// An empty copy of a table, and a file of rows for it.
#[derive(Debug)]
pub struct CopyReference {
    table: String,
    file: PathBuf,
    rows: usize,
}

impl CopyReference {
    /// Dumps all of `table`, which must hold the rows of one import and no others, and makes the empty copy: same
    /// columns, indexes and storage parameters. `key` is the column whose order is that of the numbers in `order`,
    /// `order` the import's.
    ///
    /// # Errors
    /// When the rows are more or fewer, or the copy would not be the same.
    pub async fn prepare(
        backends: &Backends,
        table: &str,
        key: &str,
        order: &[u32],
        folder: &Path,
    ) -> Result<Self> {
        let (sorted, file) = (folder.join("sorted.copy"), folder.join("ordered.copy"));
        let dump = format!(
            r"\copy (SELECT * FROM {table} ORDER BY {key}) TO '{}'",
            sorted.display()
        );
        backends.sql(&dump).await?;
        rows::reorder(&sorted, order, &file)?;
        std::fs::remove_file(sorted)?;

        let copy = empty_copy(backends, table).await?;
        Ok(Self {
            table: copy,
            file,
            rows: order.len(),
        })
    }

    /// Empties the copy.
    ///
    /// # Errors
    /// What the server says.
    pub async fn empty(&self, backends: &Backends) -> Result<()> {
        let truncate = format!("TRUNCATE {}", self.table);
        backends.sql(&truncate).await.map(drop)
    }

    /// Loads all rows, once.
    ///
    /// # Errors
    /// When not all of them are there then.
    pub async fn load(&self, backends: &Backends) -> Result<Duration> {
        let load = format!(r"\copy {} FROM '{}'", self.table, self.file.display());
        let start = Instant::now();
        backends.sql(&load).await?;
        let took = start.elapsed();
        let count = backends
            .sql(&format!("SELECT count(*) FROM {}", self.table))
            .await?;
        ensure!(count == self.rows.to_string(), "only {count} rows loaded");
        Ok(took)
    }
}

/// An empty copy of a table, with the same columns, indexes and storage parameters; its name.
///
/// # Errors
/// When the copy would not be the same.
pub async fn empty_copy(backends: &Backends, table: &str) -> Result<String> {
    let copy = format!("{table}_reference");
    // LIKE does not carry a table's own storage parameters.
    let parameters = storage_parameters(backends, table).await?;
    let with = if parameters.is_empty() {
        String::new()
    } else {
        format!("WITH ({parameters})")
    };
    backends
        .sql(&format!(
            "DROP TABLE IF EXISTS {copy}; CREATE TABLE {copy} (LIKE {table} INCLUDING ALL) {with}"
        ))
        .await?;
    let copied = storage_parameters(backends, &copy).await?;
    ensure!(copied == parameters, "{copied} is not {parameters}");
    let copied = indexes(backends, &copy).await?;
    let wanted = indexes(backends, table).await?;
    ensure!(copied == wanted, "{copied} indexes are not {wanted}");
    Ok(copy)
}

async fn storage_parameters(backends: &Backends, table: &str) -> Result<String> {
    let query = format!(
        "SELECT array_to_string(reloptions, ', ') FROM pg_class WHERE oid = '{table}'::regclass"
    );
    backends.sql(&query).await
}

async fn indexes(backends: &Backends, table: &str) -> Result<String> {
    let query = format!("SELECT count(*) FROM pg_index WHERE indrelid = '{table}'::regclass");
    backends.sql(&query).await
}
