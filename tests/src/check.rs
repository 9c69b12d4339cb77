//! What must hold for every batch and every stored recipient, whatever happened.

use anyhow::{Context, Result, ensure};
use futures::stream::{self, StreamExt, TryStreamExt};
use serde_json::{Map, Value};

use crate::client::Client;

/// The four ways an accepted record can end well.
pub const OUTCOMES: [&str; 4] = ["created", "updated", "unchanged", "superseded"];

/// Every status a batch can have.
const STATUSES: [&str; 5] = ["queued", "processing", "completed", "cancelled", "stalled"];

/// Recipients read at once.
const READERS: usize = 8;

/// A count of a body: a whole number, never less than 0.
///
/// # Errors
/// When it is missing or no such number.
pub fn count(body: &Value, member: &str) -> Result<u64> {
    body[member]
        .as_u64()
        .with_context(|| format!("{member} is no count: {body}"))
}

/// How many of a batch's records ended as `outcome`.
///
/// # Errors
/// When it is missing or no count.
pub fn outcome(batch: &Value, outcome: &str) -> Result<u64> {
    count(&batch["outcomes"], outcome)
}

/// A text that others may read holds no phone of Germany, where all of these tests are, and none of the secrets.
///
/// # Errors
/// When it does, with what stands around.
pub fn names_nobody(text: &str, secrets: &[&str]) -> Result<()> {
    for secret in secrets.iter().chain(&["%2B49"]) {
        ensure!(!text.contains(secret), "{secret} is told");
    }
    for line in text.lines() {
        // Ids and fractions have such digits too, beside letters, `-` or `.`.
        let mut words = line.split(|c: char| !c.is_ascii_alphanumeric() && !".-".contains(c));
        let is_phone = |word: &str| {
            let word = word.trim_end_matches('.');
            let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
            is_number && word.starts_with("49") && (11..=14).contains(&word.len())
        };
        ensure!(!words.any(is_phone), "a phone is told: {line}");
    }
    Ok(())
}

/// The two equations of a batch's counts, and what a status says about the counts.
///
/// # Errors
/// When one does not hold.
pub fn counts_add_up(batch: &Value) -> Result<()> {
    let accepted = count(batch, "accepted")?;
    let pending = count(batch, "pending")?;
    let failed = count(batch, "failed")?;
    let cancelled = count(batch, "cancelled")?;
    ensure!(
        count(batch, "received")? == accepted + count(batch, "rejected")? + count(batch, "merged")?,
        "received is not accepted + rejected + merged: {batch}"
    );
    let mut ended = 0;
    for name in OUTCOMES {
        ended += outcome(batch, name)?;
    }
    ensure!(
        accepted == ended + pending + failed + cancelled,
        "accepted is not outcomes + pending + failed + cancelled: {batch}"
    );
    let status = batch["status"].as_str().unwrap_or_default();
    ensure!(STATUSES.contains(&status), "unknown status: {batch}");
    if ["completed", "cancelled", "stalled"].contains(&status) {
        ensure!(pending == 0, "{status} with records pending: {batch}");
    }
    if status == "completed" {
        ensure!(failed + cancelled == 0, "completed without all: {batch}");
        ensure!(batch["completed_at"].is_string(), "no end: {batch}");
    }
    Ok(())
}

/// Every one of `records` is readable with just this phone and these fields, from just this batch.
///
/// # Errors
/// On the first that is not.
pub async fn stored(client: &Client, records: &[Value], batch_id: &str) -> Result<()> {
    read_all(client, records.iter(), batch_id).await
}

/// The same for about `sample` of them, evenly spread, the first and the last among them.
///
/// # Errors
/// On the first that is not.
pub async fn stored_sample(
    client: &Client,
    records: &[Value],
    batch_id: &str,
    sample: usize,
) -> Result<()> {
    let step = (records.len() / sample.max(1)).max(1);
    let spread = records.iter().step_by(step).chain(records.last());
    read_all(client, spread, batch_id).await
}

