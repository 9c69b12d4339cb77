//! Who is signed in, what their role lets them do, and where a change may come from.
//!
//! A session is 32 random bytes in one cookie; the database has their SHA-256. A session that was found is remembered for a
//! moment, so an ended one holds out that long. A change needs an `Origin` that is the service's own, and the session's token
//! in its body.

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use api_http::{Caller, Code, Network, Problem, Result};
use axum::Form;
use axum::Router;
use axum::extract::{FromRequest, FromRequestParts, Request, State};
use axum::http::header::{COOKIE, HOST, ORIGIN, SET_COOKIE};
use axum::http::request::Parts;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, Method};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Redirect, Response};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use chrono::TimeDelta;
use cookie::{Cookie, SameSite};
use domain::person::Role;
use moka::future::Cache;
use platform::config::PublicUrl;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use store::Store;
use store::account::Person;
use subtle::ConstantTimeEq;
use tokio::time::sleep;
use url::Url;
use url::form_urlencoded::Serializer;
use uuid::Uuid;

use crate::language::{Text, of_request};
use crate::page::{Frame, trouble};
use crate::state::DashboardState;

const NAME: &str = "feedback_session";
/// Over TLS: no other host can set a cookie of this name here.
const SECURE_NAME: &str = "__Host-feedback_session";
/// How long a session lasts.
const LIFE: TimeDelta = TimeDelta::hours(12);
/// How long a session that was found is believed. What ends one holds within 5 s.
const MAX_AGE: Duration = Duration::from_millis(2_500);
/// How often a session is looked up while a body arrives.
const INTERVAL: Duration = Duration::from_millis(500);
/// Characters of a subject in the audit log.
const MAX_SUBJECT: usize = 200;
/// So many are remembered.
const REMEMBERED: u64 = 10_000;

/// A secret of a session or of a link to sign in with: 32 random bytes.
struct Secret(String);

impl Secret {
    fn new() -> Self {
        Self(BASE64_URL_SAFE_NO_PAD.encode(rand::random::<[u8; 32]>()))
    }

    fn hash(&self) -> [u8; 32] {
        hash(&self.0)
    }
}

/// What the database has of a secret.
pub fn hash(secret: &str) -> [u8; 32] {
    Sha256::digest(secret.as_bytes()).into()
}

/// The sessions of this process.
pub struct Sessions {
    found: Cache<[u8; 32], Arc<Person>>,
    /// How others reach the service, if that is over TLS: scheme, host and port.
    secure_origin: Option<String>,
}

impl Sessions {
    pub fn new(public_url: &PublicUrl) -> Self {
        let url = Url::parse(public_url.as_str()).ok();
        let secure = url.filter(|url| url.scheme() == "https");
        Self {
            found: Cache::builder()
                .max_capacity(REMEMBERED)
                .time_to_live(MAX_AGE)
                .build(),
            secure_origin: secure.map(|url| url.origin().ascii_serialization()),
        }
    }

    /// Whose session this is. Of an address from which too many came that nobody has, few are looked up at a time.
    async fn find(
        &self,
        state: &DashboardState,
        network: Option<Network>,
        hash: [u8; 32],
    ) -> Result<Option<Arc<Person>>> {
        if let Some(person) = self.found.get(&hash).await {
            return Ok(Some(person));
        }
        let failures = &state.app.failures;
        let _leave = match network {
            Some(network) => failures.lookup_permit(network, false)?,
            None => None,
        };
        let person = state.app.store.find_session(hash, false).await?;
        let Some(person) = person.map(Arc::new) else {
            network.map(|network| failures.take(network)).transpose()?;
            return Ok(None);
        };
        self.found.insert(hash, person.clone()).await;
        Ok(Some(person))
    }

    /// Opens a session; the cookie that has it, or `None` if the person is gone.
    ///
    /// # Errors
    /// 503.
    pub async fn open(
        &self,
        state: &DashboardState,
        person: &Person,
    ) -> Result<Option<HeaderValue>> {
        let secret = Secret::new();
        let opened = state
            .app
            .store
            .open_session(person, secret.hash(), false, LIFE);
        Ok(opened.await?.then(|| self.cookie(secret.0, LIFE)))
    }

    /// Ends a session; a cookie that takes its cookie away.
    ///
    /// # Errors
    /// 503.
    pub async fn close(&self, state: &DashboardState, hash: [u8; 32]) -> Result<HeaderValue> {
        state.app.store.close_session(hash).await?;
        self.found.invalidate(&hash).await;
        Ok(self.cookie(String::new(), TimeDelta::zero()))
    }

    fn cookie(&self, value: String, life: TimeDelta) -> HeaderValue {
        let cookie = Cookie::build((self.name(), value))
            .path("/")
            .http_only(true)
            .same_site(SameSite::Lax)
            .secure(self.secure_origin.is_some())
            .max_age(cookie::time::Duration::seconds(life.num_seconds()))
            .build();
        HeaderValue::try_from(cookie.to_string()).unwrap_or(HeaderValue::from_static(""))
    }

