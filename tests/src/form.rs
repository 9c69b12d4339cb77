//! Forms and links, as their owner makes them through the API.

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};

use crate::check;
use crate::client::{Answer, Client};
use crate::import::{JSON, segment};
use crate::visitor::Visitor;
use crate::wait::{SOON, eventually};

/// Where forms are.
pub const FORM: &str = "/api_v1/form";

/// Where links are.
pub const LINK: &str = "/api_v1/form/link";

/// The kind of a body of pairs.
pub const PAIRS: &str = "application/x-www-form-urlencoded";

/// A form with a field of each type and three business properties.
pub fn form() -> Value {
    json!({
        "title": "How was your visit?",
        "bus_props": ["store:Berlin", "store:Hamburg", "channel:sms"],
        "fields": [
            {"key": "recommend", "type": "nps", "label": "Would you recommend us?", "required": true},
            {"key": "mood", "type": "happiness", "label": "How happy are you?", "required": false},
            {"key": "clean", "type": "rating", "scale": 5, "label": "How clean was it?", "required": false},
            {"key": "reason", "type": "choice", "label": "Why did you come?", "required": false,
             "options": [{"value": "buy", "label": "To buy"}, {"value": "look", "label": "To look"}]},
            {"key": "seen", "type": "choices", "label": "What did you see?", "required": false,
             "options": [{"value": "a", "label": "Shelf A"}, {"value": "b", "label": "Shelf B"},
                         {"value": "c", "label": "Shelf C"}]},
            {"key": "name", "type": "text", "label": "Who served you?", "required": false},
            {"key": "more", "type": "comment", "label": "Anything else?", "required": false},
        ],
    })
}

/// A form of one field, which need not be answered.
pub fn short_form(title: &str) -> Value {
    json!({
        "title": title,
        "bus_props": [],
        "fields": [{"key": "mood", "type": "happiness", "label": "How was it?", "required": false},
                   {"key": "more", "type": "comment", "label": "More?", "required": false}],
    })
}

/// The path of a form.
pub fn form_path(form: &Value) -> String {
    format!("{FORM}/{}", form["form_id"].as_str().unwrap_or_default())
}

/// The path at which links of a form are made; `ids` as in `1_2`, empty for none.
pub fn link_path(form: &Value, ids: &str) -> String {
    let form_id = form["form_id"].as_str().unwrap_or_default();
    if ids.is_empty() {
        format!("{LINK}/{form_id}")
    } else {
        format!("{LINK}/{form_id}/{ids}")
    }
}

/// Pairs as a body of `application/x-www-form-urlencoded`.
pub fn pairs(pairs: &[(&str, &str)]) -> String {
    pairs
        .iter()
        .map(|(name, value)| format!("{}={}", segment(name), segment(value)))
        .collect::<Vec<_>>()
        .join("&")
}

/// Pairs as a body of `multipart/form-data`, with the kind that names its boundary.
pub fn multipart(pairs: &[(&str, &str)]) -> (String, String) {
    let boundary = "----a-boundary-7d3f";
    let mut body = String::new();
    for (name, value) in pairs {
        body.push_str("--");
        body.push_str(boundary);
        body.push_str("\r\nContent-Disposition: form-data; name=\"");
        body.push_str(name);
        body.push_str("\"\r\n\r\n");
        body.push_str(value);
        body.push_str("\r\n");
    }
    body.push_str("--");
    body.push_str(boundary);
    body.push_str("--\r\n");
    (format!("multipart/form-data; boundary={boundary}"), body)
}

/// The 201 of a new link, whose shape was checked.
///
/// # Errors
/// When it is anything else.
pub fn made_link(answer: Answer) -> Result<Value> {
    let answer = answer.expect(201)?;
    let link = answer.json()?;
    ensure!(
        check::members(&link)
            == [
                "bus_props",
                "created_at",
                "expires_at",
                "form_id",
                "kiosk",
                "link",
                "made_by",
                "made_from",
                "max_responses",
                "name",
                "token",
                "track_fields"
            ],
        "other members: {link}"
    );
    let token = link["token"].as_str().context("no token")?;
    let shape = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    ensure!(
        token.len() == 22 && token.bytes().all(shape),
        "no token of 128 bits: {token}"
    );
    let url = link["link"].as_str().unwrap_or_default();
    ensure!(url.ends_with(&format!("/f/{token}")), "another link: {url}");
    let created = link["created_at"].as_str().unwrap_or_default();
    ensure!(check::is_time(created), "no time: {link}");
    let location = format!("{LINK}/{token}");
    ensure!(
        answer.header("location") == Some(&location),
        "another Location: {answer:?}"
    );
    Ok(link)
}

impl Client {
    /// Sends JSON.
    ///
    /// # Errors
    /// When there is no answer.
    pub async fn send_json(&self, method: Method, path: &str, body: &Value) -> Result<Answer> {
        self.call(method, path)
            .body(JSON, body.to_string())
            .send()
            .await
    }

    /// A new form, a DRAFT.
    ///
    /// # Errors
    /// When it is not made.
    pub async fn draft(&self, form: &Value) -> Result<Value> {
        self.send_json(Method::POST, FORM, form)
            .await?
            .expect(201)?
            .json()
    }

    /// A new form that is published.
    ///
    /// # Errors
    /// When it is not made.
    pub async fn published(&self, form: &Value) -> Result<Value> {
        let draft = self.draft(form).await?;
        self.post(&format!("{}/publish", form_path(&draft)))
            .await?
            .expect(200)?
            .json()
    }

    /// A new link of a form, with these pairs as its body.
    ///
    /// # Errors
    /// When it is not made.
    pub async fn link(&self, form: &Value, ids: &str, body: &[(&str, &str)]) -> Result<Value> {
        made_link(self.make_link(form, ids, body).await?)
    }

    /// The answer to the wish for a new link.
    ///
    /// # Errors
    /// When there is no answer.
    pub async fn make_link(
        &self,
        form: &Value,
        ids: &str,
        body: &[(&str, &str)],
    ) -> Result<Answer> {
        self.call(Method::POST, &link_path(form, ids))
            .body(PAIRS, pairs(body))
            .send()
            .await
    }

    /// What a link is, with its views and responses.
    ///
    /// # Errors
    /// When it is not there.
    pub async fn read_link(&self, link: &Value) -> Result<Value> {
        let token = link["token"].as_str().unwrap_or_default();
        self.get(&format!("{LINK}/{token}"))
            .await?
            .expect(200)?
            .json()
    }

    /// A link has just so many views and responses, once all that came before is counted: what comes later is counted
    /// later, so a view of another link of the form tells. (The form has that one more view then.)
    ///
    /// # Errors
    /// When it has others.
    pub async fn counted(&self, link: &Value, views: u64, responses: u64) -> Result<()> {
        let other = self.link(link, "", &[]).await?;
        let public = Client::new(self.base().to_owned())?;
        Visitor::new(&public, &other)?.view().await?.expect(204)?;
        eventually(SOON, async || {
            let read = self.read_link(&other).await?;
            ensure!(check::count(&read, "views")? == 1, "not counted: {read}");
            Ok(())
        })
        .await?;
        let read = self.read_link(link).await?;
        ensure!(
            check::count(&read, "views")? == views
                && check::count(&read, "responses")? == responses,
            "not {views} views and {responses} responses: {read}"
        );
        Ok(())
    }
}
