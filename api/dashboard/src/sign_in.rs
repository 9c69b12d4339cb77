//! Signing in, with a password or with a link that works once, and signing out. A link may ask for a new password.

use std::sync::Arc;

use api_http::{Caller, Network, Result};
use askama::Template;
use axum::extract::{Path, Query, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;
use domain::person::{NewPassword, PersonName};
use serde::Deserialize;
use store::account::{Person, PersonChange, SignInLink, hash_secret};

use crate::first_admin_page;
use crate::page::html;
use crate::password::{BY_PASSWORD, refusal_of};
use crate::second_step;
use crate::sent::{NoFields, SentChange, receive_small};
use crate::session::{inside, redirect};
use crate::sign_in_link::{BY_LINK, used_up};
use crate::signed_in::SignedIn;
use crate::state::DashboardState;
use crate::visitor::Visitor;
use api_language::{Text, of_request};

#[derive(Template)]
#[template(path = "sign_in.html")]
struct SignInPage<'a> {
    t: &'a Text,
    /// Where somebody wanted to go.
    next: &'a str,
    name: &'a str,
    wrong: bool,
    /// Through whom somebody can sign in without a password here.
    provider: Option<&'a str>,
}

#[derive(Template)]
#[template(path = "sign_in_link.html")]
struct SignInLinkPage<'a> {
    t: &'a Text,
    name: &'a str,
    account: &'a str,
    sets_password: bool,
    /// Why the password was refused.
    refusal: Option<String>,
}

/// Where a page leads after signing in.
#[derive(Default, Deserialize)]
pub struct Next {
    #[serde(default)]
    pub next: String,
}

/// What the sign-in page sends.
#[derive(Deserialize)]
pub struct Credentials {
    name: String,
    password: String,
    #[serde(default)]
    next: String,
}

/// The sign-in page.
pub async fn show(
    State(state): State<DashboardState>,
    headers: HeaderMap,
    Query(Next { next }): Query<Next>,
) -> Response {
    sign_in_page(&state, of_request(&headers), &next, None)
}

/// `wrong`: the name that was tried with a wrong password.
fn sign_in_page(state: &DashboardState, t: &Text, next: &str, wrong: Option<&str>) -> Response {
    let status = match wrong {
        None => StatusCode::OK,
        Some(_) => StatusCode::UNAUTHORIZED,
    };
    let template = SignInPage {
        t,
        next,
        name: wrong.unwrap_or_default(),
        wrong: wrong.is_some(),
        provider: state.oidc.as_ref().map(|provider| provider.label()),
    };
    html(t, status, &template)
}

/// Signs in with a name and a password.
pub async fn sign_in(
    State(state): State<DashboardState>,
    network: Network,
    request: Request,
) -> Result<Response> {
    let headers = request.headers().clone();
    let sent: Credentials = receive_small(&state, request).await?;
    let wrong = || {
        let t = of_request(&headers);
        sign_in_page(&state, t, &sent.next, Some(&sent.name))
    };
    let Ok(name) = PersonName::parse(&sent.name) else {
        return Ok(wrong());
    };
    let tried = (&name, sent.password.clone());
    let passwords = &state.passwords;
    let Some(person) = passwords
        .check(&state.app, network, &headers, tried)
        .await?
    else {
        return Ok(wrong());
    };
    if person.second_factor.is_some() {
        let t = of_request(&headers);
        return Ok(second_step::ask(t, &person, inside(&sent.next), false));
    }
    let (sessions, store) = (&state.sessions, &state.app.store);
    let visitor = Visitor::new(network, &headers);
    let to = (BY_PASSWORD, inside(&sent.next));
    let signed_in = sessions.sign_in(store, &person, &name, &visitor, to);
    Ok(signed_in.await?.unwrap_or_else(wrong))
}

/// The page of a link to sign in with: a button, because programs that look at links would use it up, and what else it asks for.
pub async fn show_link(
    State(state): State<DashboardState>,
    network: Network,
    headers: HeaderMap,
    Path(token): Path<String>,
) -> Result<Response> {
    let t = of_request(&headers);
    if let Some(first) = state.first_admin(&token) {
        return first_admin_page::show(first, &state, t).await;
    }
    let link = find_link(&state, network, &token).await?;
    Ok(link_page(t, &link, None))
}

