//! Passwords: hashed with argon2id, and tried seldom.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use api_http::{AppState, Code, Network, Problem, Result};
use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use axum::http::{HeaderMap, StatusCode};
use domain::person::{NewPassword, PasswordFault, PersonName};
use moka::sync::Cache;
use platform::places::{Place, Places};
use store::account::Person;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use uuid::Uuid;

use crate::known;

/// How long somebody waits for a place.
const PATIENCE: Duration = Duration::from_secs(20);
/// Wrong tries in a minute: of an address with a name, and of a browser that is known for a name, …
const TRIES: u32 = 10;
/// … and of a name from wherever nobody is known for it.
const NAME_TRIES: u32 = 100;
const MINUTE: Duration = Duration::from_mins(1);
/// Wrong tries of a name from a site within an hour that are let in however often others try it: nobody keeps its person out from elsewhere.
const SITE_TRIES: u32 = 3;
const HOUR: Duration = Duration::from_hours(1);
/// Wrong codes of a second factor are counted for so long: there are only a million.
const CODES: Duration = Duration::from_mins(15);
/// Signing in with a password, as the audit log names it.
pub const BY_PASSWORD: &str = "sign-in.password";
/// Tries of a site, and new passwords of an account, that wait for their turn.
const WAITING: usize = 32;
/// So many addresses and browsers, and so many sites and accounts, are remembered.
const REMEMBERED: u64 = 100_000;

/// What is compared when there is no such name: the same work as for one that there is.
const NOBODY: &str = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// Checks passwords. Each hash takes 19 MiB and some 30 ms of a core, so there are two at once: one for people who are known, one
/// for strangers.
pub struct Passwords {
    /// People who are signed in, or signed in from their browser before. Their accounts take turns.
    known: Places,
    /// All others. Their sites take turns.
    strangers: Places,
    /// Tries of the last minute that failed or are under way.
    tries: Cache<String, Arc<AtomicU32>>,
    /// The same of the last hour, by site and name.
    site_tries: Cache<String, Arc<AtomicU32>>,
    /// The same of codes.
    codes: Cache<String, Arc<AtomicU32>>,
    /// What was refused within an hour, by how, address and name: few rows of the audit log.
    refused: Cache<String, Arc<AtomicU32>>,
    /// Of strangers, by site.
    waiting: Cache<Uuid, Arc<Semaphore>>,
    /// Of new passwords, by account.
    hashing: Cache<Uuid, Arc<Semaphore>>,
}

/// The turn of somebody who is known nowhere.
struct StrangerTurn {
    place: Option<Place>,
    /// To be [forgotten](forget) if it was right.
    tries: [Arc<AtomicU32>; 3],
    /// One of those of its site, until it is answered.
    _waits: OwnedSemaphorePermit,
}

impl Default for Passwords {
    fn default() -> Self {
        let counted = |during| {
            let counted = Cache::builder().max_capacity(REMEMBERED);
            counted.time_to_live(during).build()
        };
        let waiting = || {
            let waiting = Cache::builder().max_capacity(REMEMBERED);
            waiting.time_to_idle(MINUTE).build()
        };
        Self {
            known: Places::new(1),
            strangers: Places::new(1),
            tries: counted(MINUTE),
            site_tries: counted(HOUR),
            codes: counted(CODES),
            refused: counted(HOUR),
            waiting: waiting(),
            hashing: waiting(),
        }
    }
}

