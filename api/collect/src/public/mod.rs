//! What people see who open a link: its page, its QR code, thanks, and that they get no more messages. Without a key; the token
//! is what they know.
//!
//! `answer` takes what they send, `view` the page's sign that it is seen. Pages are made in [`crate::pages`].

mod answer;
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
use api_http::{Code, Network, Problem, QUICK, Result, within};

/// The `{token}` of a path; it need not be UTF-8.
type TokenPath = Result<Path<String>, PathRejection>;

/// A problem that is told to people, by a page.
pub struct PageProblem(Problem);

impl From<Problem> for PageProblem {
    fn from(problem: Problem) -> Self {
        Self(problem)
    }
}

impl IntoResponse for PageProblem {
    fn into_response(self) -> Response {
        let page = match self.0.code().status() {
            StatusCode::NOT_FOUND => pages::not_found(),
            StatusCode::GONE => pages::gone(),
            other => pages::trouble(other),
        };
        answer_with(&self.0, page)
    }
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
        state.app.failures.take(network).err().unwrap_or(problem)
    } else {
        problem
    }
}

/// The token of a path, and what it opens.
async fn find(
    state: &CollectState,
    network: Network,
    token: TokenPath,
) -> Result<(Token, Arc<Opened>)> {
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
fn count(state: &CollectState, opened: &Opened) -> Result<()> {
    state.app.link_rate.check(&opened.link.link_id).map(drop)
}

/// The token of a path, and what it opens if not too many ask for it.
async fn enter(
    state: &CollectState,
    network: Network,
    token: TokenPath,
) -> Result<(Token, Arc<Opened>)> {
    let (token, opened) = find(state, network, token).await?;
    count(state, &opened)?;
    Ok((token, opened))
}

/// The same if it still takes answers.
async fn open(
    state: &CollectState,
    network: Network,
    token: TokenPath,
) -> Result<(Token, Arc<Opened>)> {
    let (token, opened) = enter(state, network, token).await?;
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
) -> Result<Page, PageProblem> {
    let (token, opened) = open(&state, network, path).await?;
    let page = state.links.page(&opened).await;
    Ok(page.fill(&token.to_string(), Uuid::now_v7()))
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
) -> Result<QrCode> {
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
) -> Result<Page, PageProblem> {
    let (_, opened) = find(&state, network, path).await?;
    // Whoever was let in to answer is thanked, however busy the link is and whatever became of it.
    let _ = count(&state, &opened);
    Ok(pages::thanks(&opened.link.content.title))
}

/// Get no more messages.
///
/// The phone goes onto the suppression list of the account, also where the link takes no more answers.
#[utoipa::path(
    post,
    path = "/f/{token}/stop",
    tag = "public",
    params(("token" = String, Path, pattern = "^([A-Za-z0-9_-]{22}|[A-Za-z0-9]{11})$")),
    responses(
        (status = 200, description = "A page that says so", body = String, content_type = "text/html"),
        (status = 404, description = "No message has this link", body = String, content_type = "text/html"),
    ),
)]
pub async fn stop_messages(
    State(state): State<CollectState>,
    network: Network,
    path: TokenPath,
) -> Result<Page, PageProblem> {
    let (_, opened) = enter(&state, network, path).await?;
    let link = &opened.link;
    if !link.is_of_message {
        return Err(Problem::not_found().into());
    }
    let store = &state.app.store;
    let stopping = store.opt_out_by_message(link.account_id, link.link_id, "page");
    within(QUICK, stopping).await.map_err(Problem::from)?;
    Ok(pages::stopped(&link.content.title))
}