fn link_page(t: &Text, link: &SignInLink, refusal: Option<&str>) -> Response {
    let status = match refusal {
        None => StatusCode::OK,
        Some(_) => StatusCode::UNPROCESSABLE_ENTITY,
    };
    let template = SignInLinkPage {
        t,
        name: &link.person.name,
        account: &link.person.company,
        sets_password: link.sets_password,
        refusal: refusal.map(|key| t.get(key)),
    };
    html(t, status, &template)
}

/// What the page of a link sends that sets a password.
#[derive(Deserialize)]
pub struct ChosenPassword {
    password: String,
}

/// Signs in with a link, once.
pub async fn use_link(
    State(state): State<DashboardState>,
    network: Network,
    Path(token): Path<String>,
    request: Request,
) -> Result<Response> {
    let t = of_request(request.headers());
    if let Some(first) = state.first_admin(&token) {
        return first_admin_page::add(first, &state, t, network, request).await;
    }
    let visitor = Visitor::new(network, request.headers());
    let link = find_link(&state, network, &token).await?;
    let (store, person) = (&state.app.store, &link.person);
    if !link.sets_password {
        if !store.close_session(hash_secret(&token)).await? {
            return Err(used_up());
        }
        if person.second_factor.is_some() {
            return Ok(second_step::ask(t, person, "/dashboard", false));
        }
        let sessions = &state.sessions;
        let cookie = sessions.open(store, person, &visitor, BY_LINK).await?;
        return Ok(redirect(cookie.ok_or_else(used_up)?, "/dashboard"));
    }
    let caller = Caller::person(
        state.app.clone(),
        Arc::new(person.clone()),
        network,
        &request,
    );
    let sent: ChosenPassword = receive_small(&state, request).await?;
    let password = match NewPassword::parse(sent.password, &person.names()) {
        Ok(password) => password,
        Err(fault) => return Ok(link_page(t, &link, Some(refusal_of(fault)))),
    };
    let hash = state.passwords.hash(person.account_id, password).await?;
    if !store.close_session(hash_secret(&token)).await? {
        return Err(used_up());
    }
    let noted = caller.note("password.change", &person.name).await?;
    if store.set_password(person, &hash, false).await? != PersonChange::Done {
        return Err(used_up());
    }
    noted.record_status(StatusCode::OK).await;
    let person = Person {
        password_hash: hash,
        ..link.person
    };
    if person.second_factor.is_some() {
        return Ok(second_step::ask(t, &person, "/dashboard", false));
    }
    let name = PersonName::parse(&person.name).map_err(|_| used_up())?;
    let sessions = &state.sessions;
    let to = (BY_LINK, "/dashboard");
    let signed_in = sessions.sign_in(store, &person, &name, &visitor, to);
    signed_in.await?.ok_or_else(used_up)
}

/// The link of a token. One that nobody has is charged to the address.
async fn find_link(state: &DashboardState, network: Network, token: &str) -> Result<SignInLink> {
    let failures = &state.app.failures;
    let _permit = failures.lookup_permit(network, false)?;
    let link = state
        .app
        .store
        .find_sign_in_link(hash_secret(token))
        .await?;
    if link.is_none() {
        failures.take(network)?;
    }
    link.ok_or_else(used_up)
}

/// Ends the session.
pub async fn sign_out(
    person: SignedIn,
    SentChange(NoFields {}): SentChange<NoFields>,
) -> Result<Response> {
    let (caller, sessions) = (&person.caller, &person.state.sessions);
    let noted = caller.note("session.sign-out", &person.name).await?;
    let cookie = sessions.close(person.store(), person.session).await?;
    noted.record_status(StatusCode::OK).await;
    // A browser shows the pages of before once more, without asking, to whoever goes back.
    let forget = HeaderValue::from_static("\"cache\"");
    let mut response = redirect(cookie, "/dashboard/sign-in");
    response.headers_mut().insert("clear-site-data", forget);
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signing_in_leads_nowhere_else() {
        assert_eq!(
            inside("/dashboard/imports?cursor=1"),
            "/dashboard/imports?cursor=1"
        );
        for next in [
            "",
            "//evil.example",
            "https://evil.example/dashboard",
            "/dashboard\\@evil",
            "/dashboard/../f/evil",
            "/dashboard/%2e%2E/f/evil",
            "/dashboards",
            "/",
        ] {
            assert_eq!(inside(next), "/dashboard", "{next}");
        }
    }
}
