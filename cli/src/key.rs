//! `feedback key …`: straight on the store, so that it works before, beside and without a running service.

use anyhow::bail;
use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use clap::Subcommand;
use domain::date_range::parse_time;
use domain::key::{KeyName, NewKey, has_ended};
use domain::networks::Networks;
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
        #[command(flatten)]
        terms: Terms,
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

/// What a key may do, how long, and from where.
#[derive(clap::Args)]
pub(crate) struct Terms {
    /// Comma-separated out of import, report, form, link, send, audit, retention [default: all]
    #[arg(long)]
    scopes: Option<Scopes>,
    /// What to call it, at most 80 characters
    #[arg(long)]
    name: Option<KeyName>,
    /// When it ends, such as 2030-12-31T23:59:59Z [default: never]
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    expires: Option<DateTime<Utc>>,
    /// Comma-separated networks from which alone it may be used, such as 10.0.0.0/8 [default: from anywhere]
    #[arg(long, value_name = "CIDR", value_parser = some_networks)]
    networks: Option<Networks>,
}

fn some_networks(text: &str) -> Result<Networks, String> {
    let networks = text
        .parse::<Networks>()
        .map_err(|error| error.to_string())?;
    let networks = Some(networks).filter(|networks| !networks.is_empty());
    networks.ok_or_else(|| "no network is named".to_owned())
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
            terms,
        } => {
            let new = NewKey {
                api_key: NewKey::new_id(),
                scopes: terms.scopes.unwrap_or(Scopes::ALL),
                name: terms.name,
                expires_at: terms.expires,
                networks: terms.networks.unwrap_or_default(),
            };
            if has_ended(new.expires_at, Utc::now()) {
                bail!("the key's end is past");
            }
            let issued = store.create_key(&account, time_zone, new.clone()).await?;
            print(&issued, json, show)?;
            let scopes = issued.scopes;
            let subject = NewKey { scopes, ..new }.subject();
            note_done(&store, issued.account_id, "key.create", &subject).await
        }
        Command::List => {
            let keys = store.list_keys(None).await?;
            let names = "api_key name account time_zone scopes live_secrets last_used_at expires_at networks revoked_at";
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
                None => bail!("no such key, or it is revoked or has ended"),
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
