//! What can be done with imports, the batches that they become, and recipients: functions that routes and the dashboard call, each
//! with what it gives. An import itself is in [`crate::import`].

use std::sync::Arc;
use std::time::{Duration, Instant};

use api_http::accept::Kind;
use api_http::deadline::{patiently, soon};
use api_http::lines::{self, page_permit};
use api_http::memory::MemoryPermit;
use api_http::spreadsheet;
use api_http::{Caller, Change, Code, Problem, Result, found};
use api_language::Text;
use axum::http::StatusCode;
use axum::response::Response;
use chrono::{DateTime, Utc};
use domain::docid::DocId;
use domain::phone::PhoneNumber;
use domain::record::KeptError;
use futures::future::BoxFuture;
use serde::Serialize;
use store::erasure::{ExportRoom, StoredPerson, WaitingMessages};
use store::import::{Batch, BatchChange, Recipient, RecipientQuery, Retried};
use store::{ListPage, PAGE_BYTES, Store};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::explained::Explained;
pub use crate::import::{ImportRequest, Imported, import};
use crate::sheets::{error_sheet, recipient_sheet};
use crate::{SCOPE, schema};

const CANCEL_BATCH: Change = Change::new(SCOPE, "import.cancel", StatusCode::OK);
const RETRY_BATCH: Change = Change::new(SCOPE, "import.retry", StatusCode::OK);
const ERASE_CREATED: Change = Change::new(SCOPE, "import.erase", StatusCode::ACCEPTED);
const ERASE_RECIPIENT: Change = Change::new(SCOPE, "recipient.erase", StatusCode::NO_CONTENT);
/// Exports, as the audit log names them.
pub(crate) const EXPORT_RECIPIENTS: &str = "recipients.export";
pub(crate) const EXPORT_ERRORS: &str = "import.export";
const EXPORT_PERSON: &str = "recipient.export";

/// People of one phone who are exported, or erased, at once.
const OF_PHONE: usize = 1_000;

/// How long a search goes on before it says how far it is.
const SEARCH: Duration = Duration::from_secs(2);

/// A batch, and how fast it is stored.
#[derive(Debug, Serialize, ToSchema)]
pub struct BatchBody {
    #[serde(flatten)]
    #[schema(value_type = schema::Batch)]
    pub batch: Batch,
    /// Stored since the start; null before it.
    #[schema(required = true)]
    pub records_per_second: Option<f64>,
    /// For what is pending at that rate; null where nothing is, or there is no rate yet.
    #[schema(required = true)]
    pub eta_seconds: Option<f64>,
}

