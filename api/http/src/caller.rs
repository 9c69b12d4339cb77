//! Who asks for an operation, and where operations begin. What the caller may do is judged here, for keys and for people alike; the
//! database is asked on behalf of the account; and what is changed or exported, and whose phone is seen, is in the audit log before it is
//! done.

use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{FromRequestParts, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use chrono::Utc;
use chrono_tz::Tz;
use domain::changes::Changes;
use domain::date_range::{day_of, start_of};
use domain::docid::DocId;
use domain::scope::{Access, Scope};
use futures::future::BoxFuture;
use platform::request_id::RequestId;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use store::account::{KeyRecord, Person};
use store::form::FormKey;
use store::{on_behalf_of, reading};
use tokio::time::{sleep, timeout};
use tracing::Instrument;
use uuid::Uuid;

use crate::abandoned::BegunChange;
use crate::accept::Kind;
use crate::body::{Limit, json_as};
use crate::{AppState, Code, Network, Problem, QUICK, Result, found, within};

/// Characters of a subject in the audit log: an id, and 200 that say more.
const MAX_SUBJECT: usize = 240;
/// With what actions begin that refused ones hold up nobody from: what somebody does to their own way in, so that whoever has taken their
/// session cannot keep them from ending it, and erasures, which are hardly ever refused.
const FREE: [&str; 4] = ["session.", "password.", "second-factor.", "recipient.erase"];
/// For so long it is tried to store what a change came to, …
const OUTCOME: Duration = Duration::from_mins(1);
/// … and so long after a failure it is tried again.
const AGAIN: Duration = Duration::from_secs(1);

/// Who asks for operations, and the service that is asked. Cheap to clone.
#[derive(Clone)]
pub struct Caller {
    pub app: AppState,
    /// Of the request that the operation is a part of.
    pub request_id: RequestId,
    identity: Identity,
}

#[derive(Clone)]
enum Identity {
    /// A key, and from where.
    Key(Arc<KeyRecord>, Network),
    /// Somebody who is signed in to the dashboard, and from where.
    Person(Arc<Person>, Network),
}

/// How the audit log has what is about to be made: its id and, behind a blank, what it is called, if that is known.
pub fn made(id: Uuid, words: &str) -> String {
    if words.is_empty() {
        id.to_string()
    } else {
        format!("{id} {words}")
    }
}

/// A kind of change.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    scope: Scope,
    /// Its name in the audit log, such as `form.publish`.
    action: &'static str,
    /// The HTTP status of one that is done.
    status: StatusCode,
}

impl Change {
    pub const fn new(scope: Scope, action: &'static str, status: StatusCode) -> Self {
        Self {
            scope,
            action,
            status,
        }
    }
}

impl Caller {
    /// The key with which a request is made, and its network.
    pub fn key(app: AppState, key: Arc<KeyRecord>, network: Network, request: &Request) -> Self {
        Self::new(app, Identity::Key(key, network), request)
    }

    /// The person from whom a request of the dashboard comes, and its network.
    pub fn person(app: AppState, person: Arc<Person>, network: Network, request: &Request) -> Self {
        Self::new(app, Identity::Person(person, network), request)
    }

    fn new(app: AppState, identity: Identity, request: &Request) -> Self {
        let request_id = request.extensions().get().cloned();
        Self {
            app,
            request_id: request_id.unwrap_or_else(|| RequestId::of(request.headers())),
            identity,
        }
    }

    /// The account whose things the caller sees.
    pub fn account_id(&self) -> Uuid {
        match &self.identity {
            Identity::Key(key, _) => key.account_id,
            Identity::Person(person, _) => person.account_id,
        }
    }

    /// By which senders know the account.
    pub fn account_name(&self) -> &str {
        match &self.identity {
            Identity::Key(key, _) => &key.account_name,
            Identity::Person(person, _) => &person.account_name,
        }
    }

    /// In which the account's days are counted.
    pub fn time_zone(&self) -> Tz {
        match &self.identity {
            Identity::Key(key, _) => key.time_zone,
            Identity::Person(person, _) => person.time_zone,
        }
    }

    /// Whether the caller has the scope, at least for reading.
    ///
    /// # Errors
    /// 403 `forbidden`.
    pub fn check(&self, scope: Scope) -> Result<()> {
        self.check_for(Access::Read, scope)
    }

