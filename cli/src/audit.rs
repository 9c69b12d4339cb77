//! `feedback audit …`: the audit log; straight on the store, as [`key`](crate::key) is.

use std::io::{Write, stdout};

use anyhow::{bail, ensure};
use clap::Subcommand;
use platform::backends::open_existing_store;
use platform::config::Config;
use store::account::{AuditFilter, AuditRow};
use store::{Store, Workload};
use uuid::Uuid;

use crate::output::{print, rows};
use crate::user::note_done;

/// Rows that are read at once.
const ROWS: usize = 1_000;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Compute the chain of hashes over the log anew; print what was changed, removed or inserted since it was sealed, exit 1
    Verify(Of),
    /// Print an account's log, newest first, as NDJSON: an object a line
    Export {
        /// Name of the account
        #[arg(long)]
        account: String,
    },
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
        Command::Export { account } => {
            let account = Some(account);
            export(&store, &Of { account }, json).await
        }
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
        if chain.seals > 0 {
            eprintln!(
                "{name}: {} rows as they were sealed, in {} seals, the last one {}",
                chain.rows,
                chain.seals,
                hex::encode(&chain.hash)
            );
            if let Some(at) = chain.dropped_at {
                eprintln!(
                    "{name}: the rows of the first {} seals, up to {at}, are kept no longer",
                    chain.dropped
                );
            }
        }
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

async fn export(store: &Store, of: &Of, json: bool) -> anyhow::Result<()> {
    let mut all = Vec::new();
    for (account_id, _) in of.accounts(store).await? {
        note_done(store, account_id, "audit.export", "").await?;
        let mut after = None;
        loop {
            let page = store
                .audit(account_id, &AuditFilter::default(), after, ROWS)
                .await?;
            if json {
                all.extend(page.rows);
            } else {
                write_lines(&page.rows)?;
            }
            after = page.next;
            if after.is_none() {
                break;
            }
        }
    }
    if json {
        print(all.as_slice(), json, |_| String::new())?;
    }
    Ok(())
}

fn write_lines(rows: &[AuditRow]) -> anyhow::Result<()> {
    let mut out = stdout().lock();
    for row in rows {
        writeln!(out, "{}", serde_json::to_string(row)?)?;
    }
    Ok(())
}
