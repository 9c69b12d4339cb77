//! The editor of forms: what one begins with, its page, and the public page of what it has at the moment.

use std::borrow::Borrow;
use std::collections::HashMap;

use api_collect::pages;
use api_form::operations;
use api_http::precondition::IfMatch;
use api_http::{Code, Problem, QUICK, Result, parse_id, within};
use api_language::{Text, find};
use askama::Template;
use axum::extract::Query;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use domain::form::{AnswerShape, FieldKind, FieldType, FormContent, MAX_FIELDS, MAX_LINKS};
use domain::invalid::Invalid;
use domain::link::{BusPropIds, TrackFields};
use serde::Deserialize;
use serde_json::json;
use strum::VariantArray;
use uuid::Uuid;

use crate::editor::{Draft, Editing};
use crate::form_draft::{FormDraft, LinkRow};
use crate::form_row::FieldRow;
use crate::form_templates::{TEMPLATES, template};
use crate::form_texts::{Texts, is_blank, language_name};
use crate::page::{Frame, html, page};
use crate::reasons::reason;
use crate::sent::{self, SentPairs};
use crate::signed_in::SignedIn;

/// Texts of a page, one a language: more cannot come back.
const MOST_INPUTS: usize = 20_000;
/// Characters of a question that a choice of questions shows.
const SHOWN_CHARS: usize = 60;

/// What a new form begins with.
#[derive(Deserialize)]
pub struct NewFormQuery {
    /// The id of another.
    #[serde(default)]
    copy: String,
    /// The name of a template.
    #[serde(default)]
    template: String,
}

#[derive(Template)]
#[template(path = "form_new.html")]
struct FormNewPage<'a> {
    f: &'a Frame,
    templates: [&'static str; 5],
}

/// `GET /dashboard/forms/new`: what to begin with, or the editor of what was chosen.
pub async fn new(person: SignedIn, Query(query): Query<NewFormQuery>) -> Result<Response> {
    let draft = if !query.copy.is_empty() {
        FormDraft::find(&person, parse_id("id", &query.copy)?)
            .await?
            .0
    } else if query.template.is_empty() {
        let f = person.frame("forms");
        let template = FormNewPage {
            f: &f,
            templates: TEMPLATES,
        };
        return Ok(page(&f, &template));
    } else {
        FormDraft::of_json(&template(person.t, &query.template))
    };
    draft.page(&person, &Editing::default()).await
}

#[derive(Template)]
#[template(path = "form_edit.html")]
struct FormEditPage<'a> {
    f: &'a Frame,
    editing: &'a Editing,
    draft: &'a FormDraft,
    types: &'static [FieldType],
    /// Those of which a form has one question, and this form has it.
    taken: Vec<&'static str>,
    /// By where in the form's JSON.
    errors: HashMap<&'a str, String>,
}

/// A text in one language.
struct ShownText<'a> {
    name: String,
    /// The code of its language, where the form has several or says its own.
    language: &'a str,
    text: &'a str,
    is_missing: bool,
    error: Option<&'a String>,
}

/// What may be chosen: a value, how it is called, and whether it is.
type Choice = (String, String, bool);

