//! What imports say of people who are erased: record errors, first answers of idempotency keys, parked chunks.
//!
//! All of it is compressed or large, so it is not looked through while somebody waits. The row without a person that an
//! erasure leaves behind says that this is still to be done; one sweep does it for all such rows of an account.

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, Utc};
use domain::chunk::{Chunk, DecodeError, Run};
use domain::record::RecordError;
use indexmap::IndexMap;
use sea_orm::FromQueryResult;
use serde_json::value::RawValue;
use tokio::task::spawn_blocking;
use uuid::Uuid;

use crate::import::{ChunkId, compressed_errors, read_errors};
use crate::tx::{Sql, read, values};
use crate::{Error, Result, Store};

/// Rows of erased people that are taken at once.
const AT_ONCE: usize = 1_000;
/// Blocks of record errors that are read at once, some 100 kB of JSON each.
const BLOCKS: i64 = 50;

/// Those for whom no batch accepted earlier has chunks that a worker may take.
const ERASED: &str = "SELECT t.account_id, t.docid, t.seq, t.updated_at AS at FROM recipient t
      WHERE t.phone IS NULL AND t.seq > 0 AND (t.account_id, t.docid) > ($1, $2) AND NOT EXISTS (
            SELECT 1 FROM import_batch o WHERE o.account_id = t.account_id AND o.seq < t.seq
               AND o.status IN ('queued', 'processing'))
      ORDER BY t.account_id, t.docid LIMIT $3";

/// Only the version that was judged goes: a row that was erased again meanwhile has a higher one.
const FORGET: &str = "WITH g(a, d, s) AS (ROWS) DELETE FROM recipient
      WHERE phone IS NULL AND (account_id, docid, seq) IN (SELECT a, d, s FROM g)";

/// The row that an erasure leaves behind.
#[derive(FromQueryResult)]
struct ErasedRow {
    account_id: Uuid,
    docid: String,
    /// The erasure's place in the order of acceptance.
    seq: i64,
    at: DateTime<Utc>,
}

/// The places of erasures by docid.
type Seqs = HashMap<String, i64>;

#[derive(FromQueryResult)]
struct ErrorBlock {
    batch_id: Uuid,
    first: i64,
    block: Vec<u8>,
    /// Of the batch.
    seq: i64,
}

#[derive(FromQueryResult)]
struct FirstAnswerRow {
    idempotency_key: String,
    response: Vec<u8>,
}

#[derive(FromQueryResult)]
struct OldChunk {
    batch_id: Uuid,
    chunk_no: i64,
    /// Of the batch.
    seq: i64,
}

/// What a chunk is without people who were erased.
enum Rewritten {
    /// It holds none of them.
    Same,
    /// A worker of another version wrote it.
    Unreadable,
    Without {
        gone: usize,
        left: usize,
        payload: Option<Vec<u8>>,
    },
}

impl Store {
    /// Takes erased people out of what imports say of them, then removes the rows that they left behind.
    ///
    /// # Errors
    /// See [`Error`]. Doing it again is safe.
    pub(crate) async fn sweep_erased(&self) -> Result<()> {
        let mut after = (Uuid::nil(), String::new());
        loop {
            let limit = i64::try_from(AT_ONCE).map_err(Error::broken)?;
            let rows = values![after.0, after.1.as_str(), limit];
            let rows: Vec<ErasedRow> = read(&self.rows(ERASED, rows).await?)?;
            let Some(last) = rows.last() else {
                return Ok(());
            };
            after = (last.account_id, last.docid.clone());
            let mut by_account: BTreeMap<Uuid, Vec<ErasedRow>> = BTreeMap::new();
            for row in rows {
                by_account.entry(row.account_id).or_default().push(row);
            }
            for (account_id, rows) in by_account {
                self.forget_people(account_id, rows).await?;
            }
        }
    }

    async fn forget_people(&self, account_id: Uuid, rows: Vec<ErasedRow>) -> Result<()> {
        for row in &rows {
            self.forget_in_first_answers(row).await?;
        }
        let seqs: Seqs = rows.into_iter().map(|row| (row.docid, row.seq)).collect();
        self.forget_in_errors(account_id, &seqs).await?;
        if !self.forget_in_chunks(account_id, &seqs).await? {
            return Ok(());
        }
        let seqs = seqs.into_iter();
        let gone = seqs.map(|(docid, seq)| values![account_id, docid, seq]);
        let tx = self.begin().await?;
        tx.for_rows(FORGET, gone.collect()).await?;
        tx.commit_surely().await
    }

