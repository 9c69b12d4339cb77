//! A store of its own with one account, batches posted without HTTP, chunks run one at a time.

use anyhow::{Result, bail, ensure};
use chrono_tz::Tz;
use domain::body::{BodyKind, RecordReader};
use domain::chunk::Run;
use domain::date_range::DateRange;
use domain::pepper::Pepper;
use domain::scope::Scopes;
use platform::cache::Cache;
use platform::config::RedisUrl;
use serde_json::json;
use store::import::{Batch, ChunkId, ImportAttempt, QueueBatch};
use store::{Store, Workload};
use tempfile::TempDir;
use tests::app::Backends;
use uuid::Uuid;
use worker::store_chunk::{self, Pick, StepOutcome};

/// A statement on the SQLite file of the first argument.
const SQLITE: &str =
    "import sqlite3, sys; c = sqlite3.connect(sys.argv[1], 30); c.execute(sys.argv[2]); c.commit()";

pub struct Ledger {
    pub store: Store,
    pub cache: Cache,
    pub account_id: Uuid,
    pub worker_id: Uuid,
    /// Whose messages the next batches are for.
    pub campaign_id: Option<Uuid>,
    pub pepper: Pepper,
    backends: Backends,
    folder: TempDir,
}

/// The database of a test that has this folder.
pub fn database_url(backends: &Backends, folder: &TempDir) -> String {
    match backends {
        Backends::Embedded => format!("sqlite:{}", folder.path().join("feedback.db").display()),
        Backends::Servers(lease) => lease.database.clone(),
    }
}

