//! What can be done with forms, their links and an account's branding: functions that routes and the dashboard call. What a form can
//! be is judged in `domain`.

use api_http::deadline::soon;
use api_http::lines::page_permit;
use api_http::memory::MemoryPermit;
use api_http::precondition::{IfMatch, changed};
use api_http::{Caller, Change, Code, Problem, QUICK, Result, found, within};
use axum::http::StatusCode;
use domain::branding::Branding;
use domain::form::{EditRefused, FormContent, FormInput, FormStatus};
use domain::invalid::Fault;
use domain::link::{BusPropIds, Token, TrackFields};
use domain::scope::Scope;
use serde_json::Value;
use store::form::{Form, FormChange, FormEdit, FormKey, NewLink};
use store::{ListPage, PAGE_BYTES};
use tokio::task::spawn_blocking;
use uuid::Uuid;

use crate::link::{LinkRequest, LinkResponse, LinkWithCounts};

const CREATE_FORM: Change = Change::new(Scope::Form, "form.create", StatusCode::CREATED);
const REPLACE_FORM: Change = Change::new(Scope::Form, "form.replace", StatusCode::OK);
const PUBLISH_FORM: Change = Change::new(Scope::Form, "form.publish", StatusCode::OK);
const DELETE_FORM: Change = Change::new(Scope::Form, "form.delete", StatusCode::OK);
const CREATE_LINK: Change = Change::new(Scope::Link, "form.link", StatusCode::CREATED);
const DELETE_LINK: Change = Change::new(Scope::Link, "link.delete", StatusCode::NO_CONTENT);
const SET_BRANDING: Change = Change::new(Scope::Form, "branding.set", StatusCode::OK);

/// Reads a form.
///
/// # Errors
/// 404; 503.
pub async fn read_form(caller: &Caller, form_id: Uuid) -> Result<Form> {
    let form = caller.app.form(caller.account_id(), form_id);
    caller.read(Scope::Form, soon(form)).await
}

/// The account's forms of a status, newest first, of those older than `before`, and the memory that they hold.
///
/// # Errors
/// 503.
pub async fn list_forms(
    caller: &Caller,
    status: FormStatus,
    before: Option<Uuid>,
    limit: usize,
) -> Result<(ListPage<Form>, MemoryPermit)> {
    let list = async {
        let (app, account_id) = (&caller.app, caller.account_id());
        let mut permit = app.list_memory.permit(account_id);
        permit.grow_to(PAGE_BYTES as u64).await?;
        let forms = app.store.forms(account_id, status, before, limit);
        let forms = within(QUICK, forms).await?;
        // Contents can be large: reading a page of them would hold up other requests on this thread.
        let read = spawn_blocking(move || {
            let rows = forms.rows.iter().map(Form::read);
            let rows = rows.collect::<Result<_, _>>()?;
            let next = forms.next;
            Ok((ListPage { rows, next }, permit))
        });
        read.await.map_err(|error| Problem::internal(&error))?
    };
    caller.read(Scope::Form, list).await
}

/// Makes a form, which is a DRAFT. The audit log calls it by its `title`, also where the input is wrong.
///
/// # Errors
/// 422; 503.
pub async fn create_form(caller: &Caller, title: &str, input: Result<FormInput>) -> Result<Form> {
    let create = async {
        let (app, account_id) = (&caller.app, caller.account_id());
        let input = input?;
        let judge = || FormContent::new(input).map_err(Problem::invalid);
        let content = app.work(account_id, judge).await?;
        let form = within(QUICK, app.store.create_form(account_id, &content)).await?;
        app.recent_changes.record(form.form_id);
        tracing::info!(form.id = %form.form_id, "form made");
        Ok(form)
    };
    caller.change(CREATE_FORM, title, create).await
}

/// Replaces a form as a whole. What it is against comes before what is wrong with the input.
///
/// # Errors
/// 404; 412; 409 `form_in_use`, `form_transition`; 422; 503.
pub async fn replace_form(
    caller: &Caller,
    form_id: Uuid,
    if_match: &IfMatch,
    input: Result<FormInput>,
) -> Result<Form> {
    let replace = soon(async {
        let what = "be changed";
        let form = caller.app.form(caller.account_id(), form_id).await?;
        if_match.check(form.revision)?;
        if form.status == FormStatus::Deleted {
            return Err(transition(form.status, what));
        }
        done(caller, replace(caller, form, if_match, input?).await?, what)
    });
    caller.change(REPLACE_FORM, &form_id, replace).await
}

/// Publishes a form.
///
/// # Errors
/// 404; 412; 409 `form_transition`; 503.
pub async fn publish_form(caller: &Caller, form_id: Uuid, if_match: &IfMatch) -> Result<Form> {
    let publish = turn(caller, form_id, if_match, FormEdit::Publish, "be published");
    caller.change(PUBLISH_FORM, &form_id, soon(publish)).await
}

