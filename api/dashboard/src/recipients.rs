//! Recipients: one by its docid, what is stored of it, its messages and what became of them; erasing it.

use api_http::{Code, Network, Result};
use askama::Template;
use axum::extract::{Query, State};
use axum::http::Method;
use axum::response::{IntoResponse, Redirect, Response};
use chrono::{DateTime, Utc};
use domain::phone;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::imports::PageQuery;
use crate::page::{Frame, page};
use crate::service::{self, Operation};
use crate::signed_in::{Change, SignedIn};
use crate::state::DashboardState;

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
    messages: Vec<Message>,
    /// Without a docid: recipients in the order of their docids.
    recipients: Vec<Recipient>,
    next: Option<String>,
}

#[derive(Deserialize)]
struct Recipient {
    docid: String,
    phone: String,
    fields: Map<String, Value>,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
}

#[derive(Deserialize)]
struct Message {
    campaign_id: String,
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

/// `GET /dashboard/recipients`.
pub async fn show(
    State(state): State<DashboardState>,
    person: SignedIn,
    Query(query): Query<RecipientQuery>,
) -> Result<Response> {
    let f = person.frame("recipients");
    let (mut found, mut messages) = (None, Vec::new());
    let mut recipients = service::List {
        items: Vec::new(),
        next_cursor: None,
    };
    if query.docid.is_empty() {
        let path = query.page.path("/api_v1/sms/recipient?limit=50");
        recipients = service::get(&state, &person, &path).await?;
    } else {
        let path = format!(
            "/api_v1/sms/recipient/{}",
            utf8_percent_encode(&query.docid, NON_ALPHANUMERIC)
        );
        found = optional(service::get(&state, &person, &path).await)?;
        let of_recipient = service::get(&state, &person, &format!("{path}/message?limit=50")).await;
        let of_recipient: Option<service::List<Message>> = optional(of_recipient)?;
        messages = of_recipient.map(|list| list.items).unwrap_or_default();
    }
    if !f.may_edit()
        && let Some(recipient) = &mut found
    {
        let recipient: &mut Recipient = recipient;
        recipient.phone = phone::masked(&recipient.phone);
    }
    let next = recipients.next(&[]);
    let template = RecipientsPage {
        f: &f,
        docid: &query.docid,
        found,
        messages,
        recipients: recipients.items,
        next,
    };
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
pub async fn erase(
    State(state): State<DashboardState>,
    person: SignedIn,
    network: Network,
    Change(Erased { docid }): Change<Erased>,
) -> Result<Response> {
    let path = format!(
        "/api_v1/sms/recipient/{}",
        utf8_percent_encode(&docid, NON_ALPHANUMERIC)
    );
    let operation = Operation {
        action: "recipient.erase",
        subject: &docid,
        method: Method::DELETE,
        path: &path,
        body: None,
    };
    service::change(&state, &person, network, operation).await?;
    Ok(Redirect::to("/dashboard/recipients").into_response())
}
