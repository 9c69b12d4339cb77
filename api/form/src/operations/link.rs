//! Links to forms: made, read with what came through them, listed, deleted.

use api_http::deadline::{patiently, soon};
use api_http::lines::page_permit;
use api_http::memory::MemoryPermit;
use api_http::{AppState, Caller, Change, Code, Problem, QUICK, Result, found, within};
use axum::http::StatusCode;
use chrono::{DateTime, Utc};
use domain::form::{FormContent, FormStatus};
use domain::invalid::Fault;
use domain::link::{BusPropIds, Token, TrackFields};
use domain::scope::Scope;
use serde::Serialize;
use store::ListPage;
use store::form::{Form, FormKey, Link, NewLink};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::link_request::{LinkRequest, MAX_NAME};

const DELETE: Change = Change::new(Scope::Link, "link.delete", StatusCode::NO_CONTENT);

/// A link.
#[derive(Serialize, ToSchema)]
#[schema(as = Link)]
pub struct LinkResponse {
    /// What is sent to people.
    #[schema(example = "https://feedback.example/f/AAECAwQFBgcICQoLDA0ODw")]
    pub link: String,
    #[schema(value_type = String, example = "AAECAwQFBgcICQoLDA0ODw")]
    pub token: Token,
    pub form_id: Uuid,
    /// In the order of the path.
    #[schema(example = json!(["store:Berlin"]))]
    pub bus_props: Vec<String>,
    #[schema(value_type = std::collections::BTreeMap<String, String>)]
    track_fields: TrackFields,
    #[schema(required = true)]
    expires_at: Option<DateTime<Utc>>,
    #[schema(required = true)]
    max_responses: Option<i64>,
    /// What its owner calls it.
    #[schema(required = true, example = json!("Counter, ground floor"))]
    pub name: Option<String>,
    /// Many people answer it from one address, so that no limit of answers by address holds.
    pub kiosk: bool,
    /// The API key or the person who made it, as the audit log names them; null: a campaign did, or it is not known.
    #[schema(required = true, example = json!("ada"))]
    pub made_by: Option<String>,
    /// From where, as the audit log has it; null: it is not known.
    #[schema(required = true, example = json!("192.0.2.1"))]
    pub made_from: Option<String>,
    pub created_at: DateTime<Utc>,
}

/// A link with what came through it.
#[derive(Serialize, ToSchema)]
#[schema(as = LinkWithCounts)]
pub struct LinkWithCounts {
    #[serde(flatten)]
    pub link: LinkResponse,
    /// Since then it is gone for everybody but its owner.
    #[schema(required = true)]
    pub deleted_at: Option<DateTime<Utc>>,
    /// The days on which a visit saw or answered it, of all visits together. As fresh as reports.
    pub views: i64,
    /// As fresh as reports.
    pub responses: i64,
}

impl LinkResponse {
    fn new(app: &AppState, link: Link, form: &FormContent) -> Self {
        let bus_props = link.bus_prop_ids.texts(form);
        Self {
            link: app.link_url(link.token),
            token: link.token,
            form_id: link.form_id,
            bus_props: bus_props.map(|text| text.as_str().to_owned()).collect(),
            track_fields: link.track_fields,
            expires_at: link.expires_at,
            max_responses: link.max_responses,
            name: link.name,
            kiosk: link.kiosk,
            made_by: link.made_by,
            made_from: link.made_from,
            created_at: link.created_at,
        }
    }

    /// Whether it is for one person, or for few: whoever else opens it answers in their place.
    pub fn is_personal(&self) -> bool {
        !self.track_fields.is_empty() || self.max_responses.is_some()
    }
}

impl LinkWithCounts {
    fn new(app: &AppState, link: Link, form: &FormContent) -> Self {
        Self {
            deleted_at: link.deleted_at,
            views: link.views,
            responses: link.responses,
            link: LinkResponse::new(app, link, form),
        }
    }
}