    /// Answers that were given before.
    async fn forget_in_first_answers(&self, person: &ErasedRow) -> Result<()> {
        let of = self.dialect(
            "SELECT idempotency_key, response FROM idempotency
              WHERE account_id = $1 AND created_at < $2 AND position($3 in response) > 0",
            "SELECT idempotency_key, response FROM idempotency
              WHERE account_id = $1 AND created_at < $2 AND instr(response, $3) > 0",
        );
        let docid = serde_json::to_string(&person.docid).map_err(Error::broken)?;
        let values = values![person.account_id, person.at, docid.into_bytes()];
        let rows: Vec<FirstAnswerRow> = read(&self.rows(of, values).await?)?;
        for row in rows {
            let without = without_docid(&row.response, &person.docid).map_err(Error::broken)?;
            let update = "UPDATE idempotency SET response = $4
                  WHERE account_id = $1 AND idempotency_key = $2 AND response = $3";
            let key = row.idempotency_key;
            self.execute(
                update,
                values![person.account_id, key, row.response, without],
            )
            .await?;
        }
        Ok(())
    }

    async fn forget_in_errors(&self, account_id: Uuid, seqs: &Seqs) -> Result<()> {
        let newest = seqs.values().max().copied().unwrap_or_default();
        let mut after = (Uuid::nil(), -1);
        loop {
            let blocks = "SELECT e.batch_id, e.first, e.block, b.seq FROM import_error e
                  JOIN import_batch b ON b.account_id = e.account_id AND b.batch_id = e.batch_id
                 WHERE e.account_id = $1 AND (e.batch_id, e.first) > ($2, $3) AND b.seq < $4
                 ORDER BY e.batch_id, e.first LIMIT $5";
            let blocks = self.rows(
                blocks,
                values![account_id, after.0, after.1, newest, BLOCKS],
            );
            let blocks: Vec<ErrorBlock> = read(&blocks.await?)?;
            let Some(last) = blocks.last() else {
                return Ok(());
            };
            after = (last.batch_id, last.first);
            let seqs = seqs.clone();
            let rewriting = spawn_blocking(move || {
                let blocks = blocks.into_iter();
                let without = blocks.filter_map(|block| without_people(block, &seqs).transpose());
                without.collect::<Result<Vec<_>>>()
            });
            for (batch_id, first, block) in rewriting.await.map_err(Error::broken)?? {
                let update = "UPDATE import_error SET block = $4
                      WHERE account_id = $1 AND batch_id = $2 AND first = $3";
                self.execute(update, values![account_id, batch_id, first, block])
                    .await?;
            }
        }
    }

    /// Their records in chunks that are left are superseded. `false`: some chunk could not be read.
    async fn forget_in_chunks(&self, account_id: Uuid, seqs: &Seqs) -> Result<bool> {
        let newest = seqs.values().max().copied().unwrap_or_default();
        let chunks = "SELECT c.batch_id, c.chunk_no, b.seq FROM import_batch b
              JOIN import_chunk c ON c.account_id = b.account_id AND c.batch_id = b.batch_id
             WHERE b.account_id = $1 AND b.seq < $2 AND b.status IN ('queued', 'processing', 'stalled')
             ORDER BY c.batch_id, c.chunk_no";
        let chunks: Vec<OldChunk> = read(&self.rows(chunks, values![account_id, newest]).await?)?;
        let mut all_read = true;
        for chunk in chunks {
            let id = ChunkId {
                account_id,
                batch_id: chunk.batch_id,
                chunk_no: chunk.chunk_no,
            };
            let seqs = seqs.iter().filter(|(_, seq)| chunk.seq < **seq);
            let seqs: Seqs = seqs.map(|(docid, seq)| (docid.clone(), *seq)).collect();
            all_read &= self.forget_in_chunk(id, seqs).await?;
        }
        Ok(all_read)
    }

