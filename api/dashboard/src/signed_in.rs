//! Who is signed in, what their role lets them do, and where a change may come from: an `Origin` that is the service's own, with
//! the session's token at the beginning of its body (`sent`).

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use api_http::lines::hold;
use api_http::{Code, Network, Problem, Result};
use axum::Router;
use axum::extract::{FromRequestParts, Request, State};
use axum::http::Method;
use axum::http::request::Parts;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Redirect, Response};
use domain::person::Role;
use platform::request_id::RequestId;
use sha2::{Digest, Sha256};
use store::Store;
use store::account::{Person, hash_secret};
use subtle::ConstantTimeEq;
use tokio::time::sleep;
use url::form_urlencoded::Serializer;
use uuid::Uuid;

use crate::page::{Frame, trouble};
use crate::sent;
use crate::state::DashboardState;
use api_language::{Text, of_request};

/// How often a session is looked up while a body arrives.
const INTERVAL: Duration = Duration::from_millis(500);
/// Characters of a subject in the audit log.
const MAX_SUBJECT: usize = 200;

/// Whoever is signed in, and what answering them takes.
#[derive(Clone)]
pub struct SignedIn {
    pub state: DashboardState,
    person: Arc<Person>,
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
            let found = state.sessions.find(state, None, self.session).await;
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
    pub async fn came_to(self, status: u16) {
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

/// Pages for people who have the role, or more. What their forms send is read before their handlers, up to so many bytes;
/// `None`: the handlers read it.
pub fn group(
    state: &DashboardState,
    role: Role,
    form_bytes: Option<usize>,
    pages: Router<DashboardState>,
) -> Router<DashboardState> {
    let group = (state.clone(), role, form_bytes);
    pages.layer(from_fn_with_state(group, signed_in))
}

async fn signed_in(
    State((state, role, form_bytes)): State<(DashboardState, Role, Option<usize>)>,
    network: Network,
    mut request: Request,
    next: Next,
) -> Response {
    let t = of_request(request.headers());
    let sessions = &state.sessions;
    let Some(secret) = sessions.secret(request.headers()) else {
        return to_sign_in(&request);
    };
    let session = hash_secret(&secret);
    let request_id = request.extensions().get().cloned();
    let request_id = request_id.unwrap_or_else(|| RequestId::of(request.headers()));
    let person = match sessions.find(&state, Some(network), session).await {
        Ok(Some(person)) => SignedIn {
            state: state.clone(),
            person,
            session,
            network,
            request_id,
            t,
        },
        Ok(None) => return to_sign_in(&request),
        Err(problem) => return trouble(t, &problem),
    };
    let changes = !matches!(*request.method(), Method::GET | Method::HEAD);
    if person.role < role || changes && !state.sessions.is_same_origin(&request) {
        return trouble(t, &forbidden());
    }
    // What was sent counts for its account until it is answered.
    let _held = match form_bytes {
        Some(bytes) if changes => match sent::receive(&person, &mut request, bytes).await {
            Ok(held) => Some(held),
            Err(problem) => return trouble(t, &problem),
        },
        _ => None,
    };
    let account_id = person.account_id;
    request.extensions_mut().insert(person);
    let response = with_pages(t, next.run(request).await);
    hold(&state.app, account_id, response).unwrap_or_else(|problem| trouble(t, &problem))
}

/// The layer of pages that need no session: nothing is sent to them from elsewhere.
pub async fn same_origin(
    State(state): State<DashboardState>,
    request: Request,
    next: Next,
) -> Response {
    let t = of_request(request.headers());
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    if reads || state.sessions.is_same_origin(&request) {
        with_pages(t, next.run(request).await)
    } else {
        trouble(t, &forbidden())
    }
}

/// A problem is shown as a page.
fn with_pages(t: &'static Text, mut response: Response) -> Response {
    match response.extensions_mut().remove::<Problem>() {
        Some(problem) => trouble(t, &problem),
        None => response,
    }
}

pub fn forbidden() -> Problem {
    Problem::new(Code::Forbidden, "not with this role, or not from this page")
}

/// To the sign-in page, and from there to where somebody wanted to go.
fn to_sign_in(request: &Request) -> Response {
    let asked = request
        .uri()
        .path_and_query()
        .map_or("/dashboard", |asked| asked.as_str());
    let next = match *request.method() {
        Method::GET if asked != "/dashboard" => asked,
        _ => return Redirect::to("/dashboard/sign-in").into_response(),
    };
    let query = Serializer::new(String::new())
        .append_pair("next", next)
        .finish();
    Redirect::to(&format!("/dashboard/sign-in?{query}")).into_response()
}
