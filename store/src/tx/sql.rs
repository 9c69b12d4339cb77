//! Statements in SQL: on a [`Store`](super::Store), each for itself, or in a [`Tx`](super::Tx).

use std::str::FromStr;

use chrono::{DateTime, SubsecRound, Utc};
use sea_orm::sea_query::OnConflict;
use sea_orm::{
    ActiveModelTrait, ColIdx, ConnectionTrait, DbErr, EntityTrait, FromQueryResult,
    IntoActiveModel, Iterable, PrimaryKeyToColumn, QueryResult, TryGetError, TryGetable, Value,
};
use serde::de::DeserializeOwned;

use super::statement::{Dialect, Statement, statement};
use super::{BoxError, Error, Result};

/// Runs statements with the values of their parameters, and writes rows of entities.
pub(crate) trait Sql: ConnectionTrait + Sized {
    fn dialect(&self) -> Dialect;

    /// Finds out what [`Self::dialect`] is, where that is not known yet.
    async fn find_dialect(&self) {}

    fn is_sqlite(&self) -> bool {
        self.dialect() == Dialect::Sqlite
    }

    /// Whether the tables lie on several nodes, each account on one.
    fn is_distributed(&self) -> bool {
        self.dialect() == Dialect::Citus
    }

    /// The rows of a statement, as structs with its columns.
    async fn fetch_all<T: FromQueryResult>(
        &self,
        statement: &'static Statement,
        values: Vec<Value>,
    ) -> Result<Vec<T>> {
        self.find_dialect().await;
        let text = statement.text(self.dialect());
        read(&query(self, text, values).await?)
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
        self.find_dialect().await;
        let text = statement.text(self.dialect());
        only_column(&query(self, text, values).await?)
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
    async fn execute(&self, statement: &'static Statement, values: Vec<Value>) -> Result<u64> {
        self.find_dialect().await;
        let database = self.get_database_backend();
        let text = statement.text(self.dialect());
        let statement = sea_orm::Statement::from_sql_and_values(database, text, values);
        Ok(self.execute_raw(statement).await?.rows_affected())
    }

    /// Inserts a row.
    async fn insert<A: ActiveModelTrait>(&self, row: impl IntoActiveModel<A>) -> Result<()> {
        let insert = A::Entity::insert(row.into_active_model());
        Ok(insert.exec_without_returning(self).await.map(drop)?)
    }

    /// Inserts a row, unless another one has a key that must be unique. Whether it did.
    async fn insert_new<A: ActiveModelTrait>(&self, row: impl IntoActiveModel<A>) -> Result<bool> {
        let insert = A::Entity::insert(row.into_active_model())
            .on_conflict(OnConflict::new().do_nothing().to_owned());
        Ok(insert.exec_without_returning(self).await? > 0)
    }

    /// Inserts a row, in place of the one that has its primary key.
    async fn upsert<A: ActiveModelTrait>(&self, row: impl IntoActiveModel<A>) -> Result<()> {
        type Key<A> = <<A as ActiveModelTrait>::Entity as EntityTrait>::PrimaryKey;
        let key = Key::<A>::iter().map(PrimaryKeyToColumn::into_column);
        let columns = <A::Entity as EntityTrait>::Column::iter();
        let others = columns.filter(|column| Key::<A>::from_column(*column).is_none());
        let mut again = OnConflict::columns(key);
        again.update_columns(others);
        let insert = A::Entity::insert(row.into_active_model()).on_conflict(again);
        Ok(insert.exec_without_returning(self).await.map(drop)?)
    }

    /// Sets the given columns in the row of a primary key, which must be there.
    async fn update<A: ActiveModelTrait>(&self, row: impl IntoActiveModel<A>) -> Result<()> {
        let update = A::Entity::update(row.into_active_model().reset_all());
        Ok(update.exec_without_returning(self).await.map(drop)?)
    }

    /// The database's clock, not the transaction's start, in whole microseconds (what both dialects keep).
    async fn now(&self) -> Result<DateTime<Utc>> {
        if self.is_sqlite() {
            return Ok(sqlite_now());
        }
        let now = statement!(postgres: "SELECT clock_timestamp()");
        let now = self.fetch_value(now, vec![]).await?;
        now.ok_or_else(|| Error::broken("a database without a clock"))
    }
}

/// What a text of SQL returns.
pub(super) async fn query(
    connection: &impl ConnectionTrait,
    text: impl Into<String>,
    values: Vec<Value>,
) -> Result<Vec<QueryResult>> {
    let database = connection.get_database_backend();
    let statement = sea_orm::Statement::from_sql_and_values(database, text, values);
    Ok(connection.query_all_raw(statement).await?)
}

/// A column of text, as what it is the text of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parsed<T>(pub T);

/// A column of text that is JSON, as what it says.
#[derive(Clone, Debug)]
pub(crate) struct JsonText<T>(pub T);

impl<T: FromStr<Err: Into<BoxError>>> TryGetable for Parsed<T> {
    fn try_get_by<I: ColIdx>(row: &QueryResult, column: I) -> Result<Self, TryGetError> {
        let value = String::try_get_by(row, column)?.parse();
        value
            .map(Self)
            .map_err(|error: T::Err| unreadable(&*error.into()))
    }
}

impl<T: DeserializeOwned> TryGetable for JsonText<T> {
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
        $($crate::tx::IntoValues::add_to($part, &mut values);)+
        values
    }};
}
pub(crate) use values;

/// What `values!` takes, and a row of a batch has as fields.
pub(crate) trait IntoValues {
    fn add_to(self, values: &mut Vec<Value>);
}

impl<T: Into<Value>> IntoValues for T {
    fn add_to(self, values: &mut Vec<Value>) {
        values.push(self.into());
    }
}

/// Rows as structs, by the names of the columns.
pub(super) fn read<T: FromQueryResult>(rows: &[QueryResult]) -> Result<Vec<T>> {
    let rows = rows.iter().map(|row| T::from_query_result(row, ""));
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Rows of one column, as its values.
pub(super) fn only_column<T: TryGetable>(rows: &[QueryResult]) -> Result<Vec<T>> {
    let values = rows.iter().map(|row| row.try_get_by_index(0));
    Ok(values.collect::<Result<_, _>>()?)
}