/// Deletes a form.
///
/// # Errors
/// 404; 412; 409 `form_transition`; 503.
pub async fn delete_form(caller: &Caller, form_id: Uuid, if_match: &IfMatch) -> Result<Form> {
    let delete = turn(caller, form_id, if_match, FormEdit::Delete, "be deleted");
    caller.change(DELETE_FORM, &form_id, soon(delete)).await
}

/// Puts the input in the place of the form, or of what others have made of it meanwhile.
async fn replace(
    caller: &Caller,
    mut form: Form,
    if_match: &IfMatch,
    mut input: FormInput,
) -> Result<FormChange> {
    let (store, account_id) = (&caller.app.store, caller.account_id());
    loop {
        let (form_id, revision) = (form.form_id, Some(form.revision));
        let judge = move || {
            let content = edit(&form, input.clone())?;
            Ok((content, input))
        };
        let content;
        (content, input) = caller.app.work(account_id, judge).await?;
        let edit = FormEdit::Replace(&content);
        let replaced = store.edit_form(account_id, form_id, revision, edit);
        match replaced.await? {
            FormChange::Changed if !if_match.names_versions() => {
                form = caller.app.form(account_id, form_id).await?;
            }
            change => return Ok(change),
        }
    }
}

fn edit(form: &Form, input: FormInput) -> Result<FormContent> {
    let published = form.status == FormStatus::Published;
    form.content
        .replaced_by(input, published)
        .map_err(|refused| match refused {
            EditRefused::Invalid(errors) => Problem::invalid(errors),
            EditRefused::InUse(errors) => Problem::new(
                Code::FormInUse,
                "the form is published; what its links, answers and reports rest on cannot change",
            )
            .about(errors),
        })
}

/// Gives the form another status, if it has the version that the caller named or none was named.
async fn turn(
    caller: &Caller,
    form_id: Uuid,
    if_match: &IfMatch,
    edit: FormEdit<'_>,
    what: &str,
) -> Result<Form> {
    let (store, account_id) = (&caller.app.store, caller.account_id());
    let revision = if if_match.names_versions() {
        let form = caller.app.form(account_id, form_id).await?;
        if_match.check(form.revision)?;
        Some(form.revision)
    } else {
        None
    };
    let change = store.edit_form(account_id, form_id, revision, edit);
    done(caller, change.await?, what)
}

/// What a change came to.
fn done(caller: &Caller, change: FormChange, what: &str) -> Result<Form> {
    let form = match change {
        FormChange::Done(form) => *form,
        FormChange::NotFound => return Err(Problem::not_found()),
        FormChange::Changed => return Err(changed()),
        FormChange::Refused(status) => return Err(transition(status, what)),
    };
    caller.app.recent_changes.record(form.form_id);
    tracing::info!(form.id = %form.form_id, form.status = form.status.as_str(), "form changed");
    Ok(form)
}

fn transition(status: FormStatus, what: &str) -> Problem {
    let status = status.as_str();
    Problem::new(
        Code::FormTransition,
        format!("the form is {status} and cannot {what}"),
    )
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
        let form = app.form(account_id, form_id).await?;
        if form.status != FormStatus::Published {
            let status = form.status.as_str();
            return Err(Problem::new(
                Code::FormNotPublished,
                format!("the form is {status}; only a PUBLISHED one has links"),
            ));
        }
        bus_prop_ids
            .check_for_new_link(&form.content)
            .map_err(|error| bus_prop_ids_problem(&error))?;
        let request = request?;
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
        };
        let link = within(QUICK, app.store.create_link(&link)).await?;
        tracing::info!(link.id = %link.link_id, form.id = %form_id, "link made");
        Ok(LinkResponse::new(app, link, &form.content))
    };
    caller.change(CREATE_LINK, &form_id, create).await
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
    caller.change(DELETE_LINK, token, delete).await
}

/// Reads how the pages behind the account's links look.
///
/// # Errors
/// 503.
pub async fn read_branding(caller: &Caller) -> Result<Branding> {
    let branding = caller.app.store.branding(caller.account_id());
    let read = async { Ok(within(QUICK, branding).await?) };
    caller.read(Scope::Form, read).await
}

/// Branding as it is sent, in JSON.
///
/// # Errors
/// 422.
pub fn parse_branding(body: &Value) -> Result<Branding> {
    let languages: Vec<_> = api_language::codes().collect();
    Branding::parse(body, &languages).map_err(Problem::invalid)
}

/// Sets how the pages behind the account's links look: all of it.
///
/// # Errors
/// That of the branding; 503.
pub async fn set_branding(caller: &Caller, branding: Result<Branding>) -> Result<Branding> {
    let set = async {
        let (branding, account_id) = (branding?, caller.account_id());
        let set = caller.app.store.set_branding(account_id, &branding);
        within(QUICK, set).await?;
        caller.app.recent_changes.record(account_id);
        Ok(branding)
    };
    caller.change(SET_BRANDING, "", set).await
}
