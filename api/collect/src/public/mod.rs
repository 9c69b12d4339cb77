//! What people see who open a link: its page, its QR code, thanks. Without a key; the token is what they know.
//!
//! `answer` takes what they send, `view` the page's sign that it is seen. Pages are made in [`crate::pages`].

mod answer;
pub mod submit;
pub mod view;

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::http::header::RETRY_AFTER;
use axum::response::{IntoResponse, Response};
use chrono::Utc;
use domain::link::Token;
use uuid::Uuid;

use crate::CollectState;
use crate::links::{NoLink, Opened};
use crate::pages::{self, QrCode};
use api_http::address::Network;
use api_http::error::{Code, Problem};
use api_http::rate::Throttled;

/// The `{token}` of a path; it need not be UTF-8.
type TokenPath = Result<Path<String>, PathRejection>;

/// Why nothing is opened.
enum Refused {
    /// A token that opens no link.
    Unknown,
    /// The address has failed too often.
    Guessing(Throttled),
    /// Too many ask for this link.
    Busy(Arc<Opened>, Throttled),
    Problem(Problem),
}

impl Refused {
    /// For people.
    fn page(self) -> Response {
        match self {
            Self::Unknown => (StatusCode::NOT_FOUND, pages::not_found()).into_response(),
            Self::Guessing(throttled) | Self::Busy(_, throttled) => {
                let status = StatusCode::TOO_MANY_REQUESTS;
                limited((status, pages::trouble(status)), throttled)
            }
            Self::Problem(problem) => trouble(&problem),
        }
    }

    /// For programs.
    fn problem(self) -> Response {
        match self {
            Self::Unknown => Problem::not_found().into_response(),
            Self::Guessing(throttled) | Self::Busy(_, throttled) => throttled.into_response(),
            Self::Problem(problem) => problem.into_response(),
        }
    }
}

/// A page that says what went wrong.
fn trouble(problem: &Problem) -> Response {
    let status = problem.code().status();
    with_retry((status, pages::trouble(status)), problem)
}

/// A page with the time after which to try again, if the problem has one.
fn with_retry(page: impl IntoResponse, problem: &Problem) -> Response {
    let mut response = page.into_response();
    if let Some(seconds) = problem.seconds_to_wait() {
        response.headers_mut().insert(RETRY_AFTER, seconds.into());
    }
    response
}

/// A page with the fields of a limit that was met.
fn limited(page: impl IntoResponse, throttled: Throttled) -> Response {
    let mut response = page.into_response();
    throttled.write(response.headers_mut());
    response
}

/// The problem for a program whose link takes no more answers.
fn gone() -> Problem {
    Problem::new(
        Code::LinkGone,
        "the link is deleted, expired or used up, or its form is deleted",
    )
}

/// A program's request that is refused. Each costs its address one of its failures: judging it was work.
fn refused(state: &CollectState, network: Network, problem: Problem) -> Response {
    if problem.code().status().is_client_error()
        && let Err(throttled) = state.app.failures().take(network)
    {
        return throttled.into_response();
    }
    problem.into_response()
}

/// The token of a path, and what it opens if not too many ask for it.
async fn open(
    state: &CollectState,
    network: Network,
    token: TokenPath,
) -> Result<(Token, Arc<Opened>), Refused> {
    let token: Token = token
        .ok()
        .and_then(|Path(token)| token.parse().ok())
        .ok_or(Refused::Unknown)?;
    let opened =
        state
            .links
            .open(&state.app, network, token)
            .await
            .map_err(|reason| match reason {
                NoLink::Unknown => Refused::Unknown,
                NoLink::Throttled(throttled) => Refused::Guessing(throttled),
                NoLink::Problem(problem) => Refused::Problem(problem),
            })?;
    let link_id = opened.link.link_id;
    tracing::Span::current().record("link.id", tracing::field::display(link_id));
    match state.link_rate.check(&link_id) {
        Ok(_) => Ok((token, opened)),
        Err(throttled) => Err(Refused::Busy(opened, throttled)),
    }
}

/// The form as a page.
///
/// Fetching it counts nothing and spends nothing.
#[utoipa::path(
    get,
    path = "/f/{token}",
    tag = "public",
    params(("token" = String, Path, pattern = "^[A-Za-z0-9_-]{22}$")),
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
        Ok((token, opened)) if !opened.link.is_gone(Utc::now()) => {
            let page = state.links.page(&opened).await;
            page.fill(&token.to_string(), Uuid::now_v7())
                .into_response()
        }
        Ok(_) => (StatusCode::GONE, pages::gone()).into_response(),
        Err(refused) => refused.page(),
    }
}

/// The link as a QR code.
#[utoipa::path(
    get,
    path = "/f/{token}/qr.svg",
    tag = "public",
    params(("token" = String, Path, pattern = "^[A-Za-z0-9_-]{22}$")),
    responses(
        (status = 200, description = "The QR code", body = String, content_type = "image/svg+xml"),
        (status = 410, description = "`link_gone`"),
    ),
)]
pub async fn draw_link(
    State(state): State<CollectState>,
    network: Network,
    path: TokenPath,
) -> Response {
    match open(&state, network, path).await {
        Ok((token, opened)) if !opened.link.is_gone(Utc::now()) => {
            // A longer address than a QR code holds cannot be drawn.
            QrCode::new(&state.app.link_url(&token)).map_or_else(
                || Problem::not_found().into_response(),
                QrCode::into_response,
            )
        }
        Ok(_) => gone().into_response(),
        Err(refused) => refused.problem(),
    }
}

/// What is shown after an answer was stored.
#[utoipa::path(
    get,
    path = "/f/{token}/thanks",
    tag = "public",
    params(("token" = String, Path, pattern = "^[A-Za-z0-9_-]{22}$")),
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
    match open(&state, network, path).await {
        // Whoever was let in to answer is thanked, however busy the link is and whatever became of it.
        Ok((_, opened)) | Err(Refused::Busy(opened, _)) => {
            pages::thanks(&opened.link.content.title).into_response()
        }
        Err(refused) => refused.page(),
    }
}
