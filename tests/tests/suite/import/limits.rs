//! The limits: too large is said, never cut, and costs little.

use anyhow::{Context, Result, ensure};
use bytes::Bytes;
use futures::stream;
use reqwest::{Body, Method};
use serde_json::json;
use tests::app::App;
use tests::client::{Answer, Client};
use tests::import::{Accepted, IMPORT, JSON, array, gzip, ndjson, record, records, zstd};
use tests::wait::SOON;

/// What hostile input may cost a process: 256 MiB.
const MEMORY: u64 = 256 << 20;

async fn encoded(client: &Client, encoding: &str, body: Bytes) -> Result<Answer> {
    let call = client.call(Method::POST, IMPORT);
    let call = call.header("content-encoding", encoding).body(JSON, body);
    call.send().await
}

async fn nothing_is_kept(client: &Client) -> Result<()> {
    let list = client.get(IMPORT).await?.expect(200)?.json()?;
    ensure!(list["items"] == json!([]), "a batch is left: {list}");
    Ok(())
}

#[tokio::test]
async fn a_body_may_have_just_the_limits_bytes() -> Result<()> {
    let app = App::setup()
        .setting("FEEDBACK_MAX_BODY", "5000")
        .start()
        .await?;
    let client = app.client().await?;
    let mut fitting = array(&[record("A1")]).to_vec();
    fitting.resize(5000, b' ');
    let mut larger = fitting.clone();
    larger.push(b' ');

    let answer = client.import_as(JSON, larger.clone()).await?;
    answer.problem(413, "body_too_large")?;
    let chunks: Vec<Result<Vec<u8>>> = larger.chunks(999).map(|part| Ok(part.to_vec())).collect();
    let answer = client
        .import_as(JSON, Body::wrap_stream(stream::iter(chunks)))
        .await?;
    answer.problem(413, "body_too_large")?;
    for (encoding, body) in [("gzip", gzip(&larger)?), ("zstd", zstd(&larger)?)] {
        ensure!(body.len() < 5000, "not small on the wire");
        let answer = encoded(&client, encoding, body).await?;
        answer.problem(413, "body_too_large").context(encoding)?;
    }
    nothing_is_kept(&client).await?;
    client.recipient("A1").await?.problem(404, "not_found")?;

    let accepted = Accepted::read(client.import_as(JSON, fitting.clone()).await?)?;
    client.completed(&accepted.batch_id, SOON).await?;
    Accepted::read(encoded(&client, "gzip", gzip(&fitting)?).await?)?;
    Ok(())
}

#[tokio::test]
async fn a_body_may_have_just_the_limits_records() -> Result<()> {
    let app = App::setup()
        .setting("FEEDBACK_MAX_RECORDS", "3")
        .start()
        .await?;
    let client = app.client().await?;
    let four = records("A", 4, "1");
    for (kind, body) in [
        (JSON, array(&four)),
        ("application/x-ndjson", ndjson(&four)),
        (JSON, Bytes::from_static(b"[1,2,3,4]")),
    ] {
        let answer = client.import_as(kind, body).await?;
        answer.problem(413, "too_many_records").context(kind)?;
    }
    nothing_is_kept(&client).await?;
    client.recipient("A-0").await?.problem(404, "not_found")?;
    client.import(four.get(..3).unwrap_or_default()).await?;
    Ok(())
}

#[tokio::test]
async fn an_empty_import_is_invalid() -> Result<()> {
    let app = App::start().await?;
    let client = app.client().await?;
    for body in ["[]", "{\"data\":[]}", " [ ] "] {
        let answer = client.import_as(JSON, body).await?;
        let problem = answer.problem(422, "validation_failed")?;
        ensure!(problem["received"] == 0, "received: {problem}");
        ensure!(problem["rejected"] == 0, "rejected: {problem}");
        ensure!(problem["errors"] == json!([]), "errors: {problem}");
    }
    let answer = client.import_as(JSON, "[1,{}]").await?;
    let problem = answer.problem(422, "validation_failed")?;
    ensure!(problem["received"] == 2, "received: {problem}");
    ensure!(problem["rejected"] == 2, "rejected: {problem}");
    nothing_is_kept(&client).await
}

#[tokio::test]
async fn a_bomb_is_refused_before_it_goes_off() -> Result<()> {
    let mut app = App::setup()
        .setting("FEEDBACK_MAX_BODY", "8388608")
        .start()
        .await?;
    let client = app.client().await?;
    let mut bomb = vec![b' '; 200 << 20];
    bomb.splice(..1, [b'[']);
    for (encoding, body) in [("gzip", gzip(&bomb)?), ("zstd", zstd(&bomb)?)] {
        ensure!(body.len() < 1 << 20, "not small on the wire");
        let answer = encoded(&client, encoding, body).await?;
        answer.problem(413, "body_too_large").context(encoding)?;
    }
    drop(bomb);
    nothing_is_kept(&client).await?;
    let used = app.api()?.process.peak_memory()?;
    ensure!(used <= MEMORY, "{} MiB were used", used >> 20);
    Ok(())
}

#[tokio::test]
async fn hostile_records_cost_little_memory() -> Result<()> {
    let mut app = App::start().await?;
    let client = app.client().await?;
    let docid = "x".repeat(2 << 20);
    let all: Vec<_> = (0..12)
        .map(|_| json!({"docid": docid, "phone": docid}))
        .collect();
    let answer = client.import_as(JSON, array(&all)).await?;
    answer.problem(422, "validation_failed")?;

    // One record that never ends is not kept in memory.
    let mut endless = b"[{\"docid\":\"A1\",\"phone\":\"".to_vec();
    endless.resize(60 << 20, b'1');
    let answer = client.import_as(JSON, endless).await?;
    answer.problem(413, "body_too_large")?;
    let many_members = format!("[{{{}\"docid\":\"A1\"}}]", "\"x\":\"y\",".repeat(500_000));
    let answer = client.import_as(JSON, many_members).await?;
    answer.problem(422, "validation_failed")?;
    nothing_is_kept(&client).await?;
    let used = app.api()?.process.peak_memory()?;
    ensure!(used <= MEMORY, "{} MiB were used", used >> 20);
    Ok(())
}
