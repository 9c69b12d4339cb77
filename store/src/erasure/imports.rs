//! What imports say of people who are erased: record errors, first answers of idempotency keys, parked chunks.
//!
//! All of it is compressed or large, so it is not looked through while somebody waits. The erasure's row says that this is
//! still to be done; one sweep does it for all such rows of an account.

use std::collections::{BTreeMap, HashMap, HashSet};

use chrono::{DateTime, Utc};
use domain::chunk::{Chunk, DecodeError, Run};
use domain::record::{KeptError, RecordError};
use entity::erasure;
use indexmap::IndexMap;
use sea_orm::{EntityTrait, FromQueryResult};
use serde_json::value::RawValue;
use tokio::task::spawn_blocking;
use uuid::Uuid;

use crate::import::{ChunkId, compressed_errors, read_errors};
use crate::tx::{Accounts, Part, Sql, Statement, statement, values};
use crate::{Error, Result, Store};

/// Erasures that are taken at once.
const AT_ONCE: usize = 1_000;
/// First answers that are read at once, with up to 100 record errors each.
const ANSWERS: i64 = 100;
/// What a first answer has that names a docid.
const NAMED: &[u8] = b"\"docid\":\"";
/// Blocks of record errors that are read at once, some 100 kB of JSON each.
const BLOCKS: i64 = 50;

/// Those for whom no batch accepted earlier has chunks that a worker may take. (That such a batch is not completed follows, but it
/// leads to the index.)
const ERASURES: &Statement = statement!(accounts "e.account_id = ANY($4)":
    "SELECT e.account_id, e.docid, e.seq, e.at FROM erasure e
      WHERE (e.account_id, e.seq) > ($1, $2) AND NOT EXISTS (
            SELECT 1 FROM import_batch o WHERE o.account_id = e.account_id AND o.seq < e.seq
               AND o.status IN ('queued', 'processing') AND o.status IN ('queued', 'processing', 'stalled'))";
    "ORDER BY e.account_id, e.seq LIMIT $3"
);

/// Erasures by older programs, which only leave a row without person behind.
const BY_OLDER_PROGRAMS: &Statement = statement!(accounts "account_id = ANY($1)":
    "INSERT INTO erasure (account_id, seq, docid, at)
     SELECT account_id, seq, docid, updated_at FROM recipient WHERE phone IS NULL AND seq > 0"; "ON CONFLICT DO NOTHING"
);

/// The last erasures of people of an account, by their docids.
type People = HashMap<String, erasure::Model>;

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
    created_at: DateTime<Utc>,
}

#[derive(FromQueryResult)]
struct StoredChunk {
    parked: bool,
    records: i64,
    payload: Vec<u8>,
}

#[derive(FromQueryResult)]
struct OldChunk {
    #[sea_orm(nested)]
    id: ChunkId,
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
        gone: i64,
        left: i64,
        payload: Option<Vec<u8>>,
    },
}

impl Store {
    /// Takes erased people out of what imports say of them; with that, their erasures are through.
    ///
    /// # Errors
    /// The first, of an account whose rows stay. Doing it again is safe.
    pub(crate) async fn sweep_erased(&self, accounts: Accounts) -> Result<()> {
        self.execute_at_nodes(accounts, BY_OLDER_PROGRAMS, vec![])
            .await?;
        let mut swept = Ok(());
        for part in self.parts(accounts).await?.there {
            swept = swept.and(self.sweep_erased_of(&part).await);
        }
        swept
    }

    async fn sweep_erased_of(&self, part: &Part) -> Result<()> {
        let mut after = (Uuid::nil(), 0);
        let mut swept = Ok(());
        loop {
            let limit = i64::try_from(AT_ONCE).map_err(Error::broken)?;
            let values = values![after.0, after.1, limit];
            let rows = self.scan_part(part, ERASURES, values).await?;
            let rows: Vec<erasure::Model> = rows.unwrap_or_default();
            let Some(last) = rows.last() else {
                return swept;
            };
            after = (last.account_id, last.seq);
            let mut by_account: BTreeMap<Uuid, Vec<erasure::Model>> = BTreeMap::new();
            for row in rows {
                by_account.entry(row.account_id).or_default().push(row);
            }
            for (account_id, erasures) in by_account {
                swept = swept.and(self.forget_people(account_id, erasures).await);
            }
        }
    }

    /// The erasures are in the order of their places.
    async fn forget_people(
        &self,
        account_id: Uuid,
        mut erasures: Vec<erasure::Model>,
    ) -> Result<()> {
        let by_docid = erasures.iter().map(|row| (row.docid.clone(), row.clone()));
        let people: People = by_docid.collect();
        let is_done = self.forget_in_first_answers(account_id, &people).await?
            & self.forget_in_errors(account_id, &people).await?
            & self.forget_in_chunks(account_id, &people).await?;
        if !is_done {
            // The next sweep goes on.
            return Ok(());
        }
        erasures.sort_by(|one, other| one.docid.cmp(&other.docid));
        let tx = self.begin().await?;
        for row in erasures {
            // The row that the erasure left behind: one that was erased again meanwhile has a higher place, and so has one who
            // came back.
            let left = statement!(
                "DELETE FROM recipient WHERE account_id = $1 AND docid = $2 AND seq = $3 AND phone IS NULL"
            );
            tx.execute(left, values![account_id, row.docid, row.seq])
                .await?;
            let through = erasure::Entity::delete_by_id((account_id, row.seq));
            through.exec(&tx).await?;
        }
        tx.commit_surely().await
    }

