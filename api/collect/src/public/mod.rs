//! What people see who open a link: its page, its QR code, thanks. Without a key; the token is what they know.
//!
//! `answer` takes what they send, `view` the page's sign that it is seen, `stop` that they want no more messages. Pages are made in [`crate::pages`].

mod answer;
pub mod stop;
pub mod submit;
pub mod view;

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use chrono::Utc;
use domain::link::Token;
use uuid::Uuid;

use crate::CollectState;
use crate::links::Opened;
use crate::pages::{self, Page, QrCode};
use api_http::address::Network;
use api_http::error::{Code, Problem};

/// The `{token}` of a path; it need not be UTF-8.
type TokenPath = Result<Path<String>, PathRejection>;

/// A page that says what went wrong.
fn problem_page(problem: &Problem) -> Response {
    let status = problem.code().status();
    let page = match status {
        StatusCode::NOT_FOUND => pages::not_found(),
        StatusCode::GONE => pages::gone(),
        other => pages::trouble(other),
    };
    answer_with(problem, page)
}

/// A page for people, with the status and the headers of a problem.
fn answer_with(problem: &Problem, page: Page) -> Response {
    (problem.code().status(), problem.headers(), page).into_response()
}

/// The link takes no more answers.
fn gone() -> Problem {
    Problem::new(
        Code::LinkGone,
        "the link is deleted, expired or used up, or its form is deleted",
    )
}

/// A request that is refused costs its address one of its failures: judging it was work. Without any left, that is the problem.
fn charge(state: &CollectState, network: Network, problem: Problem) -> Problem {
    if problem.code().status().is_client_error() {
        state.app.failures().take(network).err().unwrap_or(problem)
    } else {
        problem
    }
}

/// The token of a path, and what it opens.
async fn find(
    state: &CollectState,
    network: Network,
    token: TokenPath,
) -> Result<(Token, Arc<Opened>), Problem> {
    let token = token.ok().and_then(|Path(token)| token.parse().ok());
    let token: Token = token.ok_or_else(Problem::not_found)?;
    let opened = state.links.open(&state.app, network, token).await?;
    let link_id = opened.link.link_id;
    tracing::Span::current().record("link.id", tracing::field::display(link_id));
    Ok((token, opened))
}

/// Counts a request for the link.
///
/// # Errors
/// 429: too many ask for it.
fn count(state: &CollectState, opened: &Opened) -> Result<(), Problem> {
    state.link_rate.check(&opened.link.link_id)?;
    Ok(())
}

/// The token of a path, and what it opens if not too many ask for it and it still takes answers.
async fn open(
    state: &CollectState,
    network: Network,
    token: TokenPath,
) -> Result<(Token, Arc<Opened>), Problem> {
    let (token, opened) = find(state, network, token).await?;
    count(state, &opened)?;
    if opened.link.is_gone(Utc::now()) {
        return Err(gone());
    }
    Ok((token, opened))
}

/// The form as a page.
///
/// Fetching it counts nothing and spends nothing.
#[utoipa::path(
    get,
    path = "/f/{token}",
    tag = "public",
    params(("token" = String, Path, pattern = "^([A-Za-z0-9_-]{22}|[A-Za-z0-9]{11})$")),
    responses(
        (status = 200, description = "The page", body = String, content_type = "text/html"),
        (status = 404, description = "Nobody was given this token", body = String, content_type = "text/html"),
        (status = 410, description = "The link takes no more answers", body = String, content_type = "text/html"),
    ),
)]
pub async fn show_form(
    State(state): State<CollectState>,
    network: Network,
    path: TokenPath,
) -> Response {
    match open(&state, network, path).await {
        Ok((token, opened)) => {
            let page = state.links.page(&opened).await;
            let page = page.fill(&token.to_string(), Uuid::now_v7());
            page.into_response()
        }
        Err(problem) => problem_page(&problem),
    }
}

/// The link as a QR code.
#[utoipa::path(
    get,
    path = "/f/{token}/qr.svg",
    tag = "public",
    params(("token" = String, Path, pattern = "^([A-Za-z0-9_-]{22}|[A-Za-z0-9]{11})$")),
    responses(
        (status = 200, description = "The QR code", body = String, content_type = "image/svg+xml"),
        (status = 410, description = "`link_gone`"),
    ),
)]
pub async fn draw_link(
    State(state): State<CollectState>,
    network: Network,
    path: TokenPath,
) -> Result<QrCode, Problem> {
    let (token, _) = open(&state, network, path).await?;
    // A longer address than a QR code holds cannot be drawn.
    QrCode::new(&state.app.link_url(&token)).ok_or_else(Problem::not_found)
}

/// What is shown after an answer was stored.
#[utoipa::path(
    get,
    path = "/f/{token}/thanks",
    tag = "public",
    params(("token" = String, Path, pattern = "^([A-Za-z0-9_-]{22}|[A-Za-z0-9]{11})$")),
    responses(
        (status = 200, description = "The page", body = String, content_type = "text/html"),
        (status = 404, description = "Nobody was given this token", body = String, content_type = "text/html"),
    ),
)]
pub async fn say_thanks(
    State(state): State<CollectState>,
    network: Network,
    path: TokenPath,
) -> Response {
    match find(&state, network, path).await {
        Ok((_, opened)) => {
            // Whoever was let in to answer is thanked, however busy the link is and whatever became of it.
            let _ = count(&state, &opened);
            pages::thanks(&opened.link.content.title).into_response()
        }
        Err(problem) => problem_page(&problem),
    }
}