impl BatchBody {
    fn new(batch: Batch, now: DateTime<Utc>) -> Self {
        let of = &batch.outcomes;
        let stored = of.created + of.updated + of.unchanged + of.superseded;
        let elapsed = batch
            .started_at
            .map(|start| batch.completed_at.unwrap_or(now) - start)
            .and_then(|elapsed| elapsed.to_std().ok())
            .map(|elapsed| elapsed.as_secs_f64())
            .filter(|seconds| *seconds > 0.0);
        let records_per_second = elapsed.map(|seconds| float(stored) / seconds);
        let eta_seconds = records_per_second
            .filter(|rate| *rate > 0.0 && batch.pending > 0)
            .map(|rate| float(batch.pending) / rate);
        Self {
            batch,
            records_per_second,
            eta_seconds,
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "no batch has 2^53 records")]
fn float(records: i64) -> f64 {
    records as f64
}

/// A batch. Also before a change, which may wait for workers: that the database answers, and knows the batch, shows at once.
pub(crate) async fn find_batch(caller: &Caller, batch_id: Uuid) -> Result<Batch> {
    found(caller.app.store.batch(caller.account_id(), batch_id)).await
}

/// What a change came to; `finished` is why a batch is past it.
fn done<T>(change: BatchChange<T>, finished: &'static str) -> Result<T> {
    match change {
        BatchChange::Done(changed) => Ok(changed),
        BatchChange::Finished => Err(Problem::new(Code::BatchFinished, finished)),
        BatchChange::NotFound => Err(Problem::not_found()),
    }
}

/// Lists the batches before a position, newest first.
///
/// # Errors
/// 503.
pub async fn list_batches(
    caller: &Caller,
    before: Option<Uuid>,
    limit: usize,
) -> Result<ListPage<BatchBody>> {
    let list = soon(async {
        let batches = &caller.app.store;
        let batches = batches.batches(caller.account_id(), before, limit);
        let (batches, now) = (batches.await?, Utc::now());
        Ok(batches.map(|batch| BatchBody::new(batch, now)))
    });
    caller.read(SCOPE, list).await
}

/// Reads a batch.
///
/// # Errors
/// 404; 503.
pub async fn read_batch(caller: &Caller, batch_id: Uuid) -> Result<BatchBody> {
    let batch = caller.read(SCOPE, find_batch(caller, batch_id)).await?;
    Ok(BatchBody::new(batch, Utc::now()))
}

/// Cancels what is not stored yet.
///
/// # Errors
/// 404; 409 `batch_finished`; 503.
pub async fn cancel_batch(caller: &Caller, batch_id: Uuid) -> Result<BatchBody> {
    let cancel = patiently(async {
        find_batch(caller, batch_id).await?;
        let change = caller.app.store.cancel_batch(caller.account_id(), batch_id);
        let batch = done(change.await?, "every record of the batch is stored")?;
        Ok(BatchBody::new(batch, Utc::now()))
    });
    caller.change(CANCEL_BATCH, &batch_id, cancel).await
}

/// Makes what is parked pending again.
///
/// # Errors
/// 404; 409 `batch_finished`; 503.
pub async fn retry_batch(caller: &Caller, batch_id: Uuid) -> Result<BatchBody> {
    let retry = patiently(async {
        let account_id = caller.account_id();
        find_batch(caller, batch_id).await?;
        let change = caller.app.store.retry_batch(account_id, batch_id).await?;
        let Retried { batch, lane } = done(change, "nothing of the batch is parked")?;
        caller
            .app
            .notifier
            .import_accepted(account_id, lane, &caller.request_id);
        Ok(BatchBody::new(batch, Utc::now()))
    });
    caller.change(RETRY_BATCH, &batch_id, retry).await
}

/// Has the recipients erased that a batch created and no later one changed; what of it is not stored yet is cancelled.
///
/// # Errors
/// 404; 503.
pub async fn erase_created(caller: &Caller, batch_id: Uuid) -> Result<BatchBody> {
    let erase = patiently(async {
        find_batch(caller, batch_id).await?;
        let store = &caller.app.store;
        let batch = store.erase_created(caller.account_id(), batch_id).await?;
        let batch = batch.ok_or_else(Problem::not_found)?;
        Ok(BatchBody::new(batch, Utc::now()))
    });
    caller.change(ERASE_CREATED, &batch_id, erase).await
}

/// The messages that erasing the recipients of a batch would skip, by campaign and kind, and whether these are all.
///
/// # Errors
/// 503.
pub async fn waiting_for_created(
    caller: &Caller,
    batch_id: Uuid,
) -> Result<(Vec<WaitingMessages>, bool)> {
    let store = &caller.app.store;
    let waiting = soon(async {
        Ok(store
            .waiting_for_created(caller.account_id(), batch_id)
            .await?)
    });
    caller.read(SCOPE, waiting).await
}

/// Lists the record errors of a batch from the `from`-th on (counted from 0), in the order of the records, and the memory that they hold.
///
/// # Errors
/// 404; 503.
pub async fn list_errors(
    caller: &Caller,
    batch_id: Uuid,
    from: i64,
    limit: usize,
) -> Result<(ListPage<KeptError, i64>, MemoryPermit)> {
    let list = soon(async {
        let (store, account_id) = (&caller.app.store, caller.account_id());
        find_batch(caller, batch_id).await?;
        let permit = page_permit(&caller.app, account_id).await?;
        let errors = store.errors(account_id, batch_id, from, limit);
        Ok((lines::page(account_id, errors).await?, permit))
    });
    caller.read(SCOPE, list).await
}

/// What is made of record errors, each with the position behind it.
type ErrorsPage<T> = Result<ListPage<(i64, T), i64>, store::Error>;

/// Reads the record errors of a batch, and makes something of each.
pub(crate) fn error_parts<T: 'static>(
    caller: &Caller,
    batch_id: Uuid,
    made: impl Fn(KeptError) -> T + Copy + Send + Sync + 'static,
) -> impl Fn(Option<i64>, (usize, usize)) -> BoxFuture<'static, ErrorsPage<T>> + Send + Sync + 'static
{
    let (store, account_id) = (caller.app.store.clone(), caller.account_id());
    move |from, (limit, _)| {
        let (store, mut at) = (store.clone(), from.unwrap_or_default());
        Box::pin(async move {
            let errors = store.errors(account_id, batch_id, at, limit).await?;
            Ok(errors.map(|error| {
                at += 1;
                (at, made(error))
            }))
        })
    }
}

