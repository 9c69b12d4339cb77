//! The reference load of SQLite: `sqlite3`'s `.import` of the rows we stored, in the same order, into the same table in
//! a fresh file of the same page size, under the pragmas of our own connections.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use tokio::process::Command;

use super::rows;

/// What `store` sets on its connections; a file does not remember them.
const PRAGMAS: &str = "PRAGMA synchronous = FULL;
PRAGMA foreign_keys = ON;
PRAGMA wal_autocheckpoint = 20000;
PRAGMA cache_size = -65536;
PRAGMA temp_store = memory;
";

/// A table's schema, and a file of rows for it.
#[derive(Debug)]
pub struct ImportReference {
    schema: String,
    table: String,
    file: PathBuf,
    database: PathBuf,
    rows: usize,
}

impl ImportReference {
    /// Reads the schema of `table` in the file `database`, with its indexes, and dumps its rows, which must be those of
    /// one import and no others. `key` and `order` as for PostgreSQL. Blobs become texts of as many bytes: `.import`
    /// knows no blobs.
    ///
    /// # Errors
    /// When `sqlite3` is not installed, or the rows are more or fewer.
    pub async fn prepare(
        database: &Path,
        table: &str,
        key: &str,
        order: &[u32],
        folder: &Path,
    ) -> Result<Self> {
        let (sorted, file) = (folder.join("sorted.tabs"), folder.join("ordered.tabs"));
        let page_size = sqlite3(database, "PRAGMA page_size;").await?.0;
        let tables = sqlite3(
            database,
            &format!("SELECT sql || ';' FROM sqlite_schema WHERE tbl_name = '{table}' AND sql IS NOT NULL;"),
        )
        .await?
        .0;
        let columns = sqlite3(
            database,
            &format!(
                "SELECT group_concat(iif(lower(type) = 'blob', 'substr(hex(' || name || '), 1, length(' || name || '))', name), ', ')
                   FROM pragma_table_info('{table}');"
            ),
        )
        .await?
        .0;
        let dump = format!(
            ".mode tabs\n.output '{}'\nSELECT {columns} FROM {table} ORDER BY {key};\n",
            sorted.display()
        );
        sqlite3(database, &dump).await?;
        rows::reorder(&sorted, order, &file)?;
        std::fs::remove_file(sorted)?;
        Ok(Self {
            schema: format!(
                "PRAGMA page_size = {page_size};\nPRAGMA journal_mode = WAL;\n{tables}\n"
            ),
            table: table.to_owned(),
            file,
            database: folder.join("reference.db"),
            rows: order.len(),
        })
    }

    /// Makes the empty file with the table.
    ///
    /// # Errors
    /// What `sqlite3` says.
    pub async fn empty(&self) -> Result<()> {
        if self.database.exists() {
            std::fs::remove_file(&self.database)?;
        }
        let mode = sqlite3(&self.database, &self.schema).await?.0;
        ensure!(mode == "wal", "no write-ahead log: {mode}");
        Ok(())
    }

    /// Loads all rows, once.
    ///
    /// # Errors
    /// When not all of them are there then.
    pub async fn load(&self) -> Result<Duration> {
        let (table, file) = (&self.table, self.file.display());
        let load = format!("{PRAGMAS}.mode tabs\n.import '{file}' {table}\n");
        let took = sqlite3(&self.database, &load).await?.1;
        let count = format!("SELECT count(*) FROM {table};");
        let count = sqlite3(&self.database, &count).await?.0;
        ensure!(count == self.rows.to_string(), "only {count} rows loaded");
        Ok(took)
    }
}

/// The version of the installed `sqlite3`.
///
/// # Errors
/// When there is none: how to get it.
pub async fn version() -> Result<String> {
    let mut program = Command::new("sqlite3");
    program.arg("--version");
    let (printed, _) = rows::run(program, "")
        .await
        .context("the command sqlite3 is needed as reference: `apt-get install sqlite3`")?;
    Ok(printed.chars().take_while(|c| *c != ' ').collect())
}

async fn sqlite3(database: &Path, script: &str) -> Result<(String, Duration)> {
    let mut program = Command::new("sqlite3");
    program.args(["-batch", "-bail"]).arg(database);
    rows::run(program, script).await
}