async fn read_all(
    client: &Client,
    records: impl Iterator<Item = &Value>,
    batch_id: &str,
) -> Result<()> {
    stream::iter(records)
        .map(|record| one_stored(client, record, batch_id))
        .buffer_unordered(READERS)
        .try_collect()
        .await
}

async fn one_stored(client: &Client, record: &Value, batch_id: &str) -> Result<()> {
    let docid = record["docid"].as_str().context("no docid")?;
    let stored = client.recipient(docid).await?.expect(200)?.json()?;
    ensure!(stored["docid"] == docid, "another docid: {stored}");
    ensure!(
        stored["phone"] == record["phone"],
        "another phone than {record}: {stored}"
    );
    let mut fields = record.as_object().cloned().unwrap_or_default();
    fields.retain(|name, _| name != "docid" && name != "phone");
    ensure!(
        stored["fields"] == Value::Object(fields),
        "other fields than {record}: {stored}"
    );
    ensure!(stored["batch_id"] == batch_id, "another batch: {stored}");
    for time in ["created_at", "updated_at"] {
        let text = stored[time].as_str().unwrap_or_default();
        ensure!(is_time(text), "{time} is no time: {stored}");
    }
    Ok(())
}

/// RFC 3339 in UTC with `Z`, such as `2026-11-21T08:30:00.123Z`.
pub fn is_time(text: &str) -> bool {
    let Some(rest) = text.strip_suffix('Z') else {
        return false;
    };
    let shape: String = rest
        .chars()
        .map(|character| {
            if character.is_ascii_digit() {
                '0'
            } else {
                character
            }
        })
        .collect();
    let (seconds, fraction) = shape.split_once('.').unwrap_or((&shape, "0"));
    seconds == "0000-00-00T00:00:00" && fraction.chars().all(|character| character == '0')
}

/// An object's member names, in order of bytes.
pub fn members(object: &Value) -> Vec<&str> {
    let mut names: Vec<&str> = object
        .as_object()
        .map(Map::keys)
        .into_iter()
        .flatten()
        .map(String::as_str)
        .collect();
    names.sort_unstable();
    names
}

/// The record errors are just these, as (index, pointer, code) in any order within a record.
///
/// # Errors
/// When one is missing or too many.
pub fn errors_are(errors: &Value, expected: &[(u64, &str, &str)]) -> Result<()> {
    let listed = errors.as_array().context("no list of errors")?;
    let mut found: Vec<(u64, String, String)> = Vec::new();
    for error in listed {
        let text = |member: &str| error[member].as_str().map(str::to_owned);
        let (Some(pointer), Some(code)) = (text("pointer"), text("code")) else {
            anyhow::bail!("no record error: {error}");
        };
        ensure!(
            members(error) == ["code", "detail", "docid", "index", "pointer"],
            "other members: {error}"
        );
        ensure!(error["detail"].is_string(), "no detail: {error}");
        found.push((count(error, "index")?, pointer, code));
    }
    ensure!(
        found.is_sorted_by_key(|(index, _, _)| *index),
        "not in order of records: {errors}"
    );
    let mut expected: Vec<(u64, String, String)> = expected
        .iter()
        .map(|(index, pointer, code)| (*index, (*pointer).to_owned(), (*code).to_owned()))
        .collect();
    found.sort();
    expected.sort();
    ensure!(found == expected, "expected {expected:?}, found {found:?}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phone_is_told_from_ids_and_numbers() {
        for text in [
            "to=4915112345678",
            "\"+491511234567\".",
            "is +4915112345678.",
            "%2B4915",
        ] {
            assert!(names_nobody(text, &[]).is_err(), "{text}");
        }
        for text in [
            "01a206a0-fec2-712c-92c2-491511234567",
            "0.4915112345678",
            "1763869112345",
            "49151123456789ab",
        ] {
            assert!(names_nobody(text, &["other"]).is_ok(), "{text}");
        }
        assert!(names_nobody("a secret", &["secret"]).is_err());
    }
}
