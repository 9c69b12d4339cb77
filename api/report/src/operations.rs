//! What can be done with feedbacks and with shared pages: functions that routes and the dashboard call.

use api_http::accept::Kind;
use api_http::deadline::soon;
use api_http::lines::{page, page_permit};
use api_http::memory::MemoryPermit;
use api_http::{Caller, Change, Problem, QUICK, Result, within};
use axum::http::StatusCode;
use chrono::{DateTime, Utc};
use domain::date_range::DateRange;
use domain::form::{BusProp, FormContent};
use domain::invalid::{Invalid, code};
use domain::link::TrackFields;
use domain::scope::Scope;
use store::ListPage;
use store::form::FormKey;
use store::report::{FeedbackPage, FeedbackQuery};
use uuid::Uuid;

use crate::feedbacks::lines::{self, FeedbackLines};
use crate::feedbacks::search::AnswerQuery;
use crate::request::no_bus_prop;
use crate::share::{LIFE, ShareItem, has_page};

const ERASE_FEEDBACK: Change = Change::new(Scope::Form, "feedback.erase", StatusCode::NO_CONTENT);
const CREATE_SHARE: Change = Change::new(Scope::Report, "share.create", StatusCode::CREATED);
const WITHDRAW_SHARE: Change = Change::new(Scope::Report, "share.withdraw", StatusCode::NO_CONTENT);

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
            answers: self.answers.filter(&form),
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

/// All feedbacks of a form, newest first, as lines of CSV or NDJSON.
///
/// # Errors
/// 404; 400: the form has no such business property; 503.
pub async fn export_feedbacks(
    caller: &Caller,
    search: FeedbackSearch,
    kind: Kind,
) -> Result<FeedbackLines> {
    let export = soon(async {
        let query = search.query(caller).await?;
        lines::whole(&caller.app, query, kind).await
    });
    caller.read(Scope::Report, export).await
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
    caller.change(ERASE_FEEDBACK, &feedback_id, erase).await
}

/// Shares a page of a report until a time; `None`: what was sent is no time.
///
/// # Errors
/// 422; 503.
pub async fn create_share(
    caller: &Caller,
    path: &str,
    expires_at: Option<DateTime<Utc>>,
) -> Result<ShareItem> {
    let create = async {
        let wrong =
            |name, code, detail| Problem::invalid(vec![Invalid::of_member(name, code, detail)]);
        if !has_page(caller, path).await? {
            let detail = "path is not that of a report's page, with its query";
            return Err(wrong("path", code::MALFORMED, detail));
        }
        let now = Utc::now();
        let time = expires_at.filter(|time| *time > now && *time <= now + LIFE);
        let detail = "expires_at is not a time to come, at most 400 days from now";
        let time = time.ok_or_else(|| wrong("expires_at", code::OUT_OF_RANGE, detail))?;
        let (app, account_id) = (&caller.app, caller.account_id());
        let share = app.store.create_share(account_id, path.to_owned(), time);
        let (share, secret) = within(QUICK, share).await?;
        let url = format!("{}/dashboard/shared/{secret}", app.public_url);
        Ok(ShareItem::new(share, Some(url)))
    };
    caller.change(CREATE_SHARE, path, create).await
}

/// What the account shares, newest first, after a position.
///
/// # Errors
/// 503.
pub async fn list_shares(
    caller: &Caller,
    after: Option<Uuid>,
    limit: usize,
) -> Result<ListPage<ShareItem>> {
    let list = async {
        let page = caller.app.store.shares(caller.account_id(), after, limit);
        let page = within(QUICK, page).await?;
        let rows = page.rows.into_iter();
        Ok(ListPage {
            rows: rows.map(|share| ShareItem::new(share, None)).collect(),
            next: page.next,
        })
    };
    caller.read(Scope::Report, list).await
}

/// Withdraws a share.
///
/// # Errors
/// 404, also once it is withdrawn; 503.
pub async fn withdraw_share(caller: &Caller, share_id: Uuid) -> Result<()> {
    let withdraw = async {
        let (store, account_id) = (&caller.app.store, caller.account_id());
        let is_withdrawn = within(QUICK, store.withdraw_share(account_id, share_id)).await?;
        is_withdrawn.then_some(()).ok_or_else(Problem::not_found)
    };
    caller.change(WITHDRAW_SHARE, &share_id, withdraw).await
}