    fn check_for(&self, access: Access, scope: Scope) -> Result<()> {
        let (scopes, who) = match &self.identity {
            Identity::Key(key, _) => (key.scopes, "key"),
            Identity::Person(person, _) => (person.role.scopes(access), "role"),
        };
        if scopes.contains(scope) {
            return Ok(());
        }
        let detail = format!("the {who} lacks the scope {scope}");
        Err(Problem::new(Code::Forbidden, detail))
    }

    /// An operation that reads. In a box, so that not every future around it is as large.
    ///
    /// # Errors
    /// 403 `forbidden`; its own.
    pub fn read<'a, T: Send + 'a>(
        &'a self,
        scope: Scope,
        work: impl Future<Output = Result<T>> + Send + 'a,
    ) -> BoxFuture<'a, Result<T>> {
        match self.check(scope) {
            Ok(()) => {
                let account_id = self.account_id();
                Box::pin(on_behalf_of(account_id, reading(account_id, work)))
            }
            Err(problem) => Box::pin(ready(Err(problem))),
        }
    }

    /// An operation that answers with a whole list where it is asked for as a file: then it is noted in the audit log.
    /// `subject` is what the list is of; it names nobody. A page of the list, which is JSON, is only read.
    ///
    /// # Errors
    /// 403 `forbidden`; 429 and 503: it cannot be noted, so nothing is exported; its own.
    pub fn export<'a, T: Send + 'a>(
        &'a self,
        (scope, kind): (Scope, Kind),
        action: &'static str,
        subject: &(impl ToString + ?Sized),
        work: impl Future<Output = Result<T>> + Send + 'a,
    ) -> BoxFuture<'a, Result<T>> {
        if kind == Kind::Json {
            return self.read(scope, work);
        }
        let subject = subject.to_string();
        Box::pin(async move {
            self.check(scope)?;
            let noted = self.note(action, &subject).await?;
            let done = self.read(scope, work).await;
            let status = match &done {
                Ok(_) => StatusCode::OK,
                Err(problem) => problem.code().status(),
            };
            noted.record_status(status).await;
            done
        })
    }

    /// An operation that makes what is its own record, such as an import or a link, so that the audit log has no row of it.
    ///
    /// # Errors
    /// 403 `forbidden`; its own.
    pub fn make<'a, T: Send + 'a>(
        &'a self,
        scope: Scope,
        work: impl Future<Output = Result<T>> + Send + 'a,
    ) -> BoxFuture<'a, Result<T>> {
        Box::pin(async move {
            self.check_for(Access::Change, scope)?;
            let _changing = self.app.store.changing(self.account_id());
            on_behalf_of(self.account_id(), work).await
        })
    }

    /// An operation that changes something: `subject` is what, as the audit log names it.
    ///
    /// # Errors
    /// 403 `forbidden`; 429: too many of the caller were refused; 503: it cannot be noted, so it is not done; its own.
    pub fn change<'a, T: Send + 'a>(
        &'a self,
        change: Change,
        subject: &(impl ToString + ?Sized),
        work: impl Future<Output = Result<T>> + Send + 'a,
    ) -> BoxFuture<'a, Result<T>> {
        let work = async { Ok((work.await?, Changes::default())) };
        self.change_content(change, subject, work)
    }

    /// The same of a content: `work` also tells what it changed, which the audit log keeps.
    ///
    /// # Errors
    /// As [`Self::change`].
    pub fn change_content<'a, T: Send + 'a>(
        &'a self,
        change: Change,
        subject: &(impl ToString + ?Sized),
        work: impl Future<Output = Result<(T, Changes)>> + Send + 'a,
    ) -> BoxFuture<'a, Result<T>> {
        let subject = subject.to_string();
        Box::pin(async move {
            self.check_for(Access::Change, change.scope)?;
            let noted = self.note(change.action, &subject).await?;
            match self.make(change.scope, work).await {
                Ok((done, changes)) => {
                    noted.record_changes(change.status, &changes).await;
                    Ok(done)
                }
                Err(problem) => {
                    noted.record_status(problem.code().status()).await;
                    Err(problem)
                }
            }
        })
    }

    /// What a request about a form has, or what is wrong with it, unless there is no such form: 404 comes first.
    ///
    /// # Errors
    /// 404; 503; that of the request.
    pub async fn unless_missing<T>(&self, form_id: Uuid, request: Result<T>) -> Result<T> {
        if request.is_err() {
            let form = FormKey::new(self.account_id(), form_id);
            let version = found(self.app.store.form_data_version(form));
            // In a box: most requests need no room for it.
            Box::pin(on_behalf_of(form.account_id, version)).await?;
        }
        request
    }

    /// Notes in the audit log what the caller is about to change, and to what; of a long subject only the beginning.
    ///
    /// # Errors
    /// 401: the account is gone; 429: too many changes of the caller were refused; 503. Then it is not to be changed.
    pub async fn note(&self, action: &str, subject: &str) -> Result<AuditEntry<'_>> {
        if !FREE.iter().any(|free| action.starts_with(free)) {
            self.check_refusals()?;
        }
        // What stands for a recipient begins with a control character.
        let stands = action.starts_with("recipient.");
        let subject = subject.chars().filter(|c| stands || !c.is_control());
        let subject: String = subject.take(MAX_SUBJECT).collect();
        let (who, address) = self.who();
        let by = (who, address.as_str());
        let noted = self
            .app
            .store
            .note_change(self.account_id(), by, action, &subject);
        let audit_id = within(QUICK, on_behalf_of(self.account_id(), noted)).await?;
        Ok(AuditEntry {
            caller: self,
            audit_id,
        })
    }

    /// Counts a change that goes on to its end when the caller's client is gone.
    ///
    /// # Errors
    /// 503: too many of the account do, and one of them is the caller's.
    pub fn begin_change(&self) -> Result<BegunChange> {
        self.app.abandoned.begin(self.account_id(), self.name())
    }

    /// Whether few enough changes of the caller were refused lately: each is two rows of the audit log.
    fn check_refusals(&self) -> Result<()> {
        let refusals = self.app.refusals.as_ref();
        refusals.map_or(Ok(()), |refusals| refusals.check(self.name()))
    }

    /// The name and the network, as the audit log has them.
    pub fn who(&self) -> (&str, String) {
        (self.name(), self.network().to_string())
    }

    fn name(&self) -> &str {
        match &self.identity {
            Identity::Key(key, _) => &key.api_key,
            Identity::Person(person, _) => &person.name,
        }
    }

    /// From where they ask.
    pub fn network(&self) -> Network {
        match &self.identity {
            Identity::Key(_, network) | Identity::Person(_, network) => *network,
        }
    }

    /// What stands for a recipient in the audit log.
    ///
    /// # Errors
    /// 503.
    pub async fn recipient_subject(&self, docid: &DocId) -> Result<String> {
        let (app, account_id) = (&self.app, self.account_id());
        let subject = app
            .store
            .audit_recipient(account_id, docid.as_str(), app.pepper.as_deref());
        Ok(within(QUICK, on_behalf_of(account_id, subject)).await?)
    }

    /// Notes in the audit log that the caller sees the phone of a recipient; once an hour.
    ///
    /// # Errors
    /// 503: then it is not to be shown.
    pub async fn note_view(&self, docid: &DocId) -> Result<()> {
        let subject = self.recipient_subject(docid);
        self.note_seen("recipient.view", docid.as_str(), subject)
            .await
    }

    /// Notes in the audit log that the caller reads what is stored of a recipient, without the phone; once an hour.
    ///
    /// # Errors
    /// 503: then it is not to be shown.
    pub async fn note_read(&self, docid: &DocId) -> Result<()> {
        let subject = self.recipient_subject(docid);
        self.note_seen("recipient.read", docid.as_str(), subject)
            .await
    }

    /// The same of anything else that is of people.
    ///
    /// # Errors
    /// 503: then it is not to be shown.
    pub async fn note_seen(
        &self,
        action: &str,
        what: &str,
        subject: impl Future<Output = Result<String>>,
    ) -> Result<()> {
        let (who, address) = self.who();
        let account_id = self.account_id();
        let seen = Sha256::new_with_prefix(account_id.as_bytes());
        let seen = [who, address.as_str(), action, what]
            .iter()
            .fold(seen, |seen, part| seen.chain_update(part).chain_update([0]));
        let seen = seen.finalize().into();
        if !self.app.phones_seen.contains(&seen) {
            let subject = subject.await?;
            let what = (action, subject.as_str());
            let status = StatusCode::OK.as_u16();
            let noted = self
                .app
                .store
                .note_done(account_id, (who, address.as_str()), what, status);
            within(QUICK, on_behalf_of(account_id, noted)).await?;
            self.app.phones_seen.note(seen, true);
        }
        Ok(())
    }

    /// Notes in the audit log that the caller reads a list of people or of what they wrote: once a day for each `action` and `subject`.
    ///
    /// # Errors
    /// 503: then it is not to be shown.
    pub async fn note_list(&self, action: &str, subject: &str) -> Result<()> {
        let (who, address) = self.who();
        let account_id = self.account_id();
        let today = day_of(Utc::now(), self.time_zone());
        let since = start_of(today, self.time_zone());
        let seen = Sha256::new_with_prefix(account_id.as_bytes());
        let day = today.to_string();
        let seen = [who, action, subject, &day]
            .iter()
            .fold(seen, |seen, part| seen.chain_update(part).chain_update([0]));
        let seen = seen.finalize().into();
        if self.app.phones_seen.contains(&seen) {
            return Ok(());
        }
        let store = &self.app.store;
        let noted = async {
            // Another process may have noted it.
            let what = (action, subject);
            if store.has_done(account_id, who, what, since).await? {
                return Ok(());
            }
            let status = StatusCode::OK.as_u16();
            store
                .note_done(account_id, (who, &address), what, status)
                .await
        };
        within(QUICK, on_behalf_of(account_id, noted)).await?;
        self.app.phones_seen.note(seen, true);
        Ok(())
    }

    /// Reads a body of `application/json` that is one object.
    ///
    /// # Errors
    /// See [`json`](crate::body::json).
    pub async fn json(&self, request: Request, limit: Limit) -> Result<Map<String, Value>> {
        self.json_as(request, limit, Ok).await
    }

    /// The same, and what is made of the object.
    ///
    /// # Errors
    /// See [`json_as`].
    pub async fn json_as<T: Send + 'static>(
        &self,
        request: Request,
        limit: Limit,
        judge: impl FnOnce(Map<String, Value>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let permit = self.app.memory.permit(self.account_id());
        json_as(&self.app, permit, request, limit, judge).await
    }
}

