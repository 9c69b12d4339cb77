//! How the pages behind the account's links look.

use api_http::{Network, Result};
use askama::Template;
use axum::extract::State;
use axum::http::Method;
use axum::response::{IntoResponse, Redirect, Response};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::page::{Frame, page};
use crate::service::{self, Operation};
use crate::signed_in::{Change, SignedIn};
use crate::state::DashboardState;

const ACCOUNT: &str = "/api_v1/account";

#[derive(Template)]
#[template(path = "branding.html")]
struct BrandingPage<'a> {
    f: &'a Frame,
    branding: Branding,
    languages: Vec<&'static str>,
    /// Why it was not set.
    refusal: Option<String>,
}

/// As the API has it, and as the page sends it: what is empty is as the service has it.
#[derive(Deserialize, Serialize)]
pub struct Branding {
    name: Option<String>,
    /// A `data:` URL.
    logo: Option<String>,
    color: Option<String>,
    language: Option<String>,
}

/// `GET /dashboard/branding`.
pub async fn show(State(state): State<DashboardState>, person: SignedIn) -> Result<Response> {
    let branding = service::get(&state, &person, ACCOUNT).await?;
    Ok(answer(&person, branding, None))
}

fn answer(person: &SignedIn, branding: Branding, refusal: Option<String>) -> Response {
    let f = person.frame("forms");
    let template = BrandingPage {
        f: &f,
        branding,
        languages: api_language::codes().collect(),
        refusal,
    };
    page(&f, &template)
}

/// Sets it.
pub async fn set(
    State(state): State<DashboardState>,
    person: SignedIn,
    network: Network,
    Change(sent): Change<Branding>,
) -> Result<Response> {
    let given = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
    let operation = Operation {
        action: "branding.set",
        subject: "",
        method: Method::PUT,
        path: ACCOUNT,
        body: Some(json!({
            "name": given(&sent.name),
            "logo": given(&sent.logo),
            "color": given(&sent.color),
            "language": given(&sent.language),
        })),
    };
    match service::change(&state, &person, network, operation).await {
        Ok(_) => Ok(Redirect::to("/dashboard/branding").into_response()),
        Err(problem) => Ok(answer(&person, sent, Some(service::reasons(&problem)))),
    }
}
