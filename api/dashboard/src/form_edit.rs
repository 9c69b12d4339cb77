//! The editor of forms: its page, and the public page of what it has at the moment.

use api_collect::pages;
use api_form::operations;
use api_http::precondition::IfMatch;
use api_http::{Code, Problem, QUICK, Result, within};
use api_language::Text;
use askama::Template;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use domain::form::{FieldType, FormContent};
use domain::invalid::Invalid;
use domain::link::TrackFields;
use serde_json::json;
use strum::VariantArray;
use uuid::Uuid;

use crate::editor::{Draft, Editing};
use crate::form_draft::FormDraft;
use crate::page::{Frame, html};
use crate::sent::{self, SentPairs};
use crate::signed_in::SignedIn;

#[derive(Template)]
#[template(path = "form_edit.html")]
struct FormEditPage<'a> {
    f: &'a Frame,
    editing: &'a Editing,
    draft: &'a FormDraft,
    types: &'static [FieldType],
}

impl Draft for FormDraft {
    fn new(t: &Text) -> Self {
        Self::of_fields(&[
            json!({"type": "nps", "label": t.get("form-nps"), "required": true}),
            json!({"type": "comment", "label": t.get("form-comment")}),
        ])
    }

    async fn find(person: &SignedIn, id: Uuid) -> Result<(Self, i64)> {
        let form = operations::read_form(&person.caller, id).await?;
        let revision = form.revision;
        let read = move || Ok(Self::read(&form.content));
        let draft = person.state.app.work(person.account_id, read).await?;
        Ok((draft, revision))
    }

    async fn save(&self, person: &SignedIn, stored: Option<(Uuid, &str)>) -> Result<String> {
        let (app, caller) = (&person.state.app, &person.caller);
        let read = || {
            if self.is_too_large() {
                return Err(Problem::new(Code::BodyTooLarge, "a form has at most 1 MiB"));
            }
            self.input().map_err(Problem::invalid)
        };
        let input = app.work_here(person.account_id, self.size(), read).await;
        let form = match stored {
            Some((id, version)) => {
                let if_match = IfMatch::page(version);
                operations::replace_form(caller, id, &if_match, input).await?
            }
            None => operations::create_form(caller, &self.title, input).await?,
        };
        let status = form.status.as_str();
        Ok(format!("/dashboard/forms?status={status}"))
    }

    async fn page(&self, person: &SignedIn, editing: &Editing) -> Result<Response> {
        let f = person.frame("forms");
        let template = FormEditPage {
            f: &f,
            editing,
            draft: self,
            types: FieldType::VARIANTS,
        };
        let draw = || html(f.t, editing.status(), &template);
        let app = &person.state.app;
        Ok(app.work_here(person.account_id, self.size(), draw).await)
    }
}

#[derive(Template)]
#[template(path = "form_wrong.html")]
struct WrongPage<'a> {
    t: &'a Text,
    wrong: &'a [Invalid],
}

/// The public page of what was sent, or what is wrong with it.
pub async fn preview(person: SignedIn, pairs: SentPairs) -> Result<Response> {
    let (app, bytes) = (&person.state.app, sent::size(&pairs.0));
    let read = || {
        let mut draft = FormDraft::from(pairs);
        if draft.title.trim().is_empty() {
            draft.title = person.t.get("form-new");
        }
        draft.input().and_then(FormContent::new)
    };
    let content = app.work_here(person.account_id, bytes, read).await;
    let form = match &content {
        Ok(form) => form.for_reader(None, &TrackFields::default()),
        Err(wrong) => {
            let page = WrongPage { t: person.t, wrong };
            return Ok(html(person.t, StatusCode::OK, &page));
        }
    };
    let look = within(QUICK, person.store().look(person.account_id)).await?;
    let f = pages::Frame {
        t: person.t,
        look: &look,
    };
    let draw = || pages::preview(f, &form).into_response();
    Ok(app.work_here(person.account_id, bytes, draw).await)
}

/// The logo on that page.
pub async fn logo(person: SignedIn) -> Result<Response> {
    let branding = operations::read_branding(&person.caller).await?;
    let logo = branding.logo.and_then(|logo| logo.image());
    let (kind, image) = logo.ok_or_else(Problem::not_found)?;
    Ok(pages::logo(kind, image))
}