/// All record errors of a batch as a spreadsheet, in words.
///
/// # Errors
/// 404; 503.
pub async fn export_errors(caller: &Caller, batch_id: Uuid, t: &'static Text) -> Result<Response> {
    let export = async {
        find_batch(caller, batch_id).await?;
        error_spreadsheet(caller, batch_id, t).await
    };
    caller
        .export((SCOPE, Kind::Xlsx), EXPORT_ERRORS, &batch_id, export)
        .await
}

/// The same, of a batch that is there.
pub(crate) async fn error_spreadsheet(
    caller: &Caller,
    batch_id: Uuid,
    t: &'static Text,
) -> Result<Response> {
    let read = error_parts(caller, batch_id, |kept| Explained::new(t, kept));
    let sheet = error_sheet(t, caller.time_zone());
    spreadsheet::answer(&caller.app, caller.account_id(), sheet, read).await
}

/// All recipients as a spreadsheet, in the order of their docids and with masked phones.
///
/// # Errors
/// 413; 503.
pub async fn export_recipients(
    caller: &Caller,
    query: RecipientQuery,
    t: &Text,
) -> Result<Response> {
    let (store, account_id) = (caller.app.store.clone(), caller.account_id());
    let query = Arc::new(query);
    let read = move |after, size| {
        let (store, query) = (store.clone(), Arc::clone(&query));
        async move { recipient_page(&store, account_id, &query, after, size).await }
    };
    let sheet = recipient_sheet(t, caller.time_zone());
    let export = spreadsheet::answer(&caller.app, account_id, sheet, read);
    caller
        .export((SCOPE, Kind::Xlsx), EXPORT_RECIPIENTS, "", export)
        .await
}

/// Lists the recipients after a docid, in the order of their docids and with masked phones, and the memory that they hold. It ends at
/// `limit`, or after 2 s, where `next` says how far it looked.
///
/// # Errors
/// 503.
pub async fn list_recipients(
    caller: &Caller,
    query: &RecipientQuery,
    after: Option<String>,
    limit: usize,
) -> Result<(ListPage<Recipient, String>, MemoryPermit)> {
    let list = async {
        let (store, account_id) = (&caller.app.store, caller.account_id());
        let permit = page_permit(&caller.app, account_id).await?;
        let began = Instant::now();
        let (mut rows, mut next) = (Vec::new(), after);
        loop {
            let size = (limit - rows.len(), PAGE_BYTES);
            let page = recipient_page(store, account_id, query, next, size);
            let page = lines::page(account_id, page).await?;
            rows.extend(page.rows.into_iter().map(|(_, recipient)| recipient));
            next = page.next;
            if rows.len() >= limit || next.is_none() || began.elapsed() >= SEARCH {
                return Ok((ListPage { rows, next }, permit));
            }
        }
    };
    caller.read(SCOPE, list).await
}

