//! Feedbacks: listed, exported and erased.

use api_http::accept::Kind;
use api_http::deadline::soon;
use api_http::lines::{page, page_permit};
use api_http::memory::MemoryPermit;
use api_http::{Caller, Change, Problem, Result};
use api_language::Text;
use axum::http::StatusCode;
use axum::response::Response;
use domain::date_range::DateRange;
use domain::form::{BusProp, FormContent};
use domain::link::TrackFields;
use domain::scope::Scope;
use store::form::FormKey;
use store::report::{FeedbackPage, FeedbackQuery};
use uuid::Uuid;

use crate::feedbacks::search::AnswerQuery;
use crate::feedbacks::{lines, sheet};
use crate::request::no_bus_prop;

const ERASE: Change = Change::new(Scope::Form, "feedback.erase", StatusCode::NO_CONTENT);

/// Which feedbacks of a form a list has.
#[derive(Clone, Debug)]
pub struct FeedbackSearch {
    pub form_id: Uuid,
    pub range: DateRange,
    /// Those of links with this business property; `None`: all.
    pub bus_prop: Option<BusProp>,
    /// Those with a comment.
    pub comments_only: bool,
    /// Those whose link has each of these.
    pub track_fields: TrackFields,
    pub answers: AnswerQuery,
    /// Words are looked for in short texts and in those beside options too, not in comments alone.
    pub with_texts: bool,
}

impl FeedbackSearch {
    /// What the database is asked for.
    async fn query(self, caller: &Caller) -> Result<FeedbackQuery> {
        let key = FormKey::new(caller.account_id(), self.form_id);
        let form = caller.app.form(key.account_id, key.form_id).await?;
        let form = form.content.for_reports();
        let bus_prop = self.bus_prop.as_ref();
        let bus_prop = bus_prop.map(|text| form.bus_prop_by_text(text.as_str()));
        let bus_prop = bus_prop.map(|entry| entry.ok_or_else(no_bus_prop));
        Ok(FeedbackQuery {
            form: key,
            range: self.range,
            time_zone: caller.time_zone(),
            bus_prop_id: bus_prop.transpose()?.map(|entry| entry.id),
            comments_only: self.comments_only,
            track_fields: self.track_fields,
            answers: self.answers.filter(&form, self.with_texts)?,
        })
    }
}

/// A page of feedbacks.
pub struct Feedbacks {
    /// As reports show it. It has every field that any of them answers.
    pub form: FormContent,
    pub found: FeedbackPage,
    /// The memory that they hold.
    pub permit: MemoryPermit,
}

/// Feedbacks of a form, newest first, of those before a position.
///
/// # Errors
/// 404; 400: the form has no such business property; 503.
pub async fn list_feedbacks(
    caller: &Caller,
    search: FeedbackSearch,
    before: Option<Uuid>,
    limit: usize,
) -> Result<Feedbacks> {
    let list = soon(async {
        let (app, account_id, form_id) = (&caller.app, caller.account_id(), search.form_id);
        let query = search.query(caller).await?;
        let permit = page_permit(app, account_id).await?;
        let found = app.store.feedback_page(&query, before, limit);
        let found = page(account_id, found).await?;
        // After them: somebody may have answered a field that the form did not have a moment ago.
        let form = app.form(account_id, form_id).await?.content.for_reports();
        Ok(Feedbacks {
            form,
            found,
            permit,
        })
    });
    caller.read(Scope::Report, list).await
}

/// All feedbacks of a form, newest first, as lines of CSV or NDJSON, or as a spreadsheet in a language.
///
/// # Errors
/// 404; 400: the form has no such business property; 413: a spreadsheet has no room for them; 503.
pub async fn export_feedbacks(
    caller: &Caller,
    search: FeedbackSearch,
    kind: Kind,
    t: &Text,
) -> Result<Response> {
    let form_id = search.form_id;
    let export = async {
        let query = soon(search.query(caller)).await?;
        match kind {
            Kind::Xlsx => sheet::whole(caller, query, t).await,
            _ => soon(lines::whole(&caller.app, query, kind)).await,
        }
    };
    caller
        .export((Scope::Report, kind), "answers.export", &form_id, export)
        .await
}

/// Erases a feedback.
///
/// # Errors
/// 404, also once it is erased; 503.
pub async fn erase_feedback(caller: &Caller, feedback_id: Uuid) -> Result<()> {
    let erase = soon(async {
        let account_id = caller.account_id();
        let form_id = caller.app.store.erase_feedback(account_id, feedback_id);
        let form_id = form_id.await?.ok_or_else(Problem::not_found)?;
        let form = FormKey::new(account_id, form_id);
        caller.app.notifier.forms_changed([form]);
        Ok(())
    });
    caller.change(ERASE, &feedback_id, erase).await
}
