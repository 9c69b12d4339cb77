//! Faults of whatever takes imports: killed at any moment, while the client tries again under its Idempotency-Key.

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use tests::app::App;
use tests::check;
use tests::client::Client;
use tests::import::{Accepted, IMPORT, array, records};
use tests::raw::Raw;
use tests::wait::{LATER, eventually};

/// When the api is killed.
#[derive(Clone, Copy, Debug)]
enum Moment {
    /// After so many tenths of the body.
    Sent(usize),
    /// After the whole body and so many more requests: somewhere around the commit and the answer.
    Requests(usize),
    /// As soon as so many batches are listed: after the commit.
    Listed(usize),
}

/// Sends an import under `key` and returns at the moment; the answer, if one comes, is never read.
async fn begin(client: &Client, key: &str, body: &[u8], moment: Moment) -> Result<Raw> {
    let length = format!("content-length: {}", body.len());
    let key = format!("idempotency-key: {key}");
    let lines = ["content-type: application/json", &key, &length];
    let mut connection = Raw::connect(client).await?;
    let head = Raw::head(client, IMPORT, &lines)?;
    connection.write(head.as_bytes()).await?;
    match moment {
        Moment::Sent(tenths) => {
            let part = body.get(..body.len() * tenths / 10).unwrap_or_default();
            connection.write(part).await?;
        }
        Moment::Requests(count) => {
            connection.write(body).await?;
            for _ in 0..count {
                client.get("/health/live").await?;
            }
        }
        Moment::Listed(count) => {
            connection.write(body).await?;
            eventually(LATER, async || {
                let list = client.get(IMPORT).await?.expect(200)?.json()?;
                let listed = list["items"].as_array().map_or(0, Vec::len);
                ensure!(listed == count, "{listed} batches");
                Ok(())
            })
            .await?;
        }
    }
    Ok(connection)
}

#[tokio::test]
async fn an_api_killed_at_any_moment_keeps_all_or_nothing_and_a_retry_makes_one_batch() -> Result<()>
{
    let mut app = App::start().await?;
    let client = app.client().await?;
    let moments = [0, 3, 9]
        .map(Moment::Sent)
        .into_iter()
        .chain([0, 1, 3, 8, 20, 60, 150, 400].map(Moment::Requests))
        .chain([12, 13].map(Moment::Listed));
    let mut batches = Vec::new();
    let (mut in_flight, mut replayed) = (0, 0);
    for (round, moment) in moments.enumerate() {
        let all = records(&format!("R{round}"), 12_000, "1");
        let key = format!("key-{round}");
        let connection = begin(&client, &key, &array(&all), moment).await?;
        app.api()?.kill()?;
        drop(connection);
        app.api()?.start_again().await?;
        // Until the dead attempt's heartbeat is old, it counts as in flight: 409.
        let mut waited = false;
        let answer = eventually(LATER, async || {
            let answer = client.import_once(&key, &all).await?;
            waited |= answer.status == 409;
            answer.expect(202)
        })
        .await
        .with_context(|| format!("{moment:?}"))?;
        in_flight += u32::from(waited);
        replayed += u32::from(answer.header("idempotent-replayed").is_some());
        let accepted = Accepted::read(answer)?;
        batches.push((all, accepted.batch_id));
    }
    eprintln!("{in_flight} died in flight, {replayed} after their commit");
    ensure!(
        in_flight > 0,
        "none was killed between its key and its commit"
    );
    ensure!(replayed > 0, "none was killed after its commit");
    for (all, batch_id) in &batches {
        let batch = client.completed(batch_id, LATER).await?;
        ensure!(check::outcome(&batch, "created")? == 12_000, "{batch}");
        check::stored_sample(&client, all, batch_id, 40).await?;
    }
    // Each once: nothing of an attempt that died is left, nothing was queued twice.
    eventually(LATER, async || {
        let list = client.get(IMPORT).await?.expect(200)?.json()?;
        let mut listed: Vec<&str> = list["items"]
            .as_array()
            .context("no items")?
            .iter()
            .filter_map(|item: &Value| item["batch_id"].as_str())
            .collect();
        let mut expected: Vec<&str> = batches.iter().map(|(_, id)| id.as_str()).collect();
        listed.sort_unstable();
        expected.sort_unstable();
        ensure!(listed == expected, "not each once: {listed:?}");
        Ok(())
    })
    .await
}

#[tokio::test]
async fn an_api_killed_without_a_retry_leaves_a_whole_batch_or_none() -> Result<()> {
    let mut app = App::start().await?;
    let client = app.client().await?;
    for (round, requests) in [0, 2, 10, 40].into_iter().enumerate() {
        let all = records(&format!("R{round}"), 8_000, "1");
        let moment = Moment::Requests(requests);
        let connection = begin(&client, &format!("key-{round}"), &array(&all), moment).await?;
        app.api()?.kill()?;
        drop(connection);
        app.api()?.start_again().await?;
    }
    let list = eventually(LATER, async || {
        let list = client.get(IMPORT).await?.expect(200)?.json()?;
        for batch in list["items"].as_array().context("no items")? {
            check::counts_add_up(batch)?;
            ensure!(batch["status"] == "completed", "not completed: {batch}");
        }
        Ok(list)
    })
    .await?;
    for batch in list["items"].as_array().context("no items")? {
        ensure!(
            check::outcome(batch, "created")? == 8_000,
            "not whole: {batch}"
        );
    }
    Ok(())
}
