//! Statements that are written by hand, and entities, against the schema as migrations make it.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, ensure};
use entity::{Table, TableColumn, tables};
use sea_orm::ColumnType;
use store::Dialect;
use tests::app::App;

use super::fixture::Ledger;

/// Tables that no entity has. Those of accounts with work and of tokens are there where Citus has several nodes.
const WITHOUT_ENTITY: [&str; 7] = [
    "account_work",
    "link_token",
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

/// Tables that stay on one node of several: what is small and shared. Each other one has to be distributed.
const ON_ONE_NODE: [&str; 20] = [
    "account",
    "api_key",
    "api_secret",
    "branding",
    "docid_key",
    "import_choice",
    "import_start",
    "inbound",
    "lease",
    "pepper",
    "person",
    "provider_ref",
    "retention",
    "sender_state",
    "sender_usage",
    "session",
    "share",
    "stray_receipt",
    "upload",
    "worker_heartbeat",
];

/// Statements that ask all nodes, by their beginnings: of commands that read everything, or that somebody runs after a restore.
const OF_ALL_NODES: [&str; 4] = [
    "SELECT account_id, form_id FROM form ORDER BY",
    "SELECT account_id, campaign_id FROM campaign ORDER BY",
    "UPDATE campaign SET status = 'PAUSED'",
    "UPDATE reply SET sender = NULL, phone = NULL, text = NULL WHERE sender IS NOT NULL",
];

/// Where accounts lie on several nodes, a statement goes to one of them if it names the account, or accounts of one node.
#[test]
fn each_statement_names_its_account() {
    let distributed: BTreeSet<&str> = store::migration::distributed_tables().collect();
    let mut exceptions = BTreeSet::from(OF_ALL_NODES);
    let mut wrong = Vec::new();
    for statement in store::STATEMENTS {
        let Some(text) = (statement.text)(Dialect::Citus) else {
            continue;
        };
        let words: Vec<&str> = text.split_whitespace().collect();
        let mut tables = words
            .windows(2)
            .filter(|pair| matches!(pair[0], "FROM" | "JOIN" | "INTO" | "UPDATE"))
            .map(|pair| pair[1].trim_matches(|c: char| !c.is_alphanumeric() && c != '_'));
        if !tables.any(|table| distributed.contains(table)) {
            continue;
        }
        let text = words.join(" ");
        let is_batch_of_account = text.starts_with("WITH batch")
            && (text.contains("::uuid,") || text.contains("::uuid FROM"));
        let names_account = is_batch_of_account
            || text.contains("account_id = $")
            || text.contains("account_id = ANY($")
            || text.starts_with("INSERT INTO") && text.contains("VALUES ($1");
        let exception = exceptions
            .iter()
            .find(|begin| text.starts_with(**begin))
            .copied();
        match (names_account, exception) {
            (true, None) | (false, Some(_)) => {}
            (true, Some(_)) => wrong.push(format!("{} is no exception", statement.place)),
            (false, None) => wrong.push(format!("{}: {text}", statement.place)),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    exceptions.retain(|begin| {
        let mut texts = store::STATEMENTS
            .iter()
            .filter_map(|statement| (statement.text)(Dialect::Citus));
        !texts.any(|text| {
            let words: Vec<&str> = text.split_whitespace().collect();
            words.join(" ").starts_with(begin)
        })
    });
    assert!(exceptions.is_empty(), "gone: {exceptions:?}");
}

/// Citus tells of `INSERT … SELECT … ON CONFLICT DO NOTHING` how many rows it read, not how many it stored.
#[test]
fn no_count_of_inserted_rows_is_taken_where_citus_counts_the_read_ones() {
    // What it counts nobody looks at.
    let uncounted = ["INSERT INTO erasure (account_id, seq, docid, at) SELECT"];
    for statement in store::STATEMENTS {
        let Some(text) = (statement.text)(Dialect::Citus) else {
            continue;
        };
        let words: Vec<&str> = text.split_whitespace().collect();
        let text = words.join(" ");
        // Of batches no caller is told how many rows they touched.
        let counts = text.starts_with("INSERT")
            && text.contains("SELECT")
            && text.contains("ON CONFLICT DO NOTHING")
            && !text.contains("RETURNING");
        let is_known = uncounted.iter().any(|begin| text.starts_with(begin));
        assert!(!counts || is_known, "{}: {text}", statement.place);
    }
}

/// A new table has to be put into `migration/src/distribute.rs`, or among those of one node.
#[test]
fn each_table_lies_on_one_node_or_is_distributed() {
    let distributed: BTreeSet<&str> = store::migration::distributed_tables().collect();
    let mut wrong: Vec<String> = tables().into_iter().map(|table| table.name).collect();
    wrong.retain(|table| ON_ONE_NODE.contains(&&**table) == distributed.contains(&**table));
    assert!(wrong.is_empty(), "{wrong:?}");
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
           FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
          WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY 1"
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
