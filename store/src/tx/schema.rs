//! Whether this program takes a database, and how the database becomes what it takes. What the schema is says the crate
//! `migration`.

use std::path::Path;
use std::sync::Arc;

use migration::migration::Migration;
use migration::{Plan, Schema, Watch};

use super::{Error, Result, Sql, Store, Tx, statement, values};

impl Store {
    /// Makes the schema where there is none. Of several processes that start at once, one makes it and the others wait.
    ///
    /// # Errors
    /// [`Error::Schema`] where the database is of another release.
    pub async fn make_schema(&self) -> Result<()> {
        match self.schema().await? {
            Schema::None => {
                let tx = migration::begin(&self.settled().await).await?;
                let made = migration::make(&tx).await?;
                tx.commit().await?;
                admit(made)?;
            }
            schema => admit(schema)?,
        }
        let several = migration::is_distributed(&self.settled().await).await?;
        self.pool.note_nodes(several);
        Ok(())
    }

    /// What is left of a distribution to several nodes.
    ///
    /// # Errors
    /// [`Error::NotDistributed`].
    pub async fn distribution_plan(&self) -> Result<Vec<&'static str>> {
        Ok(migration::plan_distribution(&self.settled().await).await?)
    }

    /// Distributes the tables to several nodes, of a store for [`Workload::Migration`](super::Workload::Migration) that no other
    /// process uses.
    ///
    /// # Errors
    /// [`Error::NotDistributed`]. Doing it again goes on.
    pub async fn distribute(&self, watch: &Arc<dyn Watch>) -> Result<()> {
        Ok(migration::distribute(&self.settled().await, &**watch).await?)
    }

    /// What the database is.
    pub async fn schema(&self) -> Result<Schema> {
        Ok(migration::read(self).await?)
    }

    /// What is left to migrate.
    pub async fn migration_plan(&self) -> Result<Plan> {
        Ok(migration::plan(&self.settled().await).await?)
    }

    /// Applies those of the migrations that the database lacks, of a store for [`Workload::Migration`](super::Workload::Migration).
    ///
    /// # Errors
    /// Doing it again goes on.
    pub async fn migrate(
        &self,
        migrations: &'static [Migration],
        watch: &Arc<dyn Watch>,
    ) -> Result<()> {
        Ok(migration::up(&self.settled().await, migrations, watch).await?)
    }

    /// Admits programs of this release on and no older ones, and does what those could not do with.
    ///
    /// # Errors
    /// Doing it again goes on.
    pub async fn finish_migration(&self, watch: &Arc<dyn Watch>) -> Result<()> {
        Ok(migration::finish(&self.settled().await, watch).await?)
    }

    /// SQLite only: whether the file is as SQLite writes it, throughout.
    pub async fn is_whole(&self) -> Result<bool> {
        let check = statement!(sqlite: "PRAGMA quick_check");
        let found: Vec<String> = self.fetch_values(check, vec![]).await?;
        Ok(found == ["ok"])
    }

    /// SQLite only: a copy of all that is committed, in a file that is empty or not there.
    ///
    /// # Errors
    /// A full disk, for one: the file is then incomplete.
    pub async fn copy_into(&self, file: &Path) -> Result<()> {
        let file = file
            .to_str()
            .ok_or_else(|| Error::broken("a file's name that is not UTF-8"))?;
        let copy = statement!(sqlite: "VACUUM INTO $1");
        self.execute(copy, values![file]).await.map(drop)
    }
}

impl Tx {
    /// Whether every program that the database admits has at least this schema's number.
    pub(crate) async fn admits_only_from(&self, number: i64) -> Result<bool> {
        let lowest = statement!("SELECT max(version) FROM schema_version");
        let lowest: Option<Option<i64>> = self.fetch_value(lowest, vec![]).await?;
        Ok(lowest.flatten() >= Some(number))
    }
}

fn admit(schema: Schema) -> Result<()> {
    match schema {
        Schema::Numbered(numbers) => Ok(numbers.admit()?),
        Schema::None | Schema::Foreign => Err(migration::Misfit::Foreign.into()),
    }
}
