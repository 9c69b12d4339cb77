//! Who is signed in, and what handlers do on their behalf.

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use api_http::{Caller, Problem, Result};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use domain::person::{NewPassword, Role};
use sha2::{Digest, Sha256};
use store::Store;
use store::account::Person;
use subtle::ConstantTimeEq;
use tokio::time::sleep;

use crate::page::{Alert, Frame, forbidden};
use crate::password::BY_PASSWORD;
use crate::state::DashboardState;
use api_language::Text;

/// How often a session is looked up while a body arrives.
const INTERVAL: Duration = Duration::from_millis(500);

/// Whoever is signed in, and what answering them takes.
#[derive(Clone)]
pub struct SignedIn {
    pub state: DashboardState,
    pub person: Arc<Person>,
    /// The hash of the session.
    pub session: [u8; 32],
    /// As whom they ask for operations.
    pub caller: Caller,
    /// The language they read.
    pub t: &'static Text,
    /// The parameters of the page that its links keep.
    pub kept: String,
    /// What the page is to tell that was done.
    pub done: Option<String>,
    /// What the page is to tell of senders that are in trouble, or of a budget or key that ends.
    pub alerts: Vec<Alert>,
}

impl Deref for SignedIn {
    type Target = Person;

    fn deref(&self) -> &Person {
        &self.person
    }
}

impl SignedIn {
    /// The frame of a page that the navigation calls `current`.
    pub fn frame(&self, current: &'static str) -> Frame {
        let sending = &self.state.sending;
        Frame {
            t: self.t,
            person: self.person.name.clone(),
            account: self.person.company.clone(),
            role: self.person.role,
            zone: self.person.time_zone,
            current,
            done: self.done.clone(),
            alerts: self.alerts.clone(),
            simulates: sending.only_simulates(&self.person.account_name),
            reaches_phones: sending.reaches_phones(&self.person.account_name),
            token: self.token(),
            seals: self.person.seals,
            kept: self.kept.clone(),
        }
    }

    /// What a change must come with: known to pages of this session alone.
    fn token(&self) -> String {
        hex::encode(
            Sha256::new_with_prefix(b"change")
                .chain_update(self.session)
                .finalize(),
        )
    }

    /// # Errors
    /// 403: it is not the token of this session.
    pub fn check_token(&self, token: &str) -> Result<()> {
        if bool::from(token.as_bytes().ct_eq(self.token().as_bytes())) {
            Ok(())
        } else {
            Err(forbidden())
        }
    }

    /// Whether it is their password, and they are still signed in. The audit log has a wrong one as it has those of sign-ins.
    ///
    /// # Errors
    /// 429: too many were wrong; 503.
    pub async fn knows(&self, password: String) -> Result<bool> {
        let session = hex::encode(self.session);
        let passwords = &self.state.passwords;
        let found = passwords.check_known(&session, Person::clone(self), password);
        if found.await?.is_some() {
            return self.stands().await;
        }
        let (app, network) = (&self.state.app, self.caller.network());
        passwords.note_refused(app, network, self, BY_PASSWORD);
        Ok(false)
    }

    /// The PHC string of a new password. That may take long, so they must be signed in after it, too.
    ///
    /// # Errors
    /// 401: they are not, or have a lower role; 500: no random numbers; 503.
    pub async fn hash(&self, password: NewPassword) -> Result<String> {
        let passwords = &self.state.passwords;
        let hash = passwords.hash(self.account_id, password).await?;
        if self.stands().await? {
            Ok(hash)
        } else {
            // A page leads them to the sign-in page.
            Err(Problem::unauthenticated())
        }
    }

    /// Whether they are still signed in, with no lower role: to be asked again after anything that may take long.
    ///
    /// # Errors
    /// 503.
    pub async fn stands(&self) -> Result<bool> {
        let state = &self.state;
        let found = state.sessions.find(&state.app, None, self.session).await?;
        Ok(found.is_some_and(|person| person.role >= self.role))
    }

    pub fn store(&self) -> &Store {
        &self.state.app.store
    }

    /// Ends once the session has ended, or no longer has the role.
    pub async fn ended(&self, role: Role) {
        let state = &self.state;
        loop {
            sleep(INTERVAL).await;
            let found = state.sessions.find(&state.app, None, self.session).await;
            // A database that does not answer takes no session away.
            if matches!(&found, Ok(None)) || matches!(found, Ok(Some(person)) if person.role < role)
            {
                return;
            }
        }
    }
}

impl<S: Sync> FromRequestParts<S> for SignedIn {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self> {
        let person = parts.extensions.get().cloned();
        person.ok_or_else(Problem::unauthenticated)
    }
}