    /// Answers that were given before. `false`: another sweep changed one meanwhile.
    async fn forget_in_first_answers(&self, account_id: Uuid, people: &People) -> Result<bool> {
        let some = statement!(
            postgres: "SELECT idempotency_key, response, created_at FROM idempotency
              WHERE account_id = $1 AND idempotency_key > $2 AND position($3 in response) > 0
              ORDER BY idempotency_key LIMIT $4";
            sqlite: "SELECT idempotency_key, response, created_at FROM idempotency
              WHERE account_id = $1 AND idempotency_key > $2 AND instr(response, $3) > 0
              ORDER BY idempotency_key LIMIT $4"
        );
        let mut after = String::new();
        let mut is_done = true;
        loop {
            let values = values![account_id, after.as_str(), NAMED.to_vec(), ANSWERS];
            let rows: Vec<FirstAnswerRow> = self.fetch_all(some, values).await?;
            let Some(last) = rows.last() else {
                return Ok(is_done);
            };
            after.clone_from(&last.idempotency_key);
            for row in rows {
                let Some(without) = without_docids(&row, people).map_err(Error::broken)? else {
                    continue;
                };
                let update = statement!(
                    "UPDATE idempotency SET response = $4
                      WHERE account_id = $1 AND idempotency_key = $2 AND response = $3"
                );
                let values = values![account_id, row.idempotency_key, row.response, without];
                is_done &= self.execute(update, values).await? == 1;
            }
        }
    }

    /// `false`: another sweep changed a block meanwhile.
    async fn forget_in_errors(&self, account_id: Uuid, people: &People) -> Result<bool> {
        let newest = newest(people);
        let mut after = (Uuid::nil(), -1);
        let mut is_done = true;
        loop {
            let blocks = statement!(
                "SELECT e.batch_id, e.first, e.block, b.seq FROM import_error e
                   JOIN import_batch b ON b.account_id = e.account_id AND b.batch_id = e.batch_id
                  WHERE e.account_id = $1 AND (e.batch_id, e.first) > ($2, $3) AND b.seq < $4
                  ORDER BY e.batch_id, e.first LIMIT $5"
            );
            let values = values![account_id, after.0, after.1, newest, BLOCKS];
            let blocks: Vec<ErrorBlock> = self.fetch_all(blocks, values).await?;
            let Some(last) = blocks.last() else {
                return Ok(is_done);
            };
            after = (last.batch_id, last.first);
            let people = people.clone();
            let rewriting = spawn_blocking(move || {
                let blocks = blocks.into_iter();
                let without = blocks.filter_map(|block| without_people(block, &people).transpose());
                without.collect::<Result<Vec<_>>>()
            });
            for (block, without) in rewriting.await.map_err(Error::broken)?? {
                let update = statement!(
                    "UPDATE import_error SET block = $5
                      WHERE account_id = $1 AND batch_id = $2 AND first = $3 AND block = $4"
                );
                let (batch_id, first) = (block.batch_id, block.first);
                let values = values![account_id, batch_id, first, block.block, without];
                is_done &= self.execute(update, values).await? == 1;
            }
        }
    }

    /// Their records in chunks that are left are superseded. `false`: some chunk could not be read.
    async fn forget_in_chunks(&self, account_id: Uuid, people: &People) -> Result<bool> {
        let newest = newest(people);
        let chunks = statement!(
            "SELECT c.account_id, c.batch_id, c.chunk_no, b.seq FROM import_batch b
               JOIN import_chunk c ON c.account_id = b.account_id AND c.batch_id = b.batch_id
              WHERE b.account_id = $1 AND b.seq < $2 AND b.status IN ('queued', 'processing', 'stalled')
              ORDER BY c.batch_id, c.chunk_no"
        );
        let values = values![account_id, newest];
        let chunks: Vec<OldChunk> = self.fetch_all(chunks, values).await?;
        let mut all_read = true;
        for chunk in chunks {
            let people = people.values().filter(|row| chunk.seq < row.seq);
            let docids: HashSet<String> = people.map(|row| row.docid.clone()).collect();
            all_read &= self.forget_in_chunk(chunk.id, docids).await?;
        }
        Ok(all_read)
    }

