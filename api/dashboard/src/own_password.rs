//! The page on which people change their own password, and see and end their sessions.

use api_http::{Problem, Result};
use askama::Template;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use domain::person::NewPassword;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use store::account::{PersonChange, SessionSummary};

use crate::done;
use crate::page::{Frame, page};
use crate::password::refusal_of;
use crate::sent::{NoFields, SentChange};
use crate::session::LIFE;
use crate::signed_in::SignedIn;

/// Whoever must change their password has no other page.
pub const PATH: &str = "/dashboard/password";

#[derive(Template)]
#[template(path = "password.html")]
struct PasswordPage<'a> {
    f: &'a Frame,
    /// Before anything else.
    must_change: bool,
    has_second_factor: bool,
    /// They have neither password nor second factor here.
    has_provider: bool,
    /// Why the change was refused.
    refusal: Option<String>,
    sessions: Vec<ShownSession>,
}

/// A session in words.
struct ShownSession {
    id: String,
    /// The one with which the page is asked for.
    is_own: bool,
    browser: String,
    address: String,
    since: String,
    last_used: Option<String>,
}

impl ShownSession {
    fn new(session: SessionSummary, f: &Frame, own: &[u8]) -> Self {
        let browser = Some(session.browser).filter(|browser| !browser.is_empty());
        Self {
            id: id(&session.hash),
            is_own: session.hash == own,
            browser: browser.unwrap_or_else(|| f.t.get("session-unknown")),
            address: session.address,
            since: f.moment(session.expires_at - LIFE),
            last_used: session.last_seen_at.map(|at| f.moment(at)),
        }
    }
}

/// What a page calls a session: the hash itself would make its token known.
fn id(hash: &[u8]) -> String {
    let id = Sha256::new_with_prefix(b"session").chain_update(hash);
    hex::encode(id.finalize())
}

/// The page on which somebody changes their own password.
pub async fn show(person: SignedIn) -> Result<Response> {
    answer(&person, None).await
}

async fn answer(person: &SignedIn, refusal: Option<&str>) -> Result<Response> {
    let f = person.frame("password");
    let sessions = &person.state.sessions;
    let sessions = sessions.list(person.store(), person).await?.into_iter();
    let template = PasswordPage {
        f: &f,
        must_change: person.must_change_password,
        has_second_factor: person.second_factor.is_some(),
        has_provider: person.identity.is_some(),
        refusal: refusal.map(|key| f.t.get(key)),
        sessions: sessions
            .map(|session| ShownSession::new(session, &f, &person.session))
            .collect(),
    };
    Ok(page(&f, &template))
}

#[derive(Deserialize)]
pub struct PasswordChange {
    current: String,
    new: String,
}

/// Changes the password of whoever is signed in, and ends all of their sessions.
pub async fn change(
    person: SignedIn,
    SentChange(change): SentChange<PasswordChange>,
) -> Result<Response> {
    let new = match NewPassword::parse(change.new, &person.names()) {
        Ok(new) => new,
        Err(fault) => return answer(&person, Some(refusal_of(fault))).await,
    };
    if change.current == new.as_str() {
        return answer(&person, Some("password-same")).await;
    }
    if !person.knows(change.current).await? {
        return answer(&person, Some("password-wrong")).await;
    }
    let hash = person.hash(new).await?;
    let noted = person.caller.note("password.change", &person.name).await?;
    let changed = person.store().set_password(&person, &hash, false).await?;
    if changed != PersonChange::Done {
        // Somebody has just set another one, which ended this session.
        let problem = Problem::unauthenticated();
        noted.record_status(problem.code().status()).await;
        return Err(problem);
    }
    noted.record_status(StatusCode::OK).await;
    Ok(Redirect::to("/dashboard/sign-in").into_response())
}

#[derive(Deserialize)]
pub struct EndedSession {
    session: String,
}

/// Ends a session of whoever is signed in.
pub async fn end_session(
    person: SignedIn,
    SentChange(ended): SentChange<EndedSession>,
) -> Result<Response> {
    let sessions = &person.state.sessions;
    let mut all = sessions.list(person.store(), &person).await?.into_iter();
    let found = all.find(|session| id(&session.hash) == ended.session);
    let hash = found.and_then(|session| session.hash.try_into().ok());
    let hash: [u8; 32] = hash.ok_or_else(Problem::not_found)?;
    let noted = person.caller.note("session.end", &person.name).await?;
    sessions.close(person.store(), hash).await?;
    noted.record_status(StatusCode::OK).await;
    Ok(done::go(PATH, "session.end"))
}

/// Ends all sessions of whoever is signed in but the one that asks for it.
pub async fn end_other_sessions(
    person: SignedIn,
    SentChange(NoFields {}): SentChange<NoFields>,
) -> Result<Response> {
    let action = "session.end-others";
    let noted = person.caller.note(action, &person.name).await?;
    let store = person.store();
    store.close_other_sessions(&person, person.session).await?;
    noted.record_status(StatusCode::OK).await;
    Ok(done::go(PATH, action))
}
