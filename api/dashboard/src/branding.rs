//! How the pages behind the account's links look.

use api_form::operations;
use api_http::Result;
use askama::Template;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::done;
use crate::page::{Frame, page};
use crate::reasons::reasons;
use crate::sent::SentChange;
use crate::signed_in::SignedIn;

#[derive(Template)]
#[template(path = "branding.html")]
struct BrandingPage<'a> {
    f: &'a Frame,
    branding: BrandingDraft,
    languages: Vec<&'static str>,
    /// Why it was not set.
    refusal: Option<String>,
}

/// As the page sends it: what is empty is as the service has it.
#[derive(Deserialize, Serialize)]
pub struct BrandingDraft {
    name: Option<String>,
    /// A `data:` URL.
    logo: Option<String>,
    color: Option<String>,
    language: Option<String>,
}

/// `GET /dashboard/branding`.
pub async fn show(person: SignedIn) -> Result<Response> {
    let branding = operations::read_branding(&person.caller).await?;
    let draft = BrandingDraft {
        name: branding.name,
        logo: branding.logo.map(|logo| logo.as_str().to_owned()),
        color: branding.color.map(|color| color.to_string()),
        language: branding.language,
    };
    Ok(answer(&person, draft, None))
}

fn answer(person: &SignedIn, branding: BrandingDraft, refusal: Option<String>) -> Response {
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
    person: SignedIn,
    SentChange(sent): SentChange<BrandingDraft>,
) -> Result<Response> {
    let given = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    let branding = BrandingDraft {
        name: given(sent.name),
        logo: given(sent.logo),
        color: given(sent.color),
        language: given(sent.language),
    };
    let parsed = operations::parse_branding(&json!(branding));
    match operations::set_branding(&person.caller, parsed).await {
        Ok(_) => {
            // It has what pages call the account.
            person.state.sessions.forget(person.session).await;
            Ok(done::go("/dashboard/branding", "branding.set"))
        }
        Err(problem) => {
            let refusal = reasons(person.t, &problem);
            Ok(answer(&person, branding, Some(refusal)))
        }
    }
}
