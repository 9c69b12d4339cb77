//! `feedback user …`: people who sign in to the dashboard; straight on the store, as [`key`](crate::key) is.

use std::io::{IsTerminal, Read, stdin};

use anyhow::{Context, bail, ensure};
use api::{LinkPurpose, sign_in_path};
use clap::Subcommand;
use domain::person::{NewPassword, PersonName, Role};
use platform::backends::open_existing_store;
use platform::config::Config;
use serde_json::json;
use store::account::{Person, PersonChange, PersonSummary, random_text};
use store::{Store, Workload};
use uuid::Uuid;

use crate::output::{print, rows, word};

/// Who asks, and from where, as the audit log has it.
const COMMAND_LINE: (&str, &str) = ("", "");
const NOBODY: &str = "there is nobody of this name";
const NO_PASSWORD: &str = "they have no password here: the provider of FEEDBACK_OIDC signs them in";

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Add a person; asks for the password on a terminal, otherwise reads it from stdin, or prints a link instead. Who is not the
    /// account's first chooses another when they sign in
    Add {
        /// By which they sign in, in lower case
        name: String,
        /// Name of the account, which must exist
        #[arg(long)]
        account: String,
        /// viewer, editor or admin
        #[arg(long, value_parser = role)]
        role: Role,
        /// Ask for no password: print a link with which they choose one, once, within 24 hours
        #[arg(long)]
        link: bool,
    },
    /// List everybody
    List,
    /// Remove a person, whose sessions end
    Remove { name: String },
    /// Give a person another role; their sessions end
    Role {
        name: String,
        /// viewer, editor or admin
        #[arg(value_parser = role)]
        role: Role,
    },
    /// Print a link with which a person chooses a new password, once, within 24 hours; it begins with the public URL
    Link { name: String },
    /// Take the second factor of a person who lost it; their sessions end
    ResetFactor { name: String },
    /// Set a password, asked for as by `add`; the person's sessions end, and they choose another when they sign in
    Password { name: String },
}

pub(crate) async fn run(command: Command, json: bool, config: Config) -> anyhow::Result<()> {
    let store = open_existing_store(&config, Workload::Maintenance(2)).await?;
    let done = match command {
        Command::Add {
            name,
            account,
            role,
            link,
        } => {
            let name = PersonName::parse_new(&name)?;
            let hash = if link {
                random_text()
            } else {
                new_password(&[name.as_str(), &account])?
            };
            // The first person of an account sets it up, and types a password of their own.
            let is_first =
                |people: Vec<PersonSummary>| people.iter().all(|one| one.account != account);
            let must_change = !is_first(store.people(None).await?);
            let added = store.add_person(&account, &name, role, (&hash, must_change));
            let added = added.await?;
            match added {
                PersonChange::NotFound => bail!("there is no account {account:?}"),
                PersonChange::Done => {
                    let person = find(&store, name.as_str()).await?;
                    let subject = format!("{} {role}", person.name);
                    note_done(&store, person.account_id, "person.add", &subject).await?;
                    if link {
                        return print_link(&store, &name, json, &config).await;
                    }
                }
                _ => {}
            }
            added
        }
        Command::Link { name } => {
            let name = PersonName::parse(&name)?;
            return print_link(&store, &name, json, &config).await;
        }
        Command::List => {
            let people = store.people(None).await?;
            return print(people.as_slice(), json, |people| {
                rows(people, "name role account")
            });
        }
        Command::Remove { name } => {
            let person = find(&store, &name).await?;
            let remove = store.remove_person(&person);
            noted(&store, &person, ("person.remove", &person.name), remove).await?
        }
        Command::Role { name, role } => {
            let person = find(&store, &name).await?;
            let set = store.set_role(&person, role);
            noted(
                &store,
                &person,
                ("person.role", &person.with_role(role)),
                set,
            )
            .await?
        }
        Command::ResetFactor { name } => {
            let person = find(&store, &name).await?;
            let remove = store.remove_second_factor(&person);
            noted(
                &store,
                &person,
                ("person.second-factor", &person.name),
                remove,
            )
            .await?
        }
        Command::Password { name } => {
            let person = find(&store, &name).await?;
            let hash = new_password(&person.names())?;
            let set = store.set_password(&person, &hash, true);
            noted(&store, &person, ("person.password", &person.name), set).await?
        }
    };
    match done {
        PersonChange::Done => Ok(()),
        PersonChange::NotFound => bail!(NOBODY),
        PersonChange::Taken => bail!("somebody has this name, perhaps in another account"),
        PersonChange::LastAdmin => bail!("an account with people keeps an admin"),
        PersonChange::NoPassword => bail!(NO_PASSWORD),
    }
}

/// Notes in the audit log what is about to be done to a person, and then what it came to.
async fn noted(
    store: &Store,
    person: &Person,
    (action, subject): (&str, &str),
    change: impl Future<Output = Result<PersonChange, store::Error>>,
) -> anyhow::Result<PersonChange> {
    let account_id = person.account_id;
    let noted = store.note_change(account_id, COMMAND_LINE, action, subject);
    let noted = noted.await?;
    let done = change.await?;
    let status = match done {
        PersonChange::Done => 200,
        PersonChange::NotFound => 404,
        PersonChange::Taken | PersonChange::LastAdmin | PersonChange::NoPassword => 409,
    };
    store.note_outcome(account_id, noted, status).await?;
    Ok(done)
}

/// Notes in the audit log what was done.
pub(crate) async fn note_done(
    store: &Store,
    account_id: Uuid,
    action: &str,
    subject: &str,
) -> anyhow::Result<()> {
    let noted = store.note_change(account_id, COMMAND_LINE, action, subject);
    Ok(store.note_outcome(account_id, noted.await?, 200).await?)
}

async fn print_link(
    store: &Store,
    name: &PersonName,
    json: bool,
    config: &Config,
) -> anyhow::Result<()> {
    let person = find(store, name.as_str()).await?;
    ensure!(person.identity.is_none(), NO_PASSWORD);
    note_done(store, person.account_id, "person.link", &person.name).await?;
    let path = sign_in_path(store, &person, LinkPurpose::ChoosePassword).await?;
    let path = path.context(NOBODY)?;
    let link =
        json!({"name": person.name, "link": format!("{}{path}", config.public_url.as_str())});
    print(&link, json, |link| format!("{}\n", word(&link["link"])))
}

/// The role of a name.
fn role(name: &str) -> Result<Role, &'static str> {
    name.parse()
        .map_err(|_| "a role is viewer, editor or admin")
}

async fn find(store: &Store, name: &str) -> anyhow::Result<Person> {
    let person = store.person(&PersonName::parse(name)?).await?;
    person.context(NOBODY)
}

/// The hash of a password, of a person with these names, from the terminal, where it is not shown, or from stdin without the end of its line.
fn new_password(names: &[&str]) -> anyhow::Result<String> {
    let password = if stdin().is_terminal() {
        rpassword::prompt_password("Password: ")?
    } else {
        let mut text = String::new();
        stdin().read_to_string(&mut text)?;
        text.trim_end_matches(['\r', '\n']).to_owned()
    };
    Ok(api::hash_password(&NewPassword::parse(password, names)?)?)
}
