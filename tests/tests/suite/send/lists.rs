//! Lists of recipients, of what became of their messages, and of who gets none.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use tests::client::Client;
use tests::import::{JSON, NDJSON, records, segment};
use tests::wait::LATER;

use super::with_demo;

const RECIPIENT: &str = "/api_v1/sms/recipient";

fn items(page: &Value) -> Result<&Vec<Value>> {
    page["items"].as_array().context("no items")
}

/// The values of a member in all pages of a list.
async fn all(client: &Client, uri: &str, member: &str) -> Result<Vec<String>> {
    let (mut found, mut cursor) = (Vec::new(), String::new());
    loop {
        let page: Value = client
            .get(&format!("{uri}{cursor}"))
            .await?
            .expect(200)?
            .json()?;
        let values = items(&page)?.iter().map(|item| item[member].as_str());
        found.extend(values.flatten().map(str::to_owned));
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return Ok(found),
        }
    }
}

#[tokio::test]
async fn recipients_are_listed_narrowed_and_streamed() -> Result<()> {
    let app = with_demo().start().await?;
    let client = app.client().await?;
    client
        .import_and_wait(&records("A", 120, "1"), Duration::from_secs(30))
        .await?;
    let batch = client
        .import_and_wait(&records("B", 30, "2"), Duration::from_secs(30))
        .await?;
    let batch_id = batch["batch_id"].as_str().context("no batch")?;

    let docids = all(&client, &format!("{RECIPIENT}?limit=50"), "docid").await?;
    ensure!(docids.len() == 150 && docids.is_sorted(), "{docids:?}");
    let phone = |n: usize| format!("+*********{n:03}");
    let first: Value = client.get(&format!("{RECIPIENT}?limit=1")).await?.json()?;
    ensure!(items(&first)?[0]["phone"] == phone(0), "{first}");
    ensure!(items(&first)?[0]["fields"]["version"] == "1", "{first}");

    let of_batch = format!("{RECIPIENT}?limit=7&batch_id={batch_id}");
    let narrowed = all(&client, &of_batch, "docid").await?;
    ensure!(narrowed.len() == 30 && narrowed.iter().all(|docid| docid.starts_with("B-")));
    let of_field = |value| format!("{RECIPIENT}?limit=9&field={}", segment(value));
    ensure!(all(&client, &of_field("store_code=S3"), "docid").await? == ["A-100", "A-3", "B-3"]);
    let both = format!("{}&field=version%3D2", of_field("store_code=S3"));
    ensure!(all(&client, &both, "docid").await? == ["B-3"]);
    let since = batch["created_at"].as_str().context("no time")?;
    let newer = format!("{RECIPIENT}?limit=9&created_from={}", segment(since));
    ensure!(all(&client, &newer, "docid").await?.len() == 30);
    let older = format!("{RECIPIENT}?limit=9&created_to={}", segment(since));
    ensure!(all(&client, &older, "docid").await?.len() == 120);

    let paged = client.call(Method::GET, &of_batch).header("accept", NDJSON);
    paged.send().await?.problem(400, "invalid_parameter")?;
    let whole = format!("{RECIPIENT}?batch_id={batch_id}");
    let ndjson = client
        .call(Method::GET, &whole)
        .header("accept", NDJSON)
        .send()
        .await?;
    let ndjson = ndjson.expect(200)?;
    let line: Value = serde_json::from_str(ndjson.text()?.lines().next().context("no line")?)?;
    ensure!(
        ndjson.text()?.lines().count() == 30 && line["docid"] == "B-0",
        "{line}"
    );
    let csv = client
        .call(Method::GET, &whole)
        .header("accept", "text/csv")
        .send()
        .await?;
    let csv = csv.expect(200)?;
    let mut lines = csv.text()?.lines();
    ensure!(lines.next() == Some("docid,phone,fields,batch_id,created_at,updated_at"));
    let start = format!("B-0,'{},\"{{\"\"", phone(0));
    ensure!(
        lines.next().is_some_and(|line| line.starts_with(&start)),
        "{}",
        csv.text()?
    );
    ensure!(lines.count() == 29);

    for wrong in [
        "batch_id=1",
        "field=x",
        "field=%3Dx",
        "created_from=2030-01-01",
        "surprise=1",
    ] {
        let refused = client.get(&format!("{RECIPIENT}?{wrong}")).await?;
        refused.problem(400, "invalid_parameter")?;
    }
    Ok(())
}

#[tokio::test]
async fn a_recipients_messages_have_their_receipts() -> Result<()> {
    let app = with_demo().start().await?;
    let client = app.client().await?;
    let campaign = client.running("demo", &records("A", 3, "1")).await?;
    client.until_first(&campaign, "delivered", 3).await?;
    let page: Value = client
        .get(&format!("{RECIPIENT}/A-1/message"))
        .await?
        .expect(200)?
        .json()?;
    let message = &items(&page)?[0];
    let receipts = message["receipts"].as_array().context("no receipts")?;
    let last = receipts.last().context("no receipt")?;
    ensure!(
        last["status"] == "delivered" && last["received_at"].is_string(),
        "{page}"
    );
    ensure!(
        last["code"].is_null() && message["sender"] == "demo",
        "{page}"
    );
    Ok(())
}

#[tokio::test]
async fn the_suppression_list_is_newest_first() -> Result<()> {
    let app = with_demo().start().await?;
    let client = app.client().await?;
    client.import_and_wait(&records("A", 5, "1"), LATER).await?;
    let path = "/api_v1/sms/suppression";
    for n in 0..5 {
        let body = json!({"phone": format!("+49151000000{}", n + 1)}).to_string();
        client
            .call(Method::PUT, path)
            .body(JSON, body)
            .send()
            .await?
            .expect(204)?;
    }
    let since = all(&client, &format!("{path}?limit=2"), "since").await?;
    ensure!(since.len() == 5, "{since:?}");
    ensure!(since.iter().rev().is_sorted(), "{since:?}");
    // Nothing was sent to them, and the last one is nobody's.
    let phones = all(&client, &format!("{path}?limit=2"), "phone").await?;
    let known = [4, 3, 2, 1].map(|n| format!("+*********00{n}"));
    ensure!(phones == known, "{phones:?}");
    Ok(())
}
