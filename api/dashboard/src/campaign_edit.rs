//! Making a campaign and changing its draft, with what it would do today, and a test to one's own phone.

use std::collections::BTreeMap;

use api_http::{Network, Problem, Result, parse_id};
use askama::Template;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use domain::invalid::Invalid;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::answers::FormChoice;
use crate::page::{Frame, html};
use crate::service::{self, Operation};
use crate::signed_in::{Change, SignedIn};
use crate::state::DashboardState;

/// An audience that the page has no words for stays as it is.
const KEEP: &str = "keep";
const CAMPAIGN: &str = "/api_v1/sms/campaign";

#[derive(Template)]
#[template(path = "campaign_edit.html")]
struct EditPage<'a> {
    f: &'a Frame,
    /// Of a draft that is stored.
    id: Option<&'a str>,
    draft: &'a Draft,
    forms: Vec<FormChoice>,
    senders: Vec<Sender>,
    batches: Vec<Batch>,
    wrong: &'a [Invalid],
    /// Why it was not stored, or not tried.
    refusal: Option<String>,
    preview: Option<Preview>,
}

/// What the page's form has. Lists are texts with commas.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct Draft {
    name: String,
    form_id: String,
    sender: String,
    text: String,
    /// Empty: whoever comes with an import for it; [`KEEP`]: what is stored; else a batch.
    audience: String,
    track_fields: String,
    /// `store=store_code`: a business property and the field that has its value.
    bus_props_from: String,
    /// Empty: any time.
    window_from: String,
    window_to: String,
    contact_gap_days: String,
    max_parts: String,
    reminder_days: String,
    reminder_text: String,
}

#[derive(Deserialize)]
struct Sender {
    name: String,
}

#[derive(Deserialize)]
struct Batch {
    #[serde(rename = "batch_id")]
    id: String,
    accepted: i64,
    created_at: chrono::DateTime<chrono::Utc>,
}

#[derive(Deserialize)]
struct Preview {
    recipients: i64,
    eligible: i64,
    skipped: BTreeMap<String, i64>,
    parts: BTreeMap<String, i64>,
    encodings: BTreeMap<String, i64>,
    samples: Vec<Sample>,
}

#[derive(Deserialize)]
struct Sample {
    docid: String,
    text: String,
    parts: i64,
    encoding: String,
}

impl EditPage<'_> {
    /// Whether the draft has a value that is not among those to choose from.
    fn has_other_form(&self) -> bool {
        !self.draft.form_id.is_empty()
            && !self
                .forms
                .iter()
                .any(|form| form.form_id == self.draft.form_id)
    }

    fn has_other_sender(&self) -> bool {
        !self.draft.sender.is_empty()
            && !self
                .senders
                .iter()
                .any(|sender| sender.name == self.draft.sender)
    }

    fn has_other_audience(&self) -> bool {
        !self.draft.audience.is_empty()
            && !self
                .batches
                .iter()
                .any(|batch| batch.id == self.draft.audience)
    }
}

impl Preview {
    /// The parts that all of them have together.
    fn all_parts(&self) -> i64 {
        let parts = self.parts.iter();
        parts
            .filter_map(|(parts, messages)| Some(parts.parse::<i64>().ok()? * messages))
            .sum()
    }
}

impl Draft {
    /// Of a campaign in JSON.
    fn read(campaign: &Value) -> Self {
        let text = |value: &Value| {
            if value.is_null() {
                String::new()
            } else {
                service::text(value)
            }
        };
        let pairs = campaign["bus_props_from"].as_object().into_iter().flatten();
        let pairs: Vec<_> = pairs
            .map(|(name, field)| format!("{name}={}", text(field)))
            .collect();
        Self {
            name: text(&campaign["name"]),
            form_id: text(&campaign["form_id"]),
            sender: text(&campaign["sender"]),
            text: text(&campaign["text"]),
            audience: match campaign["audience"]["batch_ids"]
                .as_array()
                .map(Vec::as_slice)
            {
                Some([batch]) => text(batch),
                None if campaign["audience"]["on_import"] == json!(true) => String::new(),
                _ => KEEP.to_owned(),
            },
            track_fields: text(&campaign["track_fields"]),
            bus_props_from: pairs.join(", "),
            window_from: text(&campaign["send_window"]["from"]),
            window_to: text(&campaign["send_window"]["to"]),
            contact_gap_days: text(&campaign["contact_gap_days"]),
            max_parts: text(&campaign["max_parts"]),
            reminder_days: text(&campaign["reminder"]["after_days"]),
            reminder_text: text(&campaign["reminder"]["text"]),
        }
    }