    async fn forget_in_chunk(&self, id: ChunkId, docids: HashSet<String>) -> Result<bool> {
        let tx = self.begin_long().await?;
        let chunk = statement!(lock "FOR UPDATE OF c":
            "SELECT c.parked, c.records, p.payload FROM import_chunk c
               JOIN import_payload p ON p.account_id = c.account_id AND p.batch_id = c.batch_id AND p.chunk_no = c.chunk_no
              WHERE c.account_id = $1 AND c.batch_id = $2 AND c.chunk_no = $3"
        );
        let chunk: Option<StoredChunk> = tx.fetch_one(chunk, values![id]).await?;
        let Some(chunk) = chunk else {
            return Ok(true);
        };
        let parked = chunk.parked;
        let rewriting = spawn_blocking(move || rewrite(&chunk, &docids));
        let (gone, left, payload) = match rewriting.await.map_err(Error::broken)? {
            Rewritten::Same => return Ok(true),
            Rewritten::Unreadable => return Ok(false),
            Rewritten::Without {
                gone,
                left,
                payload,
            } => (gone, left, payload),
        };
        let is_empty = payload.is_none();
        if let Some(payload) = payload {
            let update = statement!(
                "UPDATE import_payload SET payload = $4 WHERE account_id = $1 AND batch_id = $2 AND chunk_no = $3"
            );
            tx.execute(update, values![id, payload]).await?;
            let update = statement!(
                "UPDATE import_chunk SET records = $4 WHERE account_id = $1 AND batch_id = $2 AND chunk_no = $3"
            );
            tx.execute(update, values![id, left]).await?;
        } else {
            tx.delete_chunk(id).await?;
        }
        let superseded = statement!(
            "UPDATE import_batch
                SET superseded = superseded + $3,
                    failed = failed - CASE WHEN $4 THEN $3 ELSE 0 END,
                    parked_chunks = parked_chunks - CASE WHEN $4 AND $5 THEN 1 ELSE 0 END,
                    open_chunks = open_chunks - CASE WHEN $5 AND NOT $4 THEN 1 ELSE 0 END
              WHERE account_id = $1 AND batch_id = $2"
        );
        let of_batch = values![id.account_id, id.batch_id, gone, parked, is_empty];
        tx.execute(superseded, of_batch).await?;
        let end = statement!(
            "UPDATE import_batch SET completed_at = CASE WHEN parked_chunks = 0 THEN $3 ELSE completed_at END,
                    status = CASE WHEN parked_chunks > 0 THEN 'stalled' ELSE 'completed' END
              WHERE account_id = $1 AND batch_id = $2 AND open_chunks = 0"
        );
        let now = tx.now().await?;
        tx.execute(end, values![id.account_id, id.batch_id, now])
            .await?;
        tx.commit_surely().await?;
        Ok(true)
    }
}

/// The place of the last erasure.
fn newest(people: &People) -> i64 {
    let seqs = people.values().map(|row| row.seq);
    seqs.max().unwrap_or_default()
}

/// A first answer without docids of people who were erased since; all else is the same, byte for byte. `None`: it has none.
fn without_docids(row: &FirstAnswerRow, people: &People) -> serde_json::Result<Option<Vec<u8>>> {
    let mut answer: IndexMap<String, Box<RawValue>> = serde_json::from_slice(&row.response)?;
    let Some(errors) = answer.get_mut("errors") else {
        return Ok(None);
    };
    let mut told: Vec<RecordError> = serde_json::from_str(errors.get())?;
    let is_erased = |docid: &mut String| {
        let of = people.get(docid.as_str());
        of.is_some_and(|of| row.created_at < of.at)
    };
    let mut is_changed = false;
    for error in &mut told {
        is_changed |= error.docid.take_if(is_erased).is_some();
    }
    if !is_changed {
        return Ok(None);
    }
    *errors = serde_json::value::to_raw_value(&told)?;
    serde_json::to_vec(&answer).map(Some)
}

/// A block of record errors, and what it is without what leads to people who were erased since its batch was accepted; `None`: it has
/// none.
fn without_people(block: ErrorBlock, people: &People) -> Result<Option<(ErrorBlock, Vec<u8>)>> {
    let mut errors = read_errors(&block.block)?;
    let is_erased = |error: &&mut KeptError| {
        let of = error
            .error
            .docid
            .as_ref()
            .and_then(|docid| people.get(docid));
        of.is_some_and(|of| block.seq < of.seq)
    };
    let mut is_changed = false;
    for error in errors.iter_mut().filter(is_erased) {
        error.forget_person();
        is_changed = true;
    }
    if !is_changed {
        return Ok(None);
    }
    let without = compressed_errors(&errors)?;
    Ok(Some((block, without)))
}

fn rewrite(stored: &StoredChunk, docids: &HashSet<String>) -> Rewritten {
    let count = |records: usize| i64::try_from(records).unwrap_or(i64::MAX);
    let chunk = match Chunk::decode(&stored.payload) {
        Ok(chunk) if count(chunk.len()) == stored.records => chunk,
        Err(DecodeError::UnknownVersion(_)) => return Rewritten::Unreadable,
        // Nobody will ever store it.
        Ok(_) | Err(DecodeError::Corrupt(_)) => return Rewritten::Same,
    };
    let mut run = Run::default();
    for record in chunk.records() {
        if !docids.contains(record.docid.get()) {
            run.push(&record);
        }
    }
    let (all, left) = (chunk.len(), run.len());
    if left == all {
        return Rewritten::Same;
    }
    let payload = run.compress(all).pop().map(|(_, payload)| payload);
    Rewritten::Without {
        gone: count(all - left),
        left: count(left),
        payload,
    }
}
