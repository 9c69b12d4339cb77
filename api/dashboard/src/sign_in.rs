//! Signing in, with a password or with a link that works once, and signing out.

use api_http::{Code, Network, Problem, Result};
use askama::Template;
use axum::extract::{Path, Query, Request, State};
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;
use domain::person::PersonName;
use serde::Deserialize;
use store::account::{Person, hash_secret};
use url::Url;

use crate::known;
use crate::page::html;
use crate::sent::{SentChange, receive_small};
use crate::session::redirect;
use crate::signed_in::SignedIn;
use crate::state::DashboardState;
use api_language::{Text, of_request};

#[derive(Template)]
#[template(path = "sign_in.html")]
struct SignInPage<'a> {
    t: &'a Text,
    /// Where somebody wanted to go.
    next: &'a str,
    name: &'a str,
    wrong: bool,
}

#[derive(Template)]
#[template(path = "sign_in_link.html")]
struct SignInLinkPage<'a> {
    t: &'a Text,
    name: &'a str,
    account: &'a str,
}

/// Where a page leads after signing in.
#[derive(Default, Deserialize)]
pub struct Next {
    #[serde(default)]
    next: String,
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
pub async fn show(headers: HeaderMap, Query(Next { next }): Query<Next>) -> Response {
    sign_in_page(of_request(&headers), StatusCode::OK, &next, "", false)
}

fn sign_in_page(t: &Text, status: StatusCode, next: &str, name: &str, wrong: bool) -> Response {
    html(
        t,
        status,
        &SignInPage {
            t,
            next,
            name,
            wrong,
        },
    )
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
        sign_in_page(t, StatusCode::UNAUTHORIZED, &sent.next, &sent.name, true)
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
    let Some(cookie) = state.sessions.open(&state.app.store, &person).await? else {
        return Ok(wrong());
    };
    let mut response = redirect(cookie, inside(&sent.next));
    let known = known::cookie(&person, &name, state.sessions.is_secure());
    let known = known.and_then(|cookie| HeaderValue::try_from(cookie.to_string()).ok());
    if let Some(known) = known {
        response.headers_mut().append(SET_COOKIE, known);
    }
    Ok(response)
}

/// Nobody is led out of the dashboard by a link to its sign-in page.
fn inside(next: &str) -> &str {
    let here = Url::parse("http://here").and_then(|here| here.join(next));
    let is_inside = here.is_ok_and(|url| {
        let path = url.path();
        let is_page = path == "/dashboard" || path.starts_with("/dashboard/");
        url.host_str() == Some("here") && is_page
    });
    let is_plain = next.starts_with('/') && !next.contains(|c: char| c == '\\' || c.is_control());
    if is_inside && is_plain {
        next
    } else {
        "/dashboard"
    }
}

/// The page of a link to sign in with: one button, because programs that look at links would use it up.
pub async fn show_link(
    State(state): State<DashboardState>,
    network: Network,
    headers: HeaderMap,
    Path(token): Path<String>,
) -> Result<Response> {
    let t = of_request(&headers);
    let person = find_link(&state, network, &token).await?;
    let link = SignInLinkPage {
        t,
        name: &person.name,
        account: &person.account_name,
    };
    Ok(html(t, StatusCode::OK, &link))
}

/// Signs in with a link, once.
pub async fn use_link(
    State(state): State<DashboardState>,
    network: Network,
    Path(token): Path<String>,
) -> Result<Response> {
    let person = find_link(&state, network, &token).await?;
    if !state.app.store.close_session(hash_secret(&token)).await? {
        return Err(used_up());
    }
    let cookie = state.sessions.open(&state.app.store, &person).await?;
    Ok(redirect(cookie.ok_or_else(used_up)?, "/dashboard"))
}

/// Whom a link signs in. One that nobody has is charged to the address.
async fn find_link(state: &DashboardState, network: Network, token: &str) -> Result<Person> {
    let failures = &state.app.failures;
    let _permit = failures.lookup_permit(network, false)?;
    let person = state
        .app
        .store
        .find_session(hash_secret(token), true)
        .await?;
    if person.is_none() {
        failures.take(network)?;
    }
    person.ok_or_else(used_up)
}

fn used_up() -> Problem {
    Problem::new(
        Code::LinkGone,
        "a sign-in link works once, within an hour; `serve --demo` prints a new one whenever it is started",
    )
}

/// What a button sends that says all by itself.
#[derive(Deserialize)]
pub struct NoFields {}

/// Ends the session.
pub async fn sign_out(
    person: SignedIn,
    SentChange(NoFields {}): SentChange<NoFields>,
) -> Result<Response> {
    let state = &person.state;
    let cookie = state.sessions.close(person.store(), person.session).await?;
    Ok(redirect(cookie, "/dashboard/sign-in"))
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
