//! How the pages behind the account's links look.

use api_collect::pages;
use api_form::operations;
use api_http::{Problem, QUICK, Result, within};
use api_language::find;
use askama::Template;
use axum::response::{IntoResponse, Response};
use domain::branding::Color;
use domain::form::FormContent;
use domain::link::{BusPropIds, TrackFields};
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::account::PageBranding;

use crate::done;
use crate::form_draft::FormDraft;
use crate::form_templates::template;
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

/// What was entered.
fn given(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty())
}

/// The public page of a form, as it looks with what was sent; what is wrong is left out. A logo is on it once it is stored.
pub async fn preview(
    person: SignedIn,
    SentChange(sent): SentChange<BrandingDraft>,
) -> Result<Response> {
    let stored = within(QUICK, person.store().look(person.account_id)).await?;
    let look = PageBranding {
        name: given(sent.name),
        color: given(sent.color).and_then(|color| Color::parse(&color).ok()),
        language: given(sent.language),
        has_logo: stored.has_logo && given(sent.logo).is_some(),
    };
    let t = look.language.as_deref().and_then(find).unwrap_or(person.t);
    let draft = FormDraft::of_json(&template(t, "visit"));
    let form = draft.input().and_then(FormContent::new);
    let form = form.map_err(Problem::invalid)?;
    let form = form.for_reader(None, &TrackFields::default(), &BusPropIds::default());
    // What is chosen has the colour too.
    let typed = [("staff".to_owned(), "4".to_owned())];
    Ok(pages::preview(pages::Frame { t, look: &look }, &form, &typed).into_response())
}

/// Sets it.
pub async fn set(
    person: SignedIn,
    SentChange(sent): SentChange<BrandingDraft>,
) -> Result<Response> {
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
