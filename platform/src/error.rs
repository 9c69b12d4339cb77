//! Why the servers of a process cannot be opened. Queue and cache have errors of their own.

use std::path::PathBuf;

use crate::cache::CacheError;
use crate::config::ConfigError;

/// The process cannot start or go on. Keeps its `source()`.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// One line that names the variable.
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error("there is no database at {}", .0.display())]
    NoDatabase(PathBuf),
    #[error("the database cannot be used")]
    Store(#[from] store::Error),
    #[error("the cache cannot be used")]
    Cache(#[from] CacheError),
    /// Signals, sockets or threads that the operating system refuses.
    #[error("the operating system refused")]
    Io(#[from] std::io::Error),
    /// Logs or metrics are set up already, by someone else.
    #[error("telemetry cannot be set up: {0}")]
    Telemetry(String),
}
