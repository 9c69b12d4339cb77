//! The schema is made once, and a database that has another one is refused.

use anyhow::{Result, bail, ensure};
use domain::scope::Scopes;
use futures::future::try_join_all;
use platform::one_line;
use store::{Store, Workload};
use tests::app::Backends;

use super::fixture::{Ledger, database_url};

#[tokio::test]
async fn of_processes_that_start_at_once_one_makes_the_schema() -> Result<()> {
    let backends = Backends::from_environment().await?;
    let folder = tempfile::tempdir()?;
    let url = database_url(&backends, &folder);
    let stores = [(); 8].map(|()| Store::connect(&url, Workload::Maintenance(2)));
    let stores: Vec<Store> = stores.into_iter().collect::<Result<_, _>>()?;
    try_join_all(stores.iter().map(Store::make_schema)).await?;
    for (at, store) in stores.iter().enumerate() {
        let name = format!("account {at}");
        store.create_key(&name, None, Scopes::ALL).await?;
    }
    ensure!(stores[0].list_keys(None).await?.len() == stores.len());
    Ok(())
}

#[tokio::test]
async fn a_database_of_another_release_is_refused_in_one_line() -> Result<()> {
    let newer = "INSERT INTO seaql_migrations (version, applied_at) VALUES ('m9999_later', 0)";
    for (damages, expected) in [
        (
            vec![newer, "UPDATE schema_version SET version = 9999"],
            Some("the database admits programs from schema 9999 on and this one is of"),
        ),
        // Migrated by a newer program, which has not finished.
        (vec![newer], None),
        (
            vec!["DELETE FROM seaql_migrations WHERE version >= 'm0008'"],
            Some("the database has schema 7 and this program needs"),
        ),
        (
            vec![
                "DROP TABLE seaql_migrations",
                "UPDATE schema_version SET version = 6",
            ],
            Some("the database has tables from before there were migrations"),
        ),
        (
            vec!["DELETE FROM schema_version"],
            Some("the database has tables from before there were migrations"),
        ),
        (
            vec!["DROP TABLE schema_version"],
            Some("the database has tables from before there were migrations"),
        ),
    ] {
        let ledger = Ledger::open().await?;
        for damage in &damages {
            ledger.damage(damage, ledger.account_id).await?;
        }
        let made = ledger.store.make_schema().await;
        let error = made.err().map(|error| one_line(&error));
        match (expected, error) {
            (None, None) => {}
            (Some(expected), Some(error)) => {
                ensure!(error.starts_with(expected), "{damages:?}: {error}");
            }
            (_, error) => bail!("{damages:?}: {error:?}"),
        }
        ensure!(
            !ledger.store.list_keys(None).await?.is_empty(),
            "{damages:?}"
        );
    }
    Ok(())
}