    /// The campaign that it makes of `before`, whose other members stay.
    fn write(&self, mut before: Map<String, Value>) -> Value {
        let items = |text: &str| {
            text.split(',')
                .map(str::trim)
                .filter(|item| !item.is_empty())
                .map(ToOwned::to_owned)
                .collect::<Vec<_>>()
        };
        // What is no number is said to be wrong by the operation.
        let number = |text: &str| match text.trim() {
            "" => Value::Null,
            text => text
                .parse::<i64>()
                .map_or_else(|_| json!(text), |number| json!(number)),
        };
        let pairs = items(&self.bus_props_from);
        let pairs = pairs
            .iter()
            .map(|pair| pair.split_once('=').unwrap_or((pair, "")));
        let pairs: Map<_, _> = pairs
            .map(|(name, field)| (name.trim().to_owned(), json!(field.trim())))
            .collect();
        let window = (!self.window_from.is_empty())
            .then(|| json!({"from": self.window_from, "to": self.window_to}));
        let reminder = (!self.reminder_text.trim().is_empty()).then(
            || json!({"after_days": number(&self.reminder_days), "text": self.reminder_text}),
        );
        for (name, value) in [
            ("name", json!(self.name)),
            ("form_id", json!(self.form_id)),
            ("sender", json!(self.sender)),
            ("text", json!(self.text)),
            ("track_fields", json!(items(&self.track_fields))),
            ("bus_props_from", Value::Object(pairs)),
            ("send_window", json!(window)),
            ("contact_gap_days", number(&self.contact_gap_days)),
            ("max_parts", number(&self.max_parts)),
            ("reminder", json!(reminder)),
        ] {
            before.insert(name.to_owned(), value);
        }
        let audience = match &*self.audience {
            KEEP => None,
            "" => Some(json!({"on_import": true})),
            batch => Some(json!({"batch_ids": [batch]})),
        };
        before.extend(audience.map(|audience| ("audience".to_owned(), audience)));
        Value::Object(before)
    }
}

/// Which campaign a new one begins as a copy of.
#[derive(Deserialize)]
pub struct CopyQuery {
    #[serde(default)]
    copy: String,
}

/// `GET /dashboard/campaigns/new`.
pub async fn new(
    State(state): State<DashboardState>,
    person: SignedIn,
    Query(CopyQuery { copy }): Query<CopyQuery>,
) -> Result<Response> {
    let draft = if copy.is_empty() {
        Draft {
            text: person.t.get("campaign-text"),
            window_from: "09:00".to_owned(),
            window_to: "20:00".to_owned(),
            ..Draft::default()
        }
    } else {
        let id = parse_id("copy", &copy)?;
        Draft::read(&service::get(&state, &person, &format!("{CAMPAIGN}/{id}")).await?)
    };
    answer(&state, &person, None, &draft, None).await
}

/// `GET /dashboard/campaigns/{campaign_id}/edit`.
pub async fn edit(
    State(state): State<DashboardState>,
    person: SignedIn,
    Path(id): Path<String>,
) -> Result<Response> {
    let path = format!("{CAMPAIGN}/{}", parse_id("campaign_id", &id)?);
    let draft = Draft::read(&service::get(&state, &person, &path).await?);
    answer(&state, &person, Some(&id), &draft, None).await
}

/// Makes a campaign.
pub async fn create(
    State(state): State<DashboardState>,
    person: SignedIn,
    network: Network,
    Change(draft): Change<Draft>,
) -> Result<Response> {
    let operation = Operation {
        action: "campaign.create",
        subject: &draft.name,
        method: Method::POST,
        path: CAMPAIGN,
        body: Some(draft.write(Map::new())),
    };
    match service::change(&state, &person, network, operation).await {
        Ok(made) => {
            let made: Value = service::read(made).await?;
            let id = service::text(&made["campaign_id"]);
            Ok(Redirect::to(&format!("/dashboard/campaigns/{id}/edit")).into_response())
        }
        Err(problem) => answer(&state, &person, None, &draft, Some(problem)).await,
    }
}

