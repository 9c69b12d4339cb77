//! Recipients: one by its docid, what is stored of it, its messages and what became of them; erasing it.

use std::collections::HashMap;

use api_http::{Code, Problem, Result};
use askama::Template;
use axum::extract::Query;
use axum::http::Method;
use axum::response::Response;
use chrono::{DateTime, Utc};
use domain::docid::DocId;
use domain::phone;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::names::names;
use crate::page::{Frame, page};
use crate::sent::Change;
use crate::service::{List, Operation, PageQuery};
use crate::signed_in::SignedIn;

/// Which recipient.
#[derive(Deserialize)]
pub struct RecipientQuery {
    #[serde(default)]
    docid: String,
    #[serde(flatten)]
    page: PageQuery,
}

#[derive(Template)]
#[template(path = "recipients.html")]
struct RecipientsPage<'a> {
    f: &'a Frame,
    docid: &'a str,
    found: Option<Recipient>,
    messages: List<Message>,
    /// Without a docid: recipients in the order of their docids.
    recipients: List<Recipient>,
}

#[derive(Default, Deserialize)]
struct Recipient {
    docid: String,
    phone: String,
    fields: Map<String, Value>,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
}

#[derive(Default, Deserialize)]
struct Message {
    campaign_id: String,
    /// The name of the campaign, if it is known.
    #[serde(skip)]
    campaign: Option<String>,
    kind: String,
    status: String,
    skipped_reason: Option<String>,
    scheduled_at: Option<DateTime<Utc>>,
    accepted_at: Option<DateTime<Utc>>,
    delivered_at: Option<DateTime<Utc>>,
    viewed_at: Option<DateTime<Utc>>,
    answered_at: Option<DateTime<Utc>>,
}

impl Message {
    /// What happened to it, and when.
    fn story(&self) -> impl Iterator<Item = (&'static str, DateTime<Utc>)> {
        let steps = [
            ("step-scheduled", self.scheduled_at),
            ("step-sent", self.accepted_at),
            ("step-delivered", self.delivered_at),
            ("step-viewed", self.viewed_at),
            ("step-answered", self.answered_at),
        ];
        steps.into_iter().filter_map(|(step, at)| Some((step, at?)))
    }
}

/// Where the API has a recipient.
fn path(docid: &str) -> String {
    let docid = utf8_percent_encode(docid, NON_ALPHANUMERIC);
    format!("/api_v1/sms/recipient/{docid}")
}

/// `GET /dashboard/recipients`.
pub async fn show(person: SignedIn, Query(query): Query<RecipientQuery>) -> Result<Response> {
    let f = person.frame("recipients");
    let mut template = RecipientsPage {
        f: &f,
        docid: &query.docid,
        found: None,
        messages: List::default(),
        recipients: List::default(),
    };
    if query.docid.is_empty() {
        let list = query.page.path("/api_v1/sms/recipient?limit=50");
        template.recipients = person.get(&list).await?;
    } else {
        let path = path(&query.docid);
        template.found = optional(person.get(&path).await)?;
        let messages = person.get(&format!("{path}/message?limit=50")).await;
        template.messages = optional(messages)?.unwrap_or_default();
        let names = match &*template.messages.items {
            [] => HashMap::new(),
            _ => names(&person).await,
        };
        for message in &mut template.messages.items {
            message.campaign = names.get(&message.campaign_id).cloned();
        }
    }
    if let Some(recipient) = &mut template.found
        && !f.may_edit()
    {
        recipient.phone = phone::masked(&recipient.phone);
    }
    Ok(page(&f, &template))
}

/// What is not there, or cannot be, is no problem to whoever searches.
fn optional<T>(found: Result<T>) -> Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(problem) if matches!(problem.code(), Code::NotFound | Code::InvalidParameter) => {
            Ok(None)
        }
        Err(problem) => Err(problem),
    }
}

#[derive(Deserialize)]
pub struct Erased {
    docid: String,
}

/// Erases a recipient.
pub async fn erase(person: SignedIn, Change(Erased { docid }): Change<Erased>) -> Result<Response> {
    // What is no docid may be a phone, which the audit log is not to have.
    if DocId::parse(docid.as_str()).is_err() {
        return Err(Problem::not_found());
    }
    let (path, page) = (path(&docid), "/dashboard/recipients");
    let operation = Operation::new(Method::DELETE, &path);
    person
        .change_then("recipient.erase", &docid, operation, page)
        .await
}
