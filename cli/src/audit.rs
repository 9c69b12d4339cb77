//! `feedback audit …`: the audit log; straight on the store, as [`key`](crate::key) is.

use std::io::{Write, stdout};

use anyhow::{bail, ensure};
use clap::Subcommand;
use platform::backends::open_existing_store;
use platform::config::Config;
use serde::Serialize;
use store::account::{AuditFilter, AuditRow, ChainFault, SealHash};
use store::{Store, Workload};
use uuid::Uuid;

use crate::output::{print, rows};
use crate::user::note_done;

/// Rows that are read at once.
const ROWS: usize = 1_000;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Compute the chain of hashes over the log anew; print the last seal of each account, and what was changed, removed or inserted, exit 1
    Verify {
        #[command(flatten)]
        of: Of,
        /// A seal of the account as it was noted elsewhere, in the log or from this command: it must be there, and the same
        #[arg(long, value_name = "SEAL:HASH", requires = "account")]
        expect: Option<SealHash>,
    },
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
        Command::Verify { of, expect } => verify(&store, &of, expect.as_ref(), json).await,
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

/// What was found of logs.
#[derive(Default, Serialize)]
struct Verified {
    /// Of accounts that have one.
    seals: Vec<LastSeal>,
    faults: Vec<ChainFault>,
}

/// The last seal of an account's log, as [`SealHash`] is written.
#[derive(Serialize)]
struct LastSeal {
    account: String,
    last: String,
}

async fn verify(
    store: &Store,
    of: &Of,
    noted: Option<&SealHash>,
    json: bool,
) -> anyhow::Result<()> {
    let mut found = Verified::default();
    for (account_id, account) in of.accounts(store).await? {
        let chain = store.verify_audit(account_id, noted).await?;
        if let Some(last) = chain.last() {
            eprintln!(
                "{account}: {} rows as they were sealed, in {} seals",
                chain.rows, chain.seals
            );
            if let Some(at) = chain.dropped_at {
                eprintln!(
                    "{account}: the rows of the first {} seals, up to {at}, are kept no longer",
                    chain.dropped
                );
            }
            let last = last.to_string();
            found.seals.push(LastSeal { account, last });
        }
        found.faults.extend(chain.faults);
    }
    print(&found, json, |found| {
        let mut text = String::new();
        if !found.seals.is_empty() {
            text.push_str(&rows(&found.seals, "account last"));
        }
        if !found.faults.is_empty() {
            text.push_str(&rows(&found.faults, "account_id seal fault audit_id"));
        }
        text
    })?;
    ensure!(
        found.faults.is_empty(),
        "the audit log is not as it was sealed"
    );
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