    fn name(&self) -> &'static str {
        self.secure_origin.as_ref().map_or(NAME, |_| SECURE_NAME)
    }

    /// Whether a browser sent the request from a page of this service.
    fn is_same_origin(&self, request: &Request) -> bool {
        let text = |name| request.headers().get(name)?.to_str().ok();
        let Some(origin) = text(ORIGIN) else {
            return false;
        };
        // HTTP/2 has the host in the URI.
        let authority = request.uri().authority().map(Authority::as_str);
        match (&self.secure_origin, text(HOST).or(authority)) {
            (Some(secure), _) => origin == secure,
            (None, Some(host)) => origin.strip_prefix("http://") == Some(host),
            (None, None) => false,
        }
    }

    fn secret(&self, headers: &HeaderMap) -> Option<String> {
        let values = headers.get_all(COOKIE).iter();
        let texts = values.filter_map(|value| value.to_str().ok());
        let mut cookies = texts.flat_map(Cookie::split_parse).filter_map(Result::ok);
        let cookie = cookies.find(|cookie| cookie.name() == self.name())?;
        Some(cookie.value().to_owned())
    }
}

/// The path of a link with which a person signs in, once, within an hour; `None`: the person is gone.
///
/// # Errors
/// The database is unavailable.
pub async fn sign_in_path(store: &Store, person: &Person) -> Result<Option<String>, store::Error> {
    let secret = Secret::new();
    let made = store
        .open_session(person, secret.hash(), true, TimeDelta::hours(1))
        .await?;
    Ok(made.then(|| format!("/dashboard/sign-in/{}", secret.0)))
}

/// Whoever is signed in, and in which language they read.
#[derive(Clone)]
pub struct SignedIn {
    person: Arc<Person>,
    session: [u8; 32],
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

    pub fn session(&self) -> [u8; 32] {
        self.session
    }

    /// Who asks operations of the API.
    pub fn caller(&self, state: &DashboardState) -> Caller {
        Caller::person(state.app.clone(), &self.person)
    }

    /// Ends once the session has ended, or no longer has the role.
    pub async fn ended(&self, state: &DashboardState, role: Role) {
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
    pub async fn note(
        &self,
        state: &DashboardState,
        network: Network,
        action: &str,
        subject: &str,
    ) -> Result<Noted> {
        let store = &state.app.store;
        let address = network.to_string();
        let subject = subject.chars().filter(|c| !c.is_control());
        let subject: String = subject.take(MAX_SUBJECT).collect();
        let audit_id = store
            .note_change(&self.person, &address, action, &subject)
            .await?;
        Ok(Noted {
            account_id: self.person.account_id,
            audit_id,
        })
    }
}

/// A change that is in the audit log.
pub struct Noted {
    account_id: Uuid,
    audit_id: Uuid,
}

impl Noted {
    /// Notes the HTTP status that the change came to.
    pub async fn came_to(self, state: &DashboardState, status: u16) {
        let noted = state
            .app
            .store
            .note_outcome(self.account_id, self.audit_id, status);
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

/// Pages for people who have the role, or more.
pub fn group(
    state: &DashboardState,
    role: Role,
    pages: Router<DashboardState>,
) -> Router<DashboardState> {
    pages.layer(from_fn_with_state((state.clone(), role), signed_in))
}

async fn signed_in(
    State((state, role)): State<(DashboardState, Role)>,
    mut request: Request,
    next: Next,
) -> Response {
    let t = of_request(request.headers());
    let sessions = &state.sessions;
    let Some(secret) = sessions.secret(request.headers()) else {
        return to_sign_in(&request);
    };
    let (session, network) = (hash(&secret), state.app.network(&request));
    let person = match sessions.find(&state, Some(network), session).await {
        Ok(Some(person)) => SignedIn { person, session, t },
        Ok(None) => return to_sign_in(&request),
        Err(problem) => return trouble(t, &problem),
    };
    let changes = !matches!(*request.method(), Method::GET | Method::HEAD);
    if person.role < role || changes && !state.sessions.is_same_origin(&request) {
        return trouble(t, &forbidden());
    }
    request.extensions_mut().insert(person);
    with_pages(t, next.run(request).await)
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

fn forbidden() -> Problem {
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

/// Sets a cookie and goes on to a page.
pub fn redirect(cookie: HeaderValue, to: &str) -> Response {
    ([(SET_COOKIE, cookie)], Redirect::to(to)).into_response()
}

/// What a page's form sends, with the token of the session.
pub struct Change<T>(pub T);

#[derive(Deserialize)]
struct WithToken<T> {
    token: String,
    #[serde(flatten)]
    change: T,
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Change<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self> {
        let person = request.extensions().get::<SignedIn>().cloned();
        let person = person.ok_or_else(Problem::unauthenticated)?;
        let Form(sent) = Form::<WithToken<T>>::from_request(request, state)
            .await
            .map_err(|_| not_the_form())?;
        person.check_token(&sent.token)?;
        Ok(Self(sent.change))
    }
}

/// What a page's form sends, name by name in its order, without the token of the session.
pub struct Pairs(pub Vec<(String, String)>);

impl<S: Send + Sync> FromRequest<S> for Pairs {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self> {
        let person = request.extensions().get::<SignedIn>().cloned();
        let person = person.ok_or_else(Problem::unauthenticated)?;
        let sent = Form::<Vec<(String, String)>>::from_request(request, state).await;
        let Form(pairs) = sent.map_err(|_| not_the_form())?;
        let token = pairs.iter().find(|(name, _)| name == "token");
        person.check_token(token.map_or("", |(_, token)| token))?;
        Ok(Self(pairs))
    }
}

fn not_the_form() -> Problem {
    Problem::new(Code::InvalidForm, "the form is not as the page has it")
}

impl SignedIn {
    /// # Errors
    /// 403: it is not the token of this session.
    pub fn check_token(&self, token: &str) -> Result<()> {
        if bool::from(token.as_bytes().ct_eq(self.token().as_bytes())) {
            Ok(())
        } else {
            Err(forbidden())
        }
    }
}
