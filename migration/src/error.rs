//! Why a database was not migrated, or not distributed.

use sea_orm::DbErr;

use crate::numbers::Misfit;

/// Why a database was not migrated.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Misfit(#[from] Misfit),
    #[error(transparent)]
    Refusal(#[from] Refusal),
    #[error(transparent)]
    Db(#[from] DbErr),
}

/// Why a database is not distributed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("only PostgreSQL is distributed, by its extension Citus")]
    Sqlite,
    #[error("the database has no extension citus: run CREATE EXTENSION citus in it, on each node")]
    NoCitus,
    #[error(
        "the coordinator knows no other node: run SELECT citus_add_node('HOST', PORT) for each"
    )]
    NoNodes,
    #[error("{0} sessions of this program use the database: stop all its processes first")]
    InUse(i64),
}
