//! Signing in, with a password or with a link that works once, and signing out.

use api_http::{Code, Network, Problem, Result};
use askama::Template;
use axum::Form;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use serde::Deserialize;
use store::account::hash_secret;

use crate::page::html;
use crate::session::redirect;
use crate::signed_in::{Change, SignedIn};
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
struct LinkPage<'a> {
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
    headers: HeaderMap,
    Form(sent): Form<Credentials>,
) -> Result<Response> {
    let found = state
        .passwords
        .check(&state, network, &sent.name, sent.password)
        .await?;
    let cookie = match &found {
        Some(person) => state.sessions.open(&state, person).await?,
        None => None,
    };
    Ok(match cookie {
        Some(cookie) => redirect(cookie, inside(&sent.next)),
        None => sign_in_page(
            of_request(&headers),
            StatusCode::UNAUTHORIZED,
            &sent.next,
            &sent.name,
            true,
        ),
    })
}

/// Nobody is led out of the dashboard by a link to its sign-in page.
fn inside(next: &str) -> &str {
    let is_inside =
        next.starts_with("/dashboard") && !next.contains(|c: char| c == '\\' || c.is_control());
    if is_inside { next } else { "/dashboard" }
}

/// The page of a link to sign in with: one button, because programs that look at links would use it up.
pub async fn show_link(
    State(state): State<DashboardState>,
    headers: HeaderMap,
    Path(token): Path<String>,
) -> Result<Response> {
    let t = of_request(&headers);
    let person = state
        .app
        .store
        .find_session(hash_secret(&token), true)
        .await?;
    let person = person.ok_or_else(used_up)?;
    let link = LinkPage {
        t,
        name: &person.name,
        account: &person.account_name,
    };
    Ok(html(t, StatusCode::OK, &link))
}

/// Signs in with a link, once.
pub async fn use_link(
    State(state): State<DashboardState>,
    Path(token): Path<String>,
) -> Result<Response> {
    let link = hash_secret(&token);
    let person = state.app.store.find_session(link, true).await?;
    let person = person.ok_or_else(used_up)?;
    if !state.app.store.close_session(link).await? {
        return Err(used_up());
    }
    let cookie = state.sessions.open(&state, &person).await?;
    Ok(redirect(cookie.ok_or_else(used_up)?, "/dashboard"))
}

fn used_up() -> Problem {
    Problem::new(
        Code::LinkGone,
        "a sign-in link works once, within an hour; `serve --demo` prints a new one whenever it is started",
    )
}

/// What a button sends that says all by itself.
#[derive(Deserialize)]
pub struct Nothing {}

/// Ends the session.
pub async fn sign_out(person: SignedIn, Change(Nothing {}): Change<Nothing>) -> Result<Response> {
    let state = &person.state;
    let cookie = state.sessions.close(state, person.session).await?;
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
            "/",
        ] {
            assert_eq!(inside(next), "/dashboard", "{next}");
        }
    }
}