/// Replaces a draft.
pub async fn replace(
    State(state): State<DashboardState>,
    person: SignedIn,
    network: Network,
    Path(id): Path<String>,
    Change(draft): Change<Draft>,
) -> Result<Response> {
    let path = format!("{CAMPAIGN}/{}", parse_id("campaign_id", &id)?);
    let before: Map<String, Value> = service::get(&state, &person, &path).await?;
    let operation = Operation {
        action: "campaign.replace",
        subject: &id,
        method: Method::PUT,
        path: &path,
        body: Some(draft.write(before)),
    };
    let replaced = service::change(&state, &person, network, operation).await;
    answer(&state, &person, Some(&id), &draft, replaced.err()).await
}

/// Whose text a test has, and where it goes.
#[derive(Deserialize)]
pub struct Test {
    phone: String,
    docid: String,
}

/// Sends a test message.
pub async fn test(
    State(state): State<DashboardState>,
    person: SignedIn,
    network: Network,
    Path(id): Path<String>,
    Change(test): Change<Test>,
) -> Result<Response> {
    let path = format!("{CAMPAIGN}/{}", parse_id("campaign_id", &id)?);
    let operation = Operation {
        action: "campaign.test",
        subject: &id,
        method: Method::POST,
        path: &format!("{path}/test"),
        body: Some(json!({"phone": test.phone, "docid": test.docid})),
    };
    let tested = service::change(&state, &person, network, operation).await;
    let draft = Draft::read(&service::get(&state, &person, &path).await?);
    answer(&state, &person, Some(&id), &draft, tested.err()).await
}

async fn answer(
    state: &DashboardState,
    person: &SignedIn,
    id: Option<&str>,
    draft: &Draft,
    problem: Option<Problem>,
) -> Result<Response> {
    let f = person.frame("campaigns");
    let forms: service::List<FormChoice> =
        service::get(state, person, "/api_v1/form/list/PUBLISHED?limit=200").await?;
    let senders: service::List<Sender> = service::get(state, person, "/api_v1/sms/sender").await?;
    let batches: service::List<Batch> =
        service::get(state, person, "/api_v1/sms/import?limit=25").await?;
    // What is not stored cannot be looked at.
    let preview = match (id, &problem) {
        (Some(id), None) => {
            let path = format!("{CAMPAIGN}/{id}/preview");
            let body = axum::body::Body::empty();
            let preview =
                service::call(state, person, Method::POST, &path, body, HeaderMap::new()).await;
            Some(service::read(preview?).await?)
        }
        _ => None,
    };
    let template = EditPage {
        f: &f,
        id,
        draft,
        forms: forms.items,
        senders: senders.items,
        batches: batches.items,
        wrong: problem.as_ref().map_or(&[], Problem::members),
        refusal: problem.as_ref().map(|problem| problem.detail().to_owned()),
        preview,
    };
    let status = problem
        .as_ref()
        .map_or(StatusCode::OK, |problem| problem.code().status());
    Ok(html(f.t, status, &template))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_is_written_as_it_was() {
        let campaign = json!({
            "name": "n", "form_id": "f", "sender": "demo", "text": "t {link}", "audience": {"on_import": true},
            "track_fields": ["a", "b"], "bus_props_from": {"store": "store_code"},
            "send_window": {"from": "09:00", "to": "20:00"}, "contact_gap_days": 7, "max_parts": 3, "max_messages": 5,
            "reminder": {"after_days": 2, "text": "r {link}"},
        });
        let before = campaign.as_object().unwrap().clone();
        assert_eq!(Draft::read(&campaign).write(before), campaign);
        for audience in [
            json!({"batch_ids": ["a", "b"]}),
            json!({"fields": {"a": "b"}}),
            json!({"batch_ids": ["a"]}),
        ] {
            let mut other = campaign.clone();
            other["audience"] = audience;
            let before = other.as_object().unwrap().clone();
            assert_eq!(Draft::read(&other).write(before), other);
        }
        let wrong = Draft {
            max_parts: "many".to_owned(),
            ..Draft::default()
        };
        assert_eq!(wrong.write(Map::new())["max_parts"], "many");
    }
}
