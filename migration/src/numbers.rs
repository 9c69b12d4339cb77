//! The two numbers of a database, and whether a program takes it.

use sea_orm::{ConnectionTrait, DbBackend, DbErr, Statement};

use crate::all::{MIGRATIONS, newest, number};

/// The number of this program: that of its newest migration.
pub const NEWEST: u32 = newest(MIGRATIONS);

/// What a database is to a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schema {
    /// It has no tables of ours.
    None,
    /// It has some, of a time before migrations or of somebody else.
    Foreign,
    Numbered(Numbers),
}

/// The two numbers of a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers {
    /// Of the newest migration that was applied.
    pub newest: u32,
    /// The lowest of the programs that it admits.
    pub lowest: u32,
}

/// Why a program does not take a database. What to do about it is said in the same line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misfit {
    #[error(
        "the database has schema {newest} and this program needs {NEWEST}: run `feedback migrate` of this release"
    )]
    Behind { newest: u32 },
    #[error(
        "the database admits programs from schema {lowest} on and this one is of {NEWEST}: run a newer release"
    )]
    Ahead { lowest: u32 },
    #[error(
        "the database has tables from before there were migrations, or not of this program: run the program that made it, or use \
         an empty database"
    )]
    Foreign,
    #[error(
        "some tables of the database lie on several nodes and some on one: run `feedback migrate distribute` of this release"
    )]
    HalfDistributed,
}

impl Numbers {
    /// Whether this program takes a database with these numbers.
    ///
    /// # Errors
    /// It does not.
    pub fn admit(self) -> Result<(), Misfit> {
        let Self { newest, lowest } = self;
        if NEWEST < lowest {
            Err(Misfit::Ahead { lowest })
        } else if newest < NEWEST {
            Err(Misfit::Behind { newest })
        } else {
            Ok(())
        }
    }
}

const TABLES_POSTGRES: &str = "SELECT to_regclass('account') IS NOT NULL AS is_used,
       to_regclass('schema_version') IS NOT NULL AS has_version, to_regclass('seaql_migrations') IS NOT NULL AS has_migrations";
const TABLES_SQLITE: &str = "SELECT count(*) FILTER (WHERE name = 'account') > 0 AS is_used,
       count(*) FILTER (WHERE name = 'schema_version') > 0 AS has_version,
       count(*) FILTER (WHERE name = 'seaql_migrations') > 0 AS has_migrations
  FROM sqlite_schema";

/// Reads what a database is. It changes nothing.
///
/// # Errors
/// The database gave no answer.
pub async fn read(db: &impl ConnectionTrait) -> Result<Schema, DbErr> {
    let backend = db.get_database_backend();
    let one = async |sql: &str| {
        let row = db.query_one_raw(Statement::from_string(backend, sql)).await;
        row?.ok_or_else(|| DbErr::Custom("a database that counts no rows".to_owned()))
    };
    let tables = one(match backend {
        DbBackend::Sqlite => TABLES_SQLITE,
        _ => TABLES_POSTGRES,
    });
    let tables = tables.await?;
    let has = |table: &str| tables.try_get::<bool>("", table);
    if !has("has_version")? {
        return Ok(if has("is_used")? {
            Schema::Foreign
        } else {
            Schema::None
        });
    }
    let lowest = one("SELECT max(version) AS lowest FROM schema_version").await?;
    let lowest: Option<i64> = lowest.try_get("", "lowest")?;
    let applied: Option<String> = if has("has_migrations")? {
        let applied = one("SELECT max(version) AS applied FROM seaql_migrations").await?;
        applied.try_get("", "applied")?
    } else {
        None
    };
    let lowest = lowest.and_then(|lowest| u32::try_from(lowest).ok());
    let first = MIGRATIONS.first().map(|first| first.number);
    let newest = match applied {
        Some(applied) => number(&applied),
        // The programs of the first number knew no migrations.
        None => first.filter(|first| lowest == Some(*first)),
    };
    Ok(match (newest, lowest) {
        (Some(newest), Some(lowest)) => Schema::Numbered(Numbers { newest, lowest }),
        _ => Schema::Foreign,
    })
}
