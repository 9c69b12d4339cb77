//! Why messages of a campaign did not arrive.

use anyhow::{Result, ensure};
use reqwest::Method;
use serde_json::{Value, json};
use tests::campaign::{CAMPAIGN, campaign_path};
use tests::wait::{LATER, eventually};
use uuid::Uuid;

use super::with_senders;

#[tokio::test]
async fn why_messages_did_not_arrive_is_told_by_code_and_country() -> Result<()> {
    let senders = "demo=demo:?delay=10ms&failures=100&rate=100000&window=200";
    let app = with_senders(senders).start().await?;
    let client = app.client().await?;
    let people = [
        ("G-1", "+4915112345671"),
        ("G-2", "+4915112345672"),
        ("F-1", "+33612345678"),
        ("E-1", "+4915112345673"),
    ];
    let people = people.map(|(docid, phone)| json!({"docid": docid, "phone": phone}));
    let campaign = client.running("demo", &people).await?;
    let path = campaign_path(&campaign);
    client.until_first(&campaign, "undelivered", 4).await?;
    // Tests are not counted.
    let (test, body) = (format!("{path}/test"), json!({"phone": "+4915112345674"}));
    let test = client.send_json(Method::POST, &test, &body).await?;
    test.expect(200)?;
    let list = format!("{path}/message?status=undelivered");
    eventually(LATER, async || {
        let list: Value = client.get(&list).await?.expect(200)?.json()?;
        let messages = list["items"].as_array().map(Vec::len);
        ensure!(messages == Some(5), "{list}");
        Ok(())
    })
    .await?;
    client
        .delete("/api_v1/sms/recipient/E-1")
        .await?
        .expect(204)?;
    let reason = |country: Value, messages: u32| json!({"status": "undelivered", "code": "simulated", "country": country, "messages": messages});
    let items = [
        reason(json!("DE"), 2),
        reason(Value::Null, 1),
        reason(json!("FR"), 1),
    ];
    let failures = format!("{path}/failure");
    let told: Value = client.get(&failures).await?.expect(200)?.json()?;
    ensure!(
        told == json!({"items": items, "partial": false, "sealed": false}),
        "{told}"
    );

    let unknown = format!("{CAMPAIGN}/{}/failure?surprise=1", Uuid::now_v7());
    client.get(&unknown).await?.problem(404, "not_found")?;
    let surprise = client.get(&format!("{failures}?surprise=1")).await?;
    surprise.problem(400, "invalid_parameter")?;
    let stranger = app.client_of("stranger").await?;
    let theirs = stranger.get(&failures).await?;
    theirs.problem(404, "not_found")?;
    Ok(())
}