impl Passwords {
    /// Who has this name and this password. Tries are counted by address and name together, and by name from wherever, or by the
    /// browser if it is known: nobody can use up those of people who signed in there before, nor all of those from elsewhere.
    ///
    /// # Errors
    /// 429: too many were wrong, or too many of the site wait; 503.
    pub async fn check(
        &self,
        app: &AppState,
        network: Network,
        headers: &HeaderMap,
        (name, password): (&PersonName, String),
    ) -> Result<Option<Person>> {
        if let Some(claim) = known::claim(headers, name) {
            let failures = &app.failures;
            let _permit = failures.lookup_permit(network, false)?;
            let person = find(app, name).await?;
            if let Some(person) = person.filter(|person| known::is_true(&claim, person)) {
                let checked = self.check_known(&claim, person.clone(), password).await?;
                if checked.is_none() {
                    self.note_refused(app, network, &person, BY_PASSWORD);
                }
                return Ok(checked);
            }
            failures.take(network)?;
        }
        let turn = self.stranger_turn(network, name).await?;
        // After its turn has come: strangers make no more look-ups than that.
        let person = find(app, name).await?;
        let hash = person
            .as_ref()
            .map_or(NOBODY, |person| &person.password_hash);
        let fits = work(turn.place, check_hash(password, hash)).await?;
        let person = person.filter(|person| {
            if !fits {
                self.note_refused(app, network, person, BY_PASSWORD);
            }
            fits
        });
        Ok(person.inspect(|_| turn.tries.iter().for_each(|tries| forget(tries))))
    }

    /// Counts a try of somebody who is known nowhere, and waits for its turn.
    ///
    /// # Errors
    /// 429: too many were wrong, or too many of the site wait; 503.
    async fn stranger_turn(&self, network: Network, name: &PersonName) -> Result<StrangerTurn> {
        let site = network.site();
        let waiting = || Arc::new(Semaphore::new(WAITING));
        let waiting = self.waiting.get_with(site, waiting);
        let Ok(waits) = waiting.try_acquire_owned() else {
            let detail = "too many passwords are tried from this network; wait a moment";
            return Err(Problem::new(Code::RateLimited, detail).retry_after(5));
        };
        // Of those who wait alone, so that a flood of names does not push out what was counted. However a name is typed it is one.
        let name = name.as_new();
        let of_address = self.count(format!("{network} {}", name.as_str()), TRIES)?;
        let of_site = format!("{site} {}", name.as_str());
        let of_site = self.site_tries.get_with(of_site, Arc::default);
        let is_one_of_few = of_site.fetch_add(1, Ordering::Relaxed) < SITE_TRIES;
        let limit = if is_one_of_few { u32::MAX } else { NAME_TRIES };
        let of_name = self.count(format!("name {}", name.as_str()), limit)?;
        let tries = [of_address, of_site, of_name];
        let place = place(&self.strangers, site).await;
        // What is not compared is no wrong try.
        let place = place.inspect_err(|_| tries.iter().for_each(|tries| forget(tries)))?;
        Ok(StrangerTurn {
            place,
            tries,
            _waits: waits,
        })
    }

    /// Has the audit log tell that somebody was refused `how` they wanted to sign in: of those of an address the first one within an
    /// hour, the second, the fourth and so on, each with its number, so that a flood is few rows. Nobody waits for that: names that
    /// somebody has would take longer than others, of which no account is told.
    pub fn note_refused(
        &self,
        app: &AppState,
        network: Network,
        person: &Person,
        how: &'static str,
    ) {
        let (account_id, name) = (person.account_id, person.name.clone());
        let refused = format!("{how} {network} {name}");
        let refused = self.refused.get_with(refused, Arc::default);
        let number = refused.fetch_add(1, Ordering::Relaxed) + 1;
        if !number.is_power_of_two() {
            return;
        }
        let store = app.store.clone();
        app.tasks.spawn(async move {
            let (address, number) = (network.to_string(), number.to_string());
            let by = (name.as_str(), address.as_str());
            let status = StatusCode::UNAUTHORIZED.as_u16();
            let noted = store.note_done(account_id, by, (how, &number), status);
            if let Err(error) = noted.await {
                tracing::warn!(%error, "who was refused to sign in is not in the audit log");
            }
        });
    }

    /// The person, if it is their password. `who` tries it.
    ///
    /// # Errors
    /// 429: too many were wrong; 503.
    pub async fn check_known(
        &self,
        who: &str,
        person: Person,
        password: String,
    ) -> Result<Option<Person>> {
        let tries = self.count(format!("known {who}"), TRIES)?;
        let place = place(&self.known, person.account_id).await?;
        let fits = work(place, check_hash(password, &person.password_hash)).await?;
        Ok(fits.then_some(person).inspect(|_| forget(&tries)))
    }

