//! All that is stored, from an embedded database into an empty one on PostgreSQL, as of one moment.
//!
//! Each table goes as it is, through a COPY of its rows as text: both databases have the same tables with the same columns, and
//! what the embedded one keeps as bytes, numbers and texts the server reads as its own types.

#![expect(
    clippy::disallowed_methods,
    reason = "the embedded database is a bare connection, and names of tables are no parameters"
)]

use std::str::FromStr;
use std::time::Duration;

use entity::{account, docid_key};
use futures::TryStreamExt;
use migration::Watch;
use sea_orm::sqlx::postgres::PgConnection;
use sea_orm::sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqliteLockingMode};
use sea_orm::sqlx::{self, AssertSqlSafe, ConnectOptions, Connection, Row};
use sea_orm::{EntityTrait, FromQueryResult};

use crate::tx::{Inner, Sql, Statement, statement, values};
use crate::{Error, Result, Store, Tx};

/// What is sent to the server at once.
const PIECE: usize = 64 << 10;

/// The tables of the server in the order in which they were made, so that whatever a row refers to comes before it. What migrations
/// say of themselves the server has already.
const TABLES: &Statement = statement!(postgres:
    "SELECT CAST(relname AS text) FROM pg_class
      WHERE relkind = 'r' AND relnamespace = CAST(current_schema() AS regnamespace)
        AND relname NOT IN ('schema_version', 'seaql_migrations', 'migration_step')
      ORDER BY oid"
);

const COLUMNS: &Statement = statement!(postgres:
    "SELECT CAST(column_name AS text) AS name, CAST(data_type AS text) AS data_type,
            is_identity = 'YES' AS is_identity
       FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = $1
      ORDER BY ordinal_position"
);

#[derive(FromQueryResult)]
struct ServerColumn {
    name: String,
    data_type: String,
    is_identity: bool,
}

impl ServerColumn {
    /// An expression of SQLite: the column's value as a text that PostgreSQL reads.
    fn text(&self) -> String {
        let name = &self.name;
        // The hexadecimal digits of null are an empty text.
        match self.data_type.as_str() {
            "uuid" => format!("CASE WHEN {name} IS NOT NULL THEN hex({name}) END"),
            "bytea" => format!("CASE WHEN {name} IS NOT NULL THEN '\\x' || hex({name}) END"),
            _ => format!("CAST({name} AS text)"),
        }
    }
}

/// An embedded database that nobody else has open.
pub struct Alone(SqliteConnection);

impl Alone {
    /// # Errors
    /// [`Error::Unavailable`]: somebody else has it open.
    pub async fn open(url: &str) -> Result<Self> {
        let options = SqliteConnectOptions::from_str(url)?
            .locking_mode(SqliteLockingMode::Exclusive)
            .busy_timeout(Duration::ZERO)
            .disable_statement_logging();
        let mut connection = SqliteConnection::connect_with(&options).await?;
        // The lock is taken with the first statement, and kept until the connection is closed.
        let lock = sqlx::raw_sql("BEGIN EXCLUSIVE");
        lock.execute(&mut connection).await?;
        Ok(Self(connection))
    }