impl FormEditPage<'_> {
    /// A text in each language. `place` is where in the form's JSON, `names` what it and its translations are called there.
    fn texts<'a>(
        &'a self,
        texts: &'a Texts,
        name: &str,
        place: &str,
        names: &[&str; 2],
    ) -> Vec<ShownText<'a>> {
        let (name, id) = name
            .split_once(':')
            .map_or((name, String::new()), |(name, id)| (name, format!(":{id}")));
        let own = ShownText {
            name: format!("{name}{id}"),
            language: &self.draft.language,
            text: &texts.own,
            is_missing: false,
            error: self.error(&format!("{place}/{}", names[0])),
        };
        let others = self.draft.others.iter().map(|code| ShownText {
            name: format!("{name}.{code}{id}"),
            language: code,
            text: texts.get(Some(code)),
            is_missing: texts.lacks(code),
            error: self.error(&format!("{place}/{}/{code}", names[1])),
        });
        std::iter::once(own).chain(others).collect()
    }

    /// Why a question cannot be of this type, if another one is.
    fn taken(&self, kind: &str, row: &FieldRow) -> Option<String> {
        let is_taken = self.taken.contains(&kind) && row.kind != kind;
        is_taken.then(|| self.f.t.of("type-taken", kind))
    }

    fn error(&self, place: &str) -> Option<&String> {
        self.errors.get(place)
    }

    /// What is wrong with when a question is shown.
    fn condition_error(&self, place: impl Borrow<usize>) -> Option<&String> {
        let begin = format!("/fields/{}/show_if", place.borrow());
        let mut errors = self.errors.iter();
        errors
            .find(|(place, _)| place.starts_with(&begin))
            .map(|(_, error)| error)
    }

    fn is_other(&self, code: impl AsRef<str>) -> bool {
        self.draft.others.contains(code.as_ref())
    }

    /// What a language is called where there are several.
    fn language_name<'a>(&self, code: &'a str) -> &'a str {
        if self.draft.others.is_empty() {
            ""
        } else {
            language_name(code)
        }
    }

    /// Whether the button that was pressed is about this question.
    fn is_about(&self, action: &str, row: &FieldRow) -> bool {
        let done = self
            .draft
            .done
            .split_once(':')
            .unwrap_or((&self.draft.done, ""));
        done == (action, row.id.as_str())
            || (done.0 == "add"
                && action == "add"
                && self.draft.rows.last().is_some_and(|last| last.id == row.id))
    }

    /// The links, and one that is empty if there may be more.
    fn links(&self) -> Vec<LinkRow> {
        let mut links = self.draft.links.clone();
        if links.len() < MAX_LINKS {
            links.push(LinkRow::default());
        }
        links
    }

    /// The questions before one that may decide whether it is shown.
    fn conditions(&self, place: impl Borrow<usize>) -> Vec<Choice> {
        let place = *place.borrow();
        let row = &self.draft.rows[place];
        let before = self.draft.rows[..place].iter().enumerate().take(MAX_FIELDS);
        let before = before.filter(|(_, of)| decides(of) && !is_blank(&of.label.own));
        let mut conditions: Vec<_> = before
            .map(|(place, of)| {
                (
                    of.id.clone(),
                    format!("{}. {}", place + 1, shown(&of.label.own)),
                    of.id == row.if_row,
                )
            })
            .collect();
        if !row.if_row.is_empty() && !conditions.iter().any(|(_, _, chosen)| *chosen) {
            conditions.push((
                row.if_row.clone(),
                self.f.t.get("form-condition-lost"),
                true,
            ));
        }
        conditions
    }

    /// The answers of that question for which this one is shown.
    fn answers(&self, place: impl Borrow<usize>) -> Vec<Choice> {
        let place = *place.borrow();
        let row = &self.draft.rows[place];
        let mut before = self.draft.rows[..place].iter();
        let Some(of) = before.find(|of| of.id == row.if_row) else {
            return Vec::new();
        };
        let chosen = |id: &str| row.if_values.iter().any(|value| value == id);
        if of.has_options() {
            let options = of.options.iter();
            let named = options.map(|one| (one.id.clone(), one.label.own.clone(), chosen(&one.id)));
            return named.collect();
        }
        let kind = kind_of(of);
        let Some(AnswerShape::Grade(grades)) = kind.as_ref().map(FieldKind::shape) else {
            return Vec::new();
        };
        let grades = grades.iter().map(|grade| {
            let label = match of.field_type() {
                Some(FieldType::Happiness) => self.f.t.of("public-happiness", grade),
                _ => grade.to_string(),
            };
            (grade.to_string(), label, chosen(&grade.to_string()))
        });
        grades.collect()
    }
}

/// A question as a choice of questions shows it.
fn shown(label: &str) -> String {
    let shown: String = label.chars().take(SHOWN_CHARS).collect();
    if shown.len() == label.len() {
        return shown;
    }
    format!("{}…", shown.trim_end())
}

/// The types of which a form has one question at most, and these questions are.
fn taken(rows: &[FieldRow]) -> Vec<&'static str> {
    let single = FieldType::VARIANTS.iter().filter(|kind| kind.is_single());
    let names = single.map(|kind| kind.as_str());
    names
        .filter(|name| rows.iter().any(|row| row.kind == *name))
        .collect()
}

