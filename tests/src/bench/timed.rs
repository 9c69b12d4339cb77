//! An import by the clock: from the first byte sent to the 202, and to the batch's end.

use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};
use bytes::Bytes;

use crate::check;
use crate::client::Client;
use crate::import::{Accepted, IMPORT, JSON};

/// How exact the end is seen. It is counted against us; asking more often would cost more than it finds.
const POLL: Duration = Duration::from_millis(20);

/// An import that takes this long hangs.
const LONGEST: Duration = Duration::from_mins(15);

/// How long an import took.
#[derive(Clone, Copy, Debug)]
pub struct Timed {
    /// From the start of the POST to its 202.
    pub accepted: Duration,
    /// From the start of the POST to the status `completed`.
    pub stored: Duration,
}

/// Posts `body` from memory over one connection and waits until all of it ended as `outcome`.
///
/// # Errors
/// When it is refused, does not complete, or not all of its `records` ended as `outcome`.
pub async fn import(client: &Client, body: &Bytes, records: u32, outcome: &str) -> Result<Timed> {
    file(client, ("", JSON), body, records, outcome).await
}

/// The same with a query and a media type.
///
/// # Errors
/// As those of [`import`].
pub async fn file(
    client: &Client,
    (query, kind): (&str, &str),
    body: &Bytes,
    records: u32,
    outcome: &str,
) -> Result<Timed> {
    // The connection is there before the clock runs.
    client.get(IMPORT).await?.expect(200)?;
    let start = Instant::now();
    let answer = client.import_file(query, kind, body.clone()).await?;
    let accepted = start.elapsed();
    let batch_id = Accepted::read(answer)?.batch_id;
    let batch = loop {
        let batch = client.batch(&batch_id).await?;
        match batch["status"].as_str() {
            Some("completed") => break batch,
            Some("queued" | "processing") if start.elapsed() < LONGEST => {}
            _ => bail!("not completed: {batch}"),
        }
        tokio::time::sleep(POLL).await;
    };
    let stored = start.elapsed();
    let ended = check::outcome(&batch, outcome)?;
    ensure!(
        ended == u64::from(records),
        "not all {records} {outcome}: {batch}"
    );
    Ok(Timed { accepted, stored })
}
