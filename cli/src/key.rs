//! `feedback key …`: straight on the store, so that it works before, beside and without a running service.

use anyhow::bail;
use chrono::TimeDelta;
use chrono_tz::Tz;
use clap::Subcommand;
use domain::scope::Scopes;
use platform::backends::{open_existing_store, open_store};
use platform::config::Config;
use store::Workload;
use store::account::IssuedKey;

use crate::output::{members, print, rows};
use crate::user::note_done;

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
        /// Comma-separated out of import, report, form, link, send [default: all]
        #[arg(long)]
        scopes: Option<Scopes>,
    },
    /// List every key
    List,
    /// Issue a new secret; the present one works on for a while
    Rotate {
        /// The key
        api_key: String,
        /// Hours for which the present secret still works
        #[arg(long, default_value_t = 24, value_parser = clap::value_parser!(u16))]
        overlap_hours: u16,
    },
    /// End a key for good
    Revoke {
        /// The key
        api_key: String,
    },
}

pub(crate) async fn run(command: Command, json: bool, config: Config) -> anyhow::Result<()> {
    let workload = Workload::Maintenance(2);
    let store = match command {
        Command::Create { .. } => open_store(&config, workload).await?,
        _ => open_existing_store(&config, workload).await?,
    };
    match command {
        Command::Create {
            account,
            time_zone,
            scopes,
        } => {
            let scopes = scopes.unwrap_or(Scopes::ALL);
            let issued = store.create_key(&account, time_zone, scopes).await?;
            let scopes = issued.scopes.to_string();
            print(&issued, json, show)?;
            note_done(&store, issued.account_id, "key.create", &scopes).await
        }
        Command::List => {
            let keys = store.list_keys(None).await?;
            let names = "api_key account time_zone scopes live_secrets last_used_at revoked_at";
            print(keys.as_slice(), json, |keys| rows(keys, names))
        }
        Command::Rotate {
            api_key,
            overlap_hours,
        } => {
            let overlap = TimeDelta::hours(overlap_hours.into());
            match store.rotate_key(&api_key, overlap).await? {
                Some(issued) => {
                    print(&issued, json, show)?;
                    note_done(&store, issued.account_id, "key.rotate", &api_key).await
                }
                None => bail!("no such key, or it is revoked"),
            }
        }
        Command::Revoke { api_key } => {
            let key = store.find_key(&api_key).await?;
            if store.revoke_key(&api_key).await? {
                match key {
                    Some(key) => note_done(&store, key.account_id, "key.revoke", &api_key).await,
                    None => Ok(()),
                }
            } else {
                bail!("no such key, or it was revoked before")
            }
        }
    }
}

fn show(issued: &IssuedKey) -> String {
    members(issued, "account_id api_key secret_key scopes")
}
