//! Sessions and their cookie.
//!
//! A session is a random text in one cookie; the database has its SHA-256. A session that was found is remembered for a
//! moment, so an ended one holds out that long. One with which its person does nothing for some time ends; what they do is noted once a
//! minute.

use std::sync::Arc;
use std::time::Duration;

use api_http::address::GoodLately;
use api_http::{AppState, Network, Result};
use axum::extract::Request;
use axum::http::header::{HOST, ORIGIN, SET_COOKIE};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Redirect, Response};
use chrono::{DateTime, TimeDelta, Utc};
use cookie::{Cookie, SameSite};
use domain::person::PersonName;
use moka::future::Cache;
use platform::config::PublicUrl;
use store::Store;
use store::account::{Person, SessionSummary, hash_secret, random_text};
use url::Url;
use uuid::Uuid;

use crate::cookies::cookie_of;
use crate::known;
use crate::visitor::Visitor;

/// What a cookie is called, and over TLS, where no other host can set one of that name here.
pub type Names = [&'static str; 2];

const NAMES: Names = ["feedback_session", "__Host-feedback_session"];
/// How long a session lasts.
pub const LIFE: TimeDelta = TimeDelta::hours(12);
/// What somebody does is noted so often at most.
const NOTED: TimeDelta = TimeDelta::minutes(1);
/// With it the page's script asks for a page that redraws itself, which is nothing that its person does.
pub const LIVE: &str = "x-feedback-live";
/// How long a session that was found is fresh. What ends one holds within 5 s.
const MAX_AGE: Duration = Duration::from_millis(2_500);
/// How long a session is known to be good since it was last found.
const LATELY: Duration = Duration::from_hours(12);
/// So many are remembered.
const REMEMBERED: u64 = 10_000;

/// The sessions of this process.
pub struct Sessions {
    found: Cache<[u8; 32], Arc<Person>>,
    /// Those that were found lately: whoever has one is no stranger, whatever others behind the same address try.
    good: GoodLately,
    /// Those with which somebody did something within the last minute.
    noted: moka::sync::Cache<[u8; 32], ()>,
    /// How long a session lasts with which nobody does anything.
    idle: TimeDelta,
    /// How others reach the service, if that is over TLS: scheme, host and port.
    secure_origin: Option<String>,
}

impl Sessions {
    pub fn new(public_url: &PublicUrl, idle: TimeDelta) -> Self {
        let url = Url::parse(public_url.as_str()).ok();
        let secure = url.filter(|url| url.scheme() == "https");
        Self {
            found: Cache::builder()
                .max_capacity(REMEMBERED)
                .time_to_live(MAX_AGE)
                .build(),
            good: GoodLately::new(LATELY),
            noted: moka::sync::Cache::builder()
                .max_capacity(REMEMBERED)
                .time_to_live(NOTED.to_std().unwrap_or_default())
                .build(),
            idle,
            secure_origin: secure.map(|url| url.origin().ascii_serialization()),
        }
    }

    /// Whose session this is. Of an address from which too many came that nobody has, few are looked up at a time.
    ///
    /// # Errors
    /// 429, 503.
    pub async fn find(
        &self,
        app: &AppState,
        network: Option<Network>,
        hash: [u8; 32],
    ) -> Result<Option<Arc<Person>>> {
        if let Some(person) = self.found.get(&hash).await {
            return Ok(Some(person));
        }
        let failures = &app.failures;
        let _permit = match network {
            Some(network) => failures.lookup_permit(network, self.good.contains(&hash))?,
            None => None,
        };
        let person = app.store.find_session(hash, self.idle_since()).await?;
        self.good.note(hash, person.is_some());
        let Some(person) = person.map(Arc::new) else {
            network.map(|network| failures.take(network)).transpose()?;
            return Ok(None);
        };
        self.found.insert(hash, person.clone()).await;
        Ok(Some(person))
    }

    /// Whoever has done nothing since then is no longer signed in: what they did within a minute after what was noted counts.
    fn idle_since(&self) -> DateTime<Utc> {
        Utc::now() - self.idle - NOTED
    }

    /// Notes that the person of a session did something. Nobody waits for that.
    pub fn touch(&self, store: &Store, account_id: Uuid, hash: [u8; 32]) {
        if !self.noted.entry(hash).or_insert(()).is_fresh() {
            return;
        }
        let (store, noted) = (store.clone(), self.noted.clone());
        tokio::spawn(async move {
            let touched = store.touch_session(account_id, hash, NOTED).await;
            if let Err(error) = touched {
                tracing::debug!(%error, "the use of a session is not noted");
                noted.invalidate(&hash);
            }
        });
    }

    /// Where somebody is signed in.
    ///
    /// # Errors
    /// 503.
    pub async fn list(&self, store: &Store, person: &Person) -> Result<Vec<SessionSummary>> {
        Ok(store.sessions(person, self.idle_since()).await?)
    }

    /// Opens a session, which the audit log tells; the cookie that has it, or `None` if the person is gone. `how` they signed in: an
    /// action of the log.
    ///
    /// # Errors
    /// 503.
    pub async fn open(
        &self,
        store: &Store,
        person: &Person,
        visitor: &Visitor,
        how: &str,
    ) -> Result<Option<HeaderValue>> {
        let secret = random_text();
        let (browser, address) = visitor.parts();
        let opened = store.open_session(person, hash_secret(&secret), LIFE, (browser, address));
        if !opened.await? {
            return Ok(None);
        }
        let by = (person.name.as_str(), address);
        let noted = store.note_done(person.account_id, by, (how, browser), 200);
        noted.await?;
        Ok(Some(self.cookie(NAMES, secret, LIFE)))
    }

    /// Signs in whoever has shown that they know the person's password, in a browser that is known for the name from now on, and
    /// leads to a page. `None`: the person is gone, or the password changed meanwhile.
    ///
    /// # Errors
    /// 503.
    pub async fn sign_in(
        &self,
        store: &Store,
        person: &Person,
        name: &PersonName,
        visitor: &Visitor,
        (how, to): (&str, &str),
    ) -> Result<Option<Response>> {
        let Some(cookie) = self.open(store, person, visitor, how).await? else {
            return Ok(None);
        };
        let mut response = redirect(cookie, to);
        let known = known::cookie(person, name, self.is_secure());
        let known = known.and_then(|cookie| HeaderValue::try_from(cookie.to_string()).ok());
        if let Some(known) = known {
            response.headers_mut().append(SET_COOKIE, known);
        }
        Ok(Some(response))
    }

    /// Ends a session; a cookie that takes its cookie away.
    ///
    /// # Errors
    /// 503.
    pub async fn close(&self, store: &Store, hash: [u8; 32]) -> Result<HeaderValue> {
        store.close_session(hash).await?;
        self.found.invalidate(&hash).await;
        Ok(self.cookie(NAMES, String::new(), TimeDelta::zero()))
    }

    /// Looks a session up anew when it is asked for next.
    pub async fn forget(&self, hash: [u8; 32]) {
        self.found.invalidate(&hash).await;
    }

    /// A cookie for all pages, which no script reads.
    pub fn cookie(&self, names: Names, value: String, life: TimeDelta) -> HeaderValue {
        let cookie = Cookie::build((self.name(names), value))
            .path("/")
            .http_only(true)
            .same_site(SameSite::Lax)
            .secure(self.is_secure())
            .max_age(cookie::time::Duration::seconds(life.num_seconds()))
            .build();
        HeaderValue::try_from(cookie.to_string()).unwrap_or(HeaderValue::from_static(""))
    }

    /// Whether cookies go over TLS alone.
    pub fn is_secure(&self) -> bool {
        self.secure_origin.is_some()
    }

    fn name(&self, [plain, secure]: Names) -> &'static str {
        self.secure_origin.as_ref().map_or(plain, |_| secure)
    }

    /// Whether a browser sent the request from a page of this service.
    pub fn is_same_origin(&self, request: &Request) -> bool {
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

    /// The secret in a request's cookie.
    pub fn secret(&self, headers: &HeaderMap) -> Option<String> {
        self.cookie_of(headers, NAMES)
    }

    /// The value of a cookie that [`Self::cookie`] made.
    pub fn cookie_of(&self, headers: &HeaderMap, names: Names) -> Option<String> {
        cookie_of(headers, self.name(names))
    }
}

/// Nobody is led out of the dashboard by a link to its sign-in page.
pub fn inside(next: &str) -> &str {
    let here = Url::parse("http://here").and_then(|here| here.join(next));
    let is_inside = here.is_ok_and(|url| {
        let path = url.path();
        let is_page = path == "/dashboard" || path.starts_with("/dashboard/");
        url.host_str() == Some("here") && is_page
    });
    // Behind two slashes a host begins.
    let is_path = next.starts_with('/') && !next.starts_with("//");
    let is_plain = is_path && !next.contains(|c: char| c == '\\' || c.is_control());
    if is_inside && is_plain {
        next
    } else {
        "/dashboard"
    }
}

/// Sets a cookie and goes on to a page.
pub fn redirect(cookie: HeaderValue, to: &str) -> Response {
    ([(SET_COOKIE, cookie)], Redirect::to(to)).into_response()
}
