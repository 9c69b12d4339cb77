//! `feedback audit …`: the audit log; straight on the store, as [`key`](crate::key) is.

use anyhow::{bail, ensure};
use clap::Subcommand;
use platform::backends::open_existing_store;
use platform::config::Config;
use store::{Store, Workload};
use uuid::Uuid;

use crate::output::{print, rows};

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Compute the chain of hashes over the log anew; print what was changed, removed or inserted since it was sealed, exit 1
    Verify(Of),
}

/// Whose log.
#[derive(clap::Args)]
pub(crate) struct Of {
    /// Name of the account [default: all]
    #[arg(long)]
    account: Option<String>,
}

pub(crate) async fn run(command: Command, json: bool, config: Config) -> anyhow::Result<()> {
    let store = open_existing_store(&config, Workload::Maintenance(1)).await?;
    match command {
        Command::Verify(of) => verify(&store, &of, json).await,
    }
}

impl Of {
    /// The ids and names of these accounts.
    async fn accounts(&self, store: &Store) -> anyhow::Result<Vec<(Uuid, String)>> {
        let mut accounts = store.accounts().await?;
        if let Some(name) = &self.account {
            accounts.retain(|(_, other)| other == name);
            if accounts.is_empty() {
                bail!("there is no account {name:?}");
            }
        }
        Ok(accounts)
    }
}

async fn verify(store: &Store, of: &Of, json: bool) -> anyhow::Result<()> {
    let mut faults = Vec::new();
    for (account_id, name) in of.accounts(store).await? {
        let chain = store.verify_audit(account_id).await?;
        let last = hex::encode(&chain.hash);
        eprintln!(
            "{name}: {} rows as they were sealed, in {} seals, the last one {last}",
            chain.rows, chain.seals
        );
        faults.extend(chain.faults);
    }
    if json || !faults.is_empty() {
        print(faults.as_slice(), json, |faults| {
            rows(faults, "account_id seal fault audit_id")
        })?;
    }
    ensure!(faults.is_empty(), "the audit log is not as it was sealed");
    Ok(())
}
