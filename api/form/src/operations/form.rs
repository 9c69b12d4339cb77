//! Forms: made, read, listed, replaced, and led through their life: DRAFT → PUBLISHED → DELETED.

use api_http::deadline::soon;
use api_http::memory::MemoryPermit;
use api_http::precondition::{IfMatch, changed};
use api_http::{Caller, Change, Code, Problem, QUICK, Result, made, within};
use axum::http::StatusCode;
use domain::changes::{Changes, Logged};
use domain::form::{EditRefused, FormContent, FormInput, FormStatus};
use domain::scope::Scope;
use store::form::{Form, FormChange, FormEdit, FormKey};
use store::{ListPage, PAGE_BYTES};
use tokio::task::spawn_blocking;
use uuid::Uuid;

const CREATE: Change = Change::new(Scope::Form, "form.create", StatusCode::CREATED);
const REPLACE: Change = Change::new(Scope::Form, "form.replace", StatusCode::OK);
const PUBLISH: Change = Change::new(Scope::Form, "form.publish", StatusCode::OK);
const DELETE: Change = Change::new(Scope::Form, "form.delete", StatusCode::OK);

/// Reads a form.
///
/// # Errors
/// 404; 503.
pub async fn read_form(caller: &Caller, form_id: Uuid) -> Result<Form> {
    let form = caller.app.form(caller.account_id(), form_id);
    caller.read(Scope::Form, soon(form)).await
}

/// The same with the memory that it takes, for an answer that may be read slowly.
///
/// # Errors
/// 404; 503.
pub async fn held_form(caller: &Caller, form_id: Uuid) -> Result<(Form, MemoryPermit)> {
    let form = caller.app.held_form(caller.account_id(), form_id);
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

/// Makes a form, which is a DRAFT. The audit log has its id, and its `title`, also where the input is wrong.
///
/// # Errors
/// 422; 503.
pub async fn create_form(caller: &Caller, title: &str, input: Result<FormInput>) -> Result<Form> {
    let form_id = Uuid::now_v7();
    let create = async {
        let (app, account_id) = (&caller.app, caller.account_id());
        let input = input?;
        let judge = || {
            let content = FormContent::new(input).map_err(Problem::invalid)?;
            let changes = Changes::of_new(&content.logged());
            Ok((content, changes))
        };
        let (content, changes) = app.work(account_id, judge).await?;
        let form = FormKey::new(account_id, form_id);
        let form = within(QUICK, app.store.create_form_as(form, &content)).await?;
        app.recent_changes.record(form_id);
        tracing::info!(form.id = %form_id, "form made");
        Ok((form, changes))
    };
    let subject = made(form_id, title);
    caller.change_content(CREATE, &subject, create).await
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
        let (change, changes) = replace(caller, form, if_match, input?).await?;
        Ok((done(caller, change, what)?, changes))
    });
    caller.change_content(REPLACE, &form_id, replace).await
}

/// Publishes a form.
///
/// # Errors
/// 404; 412; 409 `form_transition`; 503.
pub async fn publish_form(caller: &Caller, form_id: Uuid, if_match: &IfMatch) -> Result<Form> {
    let publish = turn(caller, form_id, if_match, FormEdit::Publish, "be published");
    caller.change(PUBLISH, &form_id, soon(publish)).await
}

/// Deletes a form.
///
/// # Errors
/// 404; 412; 409 `form_transition`; 503.
pub async fn delete_form(caller: &Caller, form_id: Uuid, if_match: &IfMatch) -> Result<Form> {
    let delete = turn(caller, form_id, if_match, FormEdit::Delete, "be deleted");
    caller.change(DELETE, &form_id, soon(delete)).await
}

/// Puts the input in the place of the form, or of what others have made of it meanwhile; and what that changes.
async fn replace(
    caller: &Caller,
    mut form: Form,
    if_match: &IfMatch,
    mut input: FormInput,
) -> Result<(FormChange, Changes)> {
    let (store, account_id) = (&caller.app.store, caller.account_id());
    loop {
        let (form_id, revision) = (form.form_id, Some(form.revision));
        let judge = move || {
            let content = edit(&form, input.clone())?;
            let changes = Changes::between(&form.content.logged(), &content.logged());
            Ok((content, changes, input))
        };
        let (content, changes);
        (content, changes, input) = caller.app.work(account_id, judge).await?;
        let edit = FormEdit::Replace(&content);
        let replaced = store.edit_form(account_id, form_id, revision, edit);
        match replaced.await? {
            FormChange::Changed if !if_match.names_versions() => {
                form = caller.app.form(account_id, form_id).await?;
            }
            change => return Ok((change, changes)),
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
