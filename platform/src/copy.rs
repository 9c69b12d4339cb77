//! A whole store goes from the embedded database into an empty one on a server, while no service runs on either.

use anyhow::{Context, bail, ensure};
use store::copy::Alone;
use store::migration::Watch;
use store::{Committed, Error, Store, Workload};

use crate::backends::{connect, open_store};
use crate::config::Config;

/// Copies everything from the database of the settings `from` to that of `to`. Returns the number of rows.
///
/// # Errors
/// `from` is no embedded database of this release, or is in use; `to` is no empty database on PostgreSQL. Then nothing was
/// copied.
pub async fn copy(from: &Config, to: &Config, watch: &dyn Watch) -> anyhow::Result<u64> {
    let Some(file) = Store::file(from.database.expose())? else {
        bail!("{} names no embedded database", from.database_variable);
    };
    ensure!(file.exists(), "there is no database at {}", file.display());
    ensure!(
        !to.database.is_sqlite(),
        "{} names no database on PostgreSQL",
        to.database_variable
    );
    let store = connect(from, Workload::Migration)?;
    let plan = store.migration_plan().await;
    store.close().await;
    let plan = plan?;
    ensure!(
        plan.newest <= Some(plan.program),
        "a newer release made the database: copy it with that release"
    );
    ensure!(
        plan.is_empty(),
        "the database is of an older release: run `feedback migrate`, then `feedback migrate finish`"
    );
    let target = open_store(to, Workload::Migration).await?;
    let alone = Alone::open(from.database.expose()).await;
    let mut alone = match alone {
        Err(error) if error.is_unavailable() => {
            bail!("the database is in use: stop the service first")
        }
        alone => alone?,
    };
    let copied = alone.copy_to(&target, watch).await;
    let (tx, rows) = match copied {
        Err(Error::Conflict(reason)) => bail!("nothing was copied: {reason}"),
        copied => copied.context("nothing was copied")?,
    };
    if let Committed::Unknown(error) = tx.commit().await.context("nothing was copied")? {
        return Err(error).context(
            "the copy may be there or not: look whether the server has accounts before either service is started",
        );
    }
    target.close().await;
    Ok(rows)
}