/// Reads a recipient for somebody who sees the phone, which the audit log tells.
///
/// # Errors
/// 404; 503.
pub async fn view_recipient(caller: &Caller, docid: &DocId) -> Result<Recipient> {
    let recipient = read_recipient(caller, docid).await?;
    caller.note_view(docid).await?;
    Ok(recipient)
}

/// Reads a recipient, whose phone nobody is shown.
///
/// # Errors
/// 404; 503.
pub async fn read_recipient(caller: &Caller, docid: &DocId) -> Result<Recipient> {
    let recipient = caller
        .app
        .store
        .recipient(caller.account_id(), docid.as_str());
    caller.read(SCOPE, found(recipient)).await
}

/// Erases a person for good, known or not.
///
/// # Errors
/// 503.
pub async fn erase_recipient(caller: &Caller, docid: &DocId) -> Result<()> {
    let (store, pepper) = (&caller.app.store, caller.app.pepper.as_deref());
    let erasing = store.erase_recipient(caller.account_id(), docid.as_str(), pepper);
    let erase = patiently(async { Ok(erasing.await?) });
    let subject = caller.recipient_subject(docid).await?;
    caller.change(ERASE_RECIPIENT, &subject, erase).await?;
    Ok(())
}

/// Erases all who have this phone, for good, as they are stored now.
///
/// # Errors
/// 413: so many have it that only some are erased; 503: some may be. Doing it again goes on.
pub async fn erase_phone(caller: &Caller, phone: PhoneNumber<'_>) -> Result<()> {
    let docids = docids_of(caller, phone).await?;
    for docid in docids.iter().take(OF_PHONE) {
        erase_recipient(caller, docid).await?;
    }
    if docids.len() > OF_PHONE {
        let detail = format!("{OF_PHONE} are erased, and more have this phone; erase it again");
        return Err(Problem::new(Code::TooManyRecords, detail));
    }
    Ok(())
}

/// All that is stored of a person, and the memory that it holds.
///
/// # Errors
/// 404: nothing is; 413: it is more than of any person; 503.
pub async fn export_person(caller: &Caller, docid: &DocId) -> Result<(StoredPerson, MemoryPermit)> {
    let permit = page_permit(&caller.app, caller.account_id()).await?;
    let mut room = ExportRoom::default();
    let person = export_within(caller, docid, &mut room).await?;
    Ok((person, permit))
}

async fn export_within(
    caller: &Caller,
    docid: &DocId,
    room: &mut ExportRoom,
) -> Result<StoredPerson> {
    let (app, account_id) = (&caller.app, caller.account_id());
    let export = patiently(async {
        let pepper = app.pepper.as_deref();
        let person = app
            .store
            .stored_person(account_id, docid.as_str(), pepper, room)
            .await?;
        let mut person = person.ok_or_else(too_much)?;
        // They are told what is stored of them, not who works for the account.
        if let Some(batch) = &mut person.batch {
            (batch.made_by, batch.made_from) = (None, None);
        }
        let is_known = person.is_known();
        is_known.then_some(person).ok_or_else(Problem::not_found)
    });
    let subject = caller.recipient_subject(docid).await?;
    // Whatever it is written in, all of it is taken at once.
    let of = (SCOPE, Kind::Ndjson);
    caller.export(of, EXPORT_PERSON, &subject, export).await
}

fn too_much() -> Problem {
    let detail =
        "more is stored than of any person; the lists of messages, links and answers have it";
    Problem::new(Code::TooManyRecords, detail)
}

/// The same of all who have this phone, as they are stored now.
///
/// # Errors
/// 413; 503.
pub async fn export_phone(
    caller: &Caller,
    phone: PhoneNumber<'_>,
) -> Result<(Vec<StoredPerson>, MemoryPermit)> {
    let docids = docids_of(caller, phone).await?;
    if docids.len() > OF_PHONE {
        return Err(too_much());
    }
    let permit = page_permit(&caller.app, caller.account_id()).await?;
    let (mut people, mut room) = (Vec::new(), ExportRoom::default());
    for docid in docids {
        match export_within(caller, &docid, &mut room).await {
            Ok(person) => people.push(person),
            // Erased meanwhile.
            Err(problem) if problem.code() == Code::NotFound => {}
            Err(problem) => return Err(problem),
        }
    }
    Ok((people, permit))
}

