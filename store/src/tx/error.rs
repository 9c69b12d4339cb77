//! What a query can come back with, sorted by what a caller should do about it.

use std::io::ErrorKind;

use domain::rollup::DecodeError;
use sea_orm::{DbErr, RuntimeErr, SqlErr, SqlxError};

use super::full;

/// A failed query.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The server cannot be reached, starts or stops, is read-only, or has no room left: nobody's fault but its own.
    #[error("the database is unavailable")]
    Unavailable(#[source] BoxError),
    /// Another transaction was in the way (deadlock, serialization): the same work may be tried again.
    #[error("the database asks to try again")]
    Conflict(#[source] BoxError),
    /// The import is no longer this attempt's: another took it over, or it was emptied.
    #[error("the import is no longer this attempt's")]
    Lost,
    /// The campaign of the import takes no more.
    #[error("the campaign ended while the import arrived")]
    CampaignEnded,
    /// The account has ended: there is nobody any more whose it would be.
    #[error("the account ended meanwhile")]
    AccountEnded,
    /// A program of an older release could not read it or do what it says, and may still run.
    #[error(
        "programs of an older release, which may run until `feedback migrate finish`, cannot work with what this would store"
    )]
    UpgradeUnfinished,
    /// The database is of another release.
    #[error(transparent)]
    Schema(#[from] migration::Misfit),
    /// The database cannot be distributed.
    #[error(transparent)]
    NotDistributed(#[from] migration::Refusal),
    /// Stored data that cannot be read, or a statement that the database refuses.
    #[error("the database refused or the stored data is broken")]
    Other(#[source] BoxError),
}

/// What a query finds, or why it failed.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The cause of an [`Error`].
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

impl From<DecodeError> for Error {
    fn from(error: DecodeError) -> Self {
        Self::broken(error)
    }
}

impl Error {
    /// Whether trying again later can help: the database, not the request, is the trouble.
    pub fn is_unavailable(&self) -> bool {
        matches!(self, Self::Unavailable(_) | Self::Conflict(_))
    }

    /// Whether the database is the trouble and not the statement: another one may answer.
    pub(super) fn is_of_the_database(error: &DbErr) -> bool {
        matches!(
            kind(error)("".into()),
            Self::Unavailable(_) | Self::Conflict(_)
        )
    }

    /// Whether the server has no TLS, or a certificate that is not trusted.
    pub fn is_of_tls(&self) -> bool {
        let Self::Unavailable(source) = self else {
            return false;
        };
        match source.downcast_ref().and_then(driver_error) {
            Some(SqlxError::Tls(_)) => true,
            // What rustls says comes so.
            Some(SqlxError::Io(error)) => error.kind() == ErrorKind::InvalidData,
            _ => false,
        }
    }

    /// Whether it may be a node of Citus that is away, and not the coordinator: that told of it, or of a statement that took too
    /// long.
    pub fn is_of_a_node(&self) -> bool {
        let Self::Unavailable(source) = self else {
            return false;
        };
        let error = source.downcast_ref().and_then(driver_error);
        matches!(error, Some(SqlxError::Database(_)))
    }

    /// Stored data that does not read as what it should be.
    pub(crate) fn broken(cause: impl Into<BoxError>) -> Self {
        Self::Other(cause.into())
    }

    /// Whether a unique constraint refused a row.
    pub(crate) fn is_unique_violation(&self) -> bool {
        matches!(self.refusal(), Some(SqlErr::UniqueConstraintViolation(_)))
            || self.is_unique_violation_of_a_node()
    }

    /// Citus: rows that it copies to a node come back with the node's text and a code of its own, 13.2.
    fn is_unique_violation_of_a_node(&self) -> bool {
        let Self::Other(source) = self else {
            return false;
        };
        let error = source.downcast_ref().and_then(driver_error);
        error
            .and_then(SqlxError::as_database_error)
            .is_some_and(|error| {
                error.code().as_deref() == Some(OF_A_NODE)
                    && error.message().starts_with("duplicate key value violates")
            })
    }

    /// A row whose batch was deleted in the same moment is [`Error::Lost`].
    pub(crate) fn lost_with_its_batch(self) -> Self {
        match self.refusal() {
            Some(SqlErr::ForeignKeyConstraintViolation(_)) => Self::Lost,
            _ => self,
        }
    }

    /// A row of a table that refers to accounts alone, whose account was deleted in the same moment or before, is
    /// [`Error::AccountEnded`].
    pub(crate) fn ended_with_its_account(self) -> Self {
        match self.refusal() {
            Some(SqlErr::ForeignKeyConstraintViolation(_)) => Self::AccountEnded,
            _ => self,
        }
    }

    fn refusal(&self) -> Option<SqlErr> {
        match self {
            Self::Other(source) => source.downcast_ref::<DbErr>()?.sql_err(),
            _ => None,
        }
    }
}

impl From<SqlxError> for Error {
    fn from(error: SqlxError) -> Self {
        DbErr::Query(RuntimeErr::SqlxError(error.into())).into()
    }
}

impl From<migration::Error> for Error {
    fn from(error: migration::Error) -> Self {
        match error {
            migration::Error::Misfit(misfit) => misfit.into(),
            migration::Error::Refusal(refusal) => refusal.into(),
            migration::Error::Db(error) => error.into(),
        }
    }
}

impl From<DbErr> for Error {
    fn from(error: DbErr) -> Self {
        full::note(driver_error(&error));
        kind(&error)(error.into())
    }
}

/// Whether the server refused to write because it is read-only.
pub(super) fn is_read_only(error: &DbErr) -> bool {
    driver_error(error)
        .and_then(SqlxError::as_database_error)
        .is_some_and(|error| error.code().as_deref() == Some(READ_ONLY))
}

/// `PostgreSQL`: `read_only_sql_transaction`.
const READ_ONLY: &str = "25006";

/// Citus, 13.2: what a node said of a copy to it, or of its connection.
const OF_A_NODE: &str = "XX000";

fn driver_error(error: &DbErr) -> Option<&SqlxError> {
    match error {
        DbErr::Conn(RuntimeErr::SqlxError(inner))
        | DbErr::Exec(RuntimeErr::SqlxError(inner))
        | DbErr::Query(RuntimeErr::SqlxError(inner)) => Some(inner),
        _ => None,
    }
}

/// The variant of [`Error`] that it is.
fn kind(error: &DbErr) -> fn(BoxError) -> Error {
    match driver_error(error) {
        None if matches!(error, DbErr::ConnectionAcquire(_)) => Error::Unavailable,
        Some(
            SqlxError::Io(_)
            | SqlxError::Tls(_)
            | SqlxError::Protocol(_)
            | SqlxError::PoolTimedOut
            | SqlxError::PoolClosed
            | SqlxError::WorkerCrashed
            | SqlxError::BeginFailed,
        ) => Error::Unavailable,
        Some(SqlxError::Database(database)) => {
            let code = database.code();
            let code = code.as_deref().unwrap_or_default();
            // Citus: a node went away within a transaction.
            if code == OF_A_NODE && database.message().starts_with("failure on connection") {
                return Error::Unavailable;
            }
            kind_of_code(code)
        }
        _ => Error::Other,
    }
}

fn kind_of_code(code: &str) -> fn(BoxError) -> Error {
    match code {
        "40001" | "40P01" | "55P03" => Error::Conflict,
        // The idle-in-transaction limit is how a frozen process loses its session.
        READ_ONLY | "25P03" => Error::Unavailable,
        // PostgreSQL: connection exceptions, insufficient resources, operator intervention (a statement timeout too), I/O.
        _ if code.len() == 5
            && ["08", "53", "57", "58"]
                .iter()
                .any(|class| code.starts_with(class)) =>
        {
            Error::Unavailable
        }
        // SQLite: busy, locked (primary codes in the low byte), I/O error, full, cannot open.
        _ if code.len() < 5 => match code.parse::<u32>().map(|code| code & 0xff) {
            Ok(5 | 6) => Error::Conflict,
            Ok(10 | 13 | 14) => Error::Unavailable,
            _ => Error::Other,
        },
        _ => Error::Other,
    }
}