/// A record: docid, and a value that its field `v` holds.
pub type Row = (&'static str, u32);

impl Ledger {
    pub async fn open() -> Result<Self> {
        let backends = Backends::from_environment().await?;
        let folder = tempfile::tempdir()?;
        let url = database_url(&backends, &folder);
        let cache = open_cache(&backends)?;
        let store = Store::connect(&url, Workload::Jobs)?;
        store.make_schema().await?;
        let key = store
            .create_key("account", Some(Tz::Pacific__Kiritimati), Scopes::ALL)
            .await?;
        Ok(Self {
            store,
            cache,
            account_id: key.account_id,
            worker_id: Uuid::new_v4(),
            campaign_id: None,
            pepper: Pepper::parse(&"7".repeat(64)).map_err(anyhow::Error::msg)?,
            backends,
            folder,
        })
    }

    pub fn is_embedded(&self) -> bool {
        matches!(self.backends, Backends::Embedded)
    }

    /// A cache as another instance of the service has it, whose memory is empty.
    pub fn another_cache(&self) -> Result<Cache> {
        open_cache(&self.backends)
    }

    /// What a test of servers only does to the database itself.
    pub async fn sql(&self, statement: &str) -> Result<String> {
        self.backends.sql(statement).await
    }

    /// Changes the database behind the service's back, as a fault would. `{id}` in the statement stands for the id.
    pub async fn damage(&self, statement: &str, id: Uuid) -> Result<()> {
        if !self.is_embedded() {
            let id = format!("'{id}'");
            return self.sql(&statement.replace("{id}", &id)).await.map(drop);
        }
        let statement = statement.replace("{id}", &format!("X'{}'", id.simple()));
        let ran = tokio::process::Command::new("python3")
            .args(["-c", SQLITE])
            .arg(self.folder.path().join("feedback.db"))
            .arg(statement)
            .status()
            .await?;
        ensure!(ran.success(), "the statement failed");
        Ok(())
    }

    /// Another account beside the first, so that a test can repeat itself on one store.
    pub async fn fresh_account(&mut self) -> Result<()> {
        let name = Uuid::new_v4().to_string();
        self.account_id = self
            .store
            .create_key(&name, None, Scopes::ALL)
            .await?
            .account_id;
        Ok(())
    }

    /// A batch with these chunks, arrived but not accepted yet.
    pub async fn receive(&self, chunks: &[&[Row]]) -> Result<Received> {
        let payloads = chunks
            .iter()
            .map(|rows| Ok((rows.len(), encode(rows)?)))
            .collect::<Result<_>>()?;
        self.receive_payloads(payloads).await
    }

    /// The same with payloads as they are, sound or not.
    pub async fn receive_payloads(&self, payloads: Vec<(usize, Vec<u8>)>) -> Result<Received> {
        let attempt = ImportAttempt::new(self.account_id, None, self.campaign_id);
        self.store.begin_batch(&attempt).await?;
        let (mut chunks, mut records) = (0, 0);
        for (rows, payload) in payloads {
            let rows = i64::try_from(rows)?;
            self.store
                .add_chunk(&attempt, chunks, rows, payload)
                .await?;
            chunks += 1;
            records += rows;
        }
        Ok(Received {
            batch_id: attempt.batch_id,
            attempt: attempt.attempt,
            chunks,
            records,
        })
    }

    /// The attempt that a batch arrived with.
    pub fn attempt(&self, received: &Received) -> ImportAttempt {
        ImportAttempt {
            account_id: self.account_id,
            batch_id: received.batch_id,
            attempt: received.attempt,
            key: None,
            campaign_id: self.campaign_id,
            name: None,
            made_by: None,
            made_from: None,
        }
    }

    /// Accepts what arrived.
    pub async fn accept(&self, received: &Received) -> Result<()> {
        let batch = QueueBatch {
            received: received.records,
            accepted: received.records,
            rejected: 0,
            merged: 0,
            errors_dropped: 0,
            chunks: received.chunks,
            request_id: "test",
            first_answer: None,
        };
        let attempt = self.attempt(received);
        self.store.queue_batch(&attempt, &batch).await?;
        Ok(())
    }

    /// A batch, arrived and accepted.
    pub async fn post(&self, chunks: &[&[Row]]) -> Result<Received> {
        let received = self.receive(chunks).await?;
        self.accept(&received).await?;
        Ok(received)
    }

    pub fn chunk(&self, received: &Received, chunk_no: i64) -> ChunkId {
        ChunkId {
            account_id: self.account_id,
            batch_id: received.batch_id,
            chunk_no,
        }
    }

    /// One step of a worker on one chunk.
    pub async fn step(&self, id: ChunkId) -> Result<StepOutcome> {
        Ok(self.run(Pick::One(id)).await?)
    }

    async fn run(&self, pick: Pick) -> Result<StepOutcome, store::Error> {
        let pepper = Some(&self.pepper);
        store_chunk::run(&self.store, self.worker_id, pepper, pick).await
    }

    pub async fn erase(&self, docid: &str) -> Result<bool> {
        let erased = self
            .store
            .erase_recipient(self.account_id, docid, Some(&self.pepper));
        Ok(erased.await?)
    }

    pub async fn batch(&self, received: &Received) -> Result<Batch> {
        let Some(batch) = self.store.batch(self.account_id, received.batch_id).await? else {
            bail!("the batch is gone");
        };
        let stored = batch.outcomes.created
            + batch.outcomes.updated
            + batch.outcomes.unchanged
            + batch.outcomes.superseded;
        assert_eq!(batch.received, batch.accepted + batch.rejected, "{batch:?}");
        assert_eq!(
            batch.accepted,
            stored + batch.pending + batch.failed + batch.cancelled,
            "{batch:?}"
        );
        Ok(batch)
    }

    /// The value that stands for a docid.
    pub async fn value(&self, docid: &str) -> Result<Option<u32>> {
        let Some(found) = self.store.recipient(self.account_id, docid).await? else {
            return Ok(None);
        };
        let value = found.fields.get("v").and_then(|v| v.as_str());
        Ok(Some(value.unwrap_or_default().parse()?))
    }

    /// Recipients by the counts that reports read.
    pub async fn counted(&self) -> Result<i64> {
        let mut snapshot = self.store.snapshot().await?;
        let years = DateRange::parse("2026-01-01", "2030-01-01")?;
        let days = snapshot.recipient_days(self.account_id, years).await?;
        Ok(days.iter().map(|(_, recipients)| recipients).sum())
    }
}

fn open_cache(backends: &Backends) -> Result<Cache> {
    let Backends::Servers(lease) = backends else {
        return Ok(Cache::open(None)?);
    };
    let url = RedisUrl::parse(&lease.redis).map_err(anyhow::Error::msg)?;
    Ok(Cache::open(Some(&url))?)
}

/// A batch that arrived.
#[derive(Clone, Copy, Debug)]
pub struct Received {
    pub batch_id: Uuid,
    pub attempt: Uuid,
    pub chunks: i64,
    pub records: i64,
}

/// The phone of a record with this value.
pub fn phone(value: u32) -> String {
    format!("+49151123{value:05}")
}

pub fn encode(rows: &[Row]) -> Result<Vec<u8>> {
    let mut builder = Run::default();
    for (docid, value) in rows {
        let record = json!({"docid": docid, "phone": phone(*value), "v": value.to_string()});
        let record = record.to_string();
        let mut reader = RecordReader::new(BodyKind::Ndjson, record.as_bytes());
        match reader.next()? {
            Some(Ok(record)) => builder.push(&record),
            other => bail!("no record: {other:?}"),
        }
    }
    let mut chunks = builder.finish().compress(rows.len());
    Ok(chunks.pop().map(|chunk| chunk.1).unwrap_or_default())
}
