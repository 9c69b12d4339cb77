//! Statements in SQL: on a [`Store`](super::Store), each for itself, or in a [`Tx`](super::Tx).

use std::str::FromStr;

use chrono::{DateTime, SubsecRound, Utc};
use sea_orm::{
    ColIdx, ConnectionTrait, DbBackend, DbErr, FromQueryResult, QueryResult, TryGetError,
    TryGetable, TryGetableMany, Value,
};
use serde::de::DeserializeOwned;

use super::statement::Statement;
use super::{Error, Result, Source};

/// Runs statements with the values of their parameters.
pub(crate) trait Sql: ConnectionTrait {
    fn is_sqlite(&self) -> bool {
        self.get_database_backend() == DbBackend::Sqlite
    }

    /// The statement of this dialect.
    fn dialect(&self, postgres: &'static str, sqlite: &'static str) -> &'static str {
        if self.is_sqlite() { sqlite } else { postgres }
    }

    /// A SELECT that locks its rows, as `lock` says. On SQLite whoever may write is alone.
    fn locking(&self, select: &str, lock: &str) -> String {
        if self.is_sqlite() {
            select.to_owned()
        } else {
            format!("{select} {lock}")
        }
    }

    /// The rows of a statement, as structs with its columns.
    async fn fetch_all<T: FromQueryResult>(
        &self,
        statement: &'static Statement,
        values: Vec<Value>,
    ) -> Result<Vec<T>> {
        read(&self.rows(statement, values).await?)
    }

    /// Its first row.
    async fn fetch_one<T: FromQueryResult>(
        &self,
        statement: &'static Statement,
        values: Vec<Value>,
    ) -> Result<Option<T>> {
        Ok(self.fetch_all(statement, values).await?.into_iter().next())
    }

    /// The values of its only column.
    async fn fetch_values<T: TryGetable>(
        &self,
        statement: &'static Statement,
        values: Vec<Value>,
    ) -> Result<Vec<T>> {
        let rows = self.rows(statement, values).await?;
        let values = rows.iter().map(|row| row.try_get_by_index(0));
        Ok(values.collect::<Result<_, _>>()?)
    }

    /// The value of its only column in its first row.
    async fn fetch_value<T: TryGetable>(
        &self,
        statement: &'static Statement,
        values: Vec<Value>,
    ) -> Result<Option<T>> {
        Ok(self
            .fetch_values(statement, values)
            .await?
            .into_iter()
            .next())
    }

    /// The number of rows that a statement touched.
    async fn execute(&self, sql: impl SqlText, values: Vec<Value>) -> Result<u64> {
        let database = self.get_database_backend();
        let statement =
            sea_orm::Statement::from_sql_and_values(database, sql.text(database), values);
        Ok(self.execute_raw(statement).await?.rows_affected())
    }

    async fn rows(&self, sql: impl SqlText, values: Vec<Value>) -> Result<Vec<QueryResult>> {
        let database = self.get_database_backend();
        let statement =
            sea_orm::Statement::from_sql_and_values(database, sql.text(database), values);
        Ok(self.query_all_raw(statement).await?)
    }

    async fn row(&self, sql: impl SqlText, values: Vec<Value>) -> Result<Option<QueryResult>> {
        Ok(self.rows(sql, values).await?.into_iter().next())
    }

    /// Rows as values or tuples, by the order of the columns.
    async fn all<T: TryGetableMany>(
        &self,
        sql: impl SqlText,
        values: Vec<Value>,
    ) -> Result<Vec<T>> {
        tuples(&self.rows(sql, values).await?)
    }

    /// The first row as [`Self::all`] gives it.
    async fn one<T: TryGetableMany>(
        &self,
        sql: impl SqlText,
        values: Vec<Value>,
    ) -> Result<Option<T>> {
        Ok(self.all(sql, values).await?.into_iter().next())
    }

    /// The database's clock, not the transaction's start, in whole microseconds (what both dialects keep).
    async fn now(&self) -> Result<DateTime<Utc>> {
        if self.is_sqlite() {
            return Ok(sqlite_now());
        }
        let now = self.one("SELECT clock_timestamp()", vec![]).await?;
        now.ok_or_else(|| Error::broken("a database without a clock"))
    }
}

