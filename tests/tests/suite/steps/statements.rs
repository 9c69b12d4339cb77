//! Statements that are written by hand, and entities, against the schema as migrations make it.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, ensure};

use super::fixture::Ledger;

/// A renamed column is found without running the statements that have it.
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
    ensure!(
        store::STATEMENTS.len() >= 100,
        "only {} statements are registered",
        store::STATEMENTS.len()
    );
    Ok(())
}
