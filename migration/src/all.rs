//! All migrations, and the [`Migrator`] that applies them in order.

use std::sync::Arc;

use sea_orm::DbErr;
use sea_orm_migration::async_trait::async_trait;
use sea_orm_migration::{MigrationName, MigrationTrait, MigratorTraitSelf, SchemaManager};

use crate::migration::Migration;
use crate::watch::Watch;
use crate::{
    m0007_start, m0008_links_and_erasure, m0009_erasures, m0010_files, m0011_campaigns,
    m0012_links, m0013_recipients, m0014_receipts, m0015_sampling, m0016_senders, m0017_reminders,
    m0018_cost, m0019_senders_of_campaigns, m0020_sender_results, m0021_sessions, m0022_keys,
    m0023_audit_chain, m0024_identities, m0025_retention, m0026_audit_recipients, m0027_opt_outs,
    m0028_audit_changes, m0029_made_by,
};

/// All migrations, in the order of their numbers.
pub const MIGRATIONS: &[Migration] = &[
    m0007_start::MIGRATION,
    m0008_links_and_erasure::MIGRATION,
    m0009_erasures::MIGRATION,
    m0010_files::MIGRATION,
    m0011_campaigns::MIGRATION,
    m0012_links::MIGRATION,
    m0013_recipients::MIGRATION,
    m0014_receipts::MIGRATION,
    m0015_sampling::MIGRATION,
    m0016_senders::MIGRATION,
    m0017_reminders::MIGRATION,
    m0018_cost::MIGRATION,
    m0019_senders_of_campaigns::MIGRATION,
    m0020_sender_results::MIGRATION,
    m0021_sessions::MIGRATION,
    m0022_keys::MIGRATION,
    m0023_audit_chain::MIGRATION,
    m0024_identities::MIGRATION,
    m0025_retention::MIGRATION,
    m0026_audit_recipients::MIGRATION,
    m0027_opt_outs::MIGRATION,
    m0028_audit_changes::MIGRATION,
    m0029_made_by::MIGRATION,
];

/// The number of the newest of them.
pub(crate) const fn newest(migrations: &[Migration]) -> u32 {
    match migrations {
        [.., newest] => newest.number,
        [] => 0,
    }
}

/// The number in the name of a migration, known or not.
pub(crate) fn number(name: &str) -> Option<u32> {
    name.strip_prefix('m')?.split_once('_')?.0.parse().ok()
}

/// Applies what was not applied yet, and keeps the table of what was (`seaql_migrations`).
pub(crate) struct Migrator {
    pub migrations: &'static [Migration],
    pub watch: Arc<dyn Watch>,
}

impl MigratorTraitSelf for Migrator {
    fn migrations(&self) -> Vec<Box<dyn MigrationTrait>> {
        let watched = self.migrations.iter().map(|migration| {
            let watch = self.watch.clone();
            Box::new(Watched { migration, watch }) as Box<dyn MigrationTrait>
        });
        watched.collect()
    }
}

struct Watched {
    migration: &'static Migration,
    watch: Arc<dyn Watch>,
}

impl MigrationName for Watched {
    fn name(&self) -> &str {
        self.migration.name
    }
}

