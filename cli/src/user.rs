//! `feedback user …`: people who sign in to the dashboard; straight on the store, as [`key`](crate::key) is.

use std::io::{IsTerminal, Read, stdin};

use anyhow::{Context, bail};
use clap::Subcommand;
use domain::person::{NewPassword, PersonName, Role};
use platform::backends::open_existing_store;
use platform::config::Config;
use store::account::{Person, PersonChange};
use store::{Store, Workload};

use crate::output::{print, rows};

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Add a person; asks for the password on a terminal, otherwise reads it from stdin
    Add {
        /// By which they sign in, in lower case
        name: String,
        /// Name of the account, which must exist
        #[arg(long)]
        account: String,
        /// viewer, editor or admin
        #[arg(long)]
        role: Role,
    },
    /// List everybody
    List,
    /// Remove a person, whose sessions end
    Remove { name: String },
    /// Give a person another role; their sessions end
    Role {
        name: String,
        /// viewer, editor or admin
        role: Role,
    },
    /// Set a password, asked for as by `add`; the person's sessions end
    Password { name: String },
}

pub(crate) async fn run(command: Command, json: bool, config: Config) -> anyhow::Result<()> {
    let store = open_existing_store(&config, Workload::Maintenance(2)).await?;
    let done = match command {
        Command::Add {
            name,
            account,
            role,
        } => {
            let name = PersonName::parse(&name)?;
            let hash = new_password()?;
            match store.add_person(&account, &name, role, &hash).await? {
                PersonChange::NotFound => bail!("there is no account {account:?}"),
                done => done,
            }
        }
        Command::List => {
            let people = store.people(None).await?;
            return print(people.as_slice(), json, |people| {
                rows(people, "name role account")
            });
        }
        Command::Remove { name } => store.remove_person(&find(&store, &name).await?).await?,
        Command::Role { name, role } => {
            let person = find(&store, &name).await?;
            store.set_role(&person, role).await?
        }
        Command::Password { name } => {
            let person = find(&store, &name).await?;
            store.set_password(&person, &new_password()?).await?
        }
    };
    match done {
        PersonChange::Done => Ok(()),
        PersonChange::NotFound => bail!("there is nobody of this name"),
        PersonChange::Taken => bail!("somebody has this name, perhaps in another account"),
        PersonChange::LastAdmin => bail!("an account with people keeps an admin"),
    }
}

async fn find(store: &Store, name: &str) -> anyhow::Result<Person> {
    let person = store.person(&PersonName::parse(name)?).await?;
    person.context("there is nobody of this name")
}

/// The hash of a password from the terminal, where it is not shown, or from stdin without the end of its line.
fn new_password() -> anyhow::Result<String> {
    let password = if stdin().is_terminal() {
        rpassword::prompt_password("Password: ")?
    } else {
        let mut text = String::new();
        stdin().read_to_string(&mut text)?;
        text.trim_end_matches(['\r', '\n']).to_owned()
    };
    Ok(api::hash_password(&NewPassword::parse(password)?)?)
}