    async fn forget_in_chunk(&self, id: ChunkId, seqs: Seqs) -> Result<bool> {
        let tx = self.begin_long().await?;
        let chunk = tx.locking(
            "SELECT c.parked, p.payload FROM import_chunk c
               JOIN import_payload p ON p.account_id = c.account_id AND p.batch_id = c.batch_id AND p.chunk_no = c.chunk_no
              WHERE c.account_id = $1 AND c.batch_id = $2 AND c.chunk_no = $3",
            "FOR UPDATE OF c",
        );
        let chunk: Option<(bool, Vec<u8>)> = tx.one(chunk, values![id]).await?;
        let Some((parked, payload)) = chunk else {
            return Ok(true);
        };
        let rewriting = spawn_blocking(move || rewrite(&payload, &seqs));
        let (gone, left, payload) = match rewriting.await.map_err(Error::broken)? {
            Rewritten::Same => return Ok(true),
            Rewritten::Unreadable => return Ok(false),
            Rewritten::Without {
                gone,
                left,
                payload,
            } => (gone, left, payload),
        };
        let gone = i64::try_from(gone).map_err(Error::broken)?;
        let left = i64::try_from(left).map_err(Error::broken)?;
        let is_empty = payload.is_none();
        if let Some(payload) = payload {
            let update = "UPDATE import_payload SET payload = $4 WHERE account_id = $1 AND batch_id = $2 AND chunk_no = $3";
            tx.execute(update, values![id, payload]).await?;
            let update = "UPDATE import_chunk SET records = $4 WHERE account_id = $1 AND batch_id = $2 AND chunk_no = $3";
            tx.execute(update, values![id, left]).await?;
        } else {
            let delete = "DELETE FROM import_chunk WHERE account_id = $1 AND batch_id = $2 AND chunk_no = $3";
            tx.execute(delete, values![id]).await?;
        }
        let superseded = "UPDATE import_batch
                SET superseded = superseded + $3,
                    failed = failed - CASE WHEN $4 THEN $3 ELSE 0 END,
                    parked_chunks = parked_chunks - CASE WHEN $4 AND $5 THEN 1 ELSE 0 END,
                    open_chunks = open_chunks - CASE WHEN $5 AND NOT $4 THEN 1 ELSE 0 END
              WHERE account_id = $1 AND batch_id = $2";
        let of_batch = values![id.account_id, id.batch_id, gone, parked, is_empty];
        tx.execute(superseded, of_batch).await?;
        let end = "UPDATE import_batch SET completed_at = CASE WHEN parked_chunks = 0 THEN $3 END,
                    status = CASE WHEN parked_chunks > 0 THEN 'stalled' ELSE 'completed' END
              WHERE account_id = $1 AND batch_id = $2 AND open_chunks = 0";
        let now = tx.now().await?;
        tx.execute(end, values![id.account_id, id.batch_id, now])
            .await?;
        tx.commit_surely().await?;
        Ok(true)
    }
}

/// A first answer without the docid in its errors; all else is the same, byte for byte.
fn without_docid(answer: &[u8], docid: &str) -> serde_json::Result<Vec<u8>> {
    let mut answer: IndexMap<String, Box<RawValue>> = serde_json::from_slice(answer)?;
    if let Some(errors) = answer.get_mut("errors") {
        let mut told: Vec<RecordError> = serde_json::from_str(errors.get())?;
        for error in &mut told {
            error.docid.take_if(|of| of == docid);
        }
        *errors = serde_json::value::to_raw_value(&told)?;
    }
    serde_json::to_vec(&answer)
}

/// A block of record errors without docids of people who were erased since its batch was accepted; `None`: there are none.
fn without_people(block: ErrorBlock, seqs: &Seqs) -> Result<Option<(Uuid, i64, Vec<u8>)>> {
    let mut errors = read_errors(&block.block)?;
    let mut is_changed = false;
    for error in &mut errors {
        let is_erased = |docid: &mut String| seqs.get(docid).is_some_and(|seq| block.seq < *seq);
        is_changed |= error.docid.take_if(is_erased).is_some();
    }
    if !is_changed {
        return Ok(None);
    }
    let rewritten = compressed_errors(&errors)?;
    Ok(Some((block.batch_id, block.first, rewritten)))
}

fn rewrite(payload: &[u8], seqs: &Seqs) -> Rewritten {
    let chunk = match Chunk::decode(payload) {
        Ok(chunk) => chunk,
        Err(DecodeError::UnknownVersion(_)) => return Rewritten::Unreadable,
        // Nobody will ever store it.
        Err(DecodeError::Corrupt(_)) => return Rewritten::Same,
    };
    let mut run = Run::default();
    for record in chunk.records() {
        if !seqs.contains_key(record.docid.get()) {
            run.push(&record);
        }
    }
    let (all, left) = (chunk.len(), run.len());
    if left == all {
        return Rewritten::Same;
    }
    let payload = run.compress(all).pop().map(|(_, payload)| payload);
    Rewritten::Without {
        gone: all - left,
        left,
        payload,
    }
}
