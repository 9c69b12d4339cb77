//! Records, bodies and batches of the SMS import.

use std::fmt::Write;
use std::io::Write as _;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use reqwest::Method;
use serde_json::{Value, json};

use crate::check;
use crate::client::{Answer, Client};
use crate::wait::eventually;

/// Where imports go.
pub const IMPORT: &str = "/api_v1/sms/import";

/// The kind of a JSON body.
pub const JSON: &str = "application/json";

/// The kind of a body of one record a line.
pub const NDJSON: &str = "application/x-ndjson";

/// A good record.
pub fn record(docid: &str) -> Value {
    json!({"docid": docid, "phone": "+4915112345678", "store_code": "S1"})
}

/// `count` good records, `PREFIX-0` and on, each with a phone and fields of its own; `version` tells imports of the
/// same docids apart.
pub fn records(prefix: &str, count: usize, version: &str) -> Vec<Value> {
    (0..count)
        .map(|number| {
            json!({
                "docid": format!("{prefix}-{number}"),
                "phone": format!("+49{}", 1_510_000_000 + number),
                "store_code": format!("S{}", number % 97),
                "version": version,
            })
        })
        .collect()
}

/// A JSON array of them.
pub fn array(records: &[Value]) -> Bytes {
    Value::Array(records.to_vec()).to_string().into()
}

/// One a line.
pub fn ndjson(records: &[Value]) -> Bytes {
    let mut text = String::new();
    for record in records {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{record}");
    }
    text.into()
}

/// gzip of a body.
///
/// # Errors
/// None in practice: it writes to memory.
pub fn gzip(body: &[u8]) -> Result<Bytes> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(body)?;
    Ok(encoder.finish()?.into())
}

/// zstd of a body.
///
/// # Errors
/// None in practice: it writes to memory.
pub fn zstd(body: &[u8]) -> Result<Bytes> {
    Ok(zstd::encode_all(body, 1)?.into())
}

/// One segment of a path, percent-encoded.
pub fn segment(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

/// What a 202 said.
#[derive(Clone, Debug)]
pub struct Accepted {
    /// The batch.
    pub batch_id: String,
    /// The whole body of the answer.
    pub body: Value,
}

impl Accepted {
    /// Reads a 202 and checks its shape.
    ///
    /// # Errors
    /// When it is anything else.
    pub fn read(answer: Answer) -> Result<Self> {
        let answer = answer.expect(202)?;
        let body = answer.json()?;
        let batch_id = body["batch_id"].as_str().context("no batch_id")?.to_owned();
        let status_url = format!("{IMPORT}/{batch_id}");
        ensure!(
            answer.header("location") == Some(&status_url),
            "another Location: {answer:?}"
        );
        ensure!(
            body["status_url"] == status_url,
            "another status_url: {body}"
        );
        ensure!(body["status"] == "queued", "not queued: {body}");
        let (received, accepted, rejected, merged) = (
            check::count(&body, "received")?,
            check::count(&body, "accepted")?,
            check::count(&body, "rejected")?,
            check::count(&body, "merged")?,
        );
        ensure!(
            received == accepted + rejected + merged,
            "counts do not add up: {body}"
        );
        let errors = body["errors"].as_array().context("no errors")?;
        ensure!(errors.len() <= 100, "more than 100 errors: {body}");
        Ok(Self { batch_id, body })
    }
}

impl Client {
    /// Posts a body of some kind as a file of people, read as the query says.
    ///
    /// # Errors
    /// When there is no answer.
    pub async fn import_file(
        &self,
        query: &str,
        kind: &str,
        body: impl Into<reqwest::Body>,
    ) -> Result<Answer> {
        self.call(Method::POST, &format!("{IMPORT}?{query}"))
            .body(kind, body)
            .send()
            .await
    }

    /// Posts a body of some kind.
    ///
    /// # Errors
    /// When there is no answer.
    pub async fn import_as(&self, kind: &str, body: impl Into<reqwest::Body>) -> Result<Answer> {
        self.call(Method::POST, IMPORT)
            .body(kind, body)
            .send()
            .await
    }

    /// Posts any JSON.
    ///
    /// # Errors
    /// When there is no answer.
    pub async fn import_json(&self, body: &Value) -> Result<Answer> {
        self.import_as(JSON, body.to_string()).await
    }

    /// Posts records and expects them to be accepted.
    ///
    /// # Errors
    /// When they are not.
    pub async fn import(&self, records: &[Value]) -> Result<Accepted> {
        Accepted::read(self.import_as(JSON, array(records)).await?)
    }

    /// Posts records under an Idempotency-Key.
    ///
    /// # Errors
    /// When there is no answer.
    pub async fn import_once(&self, key: &str, records: &[Value]) -> Result<Answer> {
        self.call(Method::POST, IMPORT)
            .header("idempotency-key", key)
            .body(JSON, array(records))
            .send()
            .await
    }

    /// The batch's status, whose counts were checked.
    ///
    /// # Errors
    /// When it is not there, or its counts do not add up.
    pub async fn batch(&self, batch_id: &str) -> Result<Value> {
        let answer = self
            .get(&format!("{IMPORT}/{batch_id}"))
            .await?
            .expect(200)?;
        let batch = answer.json()?;
        check::counts_add_up(&batch)?;
        Ok(batch)
    }

    /// The batch's status once it is completed.
    ///
    /// # Errors
    /// When it is not by the deadline, or its counts do not add up.
    pub async fn completed(&self, batch_id: &str, deadline: Duration) -> Result<Value> {
        eventually(deadline, async || {
            let batch = self.batch(batch_id).await?;
            ensure!(batch["status"] == "completed", "not completed: {batch}");
            Ok(batch)
        })
        .await
    }

    /// Imports records and waits until they are stored.
    ///
    /// # Errors
    /// When they are not.
    pub async fn import_and_wait(&self, records: &[Value], deadline: Duration) -> Result<Value> {
        let accepted = self.import(records).await?;
        self.completed(&accepted.batch_id, deadline).await
    }

    /// Posts to `…/{batch_id}/cancel` or `…/retry`.
    ///
    /// # Errors
    /// When there is no answer.
    pub async fn batch_action(&self, batch_id: &str, action: &str) -> Result<Answer> {
        self.post(&format!("{IMPORT}/{batch_id}/{action}")).await
    }

    /// `GET /api_v1/sms/recipient/{docid}`
    ///
    /// # Errors
    /// When there is no answer.
    pub async fn recipient(&self, docid: &str) -> Result<Answer> {
        self.get(&format!("/api_v1/sms/recipient/{}", segment(docid)))
            .await
    }

    /// `DELETE /api_v1/sms/recipient/{docid}`
    ///
    /// # Errors
    /// When there is no answer.
    pub async fn erase(&self, docid: &str) -> Result<Answer> {
        self.delete(&format!("/api_v1/sms/recipient/{}", segment(docid)))
            .await
    }
}
