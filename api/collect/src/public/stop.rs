//! `POST /f/{token}/stop`: whoever got the message with this link wants no more of them.

use axum::extract::State;
use axum::response::{IntoResponse, Response};

use super::{TokenPath, count, find, problem_page};
use crate::CollectState;
use crate::pages::{self, Page};
use api_http::address::Network;
use api_http::deadline::{QUICK, within};
use api_http::error::Problem;

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
) -> Response {
    match stop(&state, network, path).await {
        Ok(page) => page.into_response(),
        Err(problem) => problem_page(&problem),
    }
}

async fn stop(state: &CollectState, network: Network, path: TokenPath) -> Result<Page, Problem> {
    let (_, opened) = find(state, network, path).await?;
    count(state, &opened)?;
    let link = &opened.link;
    if !link.is_of_message {
        return Err(Problem::not_found());
    }
    let store = state.app.store();
    within(QUICK, store.opt_out_by_link(link.account_id, link.link_id)).await?;
    Ok(pages::stopped(&link.content.title))
}