    /// Counts a try before it is known to be wrong, so that many at once are no more tries.
    fn count(&self, who: String, limit: u32) -> Result<Arc<AtomicU32>> {
        let tries = self.tries.get_with(who, Arc::default);
        let detail = "too many passwords were wrong; wait a minute";
        count(tries, limit, detail, MINUTE)
    }

    /// Counts a try of a code for whoever has shown that they know the person's password: those in a browser that is known for the
    /// name, and those elsewhere together. One that was right is [forgotten](forget).
    ///
    /// # Errors
    /// 429: too many were wrong.
    pub fn count_code(
        &self,
        headers: &HeaderMap,
        person: &Person,
        name: &PersonName,
    ) -> Result<Arc<AtomicU32>> {
        let claim = known::claim(headers, name).filter(|claim| known::is_true(claim, person));
        let who = claim.unwrap_or_else(|| name.as_str().to_owned());
        let tries = self.codes.get_with(who, Arc::default);
        let detail = "too many codes were wrong; wait a quarter of an hour";
        count(tries, TRIES, detail, CODES)
    }

    /// The PHC string of a new password, for somebody of this account. It may take long: on behalf of whoever is signed in it is
    /// `SignedIn::hash`.
    ///
    /// # Errors
    /// 500: no random numbers; 503, also where too many of the account wait.
    pub async fn hash(&self, account_id: Uuid, password: NewPassword) -> Result<String> {
        let hashing = || Arc::new(Semaphore::new(WAITING));
        let hashing = self.hashing.get_with(account_id, hashing);
        let _waits = hashing.try_acquire_owned().map_err(|_| busy())?;
        let place = place(&self.known, account_id).await?;
        work(place, move || hash(&password)).await?
    }
}

/// The person of a name as it was typed, or else of it as new people have it.
async fn find(app: &AppState, name: &PersonName) -> Result<Option<Person>> {
    let person = app.store.person(name).await?;
    let new = name.as_new();
    if person.is_some() || new == *name {
        return Ok(person);
    }
    Ok(app.store.person(&new).await?)
}

fn count(
    tries: Arc<AtomicU32>,
    limit: u32,
    detail: &'static str,
    wait: Duration,
) -> Result<Arc<AtomicU32>> {
    if tries.fetch_add(1, Ordering::Relaxed) < limit {
        return Ok(tries);
    }
    Err(Problem::new(Code::RateLimited, detail).retry_after(wait.as_secs()))
}

async fn place(places: &Places, whose: Uuid) -> Result<Option<Place>> {
    let place = timeout(PATIENCE, places.take(whose)).await;
    place.map_err(|_| busy())
}

fn busy() -> Problem {
    Problem::new(Code::Busy, "too many passwords at once").retry_after(1)
}

/// Runs on a thread of its own. The place is taken until the work is done, also if nobody waits for it any more.
async fn work<T: Send + 'static>(
    place: Option<Place>,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T> {
    let done = spawn_blocking(move || {
        let _place = place;
        work()
    });
    done.await.map_err(|error| Problem::internal(&error))
}

/// What was right is no wrong try.
pub fn forget(tries: &AtomicU32) {
    tries.fetch_sub(1, Ordering::Relaxed);
}

fn check_hash(password: String, hash: &str) -> impl FnOnce() -> bool + Send + use<> {
    let hash = hash.to_owned();
    move || verify(&password, &hash)
}

fn verify(password: &str, hash: &str) -> bool {
    PasswordHash::new(comparable(hash)).is_ok_and(|hash| {
        Argon2::default()
            .verify_password(password.as_bytes(), &hash)
            .is_ok()
    })
}

/// What a password is compared with: for whoever has none, such as people of a provider, the same work as for others.
fn comparable(hash: &str) -> &str {
    if PasswordHash::new(hash).is_ok() {
        hash
    } else {
        NOBODY
    }
}