#[async_trait]
impl MigrationTrait for Watched {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for step in self.migration.up {
            let db = manager.get_connection();
            step.run(db, self.migration.name, &*self.watch).await?;
        }
        Ok(())
    }

    /// Each step has a transaction of its own. Of a database that is just made [`run`](crate::run) has begun one.
    fn use_transaction(&self) -> Option<bool> {
        Some(false)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use sha2::{Digest, Sha256};

    use super::*;

    /// What each published migration was made of: its files by their names, then what they hold.
    const PUBLISHED: &[(&str, &str)] = &[
        (
            "m0007_start",
            "0a2f2161ff6dcade641cb0ff4929d29f6270537ee625b0ae3604569e8f5d09ba",
        ),
        (
            "m0008_links_and_erasure",
            "c5b950d3d887b248c3c2ad8e60429de8fdeef9e264f0e9355218994092a00915",
        ),
        (
            "m0009_erasures",
            "29987c16b5860cf3aa592378c85726d2db69dad3ea85fc1d6b622bc46c5af2ea",
        ),
        (
            "m0010_files",
            "c389b4718a13349430e7751e7b069cfbc47a75b7e05cccd1c165aae9578416f1",
        ),
        (
            "m0011_campaigns",
            "8f9ef15db8e098e2bcca0ade589d6a960bc195805cb2d492be1d38c908dfe0e8",
        ),
        (
            "m0012_links",
            "d7a27373ca7abeddd0b7817fd8d1485b0875f3f016b1ffe7d23acf1b1db079e8",
        ),
        (
            "m0013_recipients",
            "63106ed53ef406d53eaec9d05a8edefe014fca85e24ea25a10cbc4fbb7c6ad7d",
        ),
        (
            "m0014_receipts",
            "c952a373ca033eefbfe6a4c9a453ae9dc18bad4c5392bfe9df940029bab1d2f4",
        ),
        (
            "m0015_sampling",
            "3990ff829d9e485fee3d2044efada2fedc1bb2c48cab94c8b968db59070859ac",
        ),
        (
            "m0016_senders",
            "ea1415a730a4de71b257a42bc1c572fbe8a5e867cc57cf9f7f2956b6d9d106fc",
        ),
        (
            "m0017_reminders",
            "dcde295a7ad066107662ff3e5477c704e3416614325836107ef19486065531cb",
        ),
        (
            "m0018_cost",
            "020452ad6e2a92d00d54d473e773e929c11ecd24744dbbd1efc89d53106adc3d",
        ),
        (
            "m0019_senders_of_campaigns",
            "59486905a9ddd54068a0b802b89d99fa96045aaed7a14c5a0e818cc2d3cca513",
        ),
        (
            "m0020_sender_results",
            "97f30d412f5555fb0981a57121f8b46c88c18e38df08108d4ac76aa2580d10e5",
        ),
        (
            "m0021_sessions",
            "1a0f6605fd0168eef547e3cafa429267a273b90c08cff9782f3b769858106d66",
        ),
        (
            "m0022_keys",
            "6aa78b0b99c946273979571d381994874ba03dfea7d189272cb208b828323cef",
        ),
        (
            "m0023_audit_chain",
            "c24bd0d779bd970af6023284e42923f4165f1e20d139eaa32de5e8a8e79147bd",
        ),
        (
            "m0024_identities",
            "a583a3e78e1feee92c4e1c10cbd0c093530b720760b3dfea7acad1b38f537d84",
        ),
        (
            "m0025_retention",
            "1d59d74bc95c03bd75cb7a0644fba73673387d3cf9e48c552b01b75bf2f05de1",
        ),
        (
            "m0026_audit_recipients",
            "d3eb5d6dc81bb12f1bea367b7b64f16098d099d5a976a85e4833778761daca94",
        ),
        (
            "m0027_opt_outs",
            "c45a04aaacbc692d171eeb015ffbd73b71feca3d7f5f4ff911064922849da229",
        ),
        (
            "m0028_audit_changes",
            "f45e01065275065ed6351e83760ca81c7608070d2c8f57cb2ce967c9e05f29d7",
        ),
        (
            "m0029_made_by",
            "6e58b6e5e2f7822e3683598c912dbb26bb9ecf40c6dd9ad39dbe73c181cfabe6",
        ),
    ];

    #[test]
    fn a_published_migration_is_never_changed() {
        for (migration, (name, hash)) in MIGRATIONS.iter().zip(PUBLISHED) {
            assert_eq!(migration.name, *name);
            assert_eq!(hash_of(name), *hash, "{name} was changed: write a new one");
        }
        assert_eq!(MIGRATIONS.len(), PUBLISHED.len());
    }

    fn hash_of(name: &str) -> String {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(name);
        let files: BTreeSet<_> = fs::read_dir(folder)
            .unwrap()
            .map(|file| file.unwrap().path())
            .collect();
        let mut hash = Sha256::new();
        for file in files {
            hash.update(file.file_name().unwrap().as_encoded_bytes());
            hash.update(fs::read(file).unwrap());
        }
        hex::encode(hash.finalize())
    }

    #[test]
    fn numbers_rise_from_that_of_the_first() {
        for (migration, expected) in MIGRATIONS.iter().zip(7..) {
            assert_eq!(migration.number, expected);
            assert_eq!(number(migration.name), Some(expected));
        }
    }

    #[test]
    fn steps_of_a_migration_have_names_of_their_own() {
        for migration in MIGRATIONS {
            let steps = || migration.up.iter().chain(migration.finish);
            let names: BTreeSet<&str> = steps().map(|step| step.name).collect();
            assert_eq!(names.len(), steps().count(), "{}", migration.name);
        }
    }
}
