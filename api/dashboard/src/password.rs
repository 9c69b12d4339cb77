//! Passwords: hashed with argon2id, tried seldom, and changed by whoever has them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use api_http::{Code, Network, Problem, Result};
use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use askama::Template;
use axum::response::{IntoResponse, Redirect, Response};
use domain::person::{NewPassword, PersonName};
use moka::sync::Cache;
use serde::Deserialize;
use store::account::Person;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::page::{Frame, page};
use crate::signed_in::{Change, SignedIn};
use crate::state::DashboardState;

/// Each hash takes 19 MiB and some 30 ms of a core.
const AT_ONCE: usize = 2;
/// How long somebody waits for a place.
const PATIENCE: Duration = Duration::from_secs(5);
/// Wrong tries of an address in a minute; and of a name, which nobody else is to lock out of the service soon.
const OF_ADDRESS: u32 = 10;
const OF_NAME: u32 = 100;
const MINUTE: Duration = Duration::from_mins(1);
/// So many addresses and names are remembered.
const REMEMBERED: u64 = 100_000;

/// What is compared when there is no such name: the same work as for one that there is.
const NOBODY: &str = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// Checks passwords.
pub struct Passwords {
    places: Arc<Semaphore>,
    /// Tries of the last minute that failed or are under way, by address, and by name.
    tries: Cache<String, Arc<AtomicU32>>,
}

impl Default for Passwords {
    fn default() -> Self {
        let tries = Cache::builder().max_capacity(REMEMBERED);
        Self {
            places: Arc::new(Semaphore::new(AT_ONCE)),
            tries: tries.time_to_live(MINUTE).build(),
        }
    }
}

impl Passwords {
    /// Who has this name and this password.
    ///
    /// # Errors
    /// 429: too many were wrong; 503.
    pub async fn check(
        &self,
        state: &DashboardState,
        network: Network,
        name: &str,
        password: String,
    ) -> Result<Option<Person>> {
        let Ok(name) = PersonName::parse(name) else {
            return Ok(None);
        };
        let counters = [
            (format!("address {network}"), OF_ADDRESS),
            (format!("name {}", name.as_str()), OF_NAME),
        ];
        let counters = counters.map(|(key, most)| (self.tries.get_with(key, Arc::default), most));
        // Counted before it is known to be wrong, so that many at once are no more tries.
        let counted = counters
            .iter()
            .map(|(tries, most)| tries.fetch_add(1, Ordering::Relaxed) < *most);
        if counted.filter(|is_few| *is_few).count() < 2 {
            let detail = "too many passwords were wrong; wait a minute";
            return Err(Problem::new(Code::RateLimited, detail).retry_after(60));
        }
        let person = state.app.store.person(&name).await?;
        let hash = person
            .as_ref()
            .map_or(NOBODY, |person| &*person.password_hash);
        let hash = hash.to_owned();
        let fits = self.work(move || verify(&password, &hash)).await?;
        let person = person.filter(|_| fits);
        if person.is_some() {
            for (tries, _) in &counters {
                tries.fetch_sub(1, Ordering::Relaxed);
            }
        }
        Ok(person)
    }

    /// The PHC string of a new password.
    ///
    /// # Errors
    /// 500: no random numbers; 503.
    pub async fn hash(&self, password: NewPassword) -> Result<String> {
        self.work(move || hash(&password)).await?
    }

    /// Runs on a thread of its own, at most two at once.
    async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T> {
        let place = timeout(PATIENCE, Arc::clone(&self.places).acquire_owned()).await;
        let busy = |_| Problem::new(Code::Busy, "too many passwords at once").retry_after(1);
        let place = place.map_err(busy)?;
        // The place is taken until the work is done, also if nobody waits for it any more.
        let done = spawn_blocking(move || {
            let _place = place;
            work()
        });
        done.await.map_err(|error| Problem::internal(&error))
    }
}

fn verify(password: &str, hash: &str) -> bool {
    PasswordHash::new(hash).is_ok_and(|hash| {
        Argon2::default()
            .verify_password(password.as_bytes(), &hash)
            .is_ok()
    })
}

/// The PHC string of a new password: argon2id with 19 MiB, two passes and one lane, as OWASP recommends.
///
/// # Errors
/// There are no random numbers.
pub fn hash(password: &NewPassword) -> Result<String> {
    let hash = Argon2::default().hash_password(password.as_str().as_bytes());
    let hash = hash.map_err(|error| Problem::internal(&error))?;
    Ok(hash.to_string())
}

#[derive(Template)]
#[template(path = "password.html")]
struct PasswordPage<'a> {
    f: &'a Frame,
    /// Why the change was refused.
    refusal: Option<String>,
}

/// The page on which somebody changes their own password.
pub async fn show(person: SignedIn) -> Response {
    let f = person.frame("password");
    page(
        &f,
        &PasswordPage {
            f: &f,
            refusal: None,
        },
    )
}

#[derive(Deserialize)]
pub struct NewOne {
    current: String,
    new: String,
}

/// Changes the password of whoever is signed in, and ends all of their sessions.
pub async fn change(person: SignedIn, Change(change): Change<NewOne>) -> Result<Response> {
    let f = person.frame("password");
    let wrong = |key| {
        let refusal = Some(f.t.get(key));
        Ok(page(&f, &PasswordPage { f: &f, refusal }))
    };
    let Ok(new) = NewPassword::parse(change.new) else {
        return wrong("password-too-short");
    };
    let passwords = &person.state.passwords;
    let found = passwords.check(&person.state, person.network, &person.name, change.current);
    if found.await?.is_none() {
        return wrong("password-wrong");
    }
    let hash = passwords.hash(new).await?;
    let noted = person.note("password.change", &person.name).await?;
    person.store().set_password(&person, &hash).await?;
    noted.came_to(200).await;
    Ok(Redirect::to("/dashboard/sign-in").into_response())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_fits_its_password_alone_and_nobody_has_one() {
        let hash = hash(&NewPassword::parse("correct horse").unwrap()).unwrap();
        assert!(
            hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"),
            "{hash}"
        );
        assert!(verify("correct horse", &hash));
        assert!(!verify("correct horsf", &hash));
        assert!(PasswordHash::new(NOBODY).is_ok());
        assert!(!verify("", NOBODY));
    }
}
