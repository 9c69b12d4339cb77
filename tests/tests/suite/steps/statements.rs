//! Statements that are written by hand, and entities, against the schema as migrations make it.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};
use entity::{Table, TableColumn, tables};
use sea_orm::ColumnType;
use tests::app::App;

use super::fixture::Ledger;

/// Tables that no entity has.
const WITHOUT_ENTITY: [&str; 5] = [
    "migration_step",
    "schema_version",
    "seaql_migrations",
    "sqlite_sequence",
    "sqlite_stat1",
];

/// A column that was renamed is found without running the statements that have it.
#[tokio::test]
async fn each_statement_fits_the_schema() -> Result<()> {
    let ledger = Ledger::open().await?;
    let mut wrong = Vec::new();
    for statement in store::STATEMENTS {
        if let Err(error) = ledger.store.prepare(statement).await {
            wrong.push(format!("{}: {error:?}", statement.place));
        }
    }
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    let registered = store::STATEMENTS.len();
    ensure!(registered > 200, "only {registered} are registered");
    Ok(())
}

#[tokio::test]
async fn each_table_is_as_its_entity_has_it() -> Result<()> {
    let app = App::start().await?;
    let is_sqlite = app.embedded();
    // Table, column, its type, and whether it may be null.
    let columns = if is_sqlite {
        "SELECT t.name, c.name, replace(lower(c.type), 'boolean', 'integer'), NOT (c.\"notnull\" OR c.pk > 0)
           FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table' ORDER BY t.name, c.name"
    } else {
        "SELECT concat_ws('|', table_name, column_name, data_type, CASE is_nullable WHEN 'YES' THEN 1 ELSE 0 END)
           FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1"
    };
    let mut stored = BTreeMap::<_, Vec<_>>::new();
    for line in app.sql(columns).await?.lines() {
        let (table, column) = line.split_once('|').unwrap_or_default();
        let of_table = stored.entry(table.to_owned()).or_default();
        of_table.push(column.to_owned());
    }
    stored.retain(|table, _| !WITHOUT_ENTITY.contains(&&**table));
    let named = |table: Table| {
        let columns = table.columns.iter();
        let mut columns: Vec<_> = columns.map(|column| line(column, is_sqlite)).collect();
        columns.sort();
        (table.name, columns)
    };
    let named: BTreeMap<_, _> = tables().into_iter().map(named).collect();
    for (table, columns) in &mut stored {
        columns.sort();
        ensure!(Some(&*columns) == named.get(table), "{table}: {columns:?}");
    }
    ensure!(stored.len() == named.len(), "a table of an entity is gone");
    Ok(())
}

/// An entity's column as the database tells of it.
fn line(column: &TableColumn, is_sqlite: bool) -> String {
    let [postgres, sqlite] = match &column.kind {
        ColumnType::Uuid => ["uuid", "blob"],
        ColumnType::String(_) | ColumnType::Text => ["text", "text"],
        ColumnType::Json | ColumnType::JsonBinary => ["jsonb", "text"],
        ColumnType::SmallInteger => ["smallint", "integer"],
        ColumnType::Integer => ["integer", "integer"],
        ColumnType::BigInteger => ["bigint", "integer"],
        ColumnType::Boolean => ["boolean", "integer"],
        ColumnType::Date => ["date", "text"],
        ColumnType::TimestampWithTimeZone => ["timestamp with time zone", "text"],
        ColumnType::Blob | ColumnType::VarBinary(_) | ColumnType::Binary(_) => ["bytea", "blob"],
        _ => ["another", "another"],
    };
    let kind = if is_sqlite { sqlite } else { postgres };
    format!("{}|{kind}|{}", column.name, u8::from(column.is_null))
}
