//! Who is signed in, and what handlers do on their behalf.

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use api_http::{Code, Network, Problem, Result};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use domain::person::Role;
use platform::request_id::RequestId;
use sha2::{Digest, Sha256};
use store::Store;
use store::account::Person;
use subtle::ConstantTimeEq;
use tokio::time::sleep;
use uuid::Uuid;

use crate::page::Frame;
use crate::state::DashboardState;
use api_language::Text;

/// How often a session is looked up while a body arrives.
const INTERVAL: Duration = Duration::from_millis(500);
/// Characters of a subject in the audit log.
const MAX_SUBJECT: usize = 200;

/// Whoever is signed in, and what answering them takes.
#[derive(Clone)]
pub struct SignedIn {
    pub state: DashboardState,
    pub person: Arc<Person>,
    /// The hash of the session.
    pub session: [u8; 32],
    /// Of what the person asks now: from where, and its id.
    pub network: Network,
    pub request_id: RequestId,
    /// The language they read.
    pub t: &'static Text,
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
        Frame {
            t: self.t,
            person: self.person.name.clone(),
            account: self.person.account_name.clone(),
            role: self.person.role,
            zone: self.person.time_zone,
            current,
            token: self.token(),
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

    /// Notes in the audit log what is about to be changed. Of a long subject only the beginning.
    ///
    /// # Errors
    /// 503: then it is not to be changed.
    pub async fn note(&self, action: &str, subject: &str) -> Result<Noted<'_>> {
        let address = self.network.to_string();
        let subject = subject.chars().filter(|c| !c.is_control());
        let subject: String = subject.take(MAX_SUBJECT).collect();
        let noted = self
            .store()
            .note_change(&self.person, &address, action, &subject);
        Ok(Noted {
            person: self,
            audit_id: noted.await?,
        })
    }
}

/// A change that is in the audit log.
pub struct Noted<'a> {
    person: &'a SignedIn,
    audit_id: Uuid,
}

impl Noted<'_> {
    /// Notes the HTTP status that the change came to.
    pub async fn record_status(self, status: u16) {
        let account_id = self.person.account_id;
        let store = self.person.store();
        let noted = store.note_outcome(account_id, self.audit_id, status);
        if let Err(error) = noted.await {
            tracing::warn!(%error, "the outcome of a change is not in the audit log");
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

pub fn forbidden() -> Problem {
    Problem::new(Code::Forbidden, "not with this role, or not from this page")
}
