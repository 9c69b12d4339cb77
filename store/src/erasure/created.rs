//! The recipients that an import created are erased, where somebody asked for that.
//!
//! They may be a million, so workers do it slice by slice; the batch's row says how far it is. The erasures have their places in the
//! order of acceptance from the beginning: batches accepted before it are stored first, and whoever a later batch has stays.

use chrono::{DateTime, Utc};
use domain::docid::MAX_BYTES;
use domain::pepper::Pepper;
use sea_orm::FromQueryResult;
use uuid::Uuid;

use crate::import::{Batch, BatchChange};
use crate::tx::{BatchStatement, Sql, Statement, batch_row, statement, values};
use crate::{Result, Store};

/// Recipients that a transaction looks at, and those of them that it erases: on SQLite all other writes wait for it.
const LOOKED_AT: i64 = 2_000;
const ERASED: i64 = 50;

/// Batches whose recipients are to be erased, unless one accepted before that has chunks that a worker may take. (The second condition
/// leads to the index.)
const ERASING: &Statement = statement!(accounts "b.account_id = ANY($1)":
    "SELECT b.account_id, b.batch_id FROM import_batch b
      WHERE b.erase_seq IS NOT NULL AND NOT EXISTS (
            SELECT 1 FROM import_batch o WHERE o.account_id = b.account_id AND o.seq < b.erase_seq
               AND o.status IN ('queued', 'processing') AND o.status IN ('queued', 'processing', 'stalled'))"; ""
);

/// Messages that are looked through for those to the recipients of an import, at most.
const WAITING: i64 = 20_000;

/// Of the messages of an account that wait, those to recipients whom a batch created, by campaign and kind.
const WAIT: &Statement = statement!(
    "SELECT waits.campaign_id, waits.kind, count(r.docid) AS messages, count(*) AS looked_at FROM (
        SELECT m.campaign_id, m.kind, m.docid
          FROM message_due d JOIN message m ON m.account_id = d.account_id AND m.message_id = d.message_id
         WHERE d.account_id = $1 AND d.fence = 0 AND d.phone IS NULL LIMIT $3) AS waits
       LEFT JOIN recipient r ON r.account_id = $1 AND r.docid = waits.docid AND r.phone IS NOT NULL
             AND r.batch_id = $2 AND r.created_at = r.updated_at
      GROUP BY waits.campaign_id, waits.kind ORDER BY waits.campaign_id, waits.kind"
);

/// Messages of a campaign and kind that wait.
#[derive(Debug, FromQueryResult)]
pub struct WaitingMessages {
    pub campaign_id: Uuid,
    /// As `domain::campaign::MessageKind` writes it.
    pub kind: String,
    pub messages: i64,
    looked_at: i64,
}

batch_row! {
    /// Somebody who was erased with an import.
    struct ErasedRow {
        account_id: Uuid,
        subject: String,
        batch_id: Uuid,
        erased_at: DateTime<Utc>,
    }
}

const NOTE_ERASED: &BatchStatement<ErasedRow> = statement!(ErasedRow:
    "INSERT INTO audit_erased ({columns}) SELECT {columns} FROM batch WHERE true ON CONFLICT DO NOTHING"
);

#[derive(FromQueryResult)]
struct BatchRow {
    account_id: Uuid,
    batch_id: Uuid,
}

/// How far the erasure of a batch's recipients is.
#[derive(FromQueryResult)]
struct Progress {
    erase_seq: i64,
    erase_after: String,
}

impl Store {
    /// Cancels what of a batch is not stored yet, and has workers erase the recipients that it created and no later batch changed.
    /// `None`: there is no such batch.
    ///
    /// # Errors
    /// Doing it again is safe.
    pub async fn erase_created(&self, account_id: Uuid, batch_id: Uuid) -> Result<Option<Batch>> {
        if let BatchChange::NotFound = self.cancel_batch(account_id, batch_id).await? {
            return Ok(None);
        }
        let tx = self.begin_long().await?;
        tx.note_work(account_id).await?;
        tx.lock_batch(account_id, batch_id).await?;
        let left = statement!(
            "SELECT created - erased FROM import_batch WHERE account_id = $1 AND batch_id = $2 AND erase_seq IS NULL"
        );
        let left: Option<i64> = tx.fetch_value(left, values![account_id, batch_id]).await?;
        if let Some(left @ 1..) = left {
            let first = tx.draw_seqs(account_id, left).await? - left + 1;
            let begin = statement!(
                "UPDATE import_batch SET erase_seq = $3, erase_after = '' WHERE account_id = $1 AND batch_id = $2"
            );
            tx.execute(begin, values![account_id, batch_id, first])
                .await?;
        }
        tx.commit_surely().await?;
        self.batch(account_id, batch_id).await
    }

