//! The schema is made once, and a database that has another one is refused.

use anyhow::{Result, ensure};
use domain::scope::Scopes;
use futures::future::try_join_all;
use platform::start::one_line;
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
async fn a_database_of_another_version_is_refused_in_one_line() -> Result<()> {
    for (damage, found) in [
        ("UPDATE schema_version SET version = 1", 1),
        ("DELETE FROM schema_version", 0),
        ("DROP TABLE schema_version", 0),
    ] {
        let ledger = Ledger::open().await?;
        ledger.damage(damage, ledger.account_id).await?;
        let refused = ledger.store.make_schema().await;
        let told = refused.map_or_else(|error| one_line(&error), |()| "it was taken".to_owned());
        let expected = format!("the database has schema version {found} and");
        ensure!(told.starts_with(&expected), "{damage}: {told}");
        ensure!(!ledger.store.list_keys(None).await?.is_empty(), "{damage}");
    }
    Ok(())
}