/// Those who have this phone, and one of more than are taken at once.
async fn docids_of(caller: &Caller, phone: PhoneNumber<'_>) -> Result<Vec<DocId>> {
    let (store, account_id) = (&caller.app.store, caller.account_id());
    let docids = store.docids_of_phone(account_id, phone.get(), OF_PHONE + 1);
    let docids = patiently(async { Ok(docids.await?) });
    let docids = caller.read(SCOPE, docids).await?.into_iter();
    let docids = docids.map(|docid| DocId::parse(docid).map_err(|error| Problem::internal(&error)));
    docids.collect()
}

/// Recipients as lists show them, each with its position.
pub(crate) async fn recipient_page(
    store: &Store,
    account_id: Uuid,
    query: &RecipientQuery,
    after: Option<String>,
    size: (usize, usize),
) -> Result<ListPage<(String, Recipient), String>, store::Error> {
    let recipients = store.recipients(account_id, query, after, size).await?;
    Ok(recipients.map(|recipient| (recipient.docid.clone(), recipient.masked())))
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use store::import::{BatchStatus, Outcomes};

    use super::*;

    fn batch(start: DateTime<Utc>) -> Batch {
        Batch {
            batch_id: Uuid::from_u128(1),
            status: BatchStatus::Processing,
            received: 110,
            accepted: 100,
            rejected: 10,
            errors_dropped: 2,
            merged: 0,
            name: None,
            outcomes: Outcomes {
                created: 30,
                updated: 5,
                unchanged: 4,
                superseded: 1,
                conflicted: false,
            },
            pending: 60,
            failed: 0,
            cancelled: 0,
            erased: 0,
            erasing: false,
            campaign_id: None,
            made_by: Some("ada".to_owned()),
            made_from: None,
            created_at: start,
            started_at: Some(start),
            completed_at: None,
        }
    }

    #[test]
    fn a_batch_has_its_members_in_the_contracts_order() {
        let start = DateTime::from_timestamp(1_700_000_000, 0).unwrap();
        let body = BatchBody::new(batch(start), start + TimeDelta::seconds(4));
        insta::assert_snapshot!(serde_json::to_string(&body).unwrap(), @r#"{"batch_id":"00000000-0000-0000-0000-000000000001","name":null,"status":"processing","received":110,"accepted":100,"rejected":10,"merged":0,"errors_dropped":2,"outcomes":{"created":30,"updated":5,"unchanged":4,"superseded":1},"pending":60,"failed":0,"cancelled":0,"erased":0,"erasing":false,"made_by":"ada","made_from":null,"created_at":"2023-11-14T22:13:20Z","started_at":"2023-11-14T22:13:20Z","completed_at":null,"records_per_second":10.0,"eta_seconds":6.0}"#);
    }

    #[test]
    fn a_rate_that_is_not_known_is_null() {
        let start = DateTime::from_timestamp(1_700_000_000, 0).unwrap();
        let rates = |batch: Batch| {
            let body = BatchBody::new(batch, start);
            (body.records_per_second, body.eta_seconds)
        };
        assert_eq!(rates(batch(start)), (None, None), "no time has passed");
        assert_eq!(
            rates(batch(start + TimeDelta::seconds(1))),
            (None, None),
            "clocks differ"
        );
        assert_eq!(
            rates(Batch {
                started_at: None,
                ..batch(start)
            }),
            (None, None)
        );
        let done = Batch {
            completed_at: Some(start + TimeDelta::seconds(2)),
            pending: 0,
            ..batch(start)
        };
        assert_eq!(rates(done), (Some(20.0), None));
    }
}
