//! `feedback key …`: straight on the store, so that it works before, beside and without a running service.

use std::io::{Write, stdout};

use anyhow::bail;
use chrono::TimeDelta;
use chrono_tz::Tz;
use clap::Subcommand;
use domain::scope::Scopes;
use platform::backends::open_store;
use platform::config::Config;
use store::account::IssuedKey;
use store::{Store, Workload};

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Make a key, and the account if its name is new
    Create {
        /// Name of the account
        #[arg(long)]
        account: String,
        /// IANA time zone in which the account's days are counted; fixed when the account is made [default: UTC]
        #[arg(long, value_name = "TZ")]
        time_zone: Option<Tz>,
        /// Comma-separated out of import, report, form, link [default: all]
        #[arg(long)]
        scopes: Option<Scopes>,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// List every key
    List {
        /// Print one JSON array
        #[arg(long)]
        json: bool,
    },
    /// Issue a new secret; the present one works on for a while
    Rotate {
        /// The key
        api_key: String,
        /// Hours for which the present secret still works
        #[arg(long, default_value_t = 24, value_parser = clap::value_parser!(u16))]
        overlap_hours: u16,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// End a key for good
    Revoke {
        /// The key
        api_key: String,
    },
}

pub(crate) async fn run(command: Command, config: Config) -> anyhow::Result<()> {
    let store = open_store(&config, Workload::Maintenance(2)).await?;
    match command {
        Command::Create {
            account,
            time_zone,
            scopes,
            json,
        } => {
            let scopes = scopes.unwrap_or(Scopes::ALL);
            let issued = store.create_key(&account, time_zone, scopes).await?;
            print(&issued, json)
        }
        Command::List { json } => list(&store, json).await,
        Command::Rotate {
            api_key,
            overlap_hours,
            json,
        } => {
            let overlap = TimeDelta::hours(overlap_hours.into());
            match store.rotate_key(&api_key, overlap).await? {
                Some(issued) => print(&issued, json),
                None => bail!("no such key, or it is revoked"),
            }
        }
        Command::Revoke { api_key } => {
            if store.revoke_key(&api_key).await? {
                Ok(())
            } else {
                bail!("no such key, or it was revoked before")
            }
        }
    }
}

fn print(issued: &IssuedKey, json: bool) -> anyhow::Result<()> {
    let mut out = stdout().lock();
    if json {
        writeln!(out, "{}", serde_json::to_string(issued)?)?;
    } else {
        writeln!(out, "account_id  {}", issued.account_id)?;
        writeln!(out, "api_key     {}", issued.api_key)?;
        writeln!(out, "secret_key  {}", issued.secret_key)?;
        writeln!(out, "scopes      {}", issued.scopes)?;
    }
    Ok(())
}

async fn list(store: &Store, json: bool) -> anyhow::Result<()> {
    let keys = store.list_keys().await?;
    let mut out = stdout().lock();
    if json {
        writeln!(out, "{}", serde_json::to_string(&keys)?)?;
        return Ok(());
    }
    for key in keys {
        let state = if key.revoked_at.is_some() {
            "revoked".to_owned()
        } else {
            format!("{} live secret(s)", key.live_secrets)
        };
        let used = key
            .last_used_at
            .map_or_else(|| "never".to_owned(), |at| at.format("%F %T").to_string());
        writeln!(
            out,
            "{}  {}  {} ({})  {state}, last used {used}",
            key.api_key, key.scopes, key.account, key.time_zone
        )?;
    }
    Ok(())
}
