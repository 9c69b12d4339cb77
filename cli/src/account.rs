//! `feedback account …`: straight on the store, as [`key`](crate::key) is.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use clap::Subcommand;
use platform::backends::open_existing_store;
use platform::config::Config;
use serde_json::json;
use store::account::ending;
use store::{Store, Workload};
use tokio::time::sleep;
use uuid::Uuid;

use crate::output::print;

/// Within which each process knows that keys, sessions, links and campaigns ended.
const KNOWN: Duration = Duration::from_secs(10);

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Delete an account and all that is stored of it, for good; stopped in between, the same command goes on
    End {
        /// Name of the account
        name: String,
        /// Do it; without this nothing is changed
        #[arg(long)]
        yes: bool,
    },
}

pub(crate) async fn run(command: Command, json: bool, config: Config) -> anyhow::Result<()> {
    let Command::End { name, yes } = command;
    let store = open_existing_store(&config, Workload::Maintenance(1)).await?;
    let Some(account_id) = store.account_to_end(&name).await? else {
        bail!("there is no account {name:?}");
    };
    ensure!(
        yes,
        "this deletes all of {name:?} for good: keys, people, forms, answers, recipients, campaigns and its audit log; --yes does it"
    );
    let taken = ending(&name);
    ensure!(
        store.account_id(&taken).await?.is_none(),
        "another account is called {taken:?}, as this one would be from now on; end that one first"
    );
    let ended = end(&store, account_id, &name).await;
    let gone = ended.context("not finished: run the command again to go on")?;
    let gone = json!({"account": name, "rows": gone});
    print(&gone, json, |gone| {
        let rows = gone["rows"].as_object().into_iter().flatten();
        let lines = rows.map(|(table, rows)| format!("{table}\t{rows}\n"));
        lines.collect()
    })
}

/// Ends an account; how many rows of which table went.
async fn end(
    store: &Store,
    account_id: Uuid,
    name: &str,
) -> Result<BTreeMap<&'static str, u64>, store::Error> {
    let mut gone = BTreeMap::new();
    let mut tell = |table, rows| *gone.entry(table).or_default() += rows;
    store.close_account(account_id, &mut tell).await?;
    eprintln!(
        "{name}: its people, keys, links, imports and campaigns have ended; what is stored of it goes"
    );
    sleep(KNOWN).await;
    store.delete_account(account_id, &mut tell).await?;
    Ok(gone)
}
