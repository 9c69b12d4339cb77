//! How the pages behind the account's links look.

use api_http::Result;
use askama::Template;
use axum::http::Method;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::page::{Frame, page};
use crate::sent::Change;
use crate::service::{self, Operation};
use crate::signed_in::SignedIn;

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
pub async fn show(person: SignedIn) -> Result<Response> {
    Ok(answer(&person, person.get(ACCOUNT).await?, None))
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
pub async fn set(person: SignedIn, Change(sent): Change<Branding>) -> Result<Response> {
    let given = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    let branding = Branding {
        name: given(sent.name),
        logo: given(sent.logo),
        color: given(sent.color),
        language: given(sent.language),
    };
    let operation = Operation::new(Method::PUT, ACCOUNT).body(json!(branding));
    let page = "/dashboard/branding";
    match person
        .change_then("branding.set", "", operation, page)
        .await
    {
        Err(problem) => Ok(answer(
            &person,
            branding,
            Some(service::reasons(person.t, &problem)),
        )),
        done => done,
    }
}
