//! Asking the service for its verdict on one record among good ones.

use anyhow::{Result, ensure};

use crate::check;
use crate::client::Client;
use crate::import::{Accepted, JSON, record};

/// Posts `[good, record, good]` and expects these (pointer within the record, code) of the middle one; none means it is good.
///
/// # Errors
/// When the verdict is another.
pub async fn middle_has(
    client: &Client,
    record_text: &str,
    expected: &[(&str, &str)],
) -> Result<()> {
    let (before, after) = (record("before"), record("after"));
    let body = format!("[{before},{record_text},{after}]");
    let accepted = Accepted::read(client.import_as(JSON, body).await?)?;
    let rejected = u64::from(!expected.is_empty());
    ensure!(
        check::count(&accepted.body, "rejected")? == rejected,
        "another count: {}",
        accepted.body
    );
    let pointers: Vec<String> = expected
        .iter()
        .map(|(pointer, _)| format!("/1{pointer}"))
        .collect();
    let expected: Vec<(u64, &str, &str)> = pointers
        .iter()
        .zip(expected)
        .map(|(pointer, (_, code))| (1, pointer.as_str(), *code))
        .collect();
    check::errors_are(&accepted.body["errors"], &expected)
}
