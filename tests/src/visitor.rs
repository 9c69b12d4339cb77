//! Whoever opens a link: the page, its beacon, its form, and programs that answer in JSON. Without keys.

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::client::{Answer, Client, Crowd};
use crate::form::{PAIRS, pairs};
use crate::import::JSON;

/// One visit to one link.
#[derive(Clone, Debug)]
pub struct Visitor {
    client: Client,
    token: String,
    /// The visit's own id.
    pub visit: String,
}

impl Visitor {
    /// A new visit to the link.
    ///
    /// # Errors
    /// When the link has no token.
    pub fn new(client: &Client, link: &Value) -> Result<Self> {
        Ok(Self {
            client: client.clone(),
            token: link["token"].as_str().context("no token")?.to_owned(),
            visit: Uuid::new_v4().to_string(),
        })
    }

    /// The same link opened by the visit of this id.
    #[must_use]
    pub fn with_visit(mut self, visit: &str) -> Self {
        visit.clone_into(&mut self.visit);
        self
    }

    /// The link's own secret.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// The path of the page.
    pub fn path(&self) -> String {
        format!("/f/{}", self.token)
    }

    /// The page.
    ///
    /// # Errors
    /// When there is no answer.
    pub async fn page(&self) -> Result<Answer> {
        self.client.get(&self.path()).await
    }

    /// The page's beacon.
    ///
    /// # Errors
    /// When there is no answer.
    pub async fn view(&self) -> Result<Answer> {
        let body = json!({"visit": self.visit});
        self.client
            .send_json(Method::POST, &format!("{}/view", self.path()), &body)
            .await
    }

    /// These answers as a program sends them.
    ///
    /// # Errors
    /// When there is no answer.
    pub async fn answer(&self, answers: &Value) -> Result<Answer> {
        let body = json!({"visit": self.visit, "answers": answers});
        self.post(JSON, body.to_string()).await
    }

    /// The feedback's id, once these answers are stored.
    ///
    /// # Errors
    /// When they are not.
    pub async fn stored(&self, answers: &Value) -> Result<String> {
        feedback_id(self.answer(answers).await?)
    }

    /// The same as one of a crowd.
    ///
    /// # Errors
    /// As [`Self::stored`].
    pub async fn stored_in(&self, crowd: &Crowd, answers: &Value) -> Result<String> {
        feedback_id(crowd.served(|| self.answer(answers)).await?)
    }

    /// The page's form with these pairs, and the visit before them.
    ///
    /// # Errors
    /// When there is no answer.
    pub async fn submit(&self, typed: &[(&str, &str)]) -> Result<Answer> {
        let mut all = vec![("visit", self.visit.as_str())];
        all.extend(typed);
        self.post(PAIRS, pairs(&all)).await
    }

    /// Any body.
    ///
    /// # Errors
    /// When there is no answer.
    pub async fn post(&self, kind: &str, body: impl Into<reqwest::Body>) -> Result<Answer> {
        self.client
            .call(Method::POST, &self.path())
            .body(kind, body)
            .send()
            .await
    }
}

fn feedback_id(answer: Answer) -> Result<String> {
    let body = answer.expect(201)?.json()?;
    let id = body["feedback_id"].as_str().context("no feedback_id")?;
    ensure!(Uuid::try_parse(id).is_ok(), "no id: {body}");
    ensure!(
        body.as_object().is_some_and(|body| body.len() == 1),
        "other members: {body}"
    );
    Ok(id.to_owned())
}

/// A page for people of this status, with the headers that each of them has.
///
/// # Errors
/// When it is anything else.
pub fn page(answer: &Answer, status: u16) -> Result<&str> {
    ensure!(answer.status == status, "not {status}: {answer:?}");
    for (name, part) in [
        ("content-type", "text/html"),
        ("cache-control", "no-store"),
        ("x-robots-tag", "noindex"),
        ("referrer-policy", "no-referrer"),
        ("content-security-policy", "default-src 'none'"),
        ("x-content-type-options", "nosniff"),
    ] {
        let value = answer.header(name).unwrap_or_default();
        ensure!(value.contains(part), "{name} is {value:?}: {answer:?}");
    }
    answer.text()
}
