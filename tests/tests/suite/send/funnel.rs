//! From an import to an answer: what is imported for a campaign is sent, delivered, viewed and answered, and counted.

use anyhow::{Context, Result, ensure};
use chrono::{TimeDelta, Utc};
use serde_json::{Value, json};
use tests::campaign::count;
use tests::import::{records, segment};
use tests::oracle::agrees;
use tests::visitor::Visitor;
use tests::wait::{SOON, eventually};

use super::with_demo;

#[tokio::test]
async fn an_import_for_a_campaign_is_followed_to_the_answer() -> Result<()> {
    let app = with_demo().start().await?;
    let client = app.client().await?;
    let all = records("order", 30, "1");
    let campaign = client.running("demo", &all).await?;
    let delivered = client.until_first(&campaign, "delivered", 30).await?;
    ensure!(count(&delivered, "first", "parts") == 30, "{delivered}");

    // The link of one message, found by its recipient.
    let docid = "order-7";
    let form_id = campaign["form_id"].as_str().context("no form")?;
    let path = format!(
        "/api_v1/form/{form_id}/link?track_field={}",
        segment(&format!("docid={docid}"))
    );
    let links: Value = client.get(&path).await?.expect(200)?.json()?;
    let link = &links["items"][0];
    ensure!(
        link["track_fields"] == json!({"store_code": "S7", "docid": docid}),
        "{links}"
    );
    ensure!(
        link["token"]
            .as_str()
            .is_some_and(|token| token.len() == 11),
        "{links}"
    );
    let visitor = Visitor::new(&app.anonymous()?, link)?;
    visitor.page().await?.expect(200)?;
    visitor.view().await?.expect(204)?;
    let viewed = client.until_first(&campaign, "viewed", 1).await?;
    ensure!(count(&viewed, "first", "answered") == 0, "{viewed}");
    visitor.stored(&json!({"mood": 5})).await?;
    client.until_first(&campaign, "answered", 1).await?;
    let days = [-1, 1].map(|days| {
        (Utc::now() + TimeDelta::days(days))
            .date_naive()
            .to_string()
    });
    eventually(SOON, async || {
        let overview = client.overview((&days[0], &days[1])).await?;
        agrees(
            &overview["metrics"],
            &json!({"sent": 30, "delivered": 30, "answered": 1, "response_rate_delivered": 1.0 / 30.0}),
        )
    })
    .await?;

    let messages = client
        .get(&format!("/api_v1/sms/recipient/{docid}/message"))
        .await?;
    let messages = messages.expect(200)?.json()?;
    let message = &messages["items"][0];
    ensure!(
        message["status"] == "delivered" && message["kind"] == "first",
        "{messages}"
    );
    for time in [
        "scheduled_at",
        "accepted_at",
        "delivered_at",
        "viewed_at",
        "answered_at",
    ] {
        ensure!(message[time].is_string(), "no {time}: {messages}");
    }

    // The same again changes nothing: there is one message to each.
    client.imported_for(&campaign, &all).await?;
    client.act(&campaign, "finish").await?.expect(200)?;
    let finished = client.finished(&campaign).await?;
    ensure!(count(&finished, "first", "recipients") == 30, "{finished}");
    client
        .import_for(&campaign, &all)
        .await?
        .problem(409, "campaign_not_running")?;
    Ok(())
}

#[tokio::test]
async fn all_messages_of_a_campaign_can_be_read() -> Result<()> {
    let app = with_demo().start().await?;
    let client = app.client().await?;
    let campaign = client.running("demo", &records("A", 120, "1")).await?;
    client.until_first(&campaign, "delivered", 120).await?;
    let id = campaign["campaign_id"].as_str().context("no id")?;
    let mut path = format!("/api_v1/sms/campaign/{id}/message?status=delivered&limit=50");
    let mut seen = std::collections::BTreeSet::new();
    loop {
        let page: Value = client.get(&path).await?.expect(200)?.json()?;
        for item in page["items"].as_array().context("no items")? {
            ensure!(seen.insert(item["docid"].to_string()), "twice: {item}");
        }
        match page["next_cursor"].as_str() {
            Some(cursor) => {
                path = format!(
                    "/api_v1/sms/campaign/{id}/message?status=delivered&limit=50&cursor={cursor}"
                );
            }
            None => break,
        }
    }
    ensure!(seen.len() == 120, "{} messages", seen.len());
    Ok(())
}