/// What a question asks, as far as it matters for what depends on it.
fn kind_of(row: &FieldRow) -> Option<FieldKind> {
    let scale = row.number("scale").trim().parse::<u8>().ok();
    let scale = scale.filter(|scale| *scale <= 10);
    serde_json::from_value(json!({"type": row.kind, "scale": scale.unwrap_or(5), "options": []}))
        .ok()
}

/// Whether answers to a question can decide whether another is shown.
fn decides(row: &FieldRow) -> bool {
    let kind = kind_of(row);
    kind.is_some_and(|kind| !matches!(kind.shape(), AnswerShape::Text { .. }))
}

impl Draft for FormDraft {
    const KIND: &'static str = "form";

    fn new(t: &Text) -> Self {
        Self::of_json(&template(t, ""))
    }

    async fn find(person: &SignedIn, id: Uuid) -> Result<(Self, i64)> {
        let form = operations::read_form(&person.caller, id).await?;
        let revision = form.revision;
        let read = move || Ok(Self::read(&form.content));
        let draft = person.state.app.work(person.account_id, read).await?;
        Ok((draft, revision))
    }

    fn is_drawn_again(&self) -> bool {
        !self.done.is_empty()
    }

    async fn save(&self, person: &SignedIn, stored: Option<(Uuid, &str)>) -> Result<String> {
        let (app, caller) = (&person.state.app, &person.caller);
        let read = || {
            if self.is_too_large() {
                return Err(Problem::new(Code::BodyTooLarge, "a form has at most 1 MiB"));
            }
            self.input_to_store().map_err(Problem::invalid)
        };
        let input = app.work_here(person.account_id, self.size(), read).await;
        let form = match stored {
            Some((id, version)) => {
                let if_match = IfMatch::page(version);
                operations::replace_form(caller, id, &if_match, input).await?
            }
            None => operations::create_form(caller, &self.title.own, input).await?,
        };
        let status = form.status.as_str();
        let page = format!("/dashboard/forms?status={status}");
        let unsaid: Vec<_> = self.unsaid().collect();
        Ok(match &*unsaid {
            [] => page,
            codes => format!("{page}&unsaid={}", codes.join(",")),
        })
    }

    async fn page(&self, person: &SignedIn, editing: &Editing) -> Result<Response> {
        if self.inputs() > MOST_INPUTS {
            let detail =
                "the form has more texts and languages than a page can show: change it by the API";
            return Err(Problem::new(Code::BodyTooLarge, detail));
        }
        let f = person.frame("forms");
        let problem = editing.problem.as_ref();
        let wrong = problem.map_or(&[][..], Problem::members).iter();
        let errors = wrong.map(|one| (one.pointer.as_str(), reason(f.t, one)));
        let template = FormEditPage {
            f: &f,
            editing,
            draft: self,
            types: FieldType::VARIANTS,
            taken: taken(&self.rows),
            errors: errors.collect(),
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
        if draft.title.own.trim().is_empty() {
            draft.title.own = person.t.get("form-new");
        }
        draft.input().and_then(FormContent::new)
    };
    let content = app.work_here(person.account_id, bytes, read).await;
    let form = match &content {
        Ok(form) => form.for_reader(None, &TrackFields::default(), &BusPropIds::default()),
        Err(wrong) => {
            let page = WrongPage { t: person.t, wrong };
            return Ok(html(person.t, StatusCode::OK, &page));
        }
    };
    let look = within(QUICK, person.store().look(person.account_id)).await?;
    let f = pages::Frame {
        t: form.language.as_deref().and_then(find).unwrap_or(person.t),
        look: &look,
    };
    let draw = || pages::preview(f, &form, &[]);
    let page = app.work_here(person.account_id, bytes, draw).await;
    // It can be as large as a public page, and be read as slowly.
    let mut permit = app.list_memory.permit(person.account_id);
    permit.grow_now_to(page.size() as u64)?;
    Ok(permit.hold(page.into_response()))
}

/// The logo on that page.
pub async fn logo(person: SignedIn) -> Result<Response> {
    let branding = operations::read_branding(&person.caller).await?;
    let logo = branding.logo.and_then(|logo| logo.image());
    let (kind, image) = logo.ok_or_else(Problem::not_found)?;
    Ok(pages::logo(kind, image))
}
