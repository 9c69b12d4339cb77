//! Several api processes on servers: one freezes, the client goes on with another.

use anyhow::{Context, Result, ensure};
use bytes::Bytes;
use reqwest::Method;
use tests::app::App;
use tests::check;
use tests::client::Client;
use tests::import::{Accepted, IMPORT, JSON, array, gzip, records};
use tests::raw::{self, Raw};
use tests::wait::{LATER, SOON, eventually};

/// Space before the records, more than any socket's buffers hold: once it is sent, the api is reading, and the key
/// reserved.
const AHEAD: usize = 24 << 20;

/// An import of which all but the last `missing` bytes are sent, under `key`.
async fn begin(client: &Client, key: &str, body: &[u8], missing: usize) -> Result<Raw> {
    let length = format!("content-length: {}", body.len());
    let key = format!("idempotency-key: {key}");
    let lines = ["content-type: application/json", &key, &length];
    let mut connection = Raw::connect(client).await?;
    let opening = Raw::head(client, IMPORT, &lines)?;
    connection.write(opening.as_bytes()).await?;
    let sent = body.get(..body.len() - missing).unwrap_or_default();
    connection.write(sent).await?;
    Ok(connection)
}

#[tokio::test]
async fn an_api_frozen_before_its_commit_and_a_retry_elsewhere_make_one_batch() -> Result<()> {
    let app = App::setup().apis(2).workers(1).start().await?;
    let [frozen, other] = app.apis.as_slice() else {
        anyhow::bail!("not two apis");
    };
    let client = app.client().await?;
    let elsewhere = client.at(other.base());
    let mut batches = Vec::new();
    for (round, missing) in [1, 1, 200_000, 200_000].into_iter().enumerate() {
        let all = records(&format!("R{round}"), 12_000, "1");
        let body: Bytes = [&vec![b' '; AHEAD][..], &array(&all)].concat().into();
        let key = format!("key-{round}");
        // The same decoded body; small on the wire, since a body refused early is not read to its end.
        let small = gzip(&body)?;
        let retry = async || {
            let call = elsewhere.call(Method::POST, IMPORT);
            let call = call.header("idempotency-key", &key);
            let call = call.header("content-encoding", "gzip");
            call.body(JSON, small.clone()).send().await
        };
        let mut connection = begin(&client, &key, &body, missing).await?;
        // The first attempt holds the key; so it is frozen before its commit, with the end of the body to come.
        retry().await?.problem(409, "idempotency_in_flight")?;
        frozen.process.freeze()?;
        let rest = body.get(body.len() - missing..).unwrap_or_default();
        let retried = async {
            let accepted = eventually(LATER, async || Accepted::read(retry().await?)).await?;
            if round % 2 == 0 {
                elsewhere.completed(&accepted.batch_id, LATER).await?;
            }
            frozen.process.thaw()?;
            anyhow::Ok(accepted)
        };
        // A frozen api reads nothing: what its socket's buffers do not hold is sent once it thaws.
        let (sent, accepted) = tokio::join!(connection.write(rest), retried);
        let accepted = accepted?;
        // It finds its key with another.
        sent?;
        let head = connection.read_head().await?;
        ensure!(raw::status(&head)? == 409, "unexpected: {head}");
        let again = Accepted::read(retry().await?)?;
        ensure!(again.batch_id == accepted.batch_id, "another batch");
        elsewhere.completed(&accepted.batch_id, LATER).await?;
        check::stored_sample(&elsewhere, &all, &accepted.batch_id, 50).await?;
        batches.push(accepted.batch_id);
    }
    eventually(SOON, async || {
        let list = elsewhere.get(IMPORT).await?.expect(200)?.json()?;
        let count = list["items"].as_array().context("no items")?.len();
        ensure!(count == batches.len(), "{count} batches: {list}");
        Ok(())
    })
    .await?;
    for batch_id in &batches {
        let batch = elsewhere.batch(batch_id).await?;
        ensure!(check::outcome(&batch, "created")? == 12_000, "{batch}");
    }
    Ok(())
}

#[tokio::test]
async fn what_one_api_took_the_other_knows_at_once() -> Result<()> {
    let app = App::setup().apis(2).workers(1).start().await?;
    let client = app.client().await?;
    let other = client.at(app.apis.last().context("no api")?.base());
    for number in 0..20 {
        let docid = format!("A{number}");
        let all = [tests::import::record(&docid)];
        let accepted = client.import(&all).await?;
        other.batch(&accepted.batch_id).await?;
        client.completed(&accepted.batch_id, SOON).await?;
        check::stored(&other, &all, &accepted.batch_id).await?;
        other.erase(&docid).await?.expect(204)?;
        client.recipient(&docid).await?.problem(404, "not_found")?;
    }
    Ok(())
}
