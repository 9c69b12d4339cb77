//! Who is told how a migration goes.

/// Is told how a migration goes.
pub trait Watch: Send + Sync {
    /// A step begins.
    fn step(&self, migration: &str, step: &str);
    /// So many rows of a backfill were looked at, of about so many.
    fn rows(&self, done: u64, of: u64);
    /// It waits for somebody.
    fn waiting(&self, reason: &str);
}

/// Nobody is told.
pub struct Unwatched;

impl Watch for Unwatched {
    fn step(&self, _: &str, _: &str) {}
    fn rows(&self, _: u64, _: u64) {}
    fn waiting(&self, _: &str) {}
}
