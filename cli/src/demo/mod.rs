//! `feedback serve --demo`: a company that never was, so that there is something to see.
//!
//! - `company`: its stores, forms and campaigns. `past`: 120 days of messages, views and answers, made in one go. `live`: what goes
//!   on while somebody looks. `comments.tsv`: what its guests write: language, tone, text.
//!
//! Only an empty store is filled. The person is added last, so a store that was filled halfway is not taken for a demo.

mod company;
mod live;
mod past;

use std::io::{Write, stdout};

use anyhow::{Context, bail};
use api::{FirstAdmin, LinkPurpose};
use domain::person::{NewPassword, PersonName, Role};
use domain::scope::Scopes;
use platform::backends::Backends;
use platform::config::Config;
use rand::distr::{Alphanumeric, SampleString};
use store::account::{IssuedKey, Person};
use tokio_util::sync::CancellationToken;

use self::live::Live;

const ACCOUNT: &str = "Northlight Coffee";
const PERSON: &str = "demo";
const TIME_ZONE: chrono_tz::Tz = chrono_tz::Europe::Berlin;

/// Fills an empty store, or goes on with one that a demo filled, and prints how to sign in, and a key. What goes on beside the
/// service ends with the token.
pub(crate) async fn start(
    backends: &Backends,
    config: &Config,
    ended: &CancellationToken,
) -> anyhow::Result<Option<FirstAdmin>> {
    let store = &backends.store;
    let name = PersonName::parse(PERSON)?;
    let known = store.person(&name).await?;
    let person = match known.filter(|person| person.account_name == ACCOUNT) {
        Some(person) => person,
        None if store.has_accounts().await? => {
            bail!(
                "this store has accounts already: a demo begins in an empty one (FEEDBACK_DATA_DIR)"
            )
        }
        None => fill(backends, &name).await?,
    };
    // The secret of the last one was shown once.
    let key = store.create_key(ACCOUNT, None, Scopes::ALL).await?;
    let path = api::sign_in_path(store, &person, LinkPurpose::SignIn).await?;
    let path = path.context("the demo's person is gone")?;
    let url = format!("{}{path}", config.public_url.as_str());
    stdout().lock().write_all(welcome(&url, &key).as_bytes())?;
    tokio::spawn(Live::new(config, key)?.run(ended.clone()));
    Ok(None)
}

async fn fill(backends: &Backends, name: &PersonName) -> anyhow::Result<Person> {
    let store = &backends.store;
    let key = store
        .create_key(ACCOUNT, Some(TIME_ZONE), Scopes::ALL)
        .await?;
    let pepper = backends
        .pepper
        .as_deref()
        .context("a demo needs FEEDBACK_PEPPER")?;
    let surveys = company::create_company(store, key.account_id).await?;
    past::make(store, &surveys, pepper).await?;
    store.rebuild_recipients(key.account_id).await?;
    store.revoke_key(&key.api_key).await?;
    // Nobody knows it: people of a demo sign in with its link.
    let password = Alphanumeric.sample_string(&mut rand::rng(), 32);
    let hash = api::hash_password(&NewPassword::parse(password, &[])?)?;
    let added = store.add_person(ACCOUNT, name, Role::Admin, (&hash, false));
    added.await?;
    store
        .person(name)
        .await?
        .context("the demo's person is gone")
}

fn welcome(url: &str, key: &IssuedKey) -> String {
    format!(
        "
The demo is ready. Open its dashboard with this link, which works once, within an hour:

  {url}

For the API:

  export FEEDBACK_API_KEY={}
  export FEEDBACK_SECRET_KEY={}

Ctrl-C ends it; the same command goes on with the same data.

",
        key.api_key, key.secret_key
    )
}
