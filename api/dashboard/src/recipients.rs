//! Recipients: one by its docid, what is stored of it, its messages and what became of them; erasing it.

use std::collections::HashMap;

use api_http::{Code, Problem, Result};
use api_import::operations;
use api_send::operations::list_recipient_messages;
use askama::Template;
use axum::extract::Query;
use axum::response::Response;
use chrono::{DateTime, Utc};
use domain::campaign::{Message, MessageStatus};
use domain::docid::DocId;
use domain::record::COLUMNS;
use serde::Deserialize;
use serde_json::json;
use store::import::{Recipient, RecipientQuery};

use crate::done;
use crate::list::{PageQuery, ShownList};
use crate::names::names;
use crate::page::{Frame, delivered, page, text};
use crate::sent::SentChange;
use crate::signed_in::SignedIn;

/// Which recipient.
#[derive(Deserialize)]
pub struct RecipientsQuery {
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
    messages: Vec<Sent>,
    /// Without a docid: recipients in the order of their docids.
    recipients: Option<ShownList<Recipient>>,
}

impl RecipientsPage<'_> {
    /// The values of a recipient by the names of their columns, but the docid, the tracking fields and what is empty.
    fn values(recipient: &Recipient) -> Vec<(&'static str, String)> {
        let members = json!(recipient);
        let columns = COLUMNS.iter().filter(|column| !column.is_json());
        let values = columns.map(|column| (column.name, text(&members[column.name])));
        values
            .skip(1)
            .filter(|(_, value)| !value.is_empty())
            .collect()
    }
}

struct Sent {
    message: Message,
    /// It never reached a phone.
    is_simulated: bool,
    /// The name of the campaign, if it is known.
    campaign: Option<String>,
}

impl Sent {
    fn status(&self) -> &'static str {
        match self.message.status {
            MessageStatus::Delivered if self.is_simulated => "delivered-simulated",
            status => status.into_str(),
        }
    }

    /// What happened to it, and when.
    fn story(&self) -> impl Iterator<Item = (&'static str, DateTime<Utc>)> {
        let steps = [
            ("step-scheduled", Some(self.message.scheduled_at)),
            ("step-sent", self.message.accepted_at),
            (delivered(self.is_simulated), self.message.delivered_at),
            ("step-viewed", self.message.viewed_at),
            ("step-answered", self.message.answered_at),
        ];
        steps.into_iter().filter_map(|(step, at)| Some((step, at?)))
    }
}

/// `GET /dashboard/recipients`.
pub async fn show(person: SignedIn, Query(query): Query<RecipientsQuery>) -> Result<Response> {
    let (f, caller) = (person.frame("recipients"), &person.caller);
    let mut template = RecipientsPage {
        f: &f,
        docid: &query.docid,
        found: None,
        messages: Vec::new(),
        recipients: None,
    };
    // Until the page is drawn.
    let _permit;
    if query.docid.is_empty() {
        let list = query.page.list(&person, "recipients", 50);
        let all = RecipientQuery::default();
        let recipients = operations::list_recipients(caller, &all, list.position()?, list.limit);
        let recipients = recipients.await?;
        template.recipients = Some(ShownList::new(&list, recipients.0));
        _permit = recipients.1;
    } else if let Ok(docid) = DocId::parse(query.docid.clone()) {
        template.found = optional(operations::read_recipient(caller, &docid).await)?;
        let messages = list_recipient_messages(caller, &docid, None, 50).await;
        let messages = optional(messages)?.map_or_else(Vec::new, |page| page.rows);
        let names = match &*messages {
            [] => HashMap::new(),
            _ => names(&person).await,
        };
        let messages = messages.into_iter().map(|history| {
            let message = history.message;
            let campaign = names.get(&message.campaign_id.to_string()).cloned();
            Sent {
                is_simulated: person.state.sending.is_simulated(&message.sender),
                message,
                campaign,
            }
        });
        template.messages = messages.collect();
    }
    if !f.may_edit() {
        template.found = template.found.map(Recipient::masked);
    }
    Ok(page(&f, &template))
}

/// `GET /dashboard/recipients.xlsx`: all of them.
pub async fn export(person: SignedIn) -> Result<Response> {
    operations::export_recipients(&person.caller, RecipientQuery::default(), person.t).await
}

/// What is not there is no problem to whoever searches.
fn optional<T>(found: Result<T>) -> Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(problem) if problem.code() == Code::NotFound => Ok(None),
        Err(problem) => Err(problem),
    }
}

#[derive(Deserialize)]
pub struct Erased {
    docid: String,
}

/// Erases a recipient.
pub async fn erase(
    person: SignedIn,
    SentChange(Erased { docid }): SentChange<Erased>,
) -> Result<Response> {
    // What is no docid may be a phone, which the audit log is not to have.
    let docid = DocId::parse(docid).map_err(|_| Problem::not_found())?;
    operations::erase_recipient(&person.caller, &docid).await?;
    Ok(done::go("/dashboard/recipients", "recipient.erase"))
}
