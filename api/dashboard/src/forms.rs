//! Forms by their status; publishing and deleting them.

use api_form::operations;
use api_http::precondition::IfMatch;
use api_http::{Problem, Result, parse_id};
use api_language::Text;
use askama::Template;
use axum::extract::{Path, Query};
use axum::response::Response;
use domain::form::{FormContent, FormStatus};
use serde::Deserialize;
use store::form::Form;

use crate::done;
use crate::form_texts::{LANGUAGES, language_name};
use crate::list::{PageQuery, ShownList};
use crate::page::{Frame, page};
use crate::sent::{NoFields, SentChange};
use crate::signed_in::SignedIn;

const STATUSES: [&str; 3] = ["PUBLISHED", "DRAFT", "DELETED"];

/// Which forms.
#[derive(Deserialize)]
pub struct FormsQuery {
    #[serde(default)]
    status: String,
    /// Languages in which what was saved just now has no texts: their codes, between commas.
    #[serde(default)]
    unsaid: String,
    #[serde(flatten)]
    page: PageQuery,
}

#[derive(Template)]
#[template(path = "forms.html")]
struct FormsPage<'a> {
    f: &'a Frame,
    status: &'a str,
    forms: ShownList<Form>,
    /// The names of languages that were not saved.
    unsaid: String,
}

/// `GET /dashboard/forms`.
pub async fn list(person: SignedIn, Query(query): Query<FormsQuery>) -> Result<Response> {
    let f = person.frame("forms");
    let status = query.status.parse().unwrap_or(FormStatus::Published);
    let list = query.page.list(&person, status.as_str(), 25);
    let forms = operations::list_forms(&person.caller, status, list.position()?, list.limit);
    let (forms, _permit) = forms.await?;
    let template = FormsPage {
        f: &f,
        status: status.as_str(),
        forms: ShownList::new(&list, forms),
        unsaid: names(&query.unsaid),
    };
    Ok(page(&f, &template))
}

/// What languages are called whose codes these are. Nothing else of the address is shown.
fn names(codes: &str) -> String {
    let names = codes.split(',').filter_map(|code| {
        let mut known = LANGUAGES.iter();
        known.find(|(known, _)| *known == code)
    });
    let names: Vec<_> = names.map(|(_, name)| *name).collect();
    names.join(", ")
}

/// What is asked before a form is published of which texts are missing in a language; empty: none are.
pub fn missing(t: &Text, form: &FormContent) -> String {
    let missing = form.missing_texts().into_iter();
    let missing = missing.filter(|(_, texts)| *texts > 0);
    let mut sentences: Vec<_> = missing
        .map(|(code, texts)| {
            let texts = i64::try_from(texts).unwrap_or(i64::MAX);
            t.labelled(language_name(code), t.count("form-missing", texts)) + "."
        })
        .collect();
    if !sentences.is_empty() {
        sentences.push(t.get("form-publish-missing"));
    }
    sentences.join(" ")
}

/// Publishes or deletes a form.
pub async fn act(
    person: SignedIn,
    Path((form_id, action)): Path<(String, String)>,
    SentChange(NoFields {}): SentChange<NoFields>,
) -> Result<Response> {
    let (caller, form_id) = (&person.caller, parse_id("form_id", &form_id)?);
    let any = IfMatch::default();
    match &*action {
        "publish" => {
            operations::publish_form(caller, form_id, &any).await?;
            // That offers what comes next.
            let page = format!("/dashboard/form/{form_id}");
            return Ok(done::go(&page, "form.publish"));
        }
        "delete" => drop(operations::delete_form(caller, form_id, &any).await?),
        _ => return Err(Problem::not_found()),
    }
    Ok(done::go("/dashboard/forms", &format!("form.{action}")))
}

#[cfg(test)]
mod tests {
    use api_language::of_code;
    use domain::form::FormInput;
    use serde_json::json;

    use super::*;

    #[test]
    fn languages_are_told_by_their_names() {
        assert_eq!(names("de,fr"), "Deutsch, Français");
        assert_eq!(names("<b>,,xx"), "");
    }

    #[test]
    fn what_is_missing_is_told_before_a_form_is_published() {
        let form = |labels| {
            let form = json!({
                "title": "t", "labels": {"de": "T"}, "language": "en", "bus_props": [],
                "fields": [{"key": "a", "type": "text", "label": "A", "required": false, "labels": labels}],
            });
            FormContent::new(FormInput::parse(&form).unwrap()).unwrap()
        };
        let asked = |labels| missing(of_code("en"), &form(labels));
        assert_eq!(asked(json!({"de": "Ä"})), "");
        assert_eq!(
            asked(json!({})),
            "Deutsch: 1 text missing. Where a text is missing, readers see it in the language of the questions."
        );
    }
}