impl<C: ConnectionTrait> Sql for C {}

/// Transition: texts that are not statements yet.
pub(crate) trait SqlText {
    fn text(self, database: DbBackend) -> String;
}

impl SqlText for &'static Statement {
    fn text(self, database: DbBackend) -> String {
        Statement::text(self, database).to_owned()
    }
}

impl SqlText for &str {
    fn text(self, _: DbBackend) -> String {
        self.to_owned()
    }
}

impl SqlText for &String {
    fn text(self, _: DbBackend) -> String {
        self.clone()
    }
}

impl SqlText for String {
    fn text(self, _: DbBackend) -> String {
        self
    }
}

/// A column of text, as what it is the text of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parsed<T>(pub T);

/// A column of text that is JSON, as what it says.
#[derive(Clone, Debug)]
pub(crate) struct Json<T>(pub T);

impl<T: FromStr<Err: Into<Source>>> TryGetable for Parsed<T> {
    fn try_get_by<I: ColIdx>(row: &QueryResult, column: I) -> Result<Self, TryGetError> {
        let value = String::try_get_by(row, column)?.parse();
        value
            .map(Self)
            .map_err(|error: T::Err| unreadable(&*error.into()))
    }
}

impl<T: DeserializeOwned> TryGetable for Json<T> {
    fn try_get_by<I: ColIdx>(row: &QueryResult, column: I) -> Result<Self, TryGetError> {
        let value = serde_json::from_str(&String::try_get_by(row, column)?);
        value.map(Self).map_err(|error| unreadable(&error))
    }
}

fn unreadable(error: &(dyn std::error::Error + Send + Sync)) -> TryGetError {
    TryGetError::DbErr(DbErr::Type(error.to_string()))
}

/// The clock where SQLite is the database: this process's.
pub(crate) fn sqlite_now() -> DateTime<Utc> {
    Utc::now().trunc_subsecs(6)
}

/// The values of a statement's parameters, in their order. A key stands for the values of its columns.
macro_rules! values {
    ($($part:expr),+ $(,)?) => {{
        let mut values = Vec::new();
        $($crate::tx::Parameters::add_to($part, &mut values);)+
        values
    }};
}
pub(crate) use values;

/// What `values!` takes.
pub(crate) trait Parameters {
    fn add_to(self, values: &mut Vec<Value>);
}

impl<T: Into<Value>> Parameters for T {
    fn add_to(self, values: &mut Vec<Value>) {
        values.push(self.into());
    }
}

/// Rows as values or tuples, by the order of the columns.
pub(crate) fn tuples<T: TryGetableMany>(rows: &[QueryResult]) -> Result<Vec<T>> {
    let rows = rows.iter().map(QueryResult::try_get_many_by_index);
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Rows as structs, by the names of the columns.
pub(crate) fn read<T: FromQueryResult>(rows: &[QueryResult]) -> Result<Vec<T>> {
    let rows = rows.iter().map(|row| T::from_query_result(row, ""));
    Ok(rows.collect::<Result<_, _>>()?)
}

/// One column of a row.
pub(crate) fn get<T: TryGetable>(row: &QueryResult, column: &str) -> Result<T> {
    row.try_get("", column).map_err(Error::from)
}

/// A column of text, as what it is the text of.
pub(crate) fn parsed<T: FromStr<Err: Into<Source>>>(row: &QueryResult, column: &str) -> Result<T> {
    get::<String>(row, column)?.parse().map_err(Error::broken)
}

/// A column of JSON that is stored as text.
pub(crate) fn json<T: DeserializeOwned>(row: &QueryResult, column: &str) -> Result<T> {
    serde_json::from_str(&get::<String>(row, column)?).map_err(Error::broken)
}