/// Makes a link to a form. What is wrong with the form comes before what is wrong with the request.
///
/// # Errors
/// 404; 409 `form_not_published`; 400: a business property that new links of the form cannot have; that of the request; 503.
pub async fn create_link(
    caller: &Caller,
    form_id: Uuid,
    bus_prop_ids: BusPropIds,
    request: Result<LinkRequest>,
) -> Result<LinkResponse> {
    let create = async {
        let (app, account_id) = (&caller.app, caller.account_id());
        let form = published(caller, form_id).await?;
        bus_prop_ids
            .check_for_new_link(&form.content)
            .map_err(|error| bus_prop_ids_problem(&error))?;
        let request = request?;
        let (made_by, made_from) = caller.who();
        let link = NewLink {
            account_id,
            form_id,
            token: Token::new(rand::random()),
            bus_prop_ids,
            track_fields: request.track_fields,
            expires_at: request.expires_at,
            max_responses: request.max_responses,
            name: request.name,
            kiosk: request.kiosk.unwrap_or_default(),
            is_test: false,
            made_by: Some(made_by.to_owned()),
            made_from: Some(made_from),
        };
        let link = within(QUICK, app.store.create_link(&link)).await?;
        tracing::info!(link.id = %link.link_id, form.id = %form_id, "link made");
        Ok(LinkResponse::new(app, link, &form.content))
    };
    caller.make(Scope::Link, create).await
}

async fn published(caller: &Caller, form_id: Uuid) -> Result<Form> {
    let form = caller.app.form(caller.account_id(), form_id).await?;
    if form.status != FormStatus::Published {
        let status = form.status.as_str();
        return Err(Problem::new(
            Code::FormNotPublished,
            format!("the form is {status}; only a PUBLISHED one has links"),
        ));
    }
    Ok(form)
}

/// The link that tries a form, also a draft: what comes through it is not stored. It is made once.
///
/// # Errors
/// 404: also where the form is deleted; 503.
pub async fn try_form(caller: &Caller, form_id: Uuid) -> Result<LinkResponse> {
    let make = async {
        let form = caller.app.form(caller.account_id(), form_id).await?;
        if form.status == FormStatus::Deleted {
            return Err(Problem::not_found());
        }
        let wanted = [kept_link(caller, form_id, BusPropIds::default(), None)];
        let mut links = keep(caller, form_id, &wanted).await?;
        let link = links.pop().ok_or_else(Problem::not_found)?;
        Ok(LinkResponse::new(&caller.app, link, &form.content))
    };
    caller.make(Scope::Link, make).await
}

/// A link for each value of a business property of a form, which bears its name and is a kiosk's. Each is made once.
///
/// # Errors
/// 404: also where the form has no such business property; 409 `form_not_published`; 503.
pub async fn make_sheet(caller: &Caller, form_id: Uuid, bus_prop: &str) -> Result<()> {
    let make = async {
        let form = published(caller, form_id).await?;
        let values = values_of(&form.content, bus_prop);
        let wanted = values.map(|(ids, value)| kept_link(caller, form_id, ids, Some(value)));
        let wanted: Vec<NewLink> = wanted.collect();
        if wanted.is_empty() {
            return Err(Problem::not_found());
        }
        keep(caller, form_id, &wanted).await.map(drop)
    };
    caller.make(Scope::Link, make).await
}

/// The links that [`make_sheet`] made of a business property, with the values, in the order of the form; `None`: there is none yet.
///
/// # Errors
/// 404; 503.
pub async fn read_sheet(
    caller: &Caller,
    form: &Form,
    bus_prop: &str,
) -> Result<Vec<(String, Option<LinkResponse>)>> {
    let read = soon(async {
        let app = &caller.app;
        let (ids, values): (Vec<_>, Vec<_>) = values_of(&form.content, bus_prop).unzip();
        let wanted = ids.into_iter().zip(&values);
        let wanted = wanted.map(|(ids, value)| kept_link(caller, form.form_id, ids, Some(value)));
        let kept = app.store.kept_links(&wanted.collect::<Vec<_>>()).await?;
        let read = |link| LinkResponse::new(app, link, &form.content);
        let rows = values.into_iter().zip(kept);
        Ok(rows
            .map(|(value, link)| (value.to_owned(), link.map(read)))
            .collect())
    });
    caller.read(Scope::Link, read).await
}