/// A change that is about to be made.
pub struct AuditEntry<'a> {
    caller: &'a Caller,
    audit_id: Uuid,
}

impl AuditEntry<'_> {
    /// Notes the HTTP status that the change came to.
    pub async fn record_status(self, status: StatusCode) {
        self.record_changes(status, &Changes::default()).await;
    }

    /// The same, and what it changed.
    pub async fn record_changes(self, status: StatusCode, changes: &Changes) {
        let (app, account_id) = (&self.caller.app, self.caller.account_id());
        let is_refused = status.is_client_error() && status != StatusCode::TOO_MANY_REQUESTS;
        if let Some(refusals) = app.refusals.as_ref().filter(|_| is_refused) {
            refusals.count(self.caller.name());
        }
        app.note_outcome(account_id, self.audit_id, status, changes.clone())
            .await;
    }
}

impl AppState {
    /// Notes in the audit log what a change came to, and what it changed. Where the account's writes are a long queue it is stored some
    /// time after [`QUICK`], for which nobody waits.
    pub async fn note_outcome(
        &self,
        account_id: Uuid,
        audit_id: Uuid,
        status: StatusCode,
        changes: Changes,
    ) {
        let store = self.store.clone();
        let stored = async move {
            loop {
                let noted = store.note_changes(account_id, audit_id, status.as_u16(), &changes);
                match on_behalf_of(account_id, noted).await {
                    Err(error) if error.is_unavailable() => sleep(AGAIN).await,
                    noted => return noted,
                }
            }
        };
        let noted = async move {
            if let Err(error) = within(OUTCOME, stored).await {
                tracing::warn!(%error, "the outcome of a change is not in the audit log");
            }
        };
        let noted = self.tasks.spawn(noted.in_current_span());
        // Whether it was stored by then or not, the answer is the same.
        timeout(QUICK, noted).await.ok();
    }
}

impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self> {
        let caller = parts.extensions.get().cloned();
        caller.ok_or_else(Problem::unauthenticated)
    }
}