    /// Copies everything to an empty database of the same schema. How many rows it is, and the transaction with which they are
    /// there.
    ///
    /// # Errors
    /// [`Error::Conflict`]: the database is not empty.
    pub async fn copy_to(&mut self, to: &Store, watch: &dyn Watch) -> Result<(Tx, u64)> {
        let own = "SELECT name FROM sqlite_schema WHERE type = 'table'";
        let own: Vec<String> = sqlx::query_scalar(own).fetch_all(&mut self.0).await?;
        let mut tables: Vec<String> = to.fetch_values(TABLES, vec![]).await?;
        // Others are somebody else's.
        tables.retain(|table| own.contains(table));
        let mut tx = to.begin().await?;
        // The server waits while this side counts.
        let settings = statement!(postgres: "SET LOCAL idle_in_transaction_session_timeout = 0");
        tx.execute(settings, vec![]).await?;
        let lock = statement!(postgres: "LOCK TABLE account IN EXCLUSIVE MODE");
        tx.execute(lock, vec![]).await?;
        if account::Entity::find().one(&tx).await?.is_some() {
            return Err(Error::Conflict("the database is not empty".into()));
        }
        // The server has made one of its own.
        docid_key::Entity::delete_many().exec(&tx).await?;
        let mut all = 0;
        for table in &tables {
            watch.step("copy", table);
            let columns: Vec<ServerColumn> = tx.fetch_all(COLUMNS, values![table.as_str()]).await?;
            let Inner::Postgres(server) = tx.inner() else {
                return Err(Error::broken("only PostgreSQL is copied to"));
            };
            all += self.copy_table(table, &columns, server, watch).await?;
            for column in columns.iter().filter(|column| column.is_identity) {
                self.go_on_numbering(table, column, server).await?;
            }
        }
        Ok((tx, all))
    }

    async fn copy_table(
        &mut self,
        table: &str,
        columns: &[ServerColumn],
        server: &mut PgConnection,
        watch: &dyn Watch,
    ) -> Result<u64> {
        let count = AssertSqlSafe(format!("SELECT count(*) FROM {table}"));
        let count: i64 = sqlx::query_scalar(count).fetch_one(&mut self.0).await?;
        let count = u64::try_from(count).unwrap_or_default();
        let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
        let texts: Vec<String> = columns.iter().map(ServerColumn::text).collect();
        let copy = format!("COPY {table} ({}) FROM STDIN", names.join(", "));
        let mut copy = server.copy_in_raw(&copy).await?;
        let rows = AssertSqlSafe(format!("SELECT {} FROM {table}", texts.join(", ")));
        let mut rows = sqlx::query(rows).fetch(&mut self.0);
        let (mut piece, mut done) = (String::with_capacity(2 * PIECE), 0);
        while let Some(row) = rows.try_next().await? {
            for place in 0..columns.len() {
                if place > 0 {
                    piece.push('\t');
                }
                append(&mut piece, row.try_get(place)?);
            }
            piece.push('\n');
            done += 1;
            if piece.len() >= PIECE {
                copy.send(piece.as_bytes()).await?;
                piece.clear();
                watch.rows(done, count);
            }
        }
        copy.send(piece.as_bytes()).await?;
        let taken = copy.finish().await?;
        if taken != count {
            return Err(Error::broken("the server took another number of rows"));
        }
        Ok(taken)
    }

    /// Numbers that were given once are never given again, also where their rows are gone.
    async fn go_on_numbering(
        &mut self,
        table: &str,
        column: &ServerColumn,
        server: &mut PgConnection,
    ) -> Result<()> {
        let last = "SELECT seq FROM sqlite_sequence WHERE name = ?";
        let last = sqlx::query_scalar(last).bind(table);
        let last: Option<i64> = last.fetch_optional(&mut self.0).await?;
        if let Some(last) = last {
            let set = "SELECT setval(pg_get_serial_sequence($1, $2), $3)";
            let set = sqlx::query(set).bind(table).bind(&column.name).bind(last);
            set.execute(server).await?;
        }
        Ok(())
    }
}

/// A value in the text format of COPY (PostgreSQL 15 documentation, COPY, "Text Format").
fn append(piece: &mut String, value: Option<&str>) {
    let Some(value) = value else {
        piece.push_str("\\N");
        return;
    };
    for character in value.chars() {
        match character {
            '\\' => piece.push_str("\\\\"),
            '\n' => piece.push_str("\\n"),
            '\r' => piece.push_str("\\r"),
            '\t' => piece.push_str("\\t"),
            other => piece.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_of_any_characters_is_one_value() {
        let mut piece = String::new();
        append(&mut piece, Some("a\tb\\N\r\n\u{1}ö"));
        assert_eq!(piece, "a\\tb\\\\N\\r\\n\u{1}ö");
        piece.clear();
        append(&mut piece, None);
        assert_eq!(piece, "\\N");
    }
}