/// The values of a business property that new links can have, each as a link has it.
fn values_of<'a>(
    form: &'a FormContent,
    bus_prop: &'a str,
) -> impl Iterator<Item = (BusPropIds, &'a str)> {
    let entries = form.bus_props.iter().filter(|entry| !entry.retired);
    let entries = entries.filter(move |entry| entry.text.name() == bus_prop);
    entries.filter_map(|entry| Some((entry.id.to_string().parse().ok()?, entry.text.value())))
}

/// A link that lasts and is made once: of a value it is a kiosk's, otherwise it tries the form.
fn kept_link(
    caller: &Caller,
    form_id: Uuid,
    bus_prop_ids: BusPropIds,
    value: Option<&str>,
) -> NewLink {
    let (made_by, made_from) = caller.who();
    NewLink {
        account_id: caller.account_id(),
        form_id,
        token: Token::new(rand::random()),
        bus_prop_ids,
        track_fields: TrackFields::default(),
        expires_at: None,
        max_responses: None,
        name: value.map(|value| value.chars().take(MAX_NAME).collect()),
        kiosk: value.is_some(),
        is_test: value.is_none(),
        made_by: Some(made_by.to_owned()),
        made_from: Some(made_from),
    }
}

async fn keep(caller: &Caller, form_id: Uuid, wanted: &[NewLink]) -> Result<Vec<Link>> {
    let form = FormKey::new(caller.account_id(), form_id);
    patiently(async { Ok(caller.app.store.keep_links(form, wanted).await?) }).await
}

/// A form's links that no campaign made, newest first, after a position.
///
/// # Errors
/// 503.
pub async fn list_links_by_hand(
    caller: &Caller,
    form: &Form,
    after: Option<Uuid>,
    limit: usize,
) -> Result<ListPage<LinkWithCounts>> {
    let list = soon(async {
        let (app, key) = (&caller.app, FormKey::new(caller.account_id(), form.form_id));
        let links = app.store.links_by_hand(key, after, limit).await?;
        Ok(links.map(|link| LinkWithCounts::new(app, link, &form.content)))
    });
    caller.read(Scope::Link, list).await
}

/// 400 for the business properties of a path.
pub(crate) fn bus_prop_ids_problem(error: &Fault) -> Problem {
    Problem::invalid_parameter(format!("bus_prop_id: {error}"))
}

/// Reads a link, with what came through it.
///
/// # Errors
/// 404; 503.
pub async fn read_link(caller: &Caller, token: &Token) -> Result<LinkWithCounts> {
    let read = soon(async {
        let (app, account_id) = (&caller.app, caller.account_id());
        let link = found(app.store.link(account_id, token)).await?;
        let form = app.form(account_id, link.form_id).await?;
        Ok(LinkWithCounts::new(app, link, &form.content))
    });
    caller.read(Scope::Link, read).await
}

/// A form's links that have the tracking fields, newest first, after a position, and the memory that they hold.
///
/// # Errors
/// 404; 503.
pub async fn list_links(
    caller: &Caller,
    form_id: Uuid,
    track_fields: &TrackFields,
    after: Option<Uuid>,
    limit: usize,
) -> Result<(ListPage<(Uuid, LinkWithCounts)>, MemoryPermit)> {
    let list = soon(async {
        let (app, key) = (&caller.app, FormKey::new(caller.account_id(), form_id));
        let form = app.form(key.account_id, form_id).await?.content;
        let permit = page_permit(app, key.account_id).await?;
        let links = app.store.links(key, track_fields, after, limit).await?;
        let rows = links.rows.into_iter();
        let rows = rows.map(|link| (link.link_id, LinkWithCounts::new(app, link, &form)));
        let page = ListPage {
            rows: rows.collect(),
            next: links.next,
        };
        Ok((page, permit))
    });
    caller.read(Scope::Link, list).await
}

/// Deletes a link.
///
/// # Errors
/// 404; 503.
pub async fn delete_link(caller: &Caller, token: &Token) -> Result<()> {
    let delete = soon(async {
        let deleted = caller.app.store.delete_link(caller.account_id(), token);
        let link_id = deleted.await?.ok_or_else(Problem::not_found)?;
        caller.app.recent_changes.record(link_id);
        tracing::info!(link.id = %link_id, "link deleted");
        Ok(())
    });
    caller.change(DELETE, token, delete).await
}