/// The text for why a password may not be set.
pub fn refusal_of(fault: PasswordFault) -> &'static str {
    match fault {
        PasswordFault::Length => "password-too-short",
        PasswordFault::Common => "password-common",
        PasswordFault::Name => "password-name",
    }
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

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, SocketAddr};

    use axum::extract::ConnectInfo;
    use axum::http::Extensions;
    use futures::FutureExt;
    use platform::config::TrustedProxies;

    use super::*;

    #[test]
    fn a_hash_fits_its_password_alone_and_nobody_has_one() {
        let hash = hash(&NewPassword::parse("correct horse", &[]).unwrap()).unwrap();
        assert!(
            hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"),
            "{hash}"
        );
        assert!(verify("correct horse", &hash));
        assert!(!verify("correct horsf", &hash));
        assert!(PasswordHash::new(NOBODY).is_ok());
        assert!(!verify("", NOBODY));
        for none in [String::new(), store::account::random_text()] {
            assert_eq!(comparable(&none), NOBODY);
            assert!(!verify(&none, &none));
        }
        assert_eq!(comparable(&hash), hash);
    }

    fn network(number: u32) -> Network {
        let mut extensions = Extensions::new();
        let address = Ipv4Addr::from(0xcb00_7100 + number);
        extensions.insert(ConnectInfo(SocketAddr::from((address, 1))));
        Network::of(&extensions, &HeaderMap::new(), &TrustedProxies::default())
    }

    #[tokio::test]
    async fn a_name_is_tried_a_hundred_times_and_a_few_times_from_elsewhere() {
        let passwords = Passwords::default();
        let [ada, wide, ben] =
            ["ada", "ａｄａ", "ben"].map(|name| PersonName::parse(name).unwrap());
        // What was right is no try.
        for number in 0..300 {
            let from = network(number % 20 * 64);
            let turn = passwords.stranger_turn(from, &ada).await;
            turn.unwrap().tries.iter().for_each(|tries| forget(tries));
        }
        // Nobody's turn comes any more, and nothing is hashed: what is counted is counted before.
        let _held = passwords.strangers.take(Uuid::nil()).await;
        let refusal = |number, name| {
            let turn = passwords.stranger_turn(network(number), name);
            Some(turn.now_or_never()?.err().unwrap().code())
        };
        for number in 0..100 {
            assert_eq!(refusal(number, &ada), None, "try {number}");
        }
        assert_eq!(refusal(100, &ada), Some(Code::RateLimited));
        assert_eq!(refusal(101, &wide), Some(Code::RateLimited));
        // Other networks have a few tries of their own, wherever in them somebody is.
        for elsewhere in [256, 512] {
            for number in 0..3 {
                assert_eq!(refusal(elsewhere + number, &ada), None);
            }
            assert_eq!(refusal(elsewhere, &ada), Some(Code::RateLimited));
            assert_eq!(refusal(elsewhere + 3, &ada), Some(Code::RateLimited));
        }
        for _ in 0..10 {
            assert_eq!(refusal(100, &ben), None);
        }
        assert_eq!(refusal(100, &ben), Some(Code::RateLimited));
        assert_eq!(refusal(101, &ben), None);
    }

    #[tokio::test]
    async fn few_new_passwords_of_an_account_wait_and_others_all_the_same() {
        let passwords = Passwords::default();
        let [shop, other] = [1, 2].map(Uuid::from_u128);
        // Nobody's turn comes any more.
        let _held = passwords.known.take(Uuid::nil()).await;
        let ask = |account_id| {
            let password = NewPassword::parse("correct horse", &[]).unwrap();
            let mut asked = Box::pin(passwords.hash(account_id, password));
            let answer = asked.as_mut().now_or_never();
            (asked, answer.map(|hash| hash.unwrap_err().code()))
        };
        let waiting: Vec<_> = (0..32).map(|_| ask(shop)).collect();
        assert!(waiting.iter().all(|(_, refusal)| refusal.is_none()));
        assert_eq!(ask(shop).1, Some(Code::Busy));
        assert_eq!(ask(other).1, None);
        drop(waiting);
        assert_eq!(ask(shop).1, None);
    }
}
