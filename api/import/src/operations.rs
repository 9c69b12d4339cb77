//! What can be done with imports, the batches that they become, and recipients: functions that routes and the dashboard call. An
//! import itself is in [`crate::import`].

use api_http::deadline::{patiently, soon};
use api_http::lines::{self, page_permit};
use api_http::memory::MemoryPermit;
use api_http::{Caller, Change, Code, Problem, Result, found};
use axum::http::StatusCode;
use chrono::Utc;
use domain::docid::DocId;
use domain::phone;
use domain::record::RecordError;
use store::import::{Batch, BatchChange, Recipient, RecipientQuery, Retried};
use store::{ListPage, PAGE_BYTES, Store};
use uuid::Uuid;

use crate::SCOPE;
use crate::batch::BatchBody;
pub use crate::import::{ImportRequest, Imported, import};

const CANCEL_BATCH: Change = Change::new(SCOPE, "import.cancel", StatusCode::OK);
const RETRY_BATCH: Change = Change::new(SCOPE, "import.retry", StatusCode::OK);
const ERASE_RECIPIENT: Change = Change::new(SCOPE, "recipient.erase", StatusCode::NO_CONTENT);

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
        caller.app.notifier.import_accepted(account_id, lane);
        Ok(BatchBody::new(batch, Utc::now()))
    });
    caller.change(RETRY_BATCH, &batch_id, retry).await
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
) -> Result<(ListPage<RecordError, i64>, MemoryPermit)> {
    let list = soon(async {
        let (store, account_id) = (&caller.app.store, caller.account_id());
        find_batch(caller, batch_id).await?;
        let permit = page_permit(&caller.app, account_id).await?;
        let errors = store.errors(account_id, batch_id, from, limit);
        Ok((lines::page(account_id, errors).await?, permit))
    });
    caller.read(SCOPE, list).await
}

/// Lists the recipients after a docid, in the order of their docids and with masked phones, and the memory that they hold.
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
        let page = recipient_page(store, account_id, query, after, (limit, PAGE_BYTES));
        let page = lines::page(account_id, page).await?;
        Ok((page.map(|(_, recipient)| recipient), permit))
    };
    caller.read(SCOPE, list).await
}

/// Reads a recipient.
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
    caller
        .change(ERASE_RECIPIENT, docid.as_str(), erase)
        .await?;
    Ok(())
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
    Ok(recipients.map(|mut recipient| {
        recipient.phone = phone::masked(&recipient.phone);
        (recipient.docid.clone(), recipient)
    }))
}
