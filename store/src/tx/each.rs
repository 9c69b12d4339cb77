//! One statement for many rows.

use std::collections::BTreeMap;
use std::ptr;

use indexmap::IndexMap;
use sea_orm::sqlx::postgres::PgArguments;
use sea_orm::sqlx::{self, Arguments, AssertSqlSafe};
use sea_orm::{FromQueryResult, QueryResult, TryGetable, Value};
use uuid::Uuid;

use super::sql::{only_column, query, read};
use super::statement::{BatchRow, BatchStatement, BatchText};
use super::{Error, Inner, Result, Sql, Tx};

/// SQLite: rows that one statement takes at most. Powers of two, so that sqlx keeps the texts of all lengths prepared.
const ROWS: usize = 32;

impl Tx {
    /// Runs a statement for rows. On PostgreSQL one run does for all, on Citus one for those of an account, on SQLite one for a
    /// few.
    pub(crate) async fn execute_batch<R: BatchRow>(
        &self,
        statement: &'static BatchStatement<R>,
        rows: Vec<R>,
    ) -> Result<()> {
        let values = values_of(rows);
        self.run_batch(&statement.text, values).await.map(drop)
    }

    /// The same, for the rows that it returns.
    pub(crate) async fn fetch_batch<R: BatchRow, T: FromQueryResult>(
        &self,
        statement: &'static BatchStatement<R>,
        rows: Vec<R>,
    ) -> Result<Vec<T>> {
        read(&self.run_batch(&statement.text, values_of(rows)).await?)
    }

    /// The same, for the values of the only column that it returns.
    pub(crate) async fn fetch_batch_values<R: BatchRow, T: TryGetable>(
        &self,
        statement: &'static BatchStatement<R>,
        rows: Vec<R>,
    ) -> Result<Vec<T>> {
        only_column(&self.run_batch(&statement.text, values_of(rows)).await?)
    }

    /// The values are those of all rows, one row after the other.
    async fn run_batch(&self, text: &BatchText, values: Vec<Value>) -> Result<Vec<QueryResult>> {
        let columns = text.columns().len();
        let mut results = Vec::new();
        if self.is_sqlite() {
            let mut values = values.into_iter();
            while values.len() > 0 {
                let rows = 1 << (values.len() / columns).min(ROWS).ilog2();
                let of_rows = values.by_ref().take(rows * columns).collect();
                results.extend(query(self, text.with_values(rows), of_rows).await?);
            }
        } else if self.is_distributed()
            && let Some(account) = text.account_column()
        {
            for (account_id, values) in by_account(values, columns, account)? {
                let arguments = arguments(values, columns, Some((account, account_id)))?;
                let of_account = self.run_arrays(text.with_account_and_arrays(), arguments);
                results.extend(of_account.await?);
            }
        } else if !values.is_empty() {
            let arguments = arguments(values, columns, None)?;
            results = self.run_arrays(text.with_arrays(), arguments).await?;
        }
        Ok(results)
    }

    async fn run_arrays(&self, sql: String, arrays: PgArguments) -> Result<Vec<QueryResult>> {
        let Inner::Postgres(tx) = &mut *self.lock().await else {
            return Ok(Vec::new());
        };
        let rows = sqlx::query_with(AssertSqlSafe(sql), arrays).fetch_all(&mut **tx);
        let rows = self.host().wait(rows).await??;
        Ok(rows.into_iter().map(QueryResult::from).collect())
    }
}

fn values_of<R: BatchRow>(rows: Vec<R>) -> Vec<Value> {
    let mut values = Vec::new();
    for row in rows {
        row.add_to(&mut values);
    }
    values
}

/// Rows that are left to statements until [`Self::execute`], which runs each once, in the order in which they came first.
#[derive(Default)]
pub(crate) struct BatchWrites(IndexMap<usize, (&'static BatchText, Vec<Value>)>);

impl BatchWrites {
    pub(crate) fn add<R: BatchRow>(&mut self, statement: &'static BatchStatement<R>, row: R) {
        let text = &statement.text;
        let of_statement = self.0.entry(ptr::from_ref(text).addr());
        row.add_to(&mut of_statement.or_insert((text, Vec::new())).1);
    }

    pub(crate) async fn execute(self, tx: &Tx) -> Result<()> {
        for (text, values) in self.0.into_values() {
            tx.run_batch(text, values).await?;
        }
        Ok(())
    }
}

/// The values of the rows of each account, whose id is in one of the columns, in the order of the accounts: that is the order in
/// which all lock rows.
fn by_account(
    values: Vec<Value>,
    columns: usize,
    account: usize,
) -> Result<BTreeMap<Uuid, Vec<Value>>> {
    let mut accounts: BTreeMap<Uuid, Vec<Value>> = BTreeMap::new();
    let mut values = values.into_iter();
    while values.len() > 0 {
        let row: Vec<Value> = values.by_ref().take(columns).collect();
        let Some(Value::Uuid(Some(account_id))) = row.get(account) else {
            return Err(Error::broken("a row of no account"));
        };
        accounts.entry(*account_id).or_default().extend(row);
    }
    Ok(accounts)
}

/// The columns of rows, each as an array, but for one that has the same id in all rows. (sea-query's own arrays hold no null.)
fn arguments(
    values: Vec<Value>,
    columns: usize,
    same: Option<(usize, Uuid)>,
) -> Result<PgArguments> {
    let mut columns = vec![Vec::new(); columns];
    let mut values = values.into_iter();
    while values.len() > 0 {
        for column in &mut columns {
            column.extend(values.next());
        }
    }
    let mut arguments = PgArguments::default();
    for (place, column) in columns.into_iter().enumerate() {
        match same {
            Some((same, id)) if same == place => arguments.add(id).map_err(Error::broken)?,
            _ => add(&mut arguments, column)?,
        }
    }
    Ok(arguments)
}

fn add(arguments: &mut PgArguments, column: Vec<Value>) -> Result<()> {
    macro_rules! add {
        ($kind:ident) => {{
            let values = column.into_iter().map(|value| match value {
                Value::$kind(value) => Ok(value),
                _ => Err(Error::broken("a column of several types")),
            });
            arguments.add(values.collect::<Result<Vec<_>>>()?)
        }};
    }
    let added = match column.first() {
        Some(Value::Uuid(_)) => add!(Uuid),
        Some(Value::String(_)) => add!(String),
        Some(Value::Bytes(_)) => add!(Bytes),
        Some(Value::SmallInt(_)) => add!(SmallInt),
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