    /// The messages that wait for recipients whom a batch created, by campaign and kind, and whether that is all of them: of the
    /// account's, 20,000 are looked through.
    ///
    /// # Errors
    /// The database is unavailable.
    pub async fn waiting_for_created(
        &self,
        account_id: Uuid,
        batch_id: Uuid,
    ) -> Result<(Vec<WaitingMessages>, bool)> {
        let values = values![account_id, batch_id, WAITING];
        let mut waiting: Vec<WaitingMessages> = self.fetch_all(WAIT, values).await?;
        let looked_at: i64 = waiting.iter().map(|row| row.looked_at).sum();
        waiting.retain(|row| row.messages > 0);
        Ok((waiting, looked_at < WAITING))
    }

    /// Erases a slice of each such batch. `true`: some have more.
    ///
    /// # Errors
    /// The first. Doing it again is safe.
    pub async fn erase_slices(&self, pepper: Option<&Pepper>) -> Result<bool> {
        let batches: Vec<BatchRow> = self.scan(ERASING, vec![]).await?;
        let (mut erased, mut goes_on) = (Ok(()), false);
        for batch in batches {
            let slice = self
                .retry(|| self.erase_slice(&batch, pepper))
                .await
                .map(|more| goes_on |= more);
            erased = erased.and(self.unless_away(batch.account_id, slice));
        }
        erased.map(|()| goes_on)
    }

    /// `false`: that was the last one, or another worker is at it.
    async fn erase_slice(&self, batch: &BatchRow, pepper: Option<&Pepper>) -> Result<bool> {
        let &BatchRow {
            account_id,
            batch_id,
        } = batch;
        let stand_ins = self.stand_ins(pepper).await?;
        // Statistics may be older than the million rows of the import.
        let mut tx = self.begin_by_key().await?;
        let progress = statement!(lock "FOR NO KEY UPDATE SKIP LOCKED":
            "SELECT erase_seq, erase_after FROM import_batch
              WHERE account_id = $1 AND batch_id = $2 AND erase_seq IS NOT NULL"
        );
        let progress = tx.fetch_one(progress, values![account_id, batch_id]);
        let Some(Progress {
            erase_seq,
            erase_after,
        }) = progress.await?
        else {
            return Ok(false);
        };
        let end = statement!(
            "SELECT docid FROM recipient WHERE account_id = $1 AND docid > $2 ORDER BY docid LIMIT 1 OFFSET $3"
        );
        let values = values![account_id, erase_after.as_str(), LOOKED_AT - 1];
        let end: Option<String> = tx.fetch_value(end, values).await?;
        // No docid is as long.
        let last = || char::MAX.to_string().repeat(MAX_BYTES);
        // One that a later batch changed is no longer as it was created; one that a later batch has as it is has a higher place.
        let created = statement!(lock "FOR UPDATE":
            "SELECT docid FROM recipient
              WHERE account_id = $1 AND docid > $2 AND docid <= $3 AND phone IS NOT NULL
                AND batch_id = $4 AND created_at = updated_at AND seq < $5
              ORDER BY docid LIMIT $6"
        );
        let until = end.clone().unwrap_or_else(last);
        let values = values![account_id, erase_after, until, batch_id, erase_seq, ERASED];
        let docids: Vec<String> = tx.fetch_values(created, values).await?;
        let people = docids
            .iter()
            .map(|docid| stand_ins.person(account_id, docid));
        let people: Vec<_> = people.collect();
        for person in &people {
            if tx.has_many_links(person).await? {
                tx.rollback().await?;
                self.forget_many_links(person).await?;
                return Ok(true);
            }
        }
        let erased = tx.erase_people(account_id, &people, pepper).await?;
        tx.keep_erasures(&people, erase_seq).await?;
        let erased_at = tx.now().await?;
        let rows = people.iter().map(|person| ErasedRow {
            account_id,
            subject: person.stand_in.clone(),
            batch_id,
            erased_at,
        });
        tx.execute_batch(NOTE_ERASED, rows.collect()).await?;
        let is_full = erased == ERASED;
        let after = if is_full { docids.last().cloned() } else { end };
        let goes_on = after.is_some();
        let note = statement!(
            "UPDATE import_batch SET erased = erased + $3, erase_after = $4,
                    erase_seq = CASE WHEN $5 THEN erase_seq + $3 END
              WHERE account_id = $1 AND batch_id = $2 RETURNING erased"
        );
        let values = values![account_id, batch_id, erased, after, goes_on];
        let all: Option<i64> = tx.fetch_value(note, values).await?;
        if !goes_on {
            let all = all.unwrap_or(erased);
            tx.note_erased(account_id, batch_id, all).await?;
        }
        tx.commit_surely().await?;
        Ok(goes_on)
    }
}
