//! One statement for many rows.

use sea_orm::sqlx::postgres::{PgArguments, PgRow};
use sea_orm::sqlx::{self, Arguments};
use sea_orm::{QueryResult, Value};

use super::{Error, Inner, Sql, Tx};

impl Tx {
    /// Runs a statement for rows of values, all of as many: at once on PostgreSQL, where a parameter is the array of a column;
    /// one after the other on SQLite, where it is the value of a row.
    pub(crate) async fn each(
        &self,
        postgres: &'static str,
        sqlite: &'static str,
        rows: Vec<Vec<Value>>,
    ) -> Result<Vec<QueryResult>, Error> {
        let mut results = Vec::new();
        if self.is_sqlite() {
            for row in rows {
                results.extend(self.rows(sqlite, row).await?);
            }
        } else if !rows.is_empty()
            && let Inner::Postgres(tx) = &mut *self.lock().await
        {
            let query = sqlx::query_with(postgres, arrays(rows)?);
            let found: Vec<PgRow> = query.fetch_all(&mut **tx).await?;
            results.extend(found.into_iter().map(QueryResult::from));
        }
        Ok(results)
    }
}

/// The columns of rows, each as an array. (sea-query's own arrays hold no null.)
fn arrays(rows: Vec<Vec<Value>>) -> Result<PgArguments, Error> {
    let mut columns: Vec<Vec<Value>> = Vec::new();
    for row in rows {
        columns.resize_with(row.len(), Vec::new);
        for (column, value) in columns.iter_mut().zip(row) {
            column.push(value);
        }
    }
    let mut arguments = PgArguments::default();
    for column in columns {
        add(&mut arguments, column)?;
    }
    Ok(arguments)
}

fn add(arguments: &mut PgArguments, column: Vec<Value>) -> Result<(), Error> {
    macro_rules! add {
        ($kind:ident) => {{
            let values = column.into_iter().map(|value| match value {
                Value::$kind(value) => Ok(value),
                _ => Err(Error::broken("a column of several types")),
            });
            arguments.add(values.collect::<Result<Vec<_>, Error>>()?)
        }};
    }
    let added = match column.first() {
        Some(Value::Uuid(_)) => add!(Uuid),
        Some(Value::String(_)) => add!(String),
        Some(Value::Bytes(_)) => add!(Bytes),
        Some(Value::BigInt(_)) => add!(BigInt),
        Some(Value::Bool(_)) => add!(Bool),
        Some(Value::ChronoDate(_)) => add!(ChronoDate),
        Some(Value::ChronoDateTimeUtc(_)) => add!(ChronoDateTimeUtc),
        _ => {
            return Err(Error::broken(
                "a column of a type that is not sent as an array",
            ));
        }
    };
    added.map_err(Error::broken)
}
