//! What a query can come back with, sorted by what a caller should do about it.

use sea_orm::sqlx::error::DatabaseError;
use sea_orm::{DbErr, RuntimeErr, SqlxError};

/// A failed query.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The server cannot be reached, is starting or stopping, or is out of room: nobody's fault but its own.
    #[error("the database is unavailable")]
    Unavailable(#[source] Source),
    /// Another transaction was in the way (deadlock, serialization): the same work may be tried again.
    #[error("the database asks to try again")]
    Conflict(#[source] Source),
    /// The import is no longer this attempt's: another took it over, or it was emptied.
    #[error("the import is no longer this attempt's")]
    Lost,
    /// Another version of this program made the database.
    #[error(
        "the database has schema version {found} and this program knows only {known}: use the program that made it, or an \
         empty database"
    )]
    Schema { found: i64, known: i64 },
    /// Stored data that cannot be read, or a statement that the database refuses.
    #[error("the database refused or the stored data is broken")]
    Other(#[source] Source),
}

/// Whatever stood behind an [`Error`].
pub type Source = Box<dyn std::error::Error + Send + Sync>;

impl Error {
    /// Whether trying again later can help: the database, not the request, is the trouble.
    pub fn is_unavailable(&self) -> bool {
        matches!(self, Self::Unavailable(_) | Self::Conflict(_))
    }

    /// Stored data that does not read as what it should be.
    pub(crate) fn broken(cause: impl Into<Source>) -> Self {
        Self::Other(cause.into())
    }

    /// Whether a unique constraint refused a row.
    pub(crate) fn is_unique_violation(&self) -> bool {
        self.database()
            .is_some_and(DatabaseError::is_unique_violation)
    }

    /// A row whose batch went in the same moment is [`Error::Lost`].
    pub(crate) fn lost_with_its_batch(self) -> Self {
        match self.database() {
            Some(database) if database.is_foreign_key_violation() => Self::Lost,
            _ => self,
        }
    }

    fn database(&self) -> Option<&dyn DatabaseError> {
        let Self::Other(source) = self else {
            return None;
        };
        source
            .downcast_ref::<SqlxError>()
            .and_then(SqlxError::as_database_error)
    }
}

enum Kind {
    Unavailable,
    Conflict,
    Other,
}

fn kind(error: &SqlxError) -> Kind {
    match error {
        SqlxError::Io(_)
        | SqlxError::Tls(_)
        | SqlxError::Protocol(_)
        | SqlxError::PoolTimedOut
        | SqlxError::PoolClosed
        | SqlxError::WorkerCrashed
        | SqlxError::BeginFailed => Kind::Unavailable,
        SqlxError::Database(database) => match database.code().as_deref() {
            // PostgreSQL: connection exceptions, insufficient resources, operator intervention, I/O errors;
            // the idle-in-transaction limit is how a frozen process loses its session.
            Some(code)
                if code.len() == 5
                    && (["08", "53", "57", "58"].contains(&&code[..2]) || code == "25P03") =>
            {
                Kind::Unavailable
            }
            Some("40001" | "40P01" | "55P03") => Kind::Conflict,
            // SQLite: busy, locked (primary codes in the low byte), I/O error, full.
            Some(code) if code.len() < 5 => match code.parse::<u32>().map(|code| code & 0xff) {
                Ok(5 | 6) => Kind::Conflict,
                Ok(10 | 13 | 14) => Kind::Unavailable,
                _ => Kind::Other,
            },
            _ => Kind::Other,
        },
        _ => Kind::Other,
    }
}

impl From<SqlxError> for Error {
    fn from(error: SqlxError) -> Self {
        match kind(&error) {
            Kind::Unavailable => Self::Unavailable(error.into()),
            Kind::Conflict => Self::Conflict(error.into()),
            Kind::Other => Self::Other(error.into()),
        }
    }
}

impl From<DbErr> for Error {
    fn from(error: DbErr) -> Self {
        let kind = match &error {
            DbErr::ConnectionAcquire(_) => Kind::Unavailable,
            DbErr::Conn(RuntimeErr::SqlxError(inner))
            | DbErr::Exec(RuntimeErr::SqlxError(inner))
            | DbErr::Query(RuntimeErr::SqlxError(inner)) => kind(inner),
            _ => Kind::Other,
        };
        match kind {
            Kind::Unavailable => Self::Unavailable(error.into()),
            Kind::Conflict => Self::Conflict(error.into()),
            Kind::Other => Self::Other(error.into()),
        }
    }
}
